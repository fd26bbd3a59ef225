package framework_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// A ledger records changes in the table recorded, a line each, in the transaction of the
// change.
type ledger struct {
	t    *testing.T
	db   *sqldb.DB
	fail error
}

func newLedger(t *testing.T, db *sqldb.DB) *ledger {
	t.Helper()
	l := &ledger{t: t, db: db}
	l.must(nil, db.Migrate(context.Background(), nil, framework.Migrations()))
	l.must(db.Exec("CREATE TABLE recorded (id " + map[sqldb.Kind]string{
		sqldb.SQLite: "INTEGER PRIMARY KEY AUTOINCREMENT", sqldb.PostgreSQL: "bigserial PRIMARY KEY",
	}[db.Kind()] + ", line text NOT NULL)"))
	return l
}

func (l *ledger) must(_ any, err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// record writes "viewset verb: before -> after".
func (l *ledger) record(c *framework.Call, ch frameworktest.Change) error {
	if l.fail != nil {
		return l.fail
	}
	for _, row := range []any{ch.Before, ch.After} {
		if row != nil && keyOf(row) != ch.Key {
			return fmt.Errorf("the key is %v, that of the row %v", ch.Key, keyOf(row))
		}
	}
	line := fmt.Sprintf("%s %s: %s -> %s", ch.ViewSet, ch.Verb, shortRow(ch.Before), shortRow(ch.After))
	_, err := c.DB.NewRaw("INSERT INTO recorded (line) VALUES (?)", line).Exec(c)
	return err
}

func keyOf(row any) any {
	switch m := row.(type) {
	case *Book:
		return m.ID
	case *Note:
		return m.ID
	case *Profile:
		return m.ID
	}
	return nil
}

func shortRow(row any) string {
	switch m := row.(type) {
	case *Book:
		if m.Document != sqldb.Document(m.Title, "") || m.UpdatedAt.IsZero() {
			return "a book that is not as stored"
		}
		return m.Title
	case *Note:
		return m.Text
	case *Profile:
		return m.Nickname
	case nil:
		return "none"
	}
	return fmt.Sprintf("%T", row)
}

// lines returns the recorded changes and deletes them.
func (l *ledger) lines() (lines []string) {
	l.t.Helper()
	l.must(nil, l.db.NewRaw("SELECT line FROM recorded ORDER BY id").Scan(context.Background(), &lines))
	l.must(l.db.Exec("DELETE FROM recorded"))
	return lines
}

// changeable are viewsets with every way to change a row.
func changeable(again func() error) []framework.Resource {
	type titled struct {
		Title string `json:"title"`
	}
	v := books()
	v.Actions = []framework.Action[Book]{
		framework.Post("retitle", func(c *framework.Call, b *Book, in titled) (framework.None, error) {
			b.Title = in.Title
			return framework.None{}, framework.Save(c, b)
		}),
		framework.Post("twice", func(c *framework.Call, b *Book, in titled) (framework.None, error) {
			b.Title = "for now"
			if err := framework.Save(c, b); err != nil {
				return framework.None{}, err
			}
			b.Title = in.Title
			return framework.None{}, framework.Save(c, b)
		}),
		framework.Post("touch", func(c *framework.Call, b *Book, _ framework.None) (framework.None, error) {
			other := Book{}
			if err := c.DB.NewSelect().Model(&other).Where("id = ?", b.ID).Scan(c); err != nil {
				return framework.None{}, err
			}
			other.Title += "!"
			return framework.None{}, framework.Save(c, &other)
		}),
		framework.Post("copy", func(c *framework.Call, b *Book, in titled) (framework.None, error) {
			return framework.None{}, framework.Insert(c, &Book{OwnerID: b.OwnerID, Title: in.Title, Status: "out"})
		}).Idempotent(),
		framework.Post("fail", func(c *framework.Call, b *Book, in titled) (framework.None, error) {
			b.Title = in.Title
			return framework.None{}, errors.Join(framework.Save(c, b), framework.Conflict("title_taken", "No."))
		}),
		framework.Post("retry", func(c *framework.Call, b *Book, in titled) (framework.None, error) {
			b.Title = in.Title
			return framework.None{}, cmp.Or(framework.Save(c, b), again())
		}),
		framework.Post("sql", func(c *framework.Call, b *Book, in titled) (framework.None, error) {
			_, err := c.DB.NewUpdate().Model(b).Set("notes = ?", in.Title).WherePK().Exec(c)
			return framework.None{}, err
		}),
	}
	return []framework.Resource{countries(), authors(), v, profile(), notes()}
}

// TestARecorderIsCalledForEachChange: once for each row that the framework changes, in the
// transaction of the change.
func TestARecorderIsCalledForEachChange(t *testing.T) {
	tests := []struct {
		name string
		do   func(ada *client, emma string)
		want []string
	}{
		{"a create", func(ada *client, _ string) { ada.post("/api/books/", fields{"title": "Persuasion"}).is(201) },
			[]string{"books create: none -> Persuasion"}},
		{"a create whose key the database makes", func(ada *client, _ string) { ada.post("/api/notes/", fields{"room": "a", "text": "hello"}).is(201) },
			[]string{"notes create: none -> hello"}},
		{"an update", func(ada *client, emma string) { ada.put(emma, fields{"title": "Persuasion"}).is(200) },
			[]string{"books update: Emma -> Persuasion"}},
		{"a patch of one field", func(ada *client, emma string) { ada.patch(emma, fields{"title": "Persuasion"}).is(200) },
			[]string{"books update: Emma -> Persuasion"}},
		{"a patch of nothing", func(ada *client, emma string) { ada.patch(emma, fields{}).is(200) }, nil},
		{"a delete", func(ada *client, emma string) { ada.delete(emma).is(204) },
			[]string{"books delete: Emma -> none"}},
		{"an action that saves", func(ada *client, emma string) { ada.post(emma+"retitle/", fields{"title": "Persuasion"}).is(204) },
			[]string{"books update: Emma -> Persuasion"}},
		{"an action that saves twice", func(ada *client, emma string) { ada.post(emma+"twice/", fields{"title": "Persuasion"}).is(204) },
			[]string{"books update: Emma -> for now", "books update: for now -> Persuasion"}},
		{"an action that saves a row which it read itself", func(ada *client, emma string) { ada.post(emma+"touch/", nil).is(204) },
			[]string{"books update: Emma -> Emma!"}},
		{"an action that inserts", func(ada *client, emma string) { ada.post(emma+"copy/", fields{"title": "Persuasion"}).is(204) },
			[]string{"books create: none -> Persuasion"}},
		{"an action with a key, sent twice", func(ada *client, emma string) {
			for range 2 {
				ada.with("Idempotency-Key", "one").post(emma+"copy/", fields{"title": "Persuasion"}).is(204)
			}
		}, []string{"books create: none -> Persuasion"}},
		{"a transaction that runs again", func(ada *client, emma string) { ada.post(emma+"retry/", fields{"title": "Persuasion"}).is(204) },
			[]string{"books update: Emma -> Persuasion"}},
		{"an action with a statement of its own", func(ada *client, emma string) { ada.post(emma+"sql/", fields{"title": "Persuasion"}).is(204) }, nil},
		{"the PUTs of a single resource", func(ada *client, _ string) {
			ada.put("/api/profile/", fields{"nickname": "lovelace"}).is(201)
			ada.put("/api/profile/", fields{"nickname": "countess"}).is(200)
			ada.delete("/api/profile/").is(204)
		}, []string{"profile create: none -> lovelace", "profile update: lovelace -> countess", "profile delete: countess -> none"}},
		{"an invalid body", func(ada *client, emma string) { ada.patch(emma, fields{"title": ""}).refuses(400, "validation_failed") }, nil},
		{"a row that is not the caller's", func(ada *client, emma string) {
			ada.as("bob").patch(emma, fields{"title": "Mine"}).refuses(404, "not_found")
		}, nil},
		{"a value that another row has", func(ada *client, emma string) {
			ada.post("/api/books/", fields{"title": "Emma"}).refuses(409, "title_taken")
		}, nil},
		{"an action that fails after a save", func(ada *client, emma string) {
			ada.post(emma+"fail/", fields{"title": "Persuasion"}).refuses(409, "title_taken")
		}, nil},
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		l, again := newLedger(t, db), retries(t, db)
		runs := 0
		c := config(db)
		c.Observers = []framework.Observer{frameworktest.RecordChanges(l.record)}
		api := serve(t, c, changeable(func() error {
			if runs++; runs == 1 {
				return again()
			}
			return nil
		})...)
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				l.must(db.Exec("DELETE FROM books"))
				ada := api.in(t).as("ada")
				emma := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/"
				l.lines()
				test.do(ada, emma)
				if got := l.lines(); !slices.Equal(got, test.want) {
					t.Errorf("recorded is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
				}
			})
		}
	})
}

