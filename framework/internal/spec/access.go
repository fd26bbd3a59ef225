package spec

// An Access is what an endpoint is to a kind of caller.
type Access string

const (
	// AccessRefused is for callers who get 401 or 403, from a guard or from the
	// permission.
	AccessRefused Access = "refused"
	// AccessScoped is for callers who are permitted, and have the rows that
	// [Scope] leaves them: perhaps none.
	AccessScoped Access = "scoped"
	// AccessAllowed is for callers who are permitted where nothing narrows the
	// rows: every row is theirs, or the endpoint is a function that is handed
	// no row, as those of [Does] and [OnCollection] are. What such a function
	// reads by [Find] is in the caller's scope all the same.
	AccessAllowed Access = "allowed"
)
