package prove_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework/sqldb"
)

// query is a parameter of a request.
func (r bulkRequest) query(name string) string { return r.URL.Query().Get(name) }

// reads reports whether the request is a GET of a path below the prefix, and the answer a success.
func (r bulkRequest) reads(to *httptest.ResponseRecorder, path string) bool {
	return r.is(http.MethodGet, path) && to.Code == http.StatusOK
}

// rowCounts are the numbers of rows in an answer.
var rowCounts = regexp.MustCompile(`"count":\d+`)

// count sets the numbers of rows in an answer to the number that a statement has.
func (r bulkRequest) count(to *httptest.ResponseRecorder, statement string, args ...any) {
	var n int
	_ = r.db.Session().IDB().NewRaw("SELECT count(*) FROM "+statement, args...).Scan(r.Context(), &n)
	to.Body = bytes.NewBufferString(rowCounts.ReplaceAllString(to.Body.String(), fmt.Sprintf(`"count":%d`, n)))
}

// add adds a member to the first object of an answer.
func add(to *httptest.ResponseRecorder, member string) {
	to.Body = bytes.NewBufferString(strings.Replace(to.Body.String(), "{", "{"+member+",", 1))
}

// holder is the token of a caller who holds one permission, "" if there is none yet.
func (g *guests) holder(permission string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	for token, caller := range g.known {
		if caller.Permissions[permission] {
			return token
		}
	}
	return ""
}

// hides reports whether the caller does not see the private fields of sales.
func (r bulkRequest) hides() bool {
	r.g.mu.Lock()
	defer r.g.mu.Unlock()
	caller := r.g.known[scheme+r.caller.String()]
	return caller != nil && !caller.Superuser && len(caller.Permissions) == 0
}

// private are the members of a sale that only some callers see.
var private = regexp.MustCompile(`,"(contact|reserve)":("[^"]*"|\d+)`)

// readFaults is a server with faults in what it reads for callers: it counts rows of others if a parameter names them, and uses fields that the
// caller does not see.
func readFaults(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	const live = " AND deleted_at IS NULL"
	tags := map[string]string{}
	return faulty(db, func(w http.ResponseWriter, r bulkRequest) bool {
		path := strings.TrimPrefix(r.URL.Path, "/api/")
		switch tag := r.Header.Get("If-None-Match"); {
		case tag != "" && tag == tags[path]: // it compares the ETag before it looks for the row
			w.WriteHeader(http.StatusNotModified)
			return true
		case r.Method == http.MethodGet && r.part(5) == "totals" && (r.query("deleted") != "" || r.query("text") != ""): // below any lot
			r.serveAs("lots", r.part(3), r.URL.Path)
		case r.is(http.MethodGet, "sales/") && (r.query("min_reserve") != "" || r.query("filter") != "" || r.query("ordering") != ""),
			r.is(http.MethodGet, "sales/totals/") && r.query("sum") != "": // it lets all callers use the private fields
			r.Header.Set("Authorization", r.g.holder("sales.private"))
		}
		return false
	}, func(to *httptest.ResponseRecorder, r bulkRequest) {
		path := strings.TrimPrefix(r.URL.Path, "/api/")
		switch {
		case r.reads(to, "lots/totals/") && r.query("name") != "":
			r.count(to, "lots WHERE name = ?"+live, r.query("name"))
		case r.reads(to, "lots/totals/") && r.query("deleted") == "true":
			r.count(to, "lots WHERE deleted_at IS NOT NULL")
		case r.reads(to, "lots/"): // each list has the same ETag
			to.Header().Set("ETag", `"lots"`)
		case r.Method == http.MethodGet && strings.HasPrefix(path, "lots/") && r.part(4) == "" && to.Code == http.StatusOK:
			tags[path] = to.Header().Get("ETag")
		case r.reads(to, "sales/") && r.hides():
			to.Body = bytes.NewBufferString(private.ReplaceAllString(to.Body.String(), ""))
		case r.Method == http.MethodGet && strings.HasPrefix(path, "sales/") && r.part(4) == "" && r.part(3) != "totals" && to.Code == http.StatusOK && r.hides():
			add(to, `"reserve":7`)
		}
	})
}

