package prove_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// bulkFair is a fair whose posters are also made by requests for several rows.
func bulkFair() []framework.Resource {
	all := fair()
	posters := all[2].(framework.ViewSet[poster]) //nolint:forcetypeassert // it is one
	posters.Bulk = framework.Bulk{Create: true, Patch: true}
	all[2] = posters
	return all
}

// moderated is a hoarding whose posters moderators change too, with a quota, a history and requests for several rows.
func moderated() []framework.Resource {
	all := hoarding()
	posters := all[0].(framework.ViewSet[poster]) //nolint:forcetypeassert // it is one
	posters.Writers = posters.Writers.Unless(framework.Holds("posters.moderate"))
	posters.Bulk = framework.Bulk{Create: true, Patch: true, Delete: true, Each: true}
	posters.Quota, posters.History = framework.Quota{Rows: 50}, framework.History{Permission: framework.Authenticated()}
	all[0] = posters
	return all
}

// attic is a fair whose stalls are for all to see, and whose deleted stalls are for the staff.
func attic() []framework.Resource {
	all, staff := fair(), framework.Staff()
	stalls := all[0].(framework.ViewSet[stall]) //nolint:forcetypeassert // it is one
	stalls.Scope, stalls.Writers, stalls.Permission = framework.Public(), stalls.Scope, framework.OrReadOnly(stalls.Permission)
	stalls.SoftDelete, stalls.Audit = framework.SoftDelete{Restore: staff, Deleted: staff}, framework.Reads{Permission: staff}
	all[0] = stalls
	return all[:2]
}

