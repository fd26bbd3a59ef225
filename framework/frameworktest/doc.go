// Package frameworktest has what tests of an API need: a client whose failures
// can be repeated by hand, tables of requests, both databases, a counter of
// statements, and suites that check an implementation of the framework's
// interfaces.
//
//	func TestPatients(t *testing.T) {
//		frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
//			c := frameworktest.New(t, handler(t, db)).As(token)
//			c.Post("/api/patients/", map[string]any{"name": "Ada"}).Expect(400).Fault("/phone", "required")
//			c.Get("/api/patients/").Expect(200).Lacks("owner_id")
//		})
//	}
//
// A filter, a pagination class, an authenticator, a permission, a throttle or
// an error shape of your own is checked by [TestFilter], [TestPagination],
// [TestAuthenticator], [TestPermission], [TestThrottle] or [TestErrorShape].
// They hold what the interfaces' comments say against it; the framework's own
// classes pass the same suites.
package frameworktest