// writeFaults is a server with faults in writes: it checks too little in other forms of a request, and shows too much in answers.
func writeFaults(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	return faulty(db, func(_ http.ResponseWriter, r bulkRequest) bool {
		switch {
		case r.Method == http.MethodPatch && r.part(2) == "lots" && r.part(4) == "" && r.Header.Get("Content-Type") == "application/merge-patch+json",
			r.Method == http.MethodPatch && r.part(4) == "bids" && r.Header.Get("Prefer") != "":
			r.serveAs("lots", r.part(3), r.URL.Path)
		}
		return false
	}, func(to *httptest.ResponseRecorder, r bulkRequest) {
		var other lot
		others := func(where string, args ...any) bool {
			return db.NewSelect().Model(&other).Where("owner_id <> ?", r.caller).Where(where, args...).Limit(1).Scan(r.Context()) == nil
		}
		switch {
		case r.is(http.MethodPost, "lots/") && to.Code == http.StatusConflict && strings.Contains(to.Body.String(), "quota_exceeded"):
			r.count(to, "lots")
		case r.is(http.MethodPost, "sales/") && r.Header.Get("Prefer") != "" && others("id NOT IN (SELECT lot_id FROM sales WHERE lot_id IS NOT NULL)"):
			to.Header().Set("Location", "/api/lots/"+other.ID.String()+"/")
		case r.is(http.MethodPatch, "lots/bulk/each/") && len(r.keys) == 2 && others("id = ?", r.keys[1]): // the first result has the name of the second row
			to.Body = bytes.NewBufferString(strings.Replace(to.Body.String(), `{"status":200,`, `{"status":200,"also":"`+other.Name+`",`, 1))
		case r.is(http.MethodPut, "lots/bulk/"): // it changes deleted rows with the codes
			for code := range strings.SplitSeq(string(r.body), `"`) {
				r.run("UPDATE lots SET name = name || '!' WHERE code = ? AND owner_id <> ? AND deleted_at IS NOT NULL", code, r.caller)
			}
		case r.reads(to, "sales/"):
			to.Header().Set("Cache-Control", "max-age=60, must-revalidate")
		}
	})
}

// dossierFaults is a server that checks no team for dossiers that are deleted.
func dossierFaults(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	return faulty(db, func(_ http.ResponseWriter, r bulkRequest) bool {
		member := db.NewSelect().Table("members").Column("user_id").Limit(1)
		switch {
		case r.part(2) != "dossiers":
			return false
		case r.part(4) == "restore", r.part(4) == "history" && r.query("deleted") == "true":
			member.Where("team_id = (?)", db.NewSelect().Table("dossiers").Column("team_id").Where("id = ?", r.part(3)))
		case r.is(http.MethodGet, "dossiers/") && r.query("deleted") == "true":
			member.Where("team_id IN (?)", db.NewSelect().Table("dossiers").Column("team_id").Where("deleted_at IS NOT NULL")).Where("user_id <> ?", r.caller)
		default:
			return false
		}
		var id uuid.UUID
		if member.Scan(r.Context(), &id) == nil {
			r.Header.Set("Authorization", scheme+id.String())
		}
		return false
	}, func(*httptest.ResponseRecorder, bulkRequest) {})
}

// TestEstate checks that the proof finds rows of others in numbers, ETags and errors, in other forms of requests, and in rows that are
// deleted, and that it reports no fault of correct servers.
func TestEstate(t *testing.T) {
	t.Parallel()
	onlyInStage(t)
	const notTheirs = "and the row is not theirs"
	proveServers(t, []server{
		{"an estate", estate(), nil, nil},
		{"a member with the name of a hidden field", shadowed(), nil, nil},
		{"an estate that reads too much", estate(), readFaults, [][2]string{
			{"GET /api/lots/totals/", "it is answered otherwise than with a value of no row"},
			{"GET /api/lots/totals/", "the answer changed after a row of lots was made and deleted"},
			{"GET /api/lots/{lot_id}/bids/totals/", notTheirs},
			{"GET /api/lots/", `its ETag is "lots", as that of another answer to another caller`},
			{"GET /api/lots/{id}/", "it is answered 304, " + notTheirs},
			{"GET /api/sales/", `a rule of Sees hides "reserve" from this caller`},
			{"GET /api/sales/", "it is answered otherwise than with a value of no row"},
			{"GET /api/sales/totals/", `a rule of Sees hides "reserve" from this caller`},
			{"GET /api/sales/{id}/", `the answer has the member "reserve"`},
		}},
		{"an estate that writes too much", estate(), writeFaults, [][2]string{
			{"PATCH /api/lots/{id}/", "it is answered 200, " + notTheirs},
			{"PATCH /api/lots/{lot_id}/bids/{id}/", "it is answered 204, " + notTheirs},
			{"POST /api/lots/", "it counts rows of others"},
			{"POST /api/sales/", "which is of a row or a field that is not theirs"},
			{"PATCH /api/lots/bulk/each/", "which is of a row or a field that is not theirs"},
			{"PUT /api/lots/bulk/", "it changes a row that is not theirs"},
			{"GET /api/sales/", "shared caches may pass the answer on to others"},
		}},
		{"dossiers of teams", dossiers(), nil, nil},
		{"dossiers of teams that all restore", dossiers(), dossierFaults, [][2]string{
			{"POST /api/dossiers/{id}/restore/", "it is answered 204, " + notTheirs},
			{"GET /api/dossiers/{id}/history/", "it is answered 200, " + notTheirs},
			{"GET /api/dossiers/", "which is of a row or a field that is not theirs"},
		}},
	}, schema, estateSchema, dossierSchema)
}
