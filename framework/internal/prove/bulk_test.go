package prove_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A ticket has a code that its owner chooses, and a number that is unique too.
type ticket struct {
	bun.BaseModel `bun:"table:tickets"`

	Code    string `bun:",pk"`
	OwnerID uuid.UUID
	Number  int64
	Open    bool
}

func (t *ticket) owner() *uuid.UUID { return &t.OwnerID }

var ticketSchema = sqldb.Migrations{Namespace: "tickets", FS: fstest.MapFS{
	"0001_tickets.tx.up.sql": {Data: []byte(`CREATE TABLE tickets (code {{text}} PRIMARY KEY, owner_id {{uuid}} NOT NULL, number {{bigint}} NOT NULL UNIQUE,
open {{if postgres}}boolean{{else}}BOOLEAN{{end}} NOT NULL);`)},
	"0001_tickets.tx.down.sql": {Data: []byte(`DROP TABLE tickets;`)},
}}

// TestBulkOfManyScopes checks that requests for several rows are exercised, without a finding, for keys that clients
// choose and for scopes of several kinds.
func TestBulkOfManyScopes(t *testing.T) {
	t.Parallel()
	type input struct {
		Code   string `json:"code" validate:"required,line,max=40" example:"Abcdefgh, 12\" & <ij>%41"` // with characters that are escaped
		Number int64  `json:"number" validate:"required"`
		Open   bool   `json:"open"`
	}
	own := framework.Own((*ticket).owner)
	open := framework.Where(func(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
		return q.Where("?TableAlias.open OR ?TableAlias.owner_id = ?", c.Caller.ID)
	})
	for _, c := range []struct {
		name, upsert   string
		scope, writers framework.Scope
	}{
		{"own rows by the key", "code", own, framework.Scope{}},
		{"own rows by a number", "number", own, framework.Scope{}},
		{"own rows, and all for the staff", "number", own.Unless(framework.Staff()), framework.Scope{}},
		{"rows that are open or one's own", "number", open, own},
		{"public rows that their owners change", "code", framework.Public(), own},
		{"public rows that their owners and the staff change", "number", framework.Public(), own.Unless(framework.Staff())},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			onDatabases(t, ticketSchema, func(t *testing.T, db *sqldb.DB) {
				report := prove(t, db, nil, framework.ViewSet[ticket]{
					Name: "tickets", Verbs: framework.CRUD[input, input](), Scope: c.scope, Writers: c.writers, Permission: framework.Authenticated(),
					Bulk:     framework.Bulk{Create: true, Patch: true, Upsert: c.upsert, Delete: true, Each: true},
					Uniques:  []framework.Unique{{Fields: []string{"number"}, Code: "number_taken", Detail: "Another ticket has this number."}},
					Reserved: []string{"bulk"},
				})
				if found := slices.Concat(report.Findings, report.Unexercised); len(found) > 0 {
					t.Errorf("the findings are %v; want none", found)
				}
			})
		})
	}
}

// TestBulk checks that requests for several rows are proved, and that a server must not change the rows of others
// by them, or show that they exist.
func TestBulk(t *testing.T) {
	t.Parallel()
	type input struct {
		Text string `json:"text" validate:"required,max=100"`
	}
	type view struct {
		ID   uuid.UUID `json:"id"`
		Text string    `json:"text"`
	}
	shelves := framework.ViewSet[shelf]{
		Name: "shelves", Verbs: framework.CRUD[input, view](), Permission: framework.Authenticated(), Scope: framework.Own((*shelf).owner),
		Bulk:    framework.Bulk{Create: true, Patch: true, Upsert: "text", Delete: true, Each: true},
		Uniques: []framework.Unique{{Fields: []string{"text"}, Code: "text_taken", Detail: "Another shelf has this text."}},
	}
	public := shelves
	public.Scope, public.Writers = framework.Public(), framework.Own((*shelf).owner)
	books := framework.ViewSet[shelfBook]{
		Name: "books", Parent: framework.Child("shelf", "shelves"), Verbs: framework.CRUD[input, view](),
		Scope: framework.Own((*shelfBook).owner), Permission: framework.Authenticated(), Bulk: framework.Bulk{Patch: true, Delete: true, Each: true},
	}
	const shelvesPath, booksPath = "/api/shelves/bulk/", "/api/shelves/{shelf_id}/books/bulk/"
	proveServers(t, []server{
		{"private shelves", []framework.Resource{shelves, books}, nil, nil},
		{"public shelves", []framework.Resource{public}, nil, nil},
		{"each shelf counts as the caller's", []framework.Resource{public}, emptyingShelves, [][2]string{
			{"PATCH " + shelvesPath, "it is answered 200, and the row is not theirs"},
			{"DELETE " + shelvesPath, "it is answered 204, and the row is not theirs"},
			{"PATCH " + shelvesPath + "each/", "it is answered 200, and the row is not theirs"},
			{"DELETE " + shelvesPath + "each/", "it is answered 204, and the row is not theirs"},
		}},
		{"only one item is checked, and with another answer; books are not looked for below the shelf", []framework.Resource{shelves, books}, carelessShelves, [][2]string{
			{"PUT " + shelvesPath, "which is of a row or a field that is not theirs"},
			{"PATCH " + shelvesPath, "This shelf is another caller's."},
			{"DELETE " + shelvesPath, "This shelf is another caller's."},
			{"PATCH " + shelvesPath, "it is answered 200, and the row is not theirs"},
			{"DELETE " + shelvesPath, "it is answered 204, and the row is not theirs"},
			{"PATCH " + booksPath, "it is answered 200, and the row is not theirs"},
			{"DELETE " + booksPath, "it is answered 204, and the row is not theirs"},
			{"PATCH " + shelvesPath + "each/", "it is answered 200, and the row is not theirs"},
			{"DELETE " + shelvesPath + "each/", "it is answered 204, and the row is not theirs"},
			{"PATCH " + booksPath + "each/", "it is answered 200, and the row is not theirs"},
			{"DELETE " + booksPath + "each/", "it is answered 204, and the row is not theirs"},
		}},
	}, shelfSchema)
}

