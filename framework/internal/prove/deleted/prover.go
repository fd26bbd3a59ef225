package deleted

import (
	"trestle.example/framework/internal/prove/check"
)

// A prover sends the requests of this package.
type prover struct{ *check.Checker }

// Try shows that a row that is deleted softly is as one that was never made, for each viewset that deletes softly.
func Try(c *check.Checker) { prover{c}.tryDeleted() }
