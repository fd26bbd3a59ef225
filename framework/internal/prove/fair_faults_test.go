package prove_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/sqldb"
)

// number is the number that a statement selects.
func (r bulkRequest) number(statement string, args ...any) (n int64) {
	_ = r.db.Session().IDB().NewRaw(statement, args...).Scan(r.Context(), &n)
	return n
}

// has reports whether a request has a parameter.
func (r bulkRequest) has(name string) bool { return r.URL.Query().Has(name) }

// erased reports whether the row of a table in the path is deleted softly.
func (r bulkRequest) erased(table string) bool {
	return r.part(2) == table && r.number("SELECT count(*) FROM "+table+" WHERE id = ? AND deleted_at IS NOT NULL", r.part(3)) == 1
}

// merges reports whether a request is a merge patch of one row.
func (r bulkRequest) merges(table string) bool {
	return r.Method == http.MethodPatch && r.part(2) == table && r.part(4) == "" && r.Header.Get("Content-Type") == "application/merge-patch+json"
}

// answerJSON answers with a text.
func answerJSON(w http.ResponseWriter, status int, text string) bool {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
	return true
}

// replaced gives a request another answer.
func replaced(to *httptest.ResponseRecorder, status int, text string) {
	to.Code, to.Body = status, bytes.NewBufferString(text)
}

// sums are the sums in an answer.
var sums = regexp.MustCompile(`"sum":\{[^}]*\}`)

// fairReads is a server that reads too much: numbers of others by numbers and of deleted rows, and rows below deleted rows.
func fairReads(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	return faulty(db, func(w http.ResponseWriter, r bulkRequest) bool {
		below := r.Method == http.MethodGet && r.part(4) == "wares" && r.erased("stalls")
		switch {
		case below && r.part(5) == "":
			return answerJSON(w, http.StatusOK, `{"count":0,"next":null,"previous":null,"results":[]}`)
		case below && r.number("SELECT count(*) FROM wares WHERE id = ? AND stall_id = ?", r.part(5), r.part(3)) == 1:
			return answerJSON(w, http.StatusOK, `{}`)
		}
		return false
	}, func(to *httptest.ResponseRecorder, r bulkRequest) {
		switch {
		case r.reads(to, "stalls/totals/") && r.has("price"):
			r.count(to, "stalls WHERE deleted_at IS NULL AND price = ?", r.query("price"))
		case r.reads(to, "stalls/totals/") && r.has("deleted") && r.has("sum"):
			sum := fmt.Sprintf(`"sum":{"price":%d}`, r.number("SELECT coalesce(sum(price), 0) FROM stalls WHERE deleted_at IS NOT NULL"))
			to.Body = bytes.NewBufferString(sums.ReplaceAllString(to.Body.String(), sum))
		case r.is(http.MethodHead, "stalls/totals/"):
			to.Header().Set("X-Total", strconv.FormatInt(r.number("SELECT count(*) FROM stalls"), 10))
		case r.is(http.MethodGet, "stalls/") && to.Code == http.StatusNotFound: // a far page
			add(to, fmt.Sprintf(`"pages":%d`, r.number("SELECT count(*) FROM stalls")))
		case r.reads(to, "stalls/") && r.has("deleted") && r.has("name"):
			r.count(to, "stalls WHERE deleted_at IS NOT NULL AND name = ?", r.query("name"))
		case r.reads(to, "stalls/") && r.has("price"):
			to.Header().Set("ETag", `"price"`)
		case r.Method == http.MethodGet && r.part(4) == "reads" && r.has("before") && to.Code == http.StatusOK:
			r.addReads(to, "SELECT request FROM row_reads")
		}
	})
}

// addReads adds the ids of the reads that a statement selects to an answer.
func (r bulkRequest) addReads(to *httptest.ResponseRecorder, statement string, args ...any) {
	var ids []string
	_ = r.db.Session().IDB().NewRaw(statement, args...).Scan(r.Context(), &ids)
	add(to, fmt.Sprintf(`"all":%q`, strings.Join(ids, " ")))
}

// A stallSent is what a body says about a stall, or about the stall of a poster.
type stallSent struct {
	Code, Name string
	Price      int64
	Stall      uuid.UUID `json:"stall_id"`
}

