package prove_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// A Leaf of a notebook belongs to its writer. A column counts its changes.
type Leaf struct {
	ID      uuid.UUID `bun:",pk,type:uuid"`
	OwnerID uuid.UUID `bun:"type:uuid"`
	Text    string
	Version int64
}

func (p *Leaf) owner() *uuid.UUID { return &p.OwnerID }

var leafSchema = sqldb.Migrations{Namespace: "leafs", FS: fstest.MapFS{
	"0001_leafs.tx.up.sql":   {Data: []byte(`CREATE TABLE leafs ({{id}}, owner_id {{uuid}} NOT NULL, text {{text}} NOT NULL, version {{bigint}} NOT NULL);`)},
	"0001_leafs.tx.down.sql": {Data: []byte(`DROP TABLE leafs;`)},
}}

// leaves are those of their writers. No request changes one without If-Match.
func leaves(versions framework.Versions) []framework.Resource {
	type input struct {
		Text string `json:"text" validate:"required,max=100"`
	}
	type view struct {
		ID   uuid.UUID `json:"id"`
		Text string    `json:"text"`
	}
	empty := framework.Post("clear", func(c *framework.Call, p *Leaf, _ framework.None) (framework.None, error) {
		p.Text = "-"
		return framework.None{}, framework.Save(c, p)
	})
	return []framework.Resource{
		framework.ViewSet[Leaf]{
			Name: "leafs", Verbs: framework.CRUD[input, view](), Scope: framework.Own((*Leaf).owner), Permission: framework.Authenticated(),
			Versions: versions, Actions: []framework.Action[Leaf]{empty},
		},
	}
}

// acceptCursors is a server that accepts the cursor of any caller. Its answers have another link than those to
// pages.
func acceptCursors(_ *guests, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cursor, answer := r.URL.Query().Get("cursor"), httptest.NewRecorder()
		if next.ServeHTTP(answer, r); cursor != "" && answer.Code == http.StatusBadRequest {
			answer.Code = http.StatusOK
		}
		maps.Copy(w.Header(), announced(answer.Header()))
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}

// announced adds a link before all others.
func announced(h http.Header) http.Header {
	h["Link"] = slices.Concat([]string{`</openapi.json>; rel="service-desc"`}, h["Link"])
	return h
}

// cursorLeaves are leaves in pages with cursors.
func cursorLeaves(t *testing.T) framework.ViewSet[Leaf] {
	t.Helper()
	list, ok := leaves(framework.Versions{Column: "version"})[0].(framework.ViewSet[Leaf])
	if !ok {
		t.Fatal("the leaves are no viewset")
	}
	list.Pagination, list.Ordering = page.Cursor{}, framework.Ordering{Allowed: []string{"text"}}
	return list
}

// TestCursors checks that lists whose pages begin at cursors are proved, and that a server must not accept the
// cursor of another caller.
func TestCursors(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*guests, http.Handler) http.Handler{nil, acceptCursors} {
		onDatabases(t, leafSchema, func(t *testing.T, db *sqldb.DB) {
			report := prove(t, db, change, cursorLeaves(t))
			if change != nil {
				finds(t, report, "GET /api/leafs/", "the cursor of another caller is accepted")
			} else if found := slices.Concat(report.Findings, report.Unexercised); len(found) > 0 {
				t.Errorf("the findings are %v; want none", found)
			}
		})
	}
}

// TestCursorsOfOneCaller checks that people who are one caller may use each other's cursors: a list without
// authentication has only anonymous callers.
func TestCursorsOfOneCaller(t *testing.T) {
	t.Parallel()
	onDatabases(t, leafSchema, func(t *testing.T, db *sqldb.DB) {
		list := cursorLeaves(t)
		list.Scope, list.Writers = framework.Public(), framework.Own((*Leaf).owner)
		list.Verbs.List = list.Verbs.List.Authenticate().Permit(framework.Anyone())
		report := prove(t, db, nil, list)
		if found := slices.Concat(report.Findings, report.Unexercised); len(found) > 0 {
			t.Errorf("the findings are %v; want none", found)
		}
	})
}

