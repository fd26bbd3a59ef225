// Package frameworktest has what tests of an API need: a client whose failures
// can be repeated by hand, tables of requests, both databases, a counter of
// statements, and suites that check an implementation of the framework's
// interfaces.
//
//	func TestPatients(t *testing.T) {
//		frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
//			if err := db.Migrate(t.Context(), nil, auth.Migrations(), migrations()); err != nil {
//				t.Fatal(err)
//			}
//			api := framework.New(framework.Config{
//				DB:             db,
//				Authentication: []framework.Authenticator{auth.Token{}},
//				Pagination:     page.Number{Size: 20},
//				Log:            slog.New(slog.DiscardHandler), // else a line per request
//			})
//			api.Register(Patients)
//			handler, err := api.Handler()
//			if err != nil {
//				t.Fatal(err)
//			}
//			c := frameworktest.New(t, handler).As(token(t, db, "ada@example.com"))
//			c.Post("/api/patients/", map[string]any{"name": "Ada"}).Expect(400).Fault("/phone", "required")
//			c.Get("/api/patients/").Expect(200).Lacks("owner_id")
//		})
//	}
//
// where token makes a user and a token, as examples/library does in its test.
//
// A filter, a pagination class, an authenticator, a permission, a throttle or
// an error shape of your own is checked by [TestFilter], [TestPagination],
// [TestAuthenticator], [TestPermission], [TestThrottle] or [TestErrorShape].
// They hold what the interfaces' comments say against it; the framework's own
// classes pass the same suites.
//
// Package contract, below this one, holds every request and answer of a test
// server against the API's own reference.
package frameworktest
