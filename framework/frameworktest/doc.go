// Package frameworktest has the tools for tests of an API: a client whose failures can be
// repeated by hand, tables of requests, both databases, a counter of statements, and
// suites that check implementations of the interfaces of the framework.
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
// Here token makes a user and a token, as the test of examples/library does.
//
// Check your own filter, pagination class, authenticator, permission, throttle, error shape
// or storage of files with [TestFilter], [TestPagination], [TestAuthenticator],
// [TestPermission], [TestThrottle], [TestErrorShape] or [TestStorage]. They check what the comments of the interfaces
// promise. The classes of the framework pass the same suites.
//
// Package contract checks every request to a test server and every answer against the
// OpenAPI document of the API.
package frameworktest