// fairWrites is a server that writes too much: by other forms of requests, for several rows beyond a quota, and below deleted rows.
func fairWrites(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	return faulty(db, func(w http.ResponseWriter, r bulkRequest) bool {
		var in stallSent
		_ = json.Unmarshal(r.body, &in)
		owner := r.ownerOf("stalls", in.Stall)
		switch {
		case r.is(http.MethodPatch, "stalls/bulk/") && r.Header.Get("Prefer") != "" && len(r.keys) > 0:
			r.serveAs("stalls", r.keys[len(r.keys)-1], r.URL.Path)
		case r.merges("posters") && owner != nil && owner.ID != r.caller:
			return answerJSON(w, http.StatusOK, "{}")
		case r.is(http.MethodPost, "posters/") && r.number("SELECT count(*) FROM stalls WHERE id = ? AND deleted_at IS NOT NULL", in.Stall) == 1:
			return answerJSON(w, http.StatusCreated, "{}")
		}
		return false
	}, func(to *httptest.ResponseRecorder, r bulkRequest) {
		var items []stallSent
		_ = json.Unmarshal(r.body, &items)
		var in stallSent
		_ = json.Unmarshal(r.body, &in)
		exceeds := to.Code == http.StatusConflict && strings.Contains(to.Body.String(), "quota_exceeded")
		below := r.part(4) == "wares" && to.Code == http.StatusNotFound && r.erased("stalls")
		switch {
		case exceeds && r.is(http.MethodPost, "stalls/bulk/") && len(items) == 1:
			r.count(to, "stalls")
		case exceeds && (r.is(http.MethodPost, "stalls/bulk/") || r.is(http.MethodPut, "stalls/bulk/")):
			for _, one := range items {
				r.run("INSERT INTO stalls (id, owner_id, code, name, price) VALUES (?, ?, ?, ?, ?)", uuid.New(), r.caller, one.Code, one.Name, one.Price)
			}
			replaced(to, http.StatusOK, "[]")
		case r.merges("stalls") && to.Code == http.StatusOK:
			r.run("UPDATE stalls SET price = price + 1 WHERE owner_id <> ?", r.caller)
		case r.is(http.MethodPost, "stalls/") && to.Code == http.StatusCreated:
			r.run("UPDATE stalls SET name = name || '!' WHERE code = ? AND owner_id <> ? AND deleted_at IS NOT NULL", in.Code, r.caller)
		case below && r.Method == http.MethodPost && r.part(5) == "":
			r.run("INSERT INTO wares (id, stall_id, text, amount) VALUES (?, ?, 'new', 1)", uuid.New(), r.part(3))
		case below && r.Method == http.MethodPatch:
			r.run("UPDATE wares SET amount = amount + 1 WHERE id = ?", r.part(5))
		case below && r.part(6) == "restore" && r.number("SELECT count(*) FROM wares WHERE id = ?", r.part(5)) == 1:
			replaced(to, http.StatusNoContent, "")
		case r.Method == http.MethodGet && r.part(4) == "reads" && to.Code == http.StatusOK:
			r.addReads(to, "SELECT request FROM row_reads WHERE route LIKE '%list%' AND caller <> ?", r.caller.String())
		}
	})
}

// usesHidden is a server that lets all callers use hidden fields in some requests, and does not show them.
func usesHidden(is func(r bulkRequest) bool) func(*sqldb.DB) func(*guests, http.Handler) http.Handler {
	return func(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
		return faulty(db, func(_ http.ResponseWriter, r bulkRequest) bool {
			if token := r.g.holder("posters.private"); r.Method == http.MethodGet && token != "" && is(r) {
				r.Header.Set("Authorization", token)
			}
			return false
		}, func(to *httptest.ResponseRecorder, r bulkRequest) {
			if r.reads(to, "posters/") && r.hides() {
				to.Body = bytes.NewBufferString(private.ReplaceAllString(to.Body.String(), ""))
			}
		})
	}
}

