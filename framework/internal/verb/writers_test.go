package verb_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// A Page may be changed by its owner.
type Page struct {
	bun.BaseModel `bun:"table:pages"`

	ID      int64     `bun:",pk"`
	OwnerID uuid.UUID `bun:"type:uuid"`
	Title   string
	PartID  int64
}

// A Part belongs to a page.
type Part struct {
	bun.BaseModel `bun:"table:parts"`

	ID     int64 `bun:",pk"`
	PageID int64
}

type (
	pageInput struct {
		Title string `json:"title"`
	}
	pageView struct {
		ID    int64  `json:"id"`
		Title string `json:"title"`
	}
	partInput struct {
		PageID int64 `json:"page"`
	}
	partView struct {
		ID     int64 `json:"id"`
		PageID int64 `json:"page"`
	}
)

var book = sqldb.Migrations{Namespace: "book", FS: fstest.MapFS{
	"1_book.tx.up.sql":   {Data: []byte(`CREATE TABLE pages (id {{bigint}} PRIMARY KEY, owner_id {{uuid}} NOT NULL, title {{text}} NOT NULL, part_id {{bigint}} NOT NULL);`)},
	"1_book.tx.down.sql": {Data: []byte(``)},
}}

// name is an authenticator of the tests: "Authorization: ada".
type name struct{}

func (name) Authenticate(_ *framework.Call, r *http.Request) (*framework.Caller, error) {
	if text := r.Header.Get("Authorization"); text != "" {
		return &framework.Caller{ID: idOf(text), Name: text}, nil
	}
	return nil, nil
}

func (name) Challenge() string { return "Name" }

func idOf(name string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceOID, []byte(name)) }

func config(db *sqldb.DB) framework.Config {
	return framework.Config{DB: db, Permission: framework.Anyone(), Authentication: []framework.Authenticator{name{}}, Pagination: page.Number{Size: 20}}
}

// pages are pages that every caller sees, and that their owners change or hand over.
func pages() framework.ViewSet[Page] {
	return framework.ViewSet[Page]{
		Name: "pages", Scope: framework.Public(), Writers: framework.Own(func(p *Page) *uuid.UUID { return &p.OwnerID }),
		Verbs: framework.Verbs{Retrieve: framework.Shows[pageView](), Patch: framework.Accepts[pageInput, pageView]()},
		Actions: []framework.Action[Page]{framework.Post("hand", func(c *framework.Call, p *Page, _ framework.None) (framework.None, error) {
			p.OwnerID, p.Title = idOf("bob"), "handed over"
			return framework.None{}, framework.Save(c, p)
		})},
	}
}

// TestWritersAtOnce: a row changes hands while its owner changes it. No change of the earlier owner
// follows the hand-over: the title stays that of the hand-over. Each change is made or rejected.
func TestWritersAtOnce(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		if err := db.Migrate(t.Context(), nil, book); err != nil {
			t.Fatal(err)
		}
		api := framework.New(config(db))
		api.Register(pages())
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		c := frameworktest.New(t, handler)
		ada, bob := c.With("Authorization", "ada"), c.With("Authorization", "bob")
		for id := range int64(10) {
			if _, err := db.NewInsert().Model(&Page{ID: id + 1, OwnerID: idOf("ada"), Title: "new"}).Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
			path := fmt.Sprintf("/api/pages/%d/", id+1)
			var all sync.WaitGroup
			for _, body := range []map[string]any{{"title": "by Ada"}, {"title": "by Ada", "id": 0}, {"title": "by Ada"}} { // the second reads the row first
				all.Go(func() {
					for range 3 {
						if a := ada.Patch(path, body); a.Status() != http.StatusOK {
							a.Expect(403).Code("not_yours")
						}
					}
				})
			}
			all.Go(func() { ada.Post(path+"hand/", nil).Expect(204) })
			all.Wait()
			c.Get(path).Expect(200).Contains("handed over")
			ada.Patch(path, map[string]any{"title": "by Ada"}).Expect(403).Code("not_yours")
			bob.Patch(path, map[string]any{"title": "by Bob"}).Expect(200)
		}
	})
}

// TestWritersInACircle: Writers that lead back to their viewset by Via are a mistake at start.
func TestWritersInACircle(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		v := pages()
		v.Writers = framework.Via("part_id", "parts")
		api := framework.New(config(db))
		api.Register(v, framework.ViewSet[Part]{
			Name: "parts", Scope: framework.Public(), Writers: framework.Via("page", "pages"),
			Verbs: framework.Verbs{Patch: framework.Accepts[partInput, partView]()},
		})
		err := api.Check()
		for _, want := range []string{
			`pages: writers: Via "parts" leads back to pages; one of them must have an owner of its own`,
			`parts: writers: Via "pages" leads back to parts; one of them must have an owner of its own`,
		} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v; want %s", err, want)
			}
		}
	})
}
