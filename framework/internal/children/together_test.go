package children_test

import (
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestAnotherMachineIsNoMachine compares bodies with keys of rows that the caller does not see, or that are of
// another machine, with bodies that have keys of no row: the answers have the same status and text.
func TestAnotherMachineIsNoMachine(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), append(others(), machines())...)
		furnish(t, db)
		before := summary(t, db, 1) + summary(t, db, 2)
		for _, test := range []struct {
			name          string
			there, nobody map[string]any
		}{
			{"a part of another machine", list("parts", "id", apitest.ID("cog").String()), list("parts", "id", apitest.ID("none").String())},
			{"a hidden remark of the machine", list("remarks", "id", 4), list("remarks", "id", 99)},
			{"a deleted remark of the machine", list("remarks", "id", 3), list("remarks", "id", 99)},
			{"a hidden product", list("parts", "product", apitest.ID("alloy").String()), list("parts", "product", apitest.ID("none").String())},
		} {
			t.Run(test.name, func(t *testing.T) {
				for _, caller := range []string{"ada", "bob", "staff", ""} {
					for _, method := range []string{"POST", "PUT", "PATCH"} {
						if caller == "staff" && strings.Contains(test.name, "product") {
							continue // staff sees hidden products
						}
						path := map[bool]string{true: "/api/machines/", false: "/api/machines/1/"}[method == "POST"]
						a, b := apitest.As(c.On(t), caller).Do(method, path, test.there), apitest.As(c.On(t), caller).Do(method, path, test.nobody)
						if a.Status() != b.Status() || a.Status() < 400 || a.Status() >= 500 || text(a) != text(b) {
							t.Errorf("%s by %q: %d %s; for no row %d %s", method, caller, a.Status(), text(a), b.Status(), text(b))
						}
					}
				}
			})
		}
		if after := summary(t, db, 1) + summary(t, db, 2); after != before {
			t.Errorf("the rows have changed: %s; before %s", after, before)
		}
	})
}

// list is a body with one item of a list.
func list(name, member string, value any) map[string]any {
	return map[string]any{"name": "Loom", name: []any{map[string]any{"name": "x", "text": "x", member: value}}}
}

// text is a body without what differs in each request.
func text(r *frameworktest.Response) string {
	before, _, _ := strings.Cut(r.Body(), `"instance"`)
	_, errs, _ := strings.Cut(r.Body(), `"errors"`)
	return before + errs
}

// TestUnlessOfTheParentIsNotThatOfTheRows: who may change every machine still changes only the remarks that
// their own Writers allow.
func TestUnlessOfTheParentIsNotThatOfTheRows(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), append(others(), machines())...)
		for _, test := range []struct {
			name, caller string
			remarks      []any
			status       int
		}{
			{"by neither the owner nor staff", "eve", nil, 403},
			{"without a caller", "", nil, 401},
			{"staff changes nothing of the remarks", "staff", []any{map[string]any{"id": 1, "text": "by Ada"}, map[string]any{"id": 2, "text": "by Bob"}}, 200},
			{"staff adds a remark", "staff", []any{map[string]any{"id": 1, "text": "by Ada"}, map[string]any{"id": 2, "text": "by Bob"}, map[string]any{"text": "new"}}, 200},
			{"staff changes the remark of another caller", "staff", []any{map[string]any{"id": 1, "text": "x"}, map[string]any{"id": 2, "text": "by Bob"}}, 403},
			{"staff deletes the remark of another caller", "staff", []any{map[string]any{"id": 1, "text": "by Ada"}}, 403},
			{"the owner deletes the remark of another caller", "ada", []any{map[string]any{"id": 1, "text": "x"}}, 403},
		} {
			t.Run(test.name, func(t *testing.T) {
				furnish(t, db)
				before := summary(t, db, 1)
				apitest.As(c.On(t), test.caller).Patch("/api/machines/1/", map[string]any{"name": "Other", "remarks": test.remarks}).Expect(test.status)
				if after := summary(t, db, 1); test.status != 200 && after != before {
					t.Errorf("the rows have changed: %s; before %s", after, before)
				}
			})
		}
	})
}

// TestItemsKeepOutOfRules: a list does not write what Fields of the rows' viewset gives to some callers.
func TestItemsKeepOutOfRules(t *testing.T) {
	for _, test := range []struct {
		name string
		rule framework.FieldRule
		want string
	}{
		{"seen by some", framework.Sees("quantity", framework.Holds("parts.manage")), `"quantity" has a rule in Fields of parts`},
		{"placed by some", framework.Sees("rank", framework.Holds("parts.manage")), `"rank" has a rule in Fields of parts`},
		{"a column that the list leaves alone", framework.Sees("grade", framework.Holds("parts.manage")), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			both(t, func(t *testing.T, db *sqldb.DB) {
				all := others()
				parts, ok := all[0].(framework.ViewSet[Part])
				if !ok {
					t.Fatal("the parts are not the first viewset")
				}
				parts.Fields = []framework.FieldRule{test.rule}
				all[0] = parts
				api := framework.New(config(db))
				api.Register(append(all, machines())...)
				err := api.Check()
				if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
					t.Errorf("the mistake is %v; want %q", err, test.want)
				}
			})
		})
	}
}
