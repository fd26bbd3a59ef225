package clinic_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/proving"
)

// A prober sends generated requests straight to the handler, without the
// strictness of an HTTP client, and has every statement that ordinary
// requests cause: no other may ever be sent.
type prober struct {
	*site
	token                        string
	patient, doctor, appointment string
	mu                           sync.Mutex
	known, heard                 map[string]bool
}

func probe(s *site) *prober {
	s.t.Helper()
	s.prepareHostile()
	p := &prober{site: s, token: s.token("ada"), known: map[string]bool{}, heard: map[string]bool{}}
	p.patient = page(s.as("ada").Get("/api/patients/?search=zoya")).values("id")[0]
	p.appointment = page(s.as("ada").Get("/api/appointments/?status=completed")).values("id")[0]
	p.doctor = page(s.as("ada").Get("/api/doctors/")).values("id")[0]
	s.db.Observe(func(_ context.Context, e sqldb.Event) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.heard[shapeOf(e.SQL)] = true
	})
	return p
}

// learn makes the statements of ordinary requests known.
func (p *prober) learn() *prober {
	p.t.Helper()
	p.warmUp()
	p.known = p.statements()
	return p
}

// statements are those since the last time.
func (p *prober) statements() map[string]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() { p.heard = map[string]bool{} }()
	return p.heard
}

var (
	placeholder = regexp.MustCompile(`[?$]\d+`)
	searched    = regexp.MustCompile(`\(("patient"\._row IN \(SELECT rowid FROM "patients_search_fts" WHERE "patients_search_fts" MATCH \?\)|(?:instr|strpos)\("patient"\."search", \?\) > 0|"patient"\."search" LIKE \?)\)`)
	several     = regexp.MustCompile(`<term>( AND <term>)*`)
	anyOf       = regexp.MustCompile(`IN \(\?(, \?)*\)`)
)

// shapeOf returns a statement without the numbers of its placeholders. Several terms
// of a search become one, and so do keys.
func shapeOf(statement string) string {
	text := anyOf.ReplaceAllString(placeholder.ReplaceAllString(statement, "?"), "IN (?)")
	return several.ReplaceAllString(searched.ReplaceAllString(text, "<term>"), "<term>")
}

// warmUp sends every combination that the document offers, with ordinary
// values.
func (p *prober) warmUp() {
	orders := []string{""}
	for _, first := range []string{"name", "-name", "city", "-city"} {
		orders = append(orders, first)
		for _, second := range []string{"name", "-name", "city", "-city"} {
			orders = append(orders, first+","+second)
		}
	}
	for _, search := range []string{"", "a", "asha", "nobody"} {
		for _, city := range []string{"", "Pune"} {
			for _, order := range orders {
				for _, number := range []string{"", "2", "99"} {
					p.send("GET", "/api/patients/", strings.TrimPrefix(query("", "search", search, "city", city, "ordering", order, "page", number), "?"), "")
				}
			}
		}
	}
	for i := range 8 {
		params := subset([]string{"status=booked", "min_fee=1", "doctor=" + p.doctor}, i)
		for _, number := range []string{"page=", "page=2", "page=99"} {
			p.send("GET", "/api/appointments/", strings.Join(append(params, number), "&"), "")
		}
	}
	p.warmUpWrites("/api/patients/", p.patient, `{"name":"B","phone":"456","city":"y"}`, `"name":"A"`, `"phone":"123"`, `"city":"x"`)
	p.warmUpWrites("/api/appointments/", p.appointment, `{"status":"cancelled","fee":2,"starts_at":"2031-01-01T10:00:00Z","notes":"y"}`,
		fmt.Sprintf(`"patient":%q`, p.patient), fmt.Sprintf(`"doctor":%q`, p.doctor), `"status":"booked"`, `"fee":1`, `"starts_at":null`, `"notes":"x"`)
}

