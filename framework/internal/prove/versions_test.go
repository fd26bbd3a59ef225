package prove_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
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
		apitest.Databases(t, leafSchema, func(t *testing.T, db *sqldb.DB) {
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
	apitest.Databases(t, leafSchema, func(t *testing.T, db *sqldb.DB) {
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
		apitest.Databases(t, shelfSchema, func(t *testing.T, db *sqldb.DB) {
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
			apitest.Databases(t, leafSchema, func(t *testing.T, db *sqldb.DB) {
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

// TestBulk checks that requests for several rows are proved, and that a server must not change the rows of others
// by them.
func TestBulk(t *testing.T) {
	t.Parallel()
	for _, scope := range []func(*framework.ViewSet[shelf]){
		func(v *framework.ViewSet[shelf]) { v.Scope = framework.Own((*shelf).owner) },
		func(v *framework.ViewSet[shelf]) {
			v.Scope, v.Writers = framework.Public(), framework.Own((*shelf).owner)
		},
	} {
		for _, leak := range []bool{false, true} {
			apitest.Databases(t, shelfSchema, func(t *testing.T, db *sqldb.DB) {
				type input struct {
					Text string `json:"text" validate:"required,max=100"`
				}
				type view struct {
					ID   uuid.UUID `json:"id"`
					Text string    `json:"text"`
				}
				shelves := framework.ViewSet[shelf]{
					Name: "shelves", Verbs: framework.CRUD[input, view](), Permission: framework.Authenticated(),
					Bulk:    framework.Bulk{Create: true, Patch: true, Upsert: "text", Delete: true},
					Uniques: []framework.Unique{{Fields: []string{"text"}, Code: "text_taken", Detail: "Another shelf has this text."}},
				}
				scope(&shelves)
				report := prove(t, db, emptyingShelves(db, leak), shelves)
				found := slices.Concat(report.Findings, report.Unexercised)
				if !leak && len(found) > 0 {
					t.Errorf("the findings are %v; want none", found)
				}
				if leak {
					finds(t, report, "PATCH /api/shelves/bulk/", "it is answered 200, and the row is not theirs")
					finds(t, report, "DELETE /api/shelves/bulk/", "it is answered 204, and the row is not theirs")
				}
			})
		}
	}
}

// emptyingShelves is a server that changes the shelves of all callers by requests for several rows, if it leaks.
func emptyingShelves(db *sqldb.DB, leak bool) func(*guests, http.Handler) http.Handler {
	if !leak {
		return nil
	}
	return func(_ *guests, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			id, err := uuid.Parse(r.URL.Query().Get("id"))
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			var items []struct{ ID uuid.UUID }
			if r.Method == http.MethodPatch && json.Unmarshal(body, &items) == nil && len(items) == 1 {
				id, err = items[0].ID, nil
			}
			if strings.HasSuffix(r.URL.Path, "/bulk/") && err == nil && r.Header.Get("Authorization") != "" && id != uuid.Nil {
				has, _ := db.NewSelect().Model((*shelf)(nil)).Where("id = ?", id).Exists(r.Context())
				if has {
					w.WriteHeader(map[string]int{http.MethodPatch: http.StatusOK, http.MethodDelete: http.StatusNoContent}[r.Method])
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

// A kiosk takes all people for one caller.
type kiosk struct{}

// Authenticate implements [framework.Authenticator].
func (kiosk) Authenticate(*framework.Call, *http.Request) (*framework.Caller, error) {
	return &framework.Caller{ID: uuid.NameSpaceOID}, nil
}

// Challenge implements [framework.Authenticator].
func (kiosk) Challenge() string { return "Kiosk" }

// TestKeysOfRetries checks that a server must not repeat an answer for the key of another caller, with or without the header
// that says so, also if only the staff may send the request; and that people who are one caller share their keys.
func TestKeysOfRetries(t *testing.T) {
	t.Parallel()
	type input struct {
		Text string `json:"text" validate:"required,max=100"`
	}
	type view struct {
		ID   uuid.UUID `json:"id"`
		Text string    `json:"text"`
	}
	repeats := func(header bool) func(*guests, http.Handler) http.Handler {
		return func(_ *guests, next http.Handler) http.Handler {
			var lock sync.Mutex
			known := map[string]*httptest.ResponseRecorder{}
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				key := r.Header.Get("Idempotency-Key")
				lock.Lock()
				answer := known[key]
				lock.Unlock()
				if answer == nil || key == "" {
					answer = httptest.NewRecorder()
					next.ServeHTTP(answer, r)
				} else if header {
					answer.Header().Set("Idempotent-Replayed", "true")
				}
				lock.Lock()
				known[key] = answer
				lock.Unlock()
				maps.Copy(w.Header(), answer.Header())
				w.WriteHeader(answer.Code)
				_, _ = w.Write(answer.Body.Bytes())
			})
		}
	}
	for _, c := range []struct {
		name    string
		change  func(*guests, http.Handler) http.Handler
		declare func(*framework.ViewSet[shelf])
		leaks   bool
	}{
		{"a correct server", nil, func(*framework.ViewSet[shelf]) {}, false},
		{"with the header", repeats(true), func(*framework.ViewSet[shelf]) {}, true},
		{"without the header", repeats(false), func(*framework.ViewSet[shelf]) {}, true},
		{"of the staff", repeats(true), func(v *framework.ViewSet[shelf]) { v.Permission = framework.Staff() }, true},
		{"people who are one caller", nil, func(v *framework.ViewSet[shelf]) {
			v.Scope, v.Writers = framework.Public(), framework.Own((*shelf).owner)
			v.Verbs.Create = v.Verbs.Create.Authenticate(kiosk{})
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.Databases(t, shelfSchema, func(t *testing.T, db *sqldb.DB) {
				v := framework.ViewSet[shelf]{
					Name: "shelves", Verbs: framework.Verbs{Create: framework.Accepts[input, view](), List: framework.Shows[view]()},
					Scope: framework.Own((*shelf).owner), Permission: framework.Authenticated(),
				}
				c.declare(&v)
				report := prove(t, db, c.change, v)
				if c.leaks {
					finds(t, report, "POST /api/shelves/", "the answer of another caller is repeated")
				}
				for _, f := range report.Findings {
					if !c.leaks && strings.Contains(f.What, "Idempotency-Key") {
						t.Errorf("the finding is %v; want none", f)
					}
				}
			})
		})
	}
}
