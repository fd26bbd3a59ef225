package call

// A Guard checks a permission for every path below a prefix, before routing. It therefore
// also covers paths that do not exist.
type Guard struct {
	Under      string // "admin" guards {prefix}/admin and everything below
	Permission Permission
}