// TestAnErrorOfARecorderStoresNothing: the write is rolled back, and the request gets 500.
func TestAnErrorOfARecorderStoresNothing(t *testing.T) {
	tests := []struct {
		name string
		do   func(ada *client, emma string) *answer
	}{
		{"a create", func(ada *client, _ string) *answer { return ada.post("/api/books/", fields{"title": "Persuasion"}) }},
		{"an update", func(ada *client, emma string) *answer { return ada.put(emma, fields{"title": "Persuasion"}) }},
		{"a patch", func(ada *client, emma string) *answer { return ada.patch(emma, fields{"title": "Persuasion"}) }},
		{"a delete", func(ada *client, emma string) *answer { return ada.delete(emma) }},
		{"an action that saves", func(ada *client, emma string) *answer {
			return ada.post(emma+"retitle/", fields{"title": "Persuasion"})
		}},
		{"an action that inserts", func(ada *client, emma string) *answer { return ada.post(emma+"copy/", fields{"title": "Persuasion"}) }},
		{"the first PUT of a single resource", func(ada *client, _ string) *answer { return ada.put("/api/profile/", fields{"nickname": "lovelace"}) }},
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		l := newLedger(t, db)
		c := config(db)
		c.Observers = []framework.Observer{frameworktest.RecordChanges(l.record)}
		api := serve(t, c, changeable(func() error { return nil })...)
		emma := "/api/books/" + api.as("ada").post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/"
		l.fail = errors.New("the ledger is full")
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				ada := api.in(t).as("ada")
				test.do(ada, emma).refuses(500, "internal")
				ada.get("/api/books/").says(`"count":1`, `"title":"Emma"`)
				ada.get("/api/profile/").refuses(404, "not_found")
			})
		}
	})
}