// rareReads is a server that reads too much in requests that few clients send.
func rareReads(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	return faulty(db, func(w http.ResponseWriter, r bulkRequest) bool {
		get := r.Method == http.MethodGet
		deleted := get && r.part(4) == "wares" && r.query("deleted") == "true" && r.erased("stalls")
		switch {
		case deleted && r.part(5) == "":
			return answerJSON(w, http.StatusOK, `{"count":0,"next":null,"previous":null,"results":[]}`)
		case deleted && r.number("SELECT count(*) FROM wares WHERE id = ?", r.part(5)) == 1:
			return answerJSON(w, http.StatusOK, `{}`)
		case get && r.part(4) == "reads" && r.has("before"): // it checks the row only for the first page
			r.serveAs("stalls", r.part(3), r.URL.Path)
		case get && r.part(2) == "stalls" && r.part(4) == "" && r.Header.Get("If-Modified-Since") != "" && r.ownerOf("stalls", r.part(3)) != nil:
			w.WriteHeader(http.StatusNotModified)
			return true
		}
		return false
	}, func(to *httptest.ResponseRecorder, r bulkRequest) {
		const erased = "stalls WHERE deleted_at IS NOT NULL"
		get := r.Method == http.MethodGet && to.Code == http.StatusOK
		switch before := r.query("before"); {
		case r.is(http.MethodHead, "stalls/") && r.has("deleted"):
			to.Header().Set("X-Total", strconv.FormatInt(r.number("SELECT count(*) FROM "+erased), 10))
		case (r.reads(to, "stalls/") || r.reads(to, "stalls/totals/")) && r.has("deleted") && r.has("price"):
			r.count(to, erased+" AND price = ?", r.query("price"))
		case get && r.part(4) == "reads" && r.number("SELECT count(*) FROM row_read_keys WHERE request = ? AND row_key <> ?", before, r.part(3)) > 0:
			r.addReads(to, "SELECT request FROM row_read_keys WHERE request <= ?", before)
		case get && r.part(4) == "reads":
			add(to, fmt.Sprintf(`"count":%d`, r.number("SELECT count(*) FROM row_reads")))
		case get && r.part(2) == "stalls" && r.part(4) == "":
			to.Header().Set("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
		case get && r.part(2) == "posters":
			to.Header().Set("Surrogate-Control", "max-age=60")
		}
	})
}

// rareWrites is a server that checks too little in other forms of writes, and for rows that are deleted.
func rareWrites(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	const gone = "SELECT count(*) FROM stalls WHERE id = ? AND deleted_at IS NOT NULL"
	return faulty(db, func(w http.ResponseWriter, r bulkRequest) bool {
		var one stallSent
		var all []stallSent
		_, _ = json.Unmarshal(r.body, &one), json.Unmarshal(r.body, &all)
		owner := r.ownerOf("stalls", one.Stall)
		switch {
		case r.merges("posters") && r.owns("posters", r.part(3)) && r.number(gone, one.Stall) == 1:
			return answerJSON(w, http.StatusOK, "{}")
		case r.is(http.MethodPost, "posters/") && r.Header.Get("Prefer") != "" && owner != nil && owner.ID != r.caller:
			return answerJSON(w, http.StatusCreated, "{}")
		case r.is(http.MethodPost, "posters/bulk/") && len(all) > 0 && r.number(gone, all[len(all)-1].Stall) == 1:
			return answerJSON(w, http.StatusOK, "[]")
		}
		return false
	}, func(to *httptest.ResponseRecorder, r bulkRequest) {
		var all []stallSent
		_ = json.Unmarshal(r.body, &all)
		switch {
		case r.Method == http.MethodPost && r.part(6) == "restore" && r.erased("stalls"):
			r.run("UPDATE wares SET deleted_at = NULL WHERE id = ?", r.part(5))
		case r.is(http.MethodPut, "stalls/bulk/") && to.Code == http.StatusOK:
			for _, one := range all {
				r.run("UPDATE stalls SET name = ? WHERE code = ? AND owner_id = ? AND deleted_at IS NOT NULL", one.Name, one.Code, r.caller)
			}
		}
	})
}

// moderatedFaults is a server that shows a hidden field in totals and if it is chosen alone, and resets a field that few write.
func moderatedFaults(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	return faulty(db, func(http.ResponseWriter, bulkRequest) bool { return false }, func(to *httptest.ResponseRecorder, r bulkRequest) {
		switch {
		case r.reads(to, "posters/totals/"):
			to.Body = bytes.NewBufferString(strings.ReplaceAll(to.Body.String(), `"count":`, `"sum":{"reserve":7},"count":`))
		case r.is(http.MethodGet, "posters/") && r.query("fields") == "reserve":
			replaced(to, http.StatusOK, `[{"reserve":7}]`)
		case r.Method == http.MethodPut && to.Code == http.StatusOK && r.hides():
			r.run("UPDATE posters SET rank = 0 WHERE id = ?", r.part(3))
		}
	})
}

// showsDeleted is a server that shows deleted stalls in posters.
func showsDeleted(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	return faulty(db, func(http.ResponseWriter, bulkRequest) bool { return false }, func(to *httptest.ResponseRecorder, r bulkRequest) {
		var name string
		of := db.NewSelect().Model((*poster)(nil)).ColumnExpr("s.name").Join("JOIN stalls AS s ON s.id = stall_id").Where("s.deleted_at IS NOT NULL")
		if r.reads(to, "posters/") && of.Limit(1).Scan(r.Context(), &name) == nil {
			add(to, fmt.Sprintf(`"stall":%q`, name))
		}
	})
}

// TestRareRequests checks that the proof finds faults in requests that few clients send, and in rows that refer to deleted rows.
func TestRareRequests(t *testing.T) {
	t.Parallel()
	onlyInStage(t)
	const notTheirs, accepted = "and the row is not theirs", "a reference to another's row at /stall_id is accepted"
	const wares, reads, guessed = "/api/stalls/{stall_id}/wares/", "GET /api/stalls/{id}/reads/", "it is answered otherwise than with a value of no row"
	proveServers(t, []server{
		{"a fair with moderators", moderated(), nil, nil},
		{"a fair with an attic", attic(), nil, nil},
		{"a fair that reads too much in rare requests", fair(), rareReads, [][2]string{
			{"GET /api/stalls/", guessed},
			{"GET /api/stalls/totals/", guessed},
			{"GET /api/stalls/", "the answer changed after a row of stalls was made and deleted"},
			{"GET " + wares, "it is answered 200, " + notTheirs},
			{"GET " + wares + "{id}/", "it is answered 200, " + notTheirs},
			{"GET /api/stalls/{id}/", "it is answered 304, " + notTheirs},
			{reads, "it is answered 200, " + notTheirs},
			{reads, "the answer has a request that read another row"},
			{reads, "the answer changed after another row was read"},
			{"GET /api/posters/", `others by Surrogate-Control: "max-age=60"`},
		}},
		{"a fair that writes too much in rare requests", bulkFair(), rareWrites, [][2]string{
			{"POST " + wares + "{id}/restore/", "it changes wares below a row that is deleted"},
			{"PATCH /api/posters/{id}/", accepted},
			{"POST /api/posters/", accepted},
			{"POST /api/posters/bulk/", accepted},
			{"PUT /api/stalls/bulk/", "it changes a row that is not theirs"},
		}},
		{"moderators with faults", moderated(), moderatedFaults, [][2]string{
			{"GET /api/posters/totals/", `the answer has the member "reserve"`},
			{"GET /api/posters/", `the answer has the member "reserve"`},
			{"PUT /api/posters/{id}/", "it changes rank, which the body does not have"},
		}},
		{"a guild that shows deleted stalls", guild(), showsDeleted, [][2]string{
			{"GET /api/posters/", "which is of a row or a field that is not theirs"},
		}},
	}, schema, fairSchema)
}
