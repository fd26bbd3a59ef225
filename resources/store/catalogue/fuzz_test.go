package catalogue_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/proving"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/storetest"
)

// foreign is a word that no program has in its statements.
const foreign = "zq7xk"

// hostileTexts are texts that a client might send instead of any value.
var hostileTexts = []string{
	foreign, foreign + "' OR '1'='1", foreign + `"; DROP TABLE products; --`, `\'); DELETE FROM products; /*` + foreign, foreign + "?0?1?TableAlias",
	"?", "$1", ":name", `\`, "'", `"`, "%", "_", "*", "=", "= atta", "--", "/*", ",", "null", "NaN", "-0", "+1", "1.0", "1e3", "0x10", "1_000", "१२",
	"-1", "0", "9223372036854775807", "-9223372036854775808", "9223372036854775808", strings.Repeat("9", 400),
	"é", "e\u0301", "İ", "ß", "\u202e", "\u2028", "🥛", "क्\u200dष", "a\tb\nc\r\n", "a\x00b", "\xff\xfe", "\xed\xa0\x80", strings.Repeat("a", 101), strings.Repeat("a ", 17),
	strings.Repeat("अ", 2000), strings.Repeat("(", 500), "true", "relevance", "price_asc", "staples",
}

// A relay hands failures to the test that runs now: a fuzz target serves one
// site to all its inputs.
type relay struct {
	testing.TB

	mu sync.Mutex
	to testing.TB
}

// Errorf implements [testing.TB].
func (r *relay) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to.Errorf(format, args...)
}

// Helper implements [testing.TB].
func (r *relay) Helper() {}

func (r *relay) report(tb testing.TB) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to = tb
}

// A tester sends generated requests, and records every statement.
type tester struct {
	*site

	relay   *relay
	product catalogue.AdminProduct
}

func newTester(tb testing.TB, db *sqldb.DB) *tester {
	tb.Helper()
	r := &relay{TB: tb, to: tb}
	s := open(r, db)
	s.CreateStall()
	db.Observe(func(_ context.Context, e sqldb.Event) {
		if strings.Contains(e.SQL, foreign) {
			r.Errorf("a value is in the text of a statement: %s", e.SQL)
		}
	})
	return &tester{site: s, relay: r, product: s.CreateTea("Tea")}
}

// bodies are the endpoints to which bodies are sent.
func (p *tester) writes() [][2]string {
	return [][2]string{{"POST", storetest.ProductsPath}, {"PATCH", storetest.AdminPath(p.product)}, {"PATCH", storetest.StockPath(p.product.Variants[0])}}
}

// ask sends a query string, where a connection can carry it.
func (p *tester) ask(tb testing.TB, path, rawQuery string) {
	tb.Helper()
	if strings.ContainsFunc(rawQuery, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '#' }) {
		return
	}
	p.relay.report(tb)
	r := p.site.on(tb).Get(path + "?" + rawQuery)
	var list storetest.Listed[catalogue.ProductSummary]
	switch r.Status() {
	case 200:
		if r.JSON(&list); len(list.Items) > list.Limit || list.Limit > 100 || len(list.Items) > list.Total {
			tb.Errorf("?%.500q: the list is %+v", rawQuery, list)
		}
	case 400, 414:
		refusalOf(tb, r)
	default:
		tb.Errorf("?%.500q is answered %d: %s", rawQuery, r.Status(), r.Body())
	}
}

// send sends a body, in which {P}, {A} and {B} are replaced by a product and two
// variants.
func (p *tester) send(tb testing.TB, to [2]string, body string) {
	tb.Helper()
	p.relay.report(tb)
	filled := strings.NewReplacer("{P}", p.product.ID.String(), "{A}", p.product.Variants[0].ID.String(), "{B}", p.product.Variants[1].ID.String()).Replace(body)
	r := p.site.on(tb).ClientOf("staff").Do(to[0], to[1], filled)
	switch r.Status() {
	case 200, 201:
		if !json.Valid([]byte(r.Body())) {
			tb.Errorf("%s %.500q is answered %s", to, filled, r.Body())
		}
	case 400, 409, 413:
		refusalOf(tb, r)
	default:
		tb.Errorf("%s %.500q is answered %d: %s", to, filled, r.Status(), r.Body())
	}
}

// refusalOf checks that an error is an intended one.
func refusalOf(tb testing.TB, r *frameworktest.Response) {
	tb.Helper()
	var problem struct {
		Code   string
		Detail string
	}
	r.JSON(&problem)
	if problem.Code == "" || problem.Detail == "" || problem.Code == "conflict" || problem.Code == "not_unique" {
		tb.Errorf("a refusal without words of its own: %s", r.Body())
	}
}

// querySeeds have a hostile text in every parameter.
func querySeeds() (seeds []string) {
	for _, parameter := range []string{"category", "q", "minPaise", "maxPaise", "inStock", "sort", "page", "limit", "q[]", foreign} {
		for _, text := range hostileTexts {
			seeds = append(seeds, parameter+"="+url.QueryEscape(text))
		}
	}
	return append(seeds,
		"", "&&&", "=", "%", "%zz", "q=%00", "q=%ff", "a;b", "q=a&q=b", "q", "page=2&limit=1&q=a&sort=price_desc", strings.Repeat("a=1&", 200), "q="+strings.Repeat("a", 9000),
		"q="+strings.Repeat("a+", 16), "minPaise=-9223372036854775808&maxPaise=9223372036854775807", "page=9223372036854775807&limit=100",
	)
}

// bodySeeds have a hostile text, and values of other kinds, in every member.
func bodySeeds() (seeds []string) {
	values := []string{"null", "true", "0", "-1", "1.0", "1e400", "99999999999999999999", "[]", "{}", `[{}]`, `[[[[]]]]`, `{"slug":{}}`, `"{A}"`, `"{P}"`}
	for _, text := range hostileTexts {
		quoted, err := json.Marshal(text)
		if err == nil {
			values = append(values, string(quoted))
		}
	}
	for _, value := range values {
		for _, member := range []string{"name", "slug", "brand", "description", "imageUrl", "category", "published", "version", "variants", "stock", "expectedStock", "reason", foreign} {
			seeds = append(seeds, fmt.Sprintf(`{"name":"N","category":{"slug":"staples"},"variants":[{"sku":"S","label":"L","unit":"g","pricePaise":1}],%q:%s}`, member+"x", value), fmt.Sprintf(`{%q:%s}`, member, value))
		}
		for _, member := range []string{"id", "sku", "label", "unit", "pricePaise", "mrpPaise", "archived", "stock"} {
			seeds = append(seeds, fmt.Sprintf(`{"variants":[{"id":"{A}"},{%q:%s}]}`, member, value))
			if member != "sku" {
				seeds = append(seeds, fmt.Sprintf(`{"name":"N","category":{"slug":"staples"},"variants":[{"sku":"S","label":"L","unit":"g","pricePaise":1,%q:%s}]}`, member, value))
			}
		}
		seeds = append(seeds, fmt.Sprintf(`{"name":%s,"category":{"slug":"staples","name":%[1]s},"variants":[{"sku":%[1]s,"label":%[1]s,"unit":"g","pricePaise":1}]}`, value))
	}
	return append(seeds,
		"", "{", "[]", "null", `"x"`, "{}x", `{"name":"a","name":"b"}`, "\xef\xbb\xbf{}", `{"name":"\ud800"}`, `{"name":"a\u0000"}`, strings.Repeat("[", 100), `{"variants":`+strings.Repeat("[", 40),
		`{"variants":[`+strings.Repeat("{},", 200)+`{}]}`, `{"variants":[{"id":"{A}","archived":true},{"id":"{B}","archived":true}]}`,
		`{"variants":[{"id":"{A}","sku":"Tea-B"},{"id":"{B}","sku":"Tea-A"}]}`, `{"variants":[{"id":"{A}","pricePaise":10000000}]}`, `{"stock":1000000,"reason":"'"}`,
		`{"name":"`+strings.Repeat("a", 5000)+`"}`,
	)
}

// TestHostileCatalogue: nothing that a client makes up is a fault of the
// server, is text of a statement, or leaves the catalogue out of step. A body
// goes to one write, and in make prove to each.
func TestHostileCatalogue(t *testing.T) {
	if testing.Short() {
		t.Skip("sends many hostile texts")
	}
	t.Parallel()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		p := newTester(t, db)
		for _, text := range hostileTexts {
			if r := p.Get("/api/products/" + url.PathEscape(text)); r.Status() != 404 && r.Status() != 400 {
				t.Errorf("the slug %q is answered %d", text, r.Status())
			}
		}
		for _, seed := range querySeeds() {
			p.ask(t, "/api/products", seed)
			p.ask(t, "/api/categories", seed)
		}
		for i, seed := range bodySeeds() {
			for j, to := range p.writes() {
				if proving.On() || i%3 == j {
					p.send(t, to, seed)
				}
			}
		}
		p.Audit()
		p.AuditCatalogue()
	})
}

func fuzzedCatalogue(f *testing.F) *tester {
	f.Helper()
	db, err := sqldb.Open("sqlite://"+filepath.ToSlash(filepath.Join(f.TempDir(), "fuzz.db")), sqldb.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = db.Close() })
	return newTester(f, db)
}

// FuzzProductQuery sends any query string whatever to the list of products.
func FuzzProductQuery(f *testing.F) {
	p := fuzzedCatalogue(f)
	for _, seed := range querySeeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, rawQuery string) { p.ask(t, "/api/products", rawQuery) })
}

// FuzzCatalogueBody sends any body whatever to everything that staff change the
// catalogue by.
func FuzzCatalogueBody(f *testing.F) {
	p := fuzzedCatalogue(f)
	for i, seed := range bodySeeds() {
		if i%5 == 0 || i > len(bodySeeds())-20 {
			f.Add(uint8(i%3), seed)
		}
	}
	f.Fuzz(func(t *testing.T, to uint8, body string) {
		p.send(t, p.writes()[int(to)%3], body)
	})
}
