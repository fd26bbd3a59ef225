package framework_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// keyed runs a test on a fresh library that keeps idempotency keys, in both
// databases.
func keyed(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	both(t, func(t *testing.T, db *sqldb.DB) {
		keepKeys(t, db)
		test(t, db)
	})
}

func keepKeys(tb testing.TB, db *sqldb.DB) {
	tb.Helper()
	if err := db.Migrate(context.Background(), nil, framework.Migrations()); err != nil {
		tb.Fatal(err)
	}
}

// A tally stores a note and counts its runs. Each run has another answer, so that a replay
// cannot be mistaken for a run.
type tally struct {
	runs   atomic.Int64
	before func(c *framework.Call, text string) error // optional; called after the note was written
}

type ran struct {
	Run  int64  `json:"run"`
	Text string `json:"text"`
}

type asked struct {
	Text string `json:"text" validate:"required"`
	Sum  int64  `json:"sum"`
}

func (n *tally) write(c *framework.Call, text string) (ran, error) {
	run := n.runs.Add(1)
	if err := framework.Insert(c, &Note{Room: "log", Text: text}); err != nil {
		return ran{}, err
	}
	if n.before != nil {
		if err := n.before(c, text); err != nil {
			return ran{}, err
		}
	}
	return ran{run, text}, nil
}

func (n *tally) onRow(c *framework.Call, b *Book, in asked) (ran, error) {
	return n.write(c, b.Title+" "+in.Text)
}

func (n *tally) onAll(c *framework.Call, in asked) (ran, error) { return n.write(c, in.Text) }

// place is what Create does: it also says where the row is.
func (n *tally) place(c *framework.Call, in asked) (ran, error) {
	out, err := n.write(c, in.Text)
	c.Header().Set("Location", "/api/orders/"+in.Text+"/")
	c.Header().Set("Set-Cookie", "secret=1")
	return out, err
}

func (n *tally) remove(c *framework.Call, b *Book, _ framework.None) (framework.None, error) {
	if _, err := n.write(c, "removed "+b.Title); err != nil {
		return framework.None{}, err
	}
	_, err := c.DB.NewDelete().Model(b).WherePK().Exec(c)
	return framework.None{}, err
}

// resources are a library in which everything that can be is idempotent.
func (n *tally) resources() []framework.Resource {
	v, orders := books(), notes()
	v.Verbs.Update = framework.Changes(n.onRow).Idempotent()
	v.Verbs.Patch = framework.Changes(n.onRow).Idempotent()
	v.Verbs.Delete = framework.Changes(n.remove).Idempotent()
	v.Actions = []framework.Action[Book]{
		framework.Post("copy", n.onRow).Idempotent(), framework.Put("place", n.onRow).Idempotent().Answers(http.StatusAccepted),
		framework.Patch("mend", n.onRow).Idempotent(), framework.Delete("burn", n.remove).Idempotent(),
		framework.Post("plain", n.onRow).AnswersSecret(),
	}
	v.Collection = []framework.CollectionAction{
		framework.OnCollection("POST", "import", n.onAll).Idempotent(),
		framework.OnCollection("POST", "copy", n.onAll).Idempotent(), // shares its name with an action
	}
	orders.Name, orders.Verbs.Create = "orders", framework.Does(n.place).Idempotent()
	return []framework.Resource{countries(), authors(), v, chapters(), notes(), orders}
}

// ran expects the work to have been done so often since the last call.
func (n *tally) ran(t *testing.T, want int64) {
	t.Helper()
	if got := n.runs.Swap(0); got != want {
		t.Errorf("the function ran %d times, want %d", got, want)
	}
}

// written are the notes in the order in which they were written.
func written(t *testing.T, db *sqldb.DB) string {
	t.Helper()
	var texts []string
	if err := db.NewSelect().Model((*Note)(nil)).Column("text").OrderExpr("id").Scan(context.Background(), &texts); err != nil {
		t.Fatal(err)
	}
	return strings.Join(texts, ", ")
}

// keysKept expects so many keys to be stored.
func keysKept(t *testing.T, db *sqldb.DB, want int) {
	t.Helper()
	got, err := db.NewSelect().TableExpr("idempotency_keys").Count(context.Background())
	if err != nil || int(got) != want {
		t.Errorf("%d keys are kept, want %d: %v", got, want, err)
	}
}

// under returns the client that sends an Idempotency-Key.
func (c *client) under(key string) *client { return c.with("Idempotency-Key", key) }

// fresh expects an answer that is no replay.
func (a *answer) fresh() *answer {
	a.tb.Helper()
	return a.head("Idempotent-Replayed", "")
}

// replays expects the same answer as the first, byte for byte, and that it says
// so.
func (a *answer) replays(first *answer) *answer {
	a.tb.Helper()
	if a.status != first.status || a.body != first.body {
		a.failf("want %d %s", first.status, first.body)
	}
	for _, name := range []string{"Location", "Content-Type", "Content-Length"} {
		a.head(name, first.header.Get(name))
	}
	return a.head("Idempotent-Replayed", "true")
}