// warmUpWrites writes sets of members. Each member has another value
// before, so that it is written.
func (p *prober) warmUpWrites(collection, item, before string, members ...string) {
	whole := 1<<len(members) - 1
	for i := range whole + 1 {
		for _, more := range [][]string{nil, {`"id":1`}} {
			body := "{" + strings.Join(append(subset(members, i), more...), ",") + "}"
			if w := p.send("PATCH", collection+item+"/", "", before); w.Code != http.StatusOK {
				p.t.Fatalf("%s is answered %d: %s", before, w.Code, w.Body)
			}
			p.send("PATCH", collection+item+"/", "", body)
			if i == whole || i == 0 {
				p.send("POST", collection, "", body)
				p.send("PUT", collection+item+"/", "", body)
			}
		}
	}
	// Faults of a body are reported only if the row is the caller's.
	for _, body := range []string{"{", `{"name":1,"fee":"x"}`, `{"patient":"00000000-0000-7000-8000-000000000000"}`} {
		p.send("PUT", collection+item+"/", "", body)
		p.send("PATCH", collection+item+"/", "", body)
	}
}

// subset are the members whose bits are set in which.
func subset(of []string, which int) []string {
	var some []string
	for i, member := range of {
		if which>>i&1 == 1 {
			some = append(some, member)
		}
	}
	return some
}

func (p *prober) send(method, path, rawQuery, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), method, path, strings.NewReader(body))
	r.URL.RawQuery = rawQuery
	r.Header.Set("Authorization", "Token "+p.token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	p.watch.ServeHTTP(w, r)
	return w
}

// try sends a generated request and checks the answer and the statements. The watch
// checks that the answer is no 5xx and contains no internals.
func (p *prober) try(tb testing.TB, method, path, rawQuery, body string) {
	tb.Helper()
	p.watch.reportTo(tb)
	p.statements()
	w := p.send(method, path, rawQuery, body)
	asked := fmt.Sprintf("%s %s?%.500q %.500q", method, path, rawQuery, body)
	for statement := range p.statements() {
		if !p.known[statement] {
			tb.Errorf("%s: a statement that no ordinary request causes:\n%s", asked, statement)
		}
	}
	checkAnswer(tb, asked, w)
}

// checkAnswer holds an answer against what any answer must be.
func checkAnswer(tb testing.TB, asked string, w *httptest.ResponseRecorder) {
	tb.Helper()
	var answer struct {
		Count   *int
		Results []json.RawMessage
		Status  any
		Code    string
		ID      string
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		tb.Errorf("%s: the answer is not JSON: %v\n%s", asked, err, w.Body)
	}
	refused := w.Code == http.StatusBadRequest || w.Code == http.StatusNotFound || w.Code == http.StatusRequestURITooLong ||
		w.Code == http.StatusRequestEntityTooLarge || w.Code == http.StatusConflict || w.Code == http.StatusUnsupportedMediaType
	switch {
	case refused && answer.Code != "":
	case w.Code == http.StatusOK && answer.Count != nil && *answer.Count >= len(answer.Results) && len(answer.Results) <= pageSize:
	case (w.Code == http.StatusOK || w.Code == http.StatusCreated) && answer.ID != "":
	default:
		tb.Errorf("%s: neither an answer nor a refusal: %d\n%s", asked, w.Code, w.Body)
	}
}

// queries are the seeds of FuzzQuery: those of the hostile tables.
func querySeeds() map[string][]string {
	seeds := map[string][]string{}
	for path, cases := range map[string][]hostileQuery{"/api/patients/": hostilePatientQueries, "/api/appointments/": hostileAppointmentQueries} {
		for _, c := range cases {
			seeds[path] = append(seeds[path], c.query)
		}
	}
	return seeds
}

// bodySeeds are those of FuzzBody, with the ids of the prober's rows.
func (p *prober) bodySeeds() []string {
	fill := strings.NewReplacer("{P}", p.patient, "{D}", p.doctor)
	var seeds []string
	for _, b := range join(notJSON, hostilePatients, hostileAppointments) {
		if b.headers == nil && len(b.body) < 2000 {
			seeds = append(seeds, fill.Replace(b.body))
		}
	}
	return seeds
}

// writes are the endpoints to which bodies are sent.
func (p *prober) writes() [][2]string {
	patient, appointment := "/api/patients/"+p.patient+"/", "/api/appointments/"+p.appointment+"/"
	return [][2]string{
		{"POST", "/api/patients/"}, {"PATCH", patient}, {"PUT", patient},
		{"POST", "/api/appointments/"}, {"PATCH", appointment}, {"PUT", appointment},
	}
}

func fuzzed(f *testing.F) *prober {
	f.Helper()
	db, err := sqldb.Open("sqlite://"+filepath.ToSlash(filepath.Join(f.TempDir(), "fuzz.db")), sqldb.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = db.Close() })
	return probe(open(f, db)).learn()
}

