package quota_test

import (
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestMistakes: quotas that are rejected at start.
func TestMistakes(t *testing.T) {
	posts := func(change func(*framework.ViewSet[Post])) framework.Resource {
		v := framework.ViewSet[Post]{
			Name: "posts", Verbs: framework.CRUD[named, shown](), Scope: framework.Own((*Post).owner), Permission: framework.Authenticated(), Quota: framework.Quota{Rows: 3},
		}
		change(&v)
		return v
	}
	nothing := func(*framework.ViewSet[Post]) {}
	apitest.Databases(t, garden, func(t *testing.T, db *sqldb.DB) {
		for name, test := range map[string]struct {
			resources []framework.Resource
			want      string
		}{
			"fewer than no rows": {
				[]framework.Resource{posts(func(v *framework.ViewSet[Post]) { v.Quota.Rows = -1 })},
				"posts: quota: Rows is -1; it must be 1 or more, or 0 for no limit",
			},
			"rows without an owner": {
				[]framework.Resource{posts(func(v *framework.ViewSet[Post]) { v.Scope = framework.Public() })},
				"posts: quota: the rows have no owner; declare framework.Own as Scope or as Writers, or leave Quota out",
			},
			"two for one table": {
				[]framework.Resource{posts(nothing), posts(func(v *framework.ViewSet[Post]) { v.Under = "staff" })},
				"staff/posts: quota: posts limits the rows of this table already; leave Quota out here",
			},
			"a single resource": {
				[]framework.Resource{posts(func(v *framework.ViewSet[Post]) {
					v.Single, v.Verbs = true, framework.Verbs{Retrieve: framework.Shows[shown]()}
				})},
				"posts: quota: a single resource has one row for each caller; leave Quota out",
			},
			"an owner that is the key": {
				[]framework.Resource{framework.ViewSet[Bed]{
					Name: "beds", Verbs: framework.Verbs{List: framework.Shows[bedView]()}, Scope: framework.Own(func(b *Bed) *uuid.UUID { return &b.ID }), Quota: framework.Quota{Rows: 3},
				}},
				"beds: quota: the owner is the primary key, so that each owner has one row; leave Quota out",
			},
			"rows that nothing adds": {
				[]framework.Resource{posts(func(v *framework.ViewSet[Post]) { v.Verbs = framework.ReadOnly[shown]() })},
				"posts: quota: no endpoint adds rows of Post, so the limit has no effect; declare a verb, a Bulk or an action that adds them, or leave Quota out",
			},
			"rows that are only changed and deleted, beside a table with creates": {
				[]framework.Resource{
					posts(func(v *framework.ViewSet[Post]) {
						v.Verbs.Create = framework.Verb{}
						v.Bulk = framework.Bulk{Patch: true, Delete: true}
					}),
					framework.ViewSet[Bed]{Name: "beds", Verbs: framework.Verbs{Create: framework.Accepts[named, bedView]()}, Scope: framework.Public()},
				},
				"posts: quota: no endpoint adds rows of Post, so the limit has no effect",
			},
		} {
			t.Run(name, func(t *testing.T) { apitest.Mistake(t, apitest.Config(db), test.want, test.resources...) })
		}
	})
}

// TestQuotasOfOtherWrites: a viewset that creates no row may have a quota if another endpoint can add rows of its table.
func TestQuotasOfOtherWrites(t *testing.T) {
	reading := framework.ViewSet[Post]{
		Name: "posts", Verbs: framework.ReadOnly[shown](), Scope: framework.Own((*Post).owner), Permission: framework.Authenticated(), Quota: framework.Quota{Rows: 3},
	}
	nothing := func(*framework.Call, *Post, framework.None) (framework.None, error) { return framework.None{}, nil }
	writing := func(v framework.ViewSet[Post]) framework.Resource {
		v.Name, v.Under, v.Scope, v.Permission = "posts", "staff", framework.Own((*Post).owner), framework.Authenticated()
		return v
	}
	create := framework.Accepts[named, shown]()
	acting := reading
	acting.Actions = []framework.Action[Post]{framework.Post("copy", nothing)}
	filling := reading
	filling.Verbs.Patch = framework.Fills[shown](func(*framework.Call, *Post, named) error { return nil })
	moving := framework.ViewSet[Post]{
		Name: "posts", Under: "staff", Scope: framework.Public(), Permission: all, Verbs: framework.Verbs{Patch: framework.Accepts[ownedInput, ownedView]()},
	}
	apitest.Databases(t, garden, func(t *testing.T, db *sqldb.DB) {
		for name, resources := range map[string][]framework.Resource{
			"a function":                       {acting},
			"a function of a verb":             {filling},
			"a change of the owner":            {reading, moving},
			"another viewset of the table":     {reading, writing(framework.ViewSet[Post]{Verbs: framework.Verbs{Create: create}})},
			"a function of another viewset":    {reading, writing(framework.ViewSet[Post]{Actions: []framework.Action[Post]{framework.Post("copy", nothing)}})},
			"creates of several rows together": {reading, writing(framework.ViewSet[Post]{Verbs: framework.Verbs{Create: create}, Bulk: framework.Bulk{Create: true}})},
		} {
			t.Run(name, func(t *testing.T) {
				api := framework.New(config(db))
				api.Register(resources...)
				if err := api.Check(); err != nil {
					t.Error(err)
				}
			})
		}
	})
}

// TestIndexes: the index that counts the rows of an owner is among those that the declarations need.
func TestIndexes(t *testing.T) {
	apitest.Databases(t, garden, func(t *testing.T, db *sqldb.DB) {
		api := framework.New(config(db))
		api.Register(resources()...)
		if err := api.Check(); err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, need := range api.Indexes() {
			if len(need.Columns) > 0 {
				found[need.Table+"."+need.Columns[0].Name] = true
			}
		}
		for _, want := range []string{"plots.owner_id", "beds.owner_id", "seeds.owner_id", "stars.user_id", "posts.owner_id"} {
			if !found[want] {
				t.Errorf("no index begins with %s", want)
			}
		}
	})
}
