package prove_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
)

// A Scrawl belongs to a user. Users restore theirs, and auditors see deleted ones of all.
type Scrawl struct {
	bun.BaseModel `bun:"table:memos"`

	ID        uuid.UUID `bun:",pk"`
	OwnerID   uuid.UUID
	Text      string
	DeletedAt *time.Time `bun:",soft_delete"`
}

func (s *Scrawl) owner() *uuid.UUID { return &s.OwnerID }

// A Bulletin is for all to see, and its author changes and restores it.
type Bulletin struct {
	bun.BaseModel `bun:"table:notices"`

	ID        uuid.UUID `bun:",pk"`
	AuthorID  uuid.UUID
	Text      string
	DeletedAt time.Time `bun:",soft_delete,nullzero"`
}

func (b *Bulletin) author() *uuid.UUID { return &b.AuthorID }

var trashSchema = sqldb.Migrations{Namespace: "trash", FS: fstest.MapFS{
	"1_trash.tx.up.sql": {Data: []byte(`CREATE TABLE memos ({{id}}, owner_id {{uuid}} NOT NULL, text {{text}} NOT NULL, deleted_at {{timestamp}});
CREATE TABLE notices ({{id}}, author_id {{uuid}} NOT NULL, text {{text}} NOT NULL, deleted_at {{timestamp}});`)},
	"1_trash.tx.down.sql": {Data: []byte("DROP TABLE notices;\nDROP TABLE memos;\n")},
}}

func trash() []framework.Resource {
	signedIn := framework.Authenticated()
	return []framework.Resource{
		framework.ViewSet[Scrawl]{
			Name: "memos", Verbs: framework.CRUD[textInput, textView](), Scope: framework.Own((*Scrawl).owner).Unless(framework.Holds("memos.audit")), Permission: signedIn,
			SoftDelete: framework.SoftDelete{Restore: signedIn, Deleted: framework.Any(framework.Holds("memos.audit"), framework.Holds("memos.deleted"))},
			Export:     []framework.Media{framework.NDJSON}, Totals: framework.Totals{By: []string{"text"}},
			History: framework.History{Permission: signedIn}, Audit: framework.Reads{Permission: signedIn}, Filters: []framework.Filter{filter.Exact("text")},
		},
		framework.ViewSet[Bulletin]{
			Name: "notices", Verbs: framework.CRUD[textInput, textView](), Scope: framework.Public(), Writers: framework.Own((*Bulletin).author),
			Permission: framework.OrReadOnly(signedIn), SoftDelete: framework.SoftDelete{Restore: signedIn, Deleted: framework.Holds("memos.deleted")},
		},
	}
}

// TestErasedRows proves an API whose rows are deleted softly, seen and restored, and finds servers with faults in that.
func TestErasedRows(t *testing.T) {
	asking := func(path string) func(*http.Request) bool {
		return func(r *http.Request) bool {
			return r.URL.Query().Get("deleted") == "true" && (at("GET", path)(r) || one("GET", path)(r))
		}
	}
	for _, c := range []struct {
		name        string
		change      func(*guests, http.Handler) http.Handler
		where, what string // of a finding
	}{
		{name: "no fault"},
		{name: "deleted rows are shown to all", change: asAuditor(asking("/api/memos/")), where: "GET /api/memos/", what: "the declarations let this caller see no deleted rows"},
		{name: "the history of a deleted row is shown to all", change: asAuditor(func(r *http.Request) bool {
			return strings.HasSuffix(r.URL.Path, "/history/") && r.URL.Query().Get("deleted") == "true"
		}), where: "GET /api/memos/{id}/history/", what: "reject this caller"},
		{name: "the reads of a row are shown to all", change: asAuditor(func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/reads/") }), where: "GET /api/memos/{id}/reads/", what: "reject this caller"},
		{name: "a deleted row is shown to all", change: asAuditor(asking("/api/memos/")), where: "GET /api/memos/{id}/", what: "reject this caller"},
		{name: "a list has deleted rows without the parameter", change: alwaysDeleted, where: "GET /api/notices/", what: "which is of a row that is deleted"},
		{name: "the totals of deleted rows are shown to all", change: asAuditor(asking("/api/memos/totals/")), where: "GET /api/memos/totals/", what: "the declarations let this caller see no deleted rows"},
		{name: "totals have the rows of others", change: asAuditor(at("GET", "/api/memos/totals/")), where: "GET /api/memos/totals/", what: "which is of a row or a field that is not theirs"},
		{name: "a row is restored by all", change: asOwner(one("POST", "/api/memos/")), where: "POST /api/memos/{id}/restore/", what: "not theirs"},
		{name: "a public row is restored by all", change: asOwner(one("POST", "/api/notices/")), where: "POST /api/notices/{id}/restore/", what: "not theirs"},
		{name: "a row is not restored", change: forgetsToRestore, where: "POST /api/memos/{id}/restore/", what: "and the row is not restored"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			onDatabases(t, trashSchema, func(t *testing.T, db *sqldb.DB) {
				report := prove(t, db, c.change, trash()...)
				if c.change != nil {
					wantFinding(t, report, c.where, c.what)
					return
				}
				for _, f := range append(report.Findings, report.Unexercised...) {
					t.Errorf("%s", f)
				}
			})
		})
	}
}

// asAuditor serves the requests that a function selects as if a caller who sees all deleted rows sent them.
func asAuditor(is func(r *http.Request) bool) func(*guests, http.Handler) http.Handler {
	return func(g *guests, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if is(r) {
				r.Header.Set("Authorization", g.superuser())
			}
			next.ServeHTTP(w, r)
		})
	}
}

// superuser is the token of a superuser, "" if there is none yet.
func (g *guests) superuser() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	for token, caller := range g.known {
		if caller.Superuser {
			return token
		}
	}
	return ""
}

// alwaysDeleted lists the deleted notices of all for each request for the list.
func alwaysDeleted(g *guests, next http.Handler) http.Handler {
	return asAuditor(func(r *http.Request) bool {
		if !at("GET", "/api/notices/")(r) || g.superuser() == "" {
			return false
		}
		r.URL.RawQuery = "deleted=true"
		return true
	})(g, next)
}

// forgetsToRestore answers a restore of a memo as if it were done.
func forgetsToRestore(_ *guests, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if one("POST", "/api/memos/")(r) {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}