// FuzzQuery sends any query string to the lists of patients (false)
// and appointments (true).
func FuzzQuery(f *testing.F) {
	p := fuzzed(f)
	for path, queries := range querySeeds() {
		for _, q := range queries {
			f.Add(path == "/api/appointments/", q)
		}
	}
	f.Fuzz(func(t *testing.T, appointments bool, rawQuery string) {
		path := "/api/patients/"
		if appointments {
			path = "/api/appointments/"
		}
		p.try(t, "GET", path, rawQuery, "")
	})
}

// FuzzBody sends any body to each endpoint that accepts one.
func FuzzBody(f *testing.F) {
	p := fuzzed(f)
	for i, body := range p.bodySeeds() {
		f.Add(uint8(i%len(p.writes())), body)
	}
	f.Fuzz(func(t *testing.T, to uint8, body string) {
		at := p.writes()[int(to)%len(p.writes())]
		if body != "" {
			p.try(t, at[0], at[1], "", body)
		}
	})
}

// The seeds of both fuzz targets, on both databases. A body goes to one write, and in make prove to each.
func TestSeedsOfFuzzing(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		p := probe(s).learn()
		for path, queries := range querySeeds() {
			for _, q := range queries {
				p.try(t, "GET", path, q, "")
			}
		}
		for i, body := range p.bodySeeds() {
			for j, at := range p.writes() {
				if body != "" && (proving.On() || i%len(p.writes()) == j) {
					p.try(t, at[0], at[1], "", body)
				}
			}
		}
		for _, at := range slices.Sorted(maps.Keys(p.known)) {
			if strings.Contains(at, "'") && strings.Count(at, "' '") == 0 {
				t.Errorf("an ordinary statement has a value in its text: %s", at)
			}
		}
	})
}

// A word that is nowhere in the program is put wherever a request has room
// for one: it is never in the text of a statement, not even quoted.
func TestNothingOfARequestIsInAStatement(t *testing.T) {
	const word = "zq7xk"
	both(t, func(t *testing.T, s *site) {
		p := probe(s)
		var texts, values []string
		s.db.Observe(func(_ context.Context, e sqldb.Event) {
			p.mu.Lock()
			defer p.mu.Unlock()
			texts, values = append(texts, e.SQL), append(values, fmt.Sprint(e.Args...))
		})
		for _, name := range []string{"search", "city", "ordering", "page", word, "city[" + word + "]", "status", "min_fee", "doctor", "format"} {
			for _, value := range []string{word, word + "'", `"` + word + `"`, "name," + word, "-" + word, word + "--", "booked" + word, "1" + word, p.doctor + word} {
				for _, path := range []string{"/api/patients/", "/api/appointments/", "/api/doctors/", "/api/patients/" + p.patient + "/appointments/"} {
					p.send("GET", path, strings.TrimPrefix(query("", name, value), "?"), "")
				}
			}
		}
		for _, member := range []string{"name", "phone", "city", "notes", "status", "patient", "doctor", "starts_at", "fee", "id", "created_at", word} {
			for _, value := range []string{`"` + word + `"`, `["` + word + `"]`, `{"` + word + `":1}`, `"` + word + `'"`, `"?0` + word + `?1"`} {
				for _, at := range p.writes() {
					p.send(at[0], at[1], "", fmt.Sprintf(`{"patient":%q,"doctor":%q,"name":"A","phone":"123",%q:%s}`, p.patient, p.doctor, member, value))
					p.send(at[0], at[1], "", fmt.Sprintf(`{%q:%s}`, member, value))
				}
			}
		}
		for _, path := range []string{"/api/patients/" + word + "/", "/api/" + word + "/", "/api/patients/" + p.patient + "/" + word + "/"} {
			p.send("GET", path, "", "")
		}
		s.As("trs_"+strings.Repeat(word, 9)[:43]).With("X-Request-Id", word).With("User-Agent", word).With("Host", word+".example").Get("/api/patients/").Expect(401)
		if joined := strings.Join(texts, "\n"); strings.Contains(joined, word) {
			t.Errorf("the word is in a statement:\n%s", joined[max(0, strings.Index(joined, word)-500):])
		}
		if !strings.Contains(strings.Join(values, "\n"), word) {
			t.Error("the word is among no statement's values: the test looks in the wrong place")
		}
	})
}
