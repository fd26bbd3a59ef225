package framework_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// Card is kept in a table that was there before: its text and its owner may be
// NULL, which Go has no word for, and the database has defaults of its own.
type Card struct {
	bun.BaseModel `bun:"table:cards"`

	ID        uuid.UUID `bun:",pk"`
	OwnerID   uuid.UUID
	Title     string
	Remark    string
	Hits      int64
	Rank      int64  `bun:",nullzero,default:7"`
	Color     string `bun:",nullzero,default:'red'"`
	Mood      string `bun:",nullzero"`
	UpdatedAt time.Time
}

type cardInput struct {
	Title string `json:"title" validate:"required"`
}

// Check makes every change read the row first.
func (cardInput) Check() []framework.Fault { return nil }

type cardView struct {
	ID     uuid.UUID `json:"id"`
	Title  string    `json:"title"`
	Remark string    `json:"remark"`
	Hits   int64     `json:"hits"`
	Rank   int64     `json:"rank"`
	Color  string    `json:"color"`
	Mood   string    `json:"mood"`
}

func cardsIn(t *testing.T, db *sqldb.DB) {
	t.Helper()
	key, at := "text", "timestamp"
	if db.Kind() == sqldb.PostgreSQL {
		key, at = "uuid", "timestamptz"
	}
	if _, err := db.DB.DB.ExecContext(context.Background(), `CREATE TABLE cards (id `+key+` PRIMARY KEY, owner_id `+key+`, title text NOT NULL, remark text,
		hits bigint NOT NULL DEFAULT 0, rank bigint DEFAULT 7, color text DEFAULT 'red', mood text, updated_at `+at+` NOT NULL)`); err != nil {
		t.Fatal(err)
	}
}

// card stores a card whose owner and remark are NULL, and answers with its path.
func card(t *testing.T, db *sqldb.DB, title string) (path string) {
	t.Helper()
	id := uuid.New()
	if _, err := db.Exec("INSERT INTO cards (id, title, updated_at) VALUES (?, ?, ?)", id, title, time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	return "/api/cards/" + id.String() + "/"
}

// nulls counts the cards whose owner, remark and mood are NULL still.
func nulls(t *testing.T, db *sqldb.DB) (n int) {
	t.Helper()
	if err := db.DB.DB.QueryRow("SELECT count(*) FROM cards WHERE owner_id IS NULL AND remark IS NULL AND mood IS NULL").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func cards(actions ...framework.Action[Card]) framework.ViewSet[Card] {
	return framework.ViewSet[Card]{Name: "cards", Verbs: framework.CRUD[cardInput, cardView](), Scope: framework.Public(), Actions: actions}
}

// TestSaveWritesWhatChanged: the columns that a function changed, and no other.
func TestSaveWritesWhatChanged(t *testing.T) {
	run := func(c *framework.Call, sql string, id uuid.UUID) error {
		_, err := c.DB.NewRaw(sql, id).Exec(c)
		return err
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		cardsIn(t, db)
		nothing := framework.None{}
		ada := serve(t, config(db), cards(
			framework.Post("rename", func(c *framework.Call, m *Card, in cardInput) (framework.None, error) {
				m.Title = in.Title
				return nothing, framework.Save(c, m)
			}),
			framework.Post("hit", func(c *framework.Call, m *Card, in cardInput) (framework.None, error) {
				if err := run(c, "UPDATE cards SET hits = hits + 5 WHERE id = ?", m.ID); err != nil {
					return nothing, err
				}
				m.Title = in.Title
				return nothing, framework.Save(c, m)
			}),
			framework.Post("twice", func(c *framework.Call, m *Card, in cardInput) (framework.None, error) {
				was := m.Title
				m.Title = in.Title
				if err := framework.Save(c, m); err != nil {
					return nothing, err
				}
				m.Title = was
				return nothing, framework.Save(c, m)
			}),
			framework.Post("lose", func(c *framework.Call, m *Card, in cardInput) (framework.None, error) {
				if err := run(c, "DELETE FROM cards WHERE id = ?", m.ID); err != nil {
					return nothing, err
				}
				m.Title = in.Title
				return nothing, framework.Save(c, m)
			}),
			framework.Post("other", func(c *framework.Call, m *Card, in cardInput) (framework.None, error) {
				return nothing, framework.Save(c, &Card{ID: uuid.MustParse(in.Title), Title: m.Title, OwnerID: framework.IDOf[uuid.UUID](c)})
			}),
		)).as("ada")

		path := card(t, db, "Ace")
		ada.post(path+"rename/", fields{"title": "King"}).is(204)
		ada.get(path).is(200).says(`"title":"King"`, `"remark":""`)
		if nulls(t, db) != 1 {
			t.Error("Save of a title wrote the columns that were NULL")
		}
		ada.post(path+"hit/", fields{"title": "Queen"}).is(204)
		ada.get(path).is(200).says(`"title":"Queen"`, `"hits":5`)
		ada.post(path+"twice/", fields{"title": "Jack"}).is(204)
		ada.get(path).is(200).says(`"title":"Queen"`)
		ada.post(path+"lose/", fields{"title": "Ten"}).refuses(404, "not_found")
		ada.get(path).is(200).says(`"title":"Queen"`)
		ada.post(path+"other/", fields{"title": missing}).refuses(404, "not_found")

		second := card(t, db, "Two")
		ada.post(path+"other/", fields{"title": strings.Split(second, "/")[3]}).is(204)
		ada.get(second).is(200).says(`"title":"Queen"`)
		if nulls(t, db) != 1 {
			t.Error("a row that was not given is written whole")
		}
	})
}

// TestChangesKeepWhatTheyDoNotName: a change that reads the row first writes
// back what the body changes alone; what was read can be sent back.
func TestChangesKeepWhatTheyDoNotName(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		cardsIn(t, db)
		ada := serve(t, config(db), cards()).as("ada")
		path := card(t, db, "Ace")
		shown := ada.get(path).is(200).object()
		for _, c := range []struct {
			name, method string
			body         any
		}{
			{"a PUT that sends back what was read", "PUT", shown},
			{"a PUT of another title", "PUT", fields{"title": "King"}},
			{"a PATCH that sends back what was read", "PATCH", shown},
			{"a PATCH of another title", "PATCH", fields{"title": "Queen"}},
			{"an empty PATCH", "PATCH", fields{}},
		} {
			t.Run(c.name, func(t *testing.T) {
				ada.in(t).do(c.method, path, c.body).is(200).head("Trestle-Ignored", "")
				if nulls(t, db) != 1 {
					t.Error("columns that the body does not name were written")
				}
			})
		}
	})
}

