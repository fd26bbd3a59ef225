package filter_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// A filter of your own with one parameter: ?long=true lists appointments of more than
// four weeks.
func ExampleFunc() {
	long := func(_ *framework.Call, value string) (framework.Narrow, error) {
		if value != "true" {
			return nil, framework.InvalidParameter("long", "must be true")
		}
		return func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where("?TableAlias.weeks > ?", sqldb.Param(4))
		}, nil
	}
	appointments := framework.ViewSet[appointment]{
		Name:    "appointments",
		Filters: []framework.Filter{filter.Exact("status"), filter.Func("long", "Only appointments of more than four weeks.", long)},
	}
	_, err := long(nil, "very")
	fmt.Println(appointments.Name, err)
	// Output: appointments 400 invalid_parameter: A query parameter is not valid; errors names each.; long invalid_parameter
}

// TestFuncThatFails: an error of the function is not shown to clients.
func TestFuncThatFails(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		fill(t, db)
		handler, err := clinic(db, filter.Func("own", "", func(*framework.Call, string) (framework.Narrow, error) {
			return nil, errors.New("relation secrets does not exist")
		})).Handler()
		if err != nil {
			t.Fatal(err)
		}
		c := frameworktest.New(t, handler)
		c.Get("/api/appointments/?own=x").Expect(500).Code("internal").Lacks("secrets")
		c.Get("/api/appointments/").Expect(200)
	})
}
