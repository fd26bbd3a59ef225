package framework_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestMistakesOfIdempotent checks that what honours keys writes, in a transaction, and answers without a secret.
func TestMistakesOfIdempotent(t *testing.T) {
	db := sqlite(t)
	n := &tally{}
	for _, c := range []struct {
		name     string
		declared []framework.Resource
		want     []string
	}{
		{
			"what only reads",
			wrongBooks(func(v *framework.ViewSet[Book]) {
				v.Verbs.List, v.Verbs.Retrieve = v.Verbs.List.Idempotent(), v.Verbs.Retrieve.Idempotent()
			}),
			[]string{`books: list, retrieve: Idempotent is for what writes; it only reads, so leave Idempotent out`},
		},
		{
			"actions that only read",
			wrongBooks(func(v *framework.ViewSet[Book]) {
				v.Actions = []framework.Action[Book]{framework.Get("look", nothing).Idempotent()}
				v.Collection = []framework.CollectionAction{framework.OnCollection("GET", "sum", summary).Idempotent()}
			}),
			[]string{`books: action "look", action "sum": Idempotent is for what writes; it only reads, so leave Idempotent out`},
		},
		{
			"answers with secrets",
			wrongBooks(func(v *framework.ViewSet[Book]) {
				v.Verbs.Create, v.Verbs.Update = v.Verbs.Create.Idempotent().AnswersSecret(), v.Verbs.Update.AnswersSecret().Idempotent()
				v.Actions = []framework.Action[Book]{framework.Post("copy", n.onRow).Idempotent().AnswersSecret()}
				v.Collection = []framework.CollectionAction{framework.OnCollection("POST", "enter", n.onAll).SignsIn().Idempotent()}
			}),
			[]string{
				`books: create, update, action "copy": Idempotent stores the answer, and AnswersSecret says that it has a secret; leave out one of them`,
				`books: action "enter": Idempotent stores the answer, and SignsIn says that it has credentials; leave Idempotent out`,
			},
		},
		{
			"what runs outside of a transaction",
			wrongBooks(func(v *framework.ViewSet[Book]) {
				v.Verbs.Update = framework.Changes(n.onRow).Idempotent().Untransacted()
				v.Actions = []framework.Action[Book]{framework.Post("copy", n.onRow).Untransacted().Idempotent()}
				v.Collection = []framework.CollectionAction{framework.OnCollection("POST", "import", n.onAll).Idempotent().Untransacted()}
			}),
			[]string{
				`books: update, action "copy", action "import": Idempotent keeps a key in the transaction of its function, and Untransacted has none; leave out one of them`,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := framework.New(config(db))
			api.Register(c.declared...)
			expectMistakes(t, api.Check(), c.want)
		})
	}
	t.Run("an API that stores no keys", func(t *testing.T) {
		c := config(db)
		c.IdempotencyKeys = -1
		api := framework.New(c)
		api.Register(wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Create = v.Verbs.Create.Idempotent() })...)
		expectMistakes(t, api.Check(), []string{`books: create: Idempotent needs stored keys, and Config.IdempotencyKeys is -1, which stores none; leave out one of them`})
	})
	t.Run("what is right", func(t *testing.T) {
		api := framework.New(config(db))
		api.Register(n.resources()...)
		if err := api.Check(); err != nil {
			t.Error(err)
		}
	})
}

// TestWithoutTheTableOfKeys: the log says where the table comes from.
func TestWithoutTheTableOfKeys(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		for name, body := range map[string]fields{
			"a request that is right":   {"text": "a"},
			"a request that is refused": {},
		} {
			var logged bytes.Buffer
			c := config(db)
			c.Log = slog.New(slog.NewTextHandler(&logged, nil))
			serve(t, c, (&tally{}).resources()...).as("ada").under("k").post("/api/orders/", body).is(500)
			if !strings.Contains(logged.String(), "which framework.Migrations() makes") {
				t.Errorf("%s: the log says %s", name, logged.String())
			}
		}
	})
}
