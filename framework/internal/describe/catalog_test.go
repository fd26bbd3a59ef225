package describe_test

import (
	"slices"
	"testing"

	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/table"
)

// scopeUnless returns a scope that a permission lifts, and that leads through a viewset if there is one.
func scopeUnless(name string, via *table.Resource) table.BoundScope {
	return table.BoundScope{Scope: declare.Scope{Unless: access.Holds(name)}, Via: via}
}

// TestPermissionsAt: each permission that lifts a rule about the rows of an endpoint may matter there, and that of another viewset does not.
func TestPermissionsAt(t *testing.T) {
	t.Parallel()
	unrelated := &table.Resource{Scope: scopeUnless("unrelated", nil)}
	owner := &table.Resource{Scope: scopeUnless("owner.scope", nil), Writers: scopeUnless("owner.writers", nil)}
	own := &table.Resource{Scope: scopeUnless("own", nil)}
	circle := &table.Resource{Scope: scopeUnless("circle", nil)}
	circle.Writers.Via = circle
	parent := &table.Resource{Scope: scopeUnless("parent", owner)}
	for name, test := range map[string]struct {
		endpoint table.Endpoint
		want     []string
	}{
		"its own":                          {table.Endpoint{Resource: own}, []string{"own"}},
		"its permission":                   {table.Endpoint{Resource: own, Check: access.Check{Permission: access.Holds("use")}}, []string{"own", "use"}},
		"deleted rows":                     {table.Endpoint{Resource: own, Deleted: access.Holds("deleted")}, []string{"deleted", "own"}},
		"a Via of the scope":               {table.Endpoint{Resource: parent}, []string{"owner.scope", "owner.writers", "parent"}},
		"a Via of Writers":                 {table.Endpoint{Resource: &table.Resource{Writers: scopeUnless("writers", owner)}}, []string{"owner.scope", "owner.writers", "writers"}},
		"a viewset above, which has a Via": {table.Endpoint{Resource: &table.Resource{Above: &table.Nesting{Parent: parent}}}, []string{"owner.scope", "owner.writers", "parent"}},
		"the rows of an answer":            {table.Endpoint{Resource: own, Shown: parent}, []string{"own", "owner.scope", "owner.writers", "parent"}},
		"the row that a function creates":  {table.Endpoint{Resource: own, Creates: &table.Created{Resource: parent}}, []string{"own", "owner.scope", "owner.writers", "parent"}},
		"a viewset that leads to itself":   {table.Endpoint{Resource: circle}, []string{"circle"}},
		"the rows to which its input refers": {
			table.Endpoint{Resource: own, Input: &input.Shape{Fields: []*input.Field{{Ref: "parents"}}}}, []string{"own", "owner.scope", "owner.writers", "parent"},
		},
	} {
		parent.Path = "parents"
		catalog := describe.NewCatalog(&table.Registry{Resources: []*table.Resource{unrelated, owner, own, circle, parent}})
		if got := catalog.PermissionsAt(&test.endpoint); !slices.Equal(got, test.want) {
			t.Errorf("%s: %s; want %s", name, got, test.want)
		}
	}
}
