package call

// A Permission decides whether a caller may use an endpoint, before any row is read. A
// scope decides which rows the caller has. Implementations must be safe for concurrent use.
//
// frameworktest.TestPermission checks your own implementation.
type Permission interface {
	// Permit reports whether the call may go on. It reads c.Caller and c.Route, and does
	// not use the database.
	Permit(c *Call) bool
	// String returns what the permission requires, such as "staff" or "doctors.add". The
	// list of routes and the API reference show it.
	String() string
}
