package call

import "net/http"

// A Guard checks a permission for every path below a prefix, before routing. It therefore
// also covers paths that do not exist.
type Guard struct {
	Under      string // "admin" guards {prefix}/admin and everything below
	Permission Permission
}

// A Middleware wraps the handler of an endpoint, as any middleware of net/http does. It runs
// after the check of the host and the guards, and before the throttles and the authenticators
// of the endpoint. It may answer a request itself. Values that it adds to the context of the
// request are in the [Call].
type Middleware func(next http.Handler) http.Handler