// hoardingFaults is a server with faults in other forms of requests for fields that few see and write, and in headers for caches.
func hoardingFaults(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	return faulty(db, func(http.ResponseWriter, bulkRequest) bool { return false }, func(to *httptest.ResponseRecorder, r bulkRequest) {
		var in struct{ Rank *int64 }
		_ = json.Unmarshal(r.body, &in)
		minimal := r.Method == http.MethodPut && r.Header.Get("Prefer") != ""
		switch {
		case (r.merges("posters") || minimal) && in.Rank != nil && r.owns("posters", r.part(3)) && r.hides():
			r.run("UPDATE posters SET rank = ? WHERE id = ?", *in.Rank, r.part(3))
			replaced(to, http.StatusOK, `{"reserve":7}`)
		case r.reads(to, "posters/") && r.has("fields"):
			to.Header().Set("ETag", `"fields"`)
		case r.reads(to, "posters/"):
			to.Header().Set("Cache-Control", `private="set-cookie", max-age=60, must-revalidate`)
		case r.Method == http.MethodGet && r.part(2) == "posters":
			to.Header().Set("CDN-Cache-Control", "public, max-age=60")
		}
	})
}

// guildFaults is a server that shows hidden prices of stalls in posters.
func guildFaults(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	return faulty(db, func(http.ResponseWriter, bulkRequest) bool { return false }, func(to *httptest.ResponseRecorder, r bulkRequest) {
		switch {
		case !r.hides() || to.Code != http.StatusOK || r.Method != http.MethodGet || r.part(2) != "posters":
		case r.part(3) == "":
			to.Body = bytes.NewBufferString(strings.ReplaceAll(to.Body.String(), `"stall":{`, `"stall":{"price":7,`))
		default:
			add(to, `"cost":7`)
		}
	})
}

// bureauFaults is a server with faults for folios that are deleted.
func bureauFaults(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	return faulty(db, func(w http.ResponseWriter, r bulkRequest) bool {
		list := `{"count":0,"next":null,"previous":null,"results":[]}`
		switch {
		case r.is(http.MethodGet, "folios/") && r.has("cursor") && r.query("deleted") == "true",
			r.Method == http.MethodGet && r.part(4) == "leaves" && r.part(5) == "" && r.erased("folios"):
			return answerJSON(w, http.StatusOK, list)
		case r.is(http.MethodDelete, "folios/bulk/") && len(r.keys) == 1 && r.number("SELECT count(*) FROM folios WHERE id = ? AND deleted_at IS NOT NULL", r.keys[0]) == 1:
			return answerJSON(w, http.StatusOK, "[]")
		case r.Method == http.MethodGet && r.part(4) == "" && r.erased("folios"):
			r.URL.RawQuery = "deleted=true"
		}
		return false
	}, func(to *httptest.ResponseRecorder, r bulkRequest) {
		if r.reads(to, "folios/totals/") && r.query("deleted") == "true" {
			r.count(to, "folios WHERE deleted_at IS NOT NULL")
		}
	})
}