type shelf struct {
	bun.BaseModel `bun:"table:shelves"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	Text    string
}

func (s *shelf) owner() *uuid.UUID { return &s.OwnerID }

type shelfBook struct {
	bun.BaseModel `bun:"table:shelf_books"`

	ID      uuid.UUID `bun:",pk"`
	ShelfID uuid.UUID
	OwnerID uuid.UUID
	Text    string

	Shelf *shelf `bun:"rel:belongs-to,join:shelf_id=id"`
}

func (b *shelfBook) owner() *uuid.UUID { return &b.OwnerID }

var shelfSchema = sqldb.Migrations{Namespace: "shelves", FS: fstest.MapFS{
	"0001_shelves.tx.up.sql": {Data: []byte(`CREATE TABLE shelves ({{id}}, owner_id {{uuid}} NOT NULL, text {{text}} NOT NULL UNIQUE);
CREATE TABLE shelf_books ({{id}}, shelf_id {{uuid}} NOT NULL REFERENCES shelves (id), owner_id {{uuid}} NOT NULL, text {{text}} NOT NULL);`)},
	"0001_shelves.tx.down.sql": {Data: []byte(`DROP TABLE shelf_books; DROP TABLE shelves;`)},
}}

// TestCursorsBelowAParent checks that a list below a parent is tried with a parent that has several rows,
// whatever the order of the viewsets.
func TestCursorsBelowAParent(t *testing.T) {
	t.Parallel()
	type input struct {
		Text string `json:"text" validate:"required,max=100"`
	}
	type view struct {
		ID   uuid.UUID `json:"id"`
		Text string    `json:"text"`
	}
	shelves := framework.ViewSet[shelf]{
		Name: "shelves", Verbs: framework.CRUD[input, view](), Scope: framework.Public(), Writers: framework.Own((*shelf).owner),
		Permission: framework.Authenticated(), Pagination: page.Cursor{},
	}
	books := framework.ViewSet[shelfBook]{
		Name: "books", Parent: framework.Child("shelf", "shelves"), Verbs: framework.CRUD[input, view](),
		Scope: framework.Own((*shelfBook).owner), Permission: framework.Authenticated(), Pagination: page.Cursor{},
	}
	for _, all := range [][]framework.Resource{{shelves, books}, {books, shelves}} {
		onDatabases(t, shelfSchema, func(t *testing.T, db *sqldb.DB) {
			report := prove(t, db, acceptCursors, all...)
			finds(t, report, "GET /api/shelves/{shelf_id}/books/", "the cursor of another caller is accepted")
		})
	}
}

// TestVersions: rows that no request changes without If-Match are exercised, and a server must not show by the
// answer to a condition that a row exists.
func TestVersions(t *testing.T) {
	t.Parallel()
	for _, versions := range []framework.Versions{{Column: "version", Required: true}, {Hash: true, Required: true}} {
		for _, header := range []string{"", "If-Match", "If-None-Match"} {
			onDatabases(t, leafSchema, func(t *testing.T, db *sqldb.DB) {
				revealing := func(_ *guests, next http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if id, err := uuid.Parse(path.Base(r.URL.Path)); err == nil && header != "" && r.Header.Get(header) != "" && r.Header.Get("Authorization") != "" {
							if has, err := db.NewSelect().Model((*Leaf)(nil)).Where("id = ?", id).Exists(r.Context()); err == nil && has {
								w.WriteHeader(http.StatusPreconditionFailed)
								return
							}
						}
						next.ServeHTTP(w, r)
					})
				}
				report := prove(t, db, revealing, leaves(versions)...)
				switch found := slices.Concat(report.Findings, report.Unexercised); {
				case header == "" && len(found) > 0:
					t.Errorf("the findings are %v; want none", found)
				case header == "If-Match":
					finds(t, report, "PATCH /api/leafs/{id}/", "the answer differs from that for a row that does not exist")
				case header == "If-None-Match":
					finds(t, report, "GET /api/leafs/{id}/", "the answer differs from that for a row that does not exist")
				}
			})
		}
	}
}
