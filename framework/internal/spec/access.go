package spec

// An Access is the answer to the question whether a caller may use an endpoint.
type Access string

const (
	// AccessRefused means that the caller gets 401 or 403, from a guard or from the permission.
	AccessRefused Access = "refused"
	// AccessScoped means that the caller is permitted, and has the rows of its scope or, for a
	// change, those of them that Writers leaves the caller. There may be no such rows.
	AccessScoped Access = "scoped"
	// AccessAllowed means that the caller is permitted and no scope and no Writers narrows the rows: the caller
	// has every row, or the endpoint is a function that receives no row, as of framework.Does
	// and framework.OnCollection. If such a function calls framework.Find, the result is still
	// limited to the caller's scope.
	AccessAllowed Access = "allowed"
)
