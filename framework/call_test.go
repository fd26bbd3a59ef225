package framework_test

import (
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestACallWithoutAServer: a test runs a function of a declaration with a call that the
// API makes, within the scope of its caller.
func TestACallWithoutAServer(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api := framework.New(config(db))
		api.Register(countries(), authors(), books())
		if err := api.Check(); err != nil {
			t.Fatal(err)
		}
		c := api.NewCall(t.Context(), framework.CallOptions{
			Caller: &framework.Caller{ID: uuid.New()}, Route: framework.Route{ViewSet: "books", Name: "lend", Method: "POST"},
		})
		err := c.InTx(func(c *framework.Call) error { return framework.Insert(c, &Book{Title: "Emma", Status: "in"}) })
		if err != nil {
			t.Fatal(err)
		}
		found, err := framework.Find[BookView](c, "books", nil)
		if err != nil || len(found) != 1 || found[0].Title != "Emma" {
			t.Errorf("the caller finds %v, %v; want the book", found, err)
		}
		stranger := api.NewCall(t.Context(), framework.CallOptions{Caller: &framework.Caller{ID: uuid.New()}})
		if found, err := framework.Find[BookView](stranger, "books", nil); err != nil || len(found) != 0 {
			t.Errorf("another caller finds %v, %v; want nothing", found, err)
		}
	})
}
