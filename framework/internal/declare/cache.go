package declare

import "time"

// Cache says for how long caches may use an answer of a read before they send another request; none without a declaration.
type Cache struct{ For time.Duration }
