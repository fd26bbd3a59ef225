package prove_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A pot has a name that none of its owner's other pots has.
type pot struct {
	bun.BaseModel `bun:"table:pots"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	Name    string
	Note    string
}

func (p *pot) owner() *uuid.UUID { return &p.OwnerID }

type potInput struct {
	Name string `json:"name" validate:"required,max=60"`
	Note string `json:"note" validate:"required,max=60"`
}

type potView struct {
	ID uuid.UUID `json:"id"`
	potInput
}

var potSchema = sqldb.Migrations{Namespace: "pots", FS: fstest.MapFS{
	"0001_pots.tx.up.sql": {Data: []byte(`CREATE TABLE pots ({{id}}, owner_id {{uuid}} NOT NULL, name {{text}} NOT NULL, note {{text}} NOT NULL,
UNIQUE (owner_id, name));`)},
	"0001_pots.tx.down.sql": {Data: []byte(`DROP TABLE pots;`)},
}}

// bulkOf accepts requests for several rows by all methods; PUT finds rows by a field.
func bulkOf(upsert string) framework.Bulk {
	return framework.Bulk{Create: true, Patch: true, Upsert: upsert, Delete: true}
}

// privateBulk are viewsets whose rows only their owners see.
func privateBulk() []framework.Resource {
	type number struct {
		Code   string `json:"code" validate:"required,line,max=40"`
		Number int64  `json:"number" validate:"required"`
		Open   bool   `json:"open"`
	}
	inBoxes, shelves := things(), publicShelves()
	inBoxes.Bulk = bulkOf("")
	shelves.Scope, shelves.Writers = framework.Own((*shelf).owner), framework.Scope{}
	return []framework.Resource{
		boxes(), inBoxes, shelves,
		framework.ViewSet[shelfBook]{
			Name: "books", Parent: framework.Child("shelf", "shelves"), Verbs: framework.CRUD[shelfText, shelfView](),
			Scope: framework.Own((*shelfBook).owner), Permission: framework.Authenticated(), Bulk: bulkOf(""),
		},
		framework.ViewSet[ticket]{
			Name: "tickets", Verbs: framework.CRUD[number, number](), Scope: framework.Own((*ticket).owner), Permission: framework.Authenticated(),
			Bulk:     bulkOf("code"),
			Uniques:  []framework.Unique{{Fields: []string{"number"}, Code: "number_taken", Detail: "Another ticket has this number."}},
			Reserved: []string{"bulk"},
		},
	}
}

// publicBulk are viewsets with public rows, with rows that a Where shows, and with a natural key for each owner.
func publicBulk() []framework.Resource {
	all := tenants()
	papers := all[2].(framework.ViewSet[Paper]) //nolint:forcetypeassert // it is one
	papers.Bulk = bulkOf("")
	all[2] = papers
	return append(all, publicShelves(), framework.ViewSet[pot]{
		Name: "pots", Verbs: framework.CRUD[potInput, potView](), Scope: framework.Own((*pot).owner), Permission: framework.Authenticated(),
		Bulk: bulkOf("name"), Uniques: []framework.Unique{{Fields: []string{"owner_id", "name"}, Code: "name_taken", Detail: "Another pot has this name."}},
	})
}

type shelfView struct {
	ID   uuid.UUID `json:"id"`
	Text string    `json:"text"`
}

// publicShelves is a viewset of shelves that all callers see, and that their owners change.
func publicShelves() framework.ViewSet[shelf] {
	return framework.ViewSet[shelf]{
		Name: "shelves", Verbs: framework.CRUD[shelfText, shelfView](), Permission: framework.Authenticated(),
		Scope: framework.Public(), Writers: framework.Own((*shelf).owner), Bulk: bulkOf("text"),
		Uniques: []framework.Unique{{Fields: []string{"text"}, Code: "text_taken", Detail: "Another shelf has this text."}},
	}
}

// A bulkRequest is a request of a caller to a faulty server.
type bulkRequest struct {
	*http.Request

	db     *sqldb.DB
	g      *guests
	body   []byte
	caller uuid.UUID
	keys   []uuid.UUID
}

// is reports the method and the path below the prefix.
func (r bulkRequest) is(method, path string) bool {
	return r.Method == method && strings.TrimPrefix(r.URL.Path, "/api/") == path
}

// run runs a statement.
func (r bulkRequest) run(statement string, args ...any) {
	_, _ = r.db.Session().IDB().NewRaw(statement, args...).Exec(r.Context())
}

// ownerOf returns the owner of the row of a table with a key; nil if there is no such row.
func (r bulkRequest) ownerOf(table string, key any) *framework.Caller {
	var owner uuid.UUID
	if r.db.NewSelect().Table(table).Column("owner_id").Where("id = ?", key).Scan(r.Context(), &owner) != nil {
		return nil
	}
	r.g.mu.Lock()
	defer r.g.mu.Unlock()
	return r.g.known[scheme+owner.String()]
}

// faulty is a server with a fault before the answer to a request of a known caller, which may answer it, and one after it.
func faulty(db *sqldb.DB, before func(http.ResponseWriter, bulkRequest) bool, after func(*httptest.ResponseRecorder, bulkRequest)) func(*guests, http.Handler) http.Handler {
	return func(g *guests, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			caller, err := uuid.Parse(strings.TrimPrefix(r.Header.Get("Authorization"), scheme))
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			of := bulkRequest{r, db, g, body, caller, keysSent(r)}
			if err == nil && before(w, of) {
				return
			}
			to := httptest.NewRecorder()
			next.ServeHTTP(to, r)
			if err == nil {
				after(to, of)
			}
			copyAnswer(w, to)
		})
	}
}

// privateFaults is a server that checks too little in requests for several private rows.
func privateFaults(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	return faulty(db, func(w http.ResponseWriter, r bulkRequest) bool {
		var items []struct {
			Code string
			Box  uuid.UUID
		}
		_ = json.Unmarshal(r.body, &items)
		path := strings.Split(r.URL.Path, "/")
		var theirs *framework.Caller
		if len(r.keys) > 0 {
			theirs = r.ownerOf("shelves", r.keys[len(r.keys)-1])
		}
		other := theirs != nil && theirs.ID != r.caller
		switch {
		case r.is("POST", "tickets/bulk/"): // it changes the tickets of others with the codes
			for _, item := range items {
				r.run("UPDATE tickets SET open = NOT open WHERE code = ? AND owner_id <> ?", item.Code, r.caller)
			}
		case r.is("POST", "things/bulk/") && len(items) > 1: // it does not check the box of the last item
			if owner := r.ownerOf("boxes", items[1].Box); owner != nil && owner.ID != r.caller {
				_, _ = io.WriteString(w, "[]")
				return true
			}
		case r.is("PATCH", "shelves/bulk/") && other: // the rejected request changes a third row
			r.run("UPDATE shelves SET text = text || '!' WHERE id <> ? AND owner_id <> ?", r.keys[len(r.keys)-1], r.caller)
		case r.is("DELETE", "shelves/bulk/") && other && theirs.Superuser: // it does not keep the shelves of superusers
			succeed(w, r.Request, len(r.keys))
			return true
		case r.Method == http.MethodDelete && len(path) == 7 && path[4] == "books" && len(r.keys) == 1: // it finds own books below any shelf
			var book shelfBook
			if db.NewSelect().Model(&book).Where("id = ?", r.keys[0]).Scan(r.Context()) == nil && book.OwnerID == r.caller {
				r.URL.Path = strings.Replace(r.URL.Path, path[3], book.ShelfID.String(), 1)
			}
		}
		return false
	}, func(*httptest.ResponseRecorder, bulkRequest) {})
}

// publicFaults is a server that writes too much in requests for several rows, and in a DELETE of one row.
func publicFaults(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	var last []byte
	return faulty(db, func(http.ResponseWriter, bulkRequest) bool { return false }, func(to *httptest.ResponseRecorder, r bulkRequest) {
		succeeded, all := to.Code < 300, "UPDATE shelves SET text = text || '!' WHERE owner_id <> ?"
		switch {
		case r.is("PUT", "shelves/bulk/") && succeeded: // it changes the shelves of all others
			r.run(all, r.caller)
		case r.Method == http.MethodDelete && strings.HasPrefix(r.URL.Path, "/api/shelves/") && !r.is("DELETE", "shelves/bulk/") && succeeded: // so does this one
			r.run(all, r.caller)
		case r.is("PATCH", "shelves/bulk/") && succeeded && last == nil:
			last = bytes.Clone(to.Body.Bytes())
		case r.is("PATCH", "shelves/bulk/") && succeeded: // it answers with the row of the first request
			to.Body = bytes.NewBuffer(last)
		case r.is("PUT", "pots/bulk/"): // it changes the pots of others with the names
			var items []potInput
			_ = json.Unmarshal(r.body, &items)
			for _, item := range items {
				r.run("UPDATE pots SET note = note || '!' WHERE name = ? AND owner_id <> ?", item.Name, r.caller)
			}
		case r.is("POST", "papers/bulk/") && (to.Code == http.StatusForbidden || to.Code == http.StatusUnprocessableEntity): // it adds papers of all teams
			var items []paperInput
			if json.Unmarshal(r.body, &items) != nil || len(items) == 0 {
				return
			}
			for _, item := range items {
				r.run("INSERT INTO papers (id, team_id, title) VALUES (?, ?, ?)", uuid.New(), item.TeamID, item.Title)
			}
			to.Code, to.Body = http.StatusOK, bytes.NewBufferString("[]")
		}
	})
}

// TestBulkIsProvedAsOneRow checks that the requests for several rows are proved as those for one row: no row of another
// caller changes, also one that all callers see, no item names one, and no answer has one.
func TestBulkIsProvedAsOneRow(t *testing.T) {
	t.Parallel()
	onlyInStage(t)
	proveServers(t, []server{
		{"private rows", privateBulk(), nil, nil},
		{"public rows", publicBulk(), nil, nil},
		{"private rows with too few checks", privateBulk(), privateFaults, [][2]string{
			{"POST /api/tickets/bulk/", "it changes a row of tickets that is not theirs"},
			{"POST /api/things/bulk/", "a reference to another's row at /box is accepted"},
			{"PATCH /api/shelves/bulk/", "it is rejected, and changes shelves"},
			{"DELETE /api/shelves/bulk/", "it is answered 204, and the row is not theirs"},
			{"DELETE /api/shelves/{shelf_id}/books/bulk/", "it is answered 204, and the row is not theirs"},
		}},
		{"public rows with too many changes", publicBulk(), publicFaults, [][2]string{
			{"PUT /api/shelves/bulk/", "it changes a row of shelves that is not theirs"},
			{"DELETE /api/shelves/{id}/", "it changes a row of shelves that is not theirs"},
			{"PATCH /api/shelves/bulk/", "and the request is for another row"},
			{"PUT /api/pots/bulk/", "it changes a row of pots that is not theirs"},
			{"POST /api/papers/bulk/", "it writes a row that the Where of the viewset hides from the sender"},
		}},
	}, schema, shelfSchema, ticketSchema, potSchema)
}