// expires is a correct server with ETags of its own, and with a header that says when each answer expires.
func expires(db *sqldb.DB) func(*guests, http.Handler) http.Handler {
	return faulty(db, func(http.ResponseWriter, bulkRequest) bool { return false }, func(to *httptest.ResponseRecorder, _ bulkRequest) {
		to.Header().Set("Expires", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		to.Header().Set("Cache-Control", "private, max-age=3600")
		if tag := to.Header().Get("ETag"); tag != "" {
			to.Header().Set("ETag", "W/"+tag)
		}
	})
}

// TestFairs checks that the proof finds faults in rare requests: numbers and values of fields, other forms of writes, requests for several rows
// in quotas, rows that are deleted and rows below them, and headers. It reports no fault of correct servers.
func TestFairs(t *testing.T) {
	t.Parallel()
	onlyInStage(t)
	const notTheirs, below = "and the row is not theirs", "it changes wares below a row that is deleted"
	const wares, guessed, quota = "/api/stalls/{stall_id}/wares/", "it is answered otherwise than with a value of no row", "it makes one row more than the quota of the owner"
	proveServers(t, []server{
		{"a fair", fair(), nil, nil},
		{"a hoarding", hoarding(), nil, nil},
		{"a guild", guild(), nil, nil},
		{"a fair whose answers expire", fair(), expires, nil},
		{"a fair that reads too much", fair(), fairReads, [][2]string{
			{"GET /api/stalls/totals/", guessed},
			{"GET /api/stalls/totals/", "the answer changed after a row of stalls was made and deleted"},
			{"GET /api/stalls/totals/", "the answer changed after another caller's request POST"},
			{"GET /api/stalls/", "the answer changed after another caller's request POST"},
			{"GET /api/stalls/", guessed},
			{"GET /api/stalls/", `its ETag is "price", as that of another answer to another caller`},
			{"GET /api/stalls/{id}/reads/", "the answer has a request that read another row"},
			{"GET " + wares, notTheirs},
			{"GET " + wares + "{id}/", notTheirs},
		}},
		{"a fair that writes too much", fair(), fairWrites, [][2]string{
			{"PATCH /api/stalls/bulk/", "it is answered 204, " + notTheirs},
			{"PATCH /api/stalls/{id}/", "it changes a row of stalls that is not theirs"},
			{"POST /api/stalls/", "it changes a row of stalls that is not theirs"},
			{"POST /api/stalls/bulk/", quota},
			{"POST /api/stalls/bulk/", "it counts rows of others"},
			{"PUT /api/stalls/bulk/", quota},
			{"POST /api/posters/", "a reference to another's row at /stall_id is accepted"},
			{"PATCH /api/posters/{id}/", "a reference to another's row at /stall_id is accepted"},
			{"POST " + wares, below},
			{"PATCH " + wares + "{id}/", below},
			{"POST " + wares + "{id}/restore/", "it is answered 204, " + notTheirs},
			{"GET /api/stalls/{id}/reads/", "the answer has a request that read another row"},
		}},
		{"an order downwards", hoarding(), usesHidden(func(r bulkRequest) bool { return strings.HasPrefix(r.query("ordering"), "-") }), hidden("")},
		{"a second order", hoarding(), usesHidden(func(r bulkRequest) bool { return strings.Contains(r.query("ordering"), ",") }), hidden("")},
		{"a greater value", hoarding(), usesHidden(func(r bulkRequest) bool { return strings.Contains(r.query("filter"), ">") }), hidden("")},
		{"another comparison", hoarding(), usesHidden(func(r bulkRequest) bool { return strings.Contains(r.query("filter"), "OR") }), hidden("")},
		{"a second sum", hoarding(), usesHidden(func(r bulkRequest) bool { return strings.Contains(r.query("sum"), ",") }), hidden("totals/")},
		{"a hoarding with faults", hoarding(), hoardingFaults, [][2]string{
			{"PATCH /api/posters/{id}/", "it writes rank, which needs posters.private"},
			{"PUT /api/posters/{id}/", "it writes rank, which needs posters.private"},
			{"PATCH /api/posters/{id}/", `the answer has the member "reserve"`},
			{"GET /api/posters/", `its ETag is "fields", as that of another answer to another caller`},
			{"GET /api/posters/", `others by Cache-Control: "private=`},
			{"GET /api/posters/{id}/", `others by Cdn-Cache-Control: "public`},
		}},
		{"a guild that shows prices", guild(), guildFaults, [][2]string{
			{"GET /api/posters/", `the answer has the member "price"`},
			{"GET /api/posters/{id}/", `the answer has the member "cost"`},
		}},
	}, schema, fairSchema)
}

// TestBureaus is TestFairs for rows of tenants that are deleted.
func TestBureaus(t *testing.T) {
	t.Parallel()
	onlyInStage(t)
	const notTheirs = "and the row is not theirs"
	proveServers(t, []server{
		{"a bureau", bureau(), nil, nil},
		{"a bureau that shows deleted folios to their teams", archive(), nil, nil},
		{"a bureau with faults", bureau(), bureauFaults, [][2]string{
			{"GET /api/folios/totals/", "the answer changed after a row of folios was made and deleted"},
			{"GET /api/folios/", "the cursor of another caller is accepted"},
			{"GET /api/folios/{id}/", "it is answered 200, " + notTheirs},
			{"DELETE /api/folios/bulk/", notTheirs},
			{"GET /api/folios/{folio_id}/leaves/", "it is answered 200, " + notTheirs},
		}},
	}, schema, fairSchema)
}

// hidden is the finding of a server that lets all callers use a hidden field of posters.
func hidden(path string) [][2]string {
	return [][2]string{{"GET /api/posters/" + path, `a rule of Sees hides "reserve" from this caller`}}
}
