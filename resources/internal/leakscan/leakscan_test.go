package leakscan_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"trestle.example/framework/sqldb"
	"trestle.example/resources/internal/leakscan"
)

// A recorder keeps what a scan reports.
type recorder struct {
	testing.TB

	reports []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.reports = append(r.reports, fmt.Sprintf(format, args...))
}

var schema = []sqldb.Migrations{{Namespace: "test", FS: fstest.MapFS{"1_shop.tx.up.sql": {Data: []byte(`
	-- made of what_nobody_sees
	CREATE TABLE cart_items ({{id}}, seen_price {{bigint}} CHECK (status IN ('out_of_stock')), created_at {{timestamp}});
	CREATE INDEX by_price ON cart_items (seen_price);`)}}}}

const someone, hash = "019cd55d-7dc0-7373-8585-e3180966f9b9", "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$u4+Zk/hashhashhash"

func scan(t *testing.T) *leakscan.Scan {
	t.Helper()
	s, err := leakscan.New(schema...)
	if err != nil {
		t.Fatal(err)
	}
	s.Hide(t, "a user's id", someone, "/api/auth")
	s.Hide(t, "a hash", hash)
	s.Hide(t, "a stock", "731946", "/api/admin")
	return s
}

// TestScan: which texts of an answer are reported, and which are not.
func TestScan(t *testing.T) {
	for _, c := range []struct {
		name, method, path, sent string
		status                   int
		header, body             string
		want                     string // the reports, without what they begin with; "" for none
	}{
		{name: "nothing", body: `{"id":"x","inStock":true,"availableQuantity":3}`},
		{name: "no JSON", body: "stock notes userId"},
		{name: "nothing at all", status: 204},
		{name: "a stock", body: `{"stock":1}`, want: `the internal member "stock"`},
		{name: "a stock far down", body: `{"items":[{"variant":[{"stock":null}]}]}`, want: `the internal member "stock"`},
		{name: "a stock of a refusal", status: 409, body: `{"details":{"stock":1}}`, want: `the internal member "stock"`},
		{name: "a stock for staff", path: "/api/admin/products", body: `{"stock":1,"notes":""}`},
		{name: "a path that begins like that of staff", path: "/api/administrators", body: `{"stock":1}`, want: `the internal member "stock"`},
		{name: "what staff are not told", path: "/api/admin/orders", body: `{"userId":1}`, want: `the internal member "userId"`},
		{name: "notes of the clinic", path: "/api/patients/", body: `{"notes":""}`},
		{name: "two members", body: `{"stock":1,"notes":1}`, want: `the internal member "notes"; the internal member "stock"`},
		{name: "a user where one signs in", path: "/api/auth/login", body: `{"user":{"id":"` + someone + `"}}`},
		{name: "a user elsewhere", body: `{"user":1}`, want: `the internal member "user"`},
		{name: "another spelling", body: `{"price_paise":1}`, want: `the misspelt member "price_paise"`},
		{name: "the spelling of the clinic", path: "/api/patients/", body: `{"created_at":1}`},
		{name: "what OPTIONS describes", method: http.MethodOptions, body: `{"actions":{"POST":{"notes":{"read_only":false}}}}`},
		{name: "what a user is described by, in OPTIONS too", method: http.MethodOptions, body: `["` + someone + `"]`, want: `a user's id, "` + someone + `"`},
		{name: "what the reference describes", path: "/api/openapi.json", body: `{"properties":{"notes":{},"created_at":{}}}`},
		{name: "a column in the reference", path: "/api/openapi.json", body: `{"properties":{"seen_price":{}}}`, want: `a name of the storage, "seen_price"`},
		{name: "an id in a sentence", body: `{"detail":"It is of ` + someone + `."}`, want: `a user's id, "` + someone + `"`},
		{name: "an id that the client knew", path: "/api/orders", sent: someone, body: someone, want: `a user's id, "` + someone + `"`},
		{name: "an id in a header", header: "/users/" + someone, want: `a user's id, "` + someone + `"`},
		{name: "a stock as a number", body: `{"x":731946}`, want: `a stock, "731946"`},
		{name: "a stock as text", body: `{"x":"of 731946"}`, want: `a stock, "731946"`},
		{name: "another number", body: `{"x":7319461}`},
		{name: "that number for staff", path: "/api/admin/variants/1/stock", body: `{"stock":731946}`},
		{name: "a part of a hash", body: `{"x":"c2FsdHNhbHQ"}`, want: `a hash, "c2FsdHNhbHQ"`},
		{name: "a hash for staff", path: "/api/admin/orders", body: "hashhashhash", want: `a hash, "hashhashhash"`},
		{name: "a table", body: `{"detail":"no row in cart_items"}`, want: `a name of the storage, "cart_items"`},
		{name: "a column", path: "/api/patients/", body: "seen_price", want: `a name of the storage, "seen_price"`},
		{name: "an index", body: "by_price", want: `a name of the storage, "by_price"`},
		{name: "a constraint", body: "cart_items_seen_price_check", want: `a name of the storage, "cart_items_seen_price_check"`},
		{name: "a column that the clinic shows", path: "/api/doctors/", body: "created_at"},
		{name: "that column elsewhere", body: "created_at", want: `a name of the storage, "created_at"`},
		{name: "a column that the client named", path: "/api/cart/items", sent: `{"seen_price":1}`, header: "/seen_price", status: 400},
		{name: "a column that the address names", path: "/api/seen_price", body: "seen_price"},
		{name: "a value", body: "out_of_stock"},
		{name: "a word of a remark", body: "what_nobody_sees"},
		{name: "what failures say", body: "ERROR: x (SQLSTATE 23505)", want: `a name of the storage, "SQLSTATE"`},
		{name: "a failure", status: 503, want: "a failure"},
	} {
		t.Run(c.name, func(t *testing.T) {
			heard := &recorder{TB: t}
			s := scan(t)
			s.Failures = true
			handler := s.Wrap(heard, answering(c.status, c.header, c.body))
			method, path := c.method, c.path
			if method == "" {
				method = http.MethodPost
			}
			if path == "" {
				path = "/api/cart"
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(c.sent)))
			if want := max(c.status, 200); c.status != 0 && w.Code != want || w.Body.String() != c.body || w.Header().Get("X-Echo") != c.header {
				t.Errorf("the client gets %d %v %q", w.Code, w.Header(), w.Body)
			}
			if got := findings(heard.reports); got != c.want {
				t.Errorf("it reports %s; want %s", got, c.want)
			}
		})
	}
}

