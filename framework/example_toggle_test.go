package framework_test

import (
	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/page"
)

// A Recipe is followed by readers, each with a row of their own.
type Recipe struct {
	bun.BaseModel `bun:"table:recipes"`

	ID   int64 `bun:",pk"`
	Name string

	Followers []*Follower `bun:"rel:has-many,join:id=recipe_id"`
}

type Follower struct {
	bun.BaseModel `bun:"table:followers"`

	ID       int64 `bun:",pk,autoincrement"`
	RecipeID int64
	UserID   uuid.UUID
}

func (f *Follower) user() *uuid.UUID { return &f.UserID }

type FollowerView struct {
	ID int64 `json:"id"`
}

type RecipeView struct {
	Name      string `json:"name"`
	Followers int64  `json:"followers" from:"count(followers)"`
	Mine      bool   `json:"mine"      from:"exists(followers,mine)"`
}

// kitchen serves two recipes and their followers.
func kitchen(change func(v *framework.ViewSet[Recipe])) (ask func(line string, body ...string), done func()) {
	c, done := setup()
	for _, text := range []string{
		"CREATE TABLE recipes (id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
		"CREATE TABLE followers (id INTEGER PRIMARY KEY, recipe_id INTEGER NOT NULL, user_id TEXT NOT NULL, UNIQUE (recipe_id, user_id))",
		"INSERT INTO recipes VALUES (1, 'Soup'), (2, 'Bread')",
	} {
		_, err := c.DB.ExecContext(ctx, text)
		must(err)
	}
	v := framework.ViewSet[Recipe]{
		Name: "recipes", Verbs: framework.ReadOnly[RecipeView](), Scope: framework.Public(), Relations: framework.Relations{"followers": "followers"},
		Actions: []framework.Action[Recipe]{framework.Toggle[Recipe, RecipeView]("follow", "followers", "user_id")},
	}
	change(&v)
	return serving(c, v, framework.ViewSet[Follower]{
		Name: "followers", Verbs: framework.Verbs{List: framework.Shows[FollowerView](), Delete: framework.Deletes()},
		Scope: framework.Public(), Writers: framework.Own((*Follower).user),
	}), done
}

// PUT and DELETE of the caller's own row may be repeated.
func ExampleToggle() {
	ask, done := kitchen(func(*framework.ViewSet[Recipe]) {})
	defer done()
	ask("PUT /api/recipes/1/follow/ as ada")
	ask("PUT /api/recipes/1/follow/ as ada")
	ask("PUT /api/recipes/1/follow/ as bob")
	ask("DELETE /api/recipes/1/follow/ as ada")
	// Output:
	// 200 {"name":"Soup","followers":1,"mine":true}
	// 200 {"name":"Soup","followers":1,"mine":true}
	// 200 {"name":"Soup","followers":2,"mine":true}
	// 200 {"name":"Soup","followers":1,"mine":false}
}

// A list of the rows that meet a condition, with everything that the list of the viewset has.
func ExampleLists() {
	ask, done := kitchen(func(v *framework.ViewSet[Recipe]) {
		v.Pagination = page.Bare{}
		v.Collection = []framework.CollectionAction{framework.Lists[RecipeView]("followed").Where("exists(followers,mine)")}
	})
	defer done()
	ask("PUT /api/recipes/2/follow/ as ada")
	ask("GET /api/recipes/followed/ as ada")
	ask("GET /api/recipes/followed/ as bob")
	// Output:
	// 200 {"name":"Bread","followers":1,"mine":true}
	// 200 [{"name":"Bread","followers":1,"mine":true}]
	// 200 []
}