// TestWhereRowsCannotBeStored: outside of a transaction, and where it is not
// clear how a model's rows are kept. The log says why, the client learns
// nothing.
func TestWhereRowsCannotBeStored(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		look := func(c *framework.Call, b *Book, _ framework.None) (framework.None, error) {
			return framework.None{}, framework.Save(c, b)
		}
		insert := func(c *framework.Call, _ *Book, _ framework.None) (framework.None, error) {
			return framework.None{}, framework.Insert(c, &Book{Title: "x"})
		}
		v, every, n := books(), books(), notes()
		v.Actions = []framework.Action[Book]{framework.Get("look", look), framework.Get("make", insert), framework.Post("keep", look)}
		every.Name, every.Scope = "anybooks", framework.Public()
		third := books()
		third.Name, third.Actions = "thirdbooks", []framework.Action[Book]{framework.Post("keep", look)}
		n.Collection = []framework.CollectionAction{framework.OnCollection("POST", "bind", func(c *framework.Call, _ framework.None) (framework.None, error) {
			return framework.None{}, framework.Insert(c, &Book{Title: "Bound"})
		})}
		logged := &lines{}
		conf := config(db)
		conf.Log = slog.New(slog.NewTextHandler(logged, nil))
		ada := serve(t, conf, countries(), authors(), v, every, third, n).as("ada")
		path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/"

		ada.post(path+"keep/", nil).is(204)
		ada.post(strings.Replace(path, "books", "thirdbooks", 1)+"keep/", nil).is(204) // its viewset serves the model
		ada.get(path+"look/").refuses(500, "internal").lacks("transaction")
		ada.get(path+"make/").refuses(500, "internal").lacks("transaction")
		ada.post("/api/notes/bind/", nil).refuses(500, "internal").lacks("Book")
		for _, want := range []string{
			"framework.Save: it needs a transaction; a GET action has none, and functions that are Untransacted or of AfterCommit open one by Call.InTx",
			"framework.Insert: it needs a transaction; a GET action has none, and functions that are Untransacted or of AfterCommit open one by Call.InTx",
			"framework.Insert: books and anybooks keep Book in different ways; call it from one of them",
		} {
			if !strings.Contains(logged.String(), want) {
				t.Errorf("want %q in the log\n%s", want, logged)
			}
		}
		if n := *ada.get("/api/anybooks/").list().Count; n != 1 {
			t.Errorf("there are %d books; want Emma alone", n)
		}
	})
}