// answering is a handler that reads what was sent.
func answering(status int, header, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		buffer := make([]byte, 1000)
		_, _ = r.Body.Read(buffer)
		if header != "" {
			w.Header().Set("X-Echo", header)
		}
		if status != 0 {
			w.WriteHeader(status)
		}
		if body != "" {
			_, _ = w.Write([]byte(body))
		}
	})
}

// findings returns the findings of reports.
func findings(reports []string) string {
	var all []string
	for _, report := range reports {
		_, finding, _ := strings.Cut(report, " with ")
		finding, _, _ = strings.Cut(finding, ":\n")
		all = append(all, finding)
	}
	return strings.Join(all, "; ")
}

// TestFailuresMayBeMeant: answers of 500 are not reported in a test that expects them.
func TestFailuresMayBeMeant(t *testing.T) {
	heard := &recorder{TB: t}
	scan(t).Wrap(heard, answering(500, "", "")).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	if len(heard.reports) > 0 {
		t.Errorf("it reports %q", heard.reports)
	}
}

// TestHideNeedsAWord: what is too short would be found by chance.
func TestHideNeedsAWord(t *testing.T) {
	heard := &recorder{TB: t}
	scan(t).Hide(heard, "a note", "Ring twice")
	if len(heard.reports) != 1 || !strings.Contains(heard.reports[0], `a note, "Ring twice", has no word of 6 characters`) {
		t.Errorf("it reports %q", heard.reports)
	}
}
