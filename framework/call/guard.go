package call

// A Guard asks a permission for every path under a prefix, before routing:
// for paths that do not exist too.
type Guard struct {
	Under      string // "admin" guards {prefix}/admin and all below
	Permission Permission
}