// keysSent lists the keys in a request for several rows, whose body can be read again.
func keysSent(r *http.Request) (keys []uuid.UUID) {
	for text := range strings.SplitSeq(r.URL.Query().Get("id"), ",") {
		if key, err := uuid.Parse(text); err == nil {
			keys = append(keys, key)
		}
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var items []struct{ ID uuid.UUID }
	if r.Method != http.MethodPatch || json.Unmarshal(body, &items) != nil {
		return keys
	}
	for _, item := range items {
		keys = append(keys, item.ID)
	}
	return keys
}

// keysOfTexts lists the keys of the shelves of other callers whose texts a request has. Its body can be read again.
func keysOfTexts(db *sqldb.DB, r *http.Request, caller string) (keys []uuid.UUID) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var items []struct{ Text string }
	if json.Unmarshal(body, &items) != nil {
		return nil
	}
	for _, item := range items {
		var s shelf
		if db.NewSelect().Model(&s).Where("text = ? AND owner_id <> ?", item.Text, caller).Scan(r.Context()) == nil {
			keys = append(keys, s.ID)
		}
	}
	return keys
}

// succeed answers a request for several rows as if it had succeeded, and so had each of its items.
func succeed(w http.ResponseWriter, r *http.Request, items int) {
	status := map[string]int{http.MethodPatch: http.StatusOK, http.MethodDelete: http.StatusNoContent}[r.Method]
	if !strings.HasSuffix(r.URL.Path, "/each/") {
		w.WriteHeader(status)
		return
	}
	results := make([]map[string]int, items)
	for i := range results {
		results[i] = map[string]int{"status": status}
	}
	_ = json.NewEncoder(w).Encode(results)
}

// emptyingShelves is a server that changes the shelves of all callers by requests for several rows.
func emptyingShelves(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	return func(_ *guests, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			keys := keysSent(r)
			if strings.Contains(r.URL.Path, "/bulk/") && len(keys) == 1 && r.Header.Get("Authorization") != "" {
				if has, _ := db.NewSelect().Model((*shelf)(nil)).Where("id = ?", keys[0]).Exists(r.Context()); has {
					succeed(w, r, len(keys))
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

// carelessShelves is a server that rejects one shelf of another caller by an answer of its own, and does not check the last of
// several. It changes a book below any shelf. Its error of a PUT has the key of the shelf with the text.
func carelessShelves(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	return func(_ *guests, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			keys, path := keysSent(r), strings.Split(r.URL.Path, "/")
			caller, signedIn := strings.CutPrefix(r.Header.Get("Authorization"), scheme)
			if r.Method == http.MethodPut {
				keys = keysOfTexts(db, r, caller)
			}
			if !strings.Contains(r.URL.Path, "/bulk/") || len(keys) == 0 || !signedIn {
				next.ServeHTTP(w, r)
				return
			}
			last := keys[len(keys)-1]
			if r.Method == http.MethodPut {
				w.WriteHeader(http.StatusConflict)
				_, _ = io.WriteString(w, "It is the shelf "+last.String()+".")
				return
			}
			shelves, _ := db.NewSelect().Model((*shelf)(nil)).Where("id = ? AND owner_id <> ?", last, caller).Count(r.Context())
			var book shelfBook
			_ = db.NewSelect().Model(&book).Where("id = ?", last).Scan(r.Context())
			switch {
			case shelves > 0 && len(keys) > 1, len(keys) == 1 && book.ID == last && book.ShelfID.String() != path[3]:
				succeed(w, r, len(keys))
			case shelves > 0:
				w.WriteHeader(http.StatusConflict)
				_, _ = io.WriteString(w, "This shelf is another caller's.")
			default:
				next.ServeHTTP(w, r)
			}
		})
	}
}
