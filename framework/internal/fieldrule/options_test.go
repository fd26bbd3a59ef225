package fieldrule_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestOptions: for each caller, the fields of the body that OPTIONS does not mark as readOnly: those
// that the caller may write.
func TestOptions(t *testing.T) {
	type schema struct {
		ReadOnly   bool
		Properties map[string]*schema
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), resources()...)
		_, wrapped := apitest.Serve(t, camel(db), desks()...)
		for _, test := range []struct {
			name, path, member string
			rest, locked       []string // the fields that each caller writes, and those of the holder alone
			holder             string
			wrapped            bool
			methods            []string
		}{
			{name: "a list", path: "patients/", rest: []string{"age", "name", "phone"}, locked: []string{"secret", "status"}, holder: "max", methods: []string{"POST"}},
			{name: "a row", path: "patients/1/", rest: []string{"age", "name", "phone"}, locked: []string{"secret", "status"}, holder: "max", methods: []string{"PATCH", "PUT"}},
			{name: "a viewset without rules about writing", path: "labels/1/", rest: []string{"name"}, holder: "max", methods: []string{"PATCH", "PUT"}},
			{
				name: "an input in a member", path: "records/1/", member: "record", rest: []string{"age", "labels", "name", "phone", "visits"}, locked: []string{"secret", "status"},
				holder: "max", wrapped: true, methods: []string{"PATCH", "PUT"},
			},
			{name: "a nested viewset", path: "records/1/stays/", rest: []string{"note"}, locked: []string{"fee"}, holder: "fay", wrapped: true, methods: []string{"POST"}},
		} {
			t.Run(test.name, func(t *testing.T) {
				client := c
				if test.wrapped {
					client = wrapped
				}
				for _, caller := range []string{"", "ann", test.holder, "all"} {
					var got struct {
						Actions map[string]struct{ Body *schema }
					}
					apitest.As(client.On(t), caller).Do("OPTIONS", "/api/"+test.path, nil).Expect(200).JSON(&got)
					want := test.rest
					if caller == test.holder || caller == "all" {
						want = slices.Sorted(slices.Values(slices.Concat(test.rest, test.locked)))
					}
					for _, method := range test.methods {
						body := got.Actions[method].Body
						if test.member != "" {
							body = body.Properties[test.member]
						}
						maps.DeleteFunc(body.Properties, func(_ string, s *schema) bool { return s.ReadOnly })
						if fields := slices.Sorted(maps.Keys(body.Properties)); !slices.Equal(fields, want) {
							t.Errorf("%s by %q writes %s; want %s", method, caller, strings.Join(fields, " "), strings.Join(want, " "))
						}
					}
				}
			})
		}
	})
}
