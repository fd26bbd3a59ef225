package contract_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/frameworktest/contract"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// A Plant is the model of the API in these tests.
type Plant struct {
	bun.BaseModel `bun:"table:plants"`

	ID        uuid.UUID `bun:",pk"`
	Name      string
	Water     int64
	Thirsty   bool
	CreatedAt time.Time
}

type plantInput struct {
	Name    string `json:"name" validate:"required,max=20"`
	Water   int64  `json:"water" validate:"min=0,max=100"`
	Thirsty bool   `json:"thirsty"`
}

type plantView struct {
	ID uuid.UUID `json:"id"`
	plantInput
	CreatedAt time.Time `json:"created_at"`
}

type weedsInput struct {
	Most int64 `json:"most" validate:"required,min=1"`
}

// dryDetails are the details of the code too_dry.
type dryDetails struct {
	Missing int64 `json:"missing"`
}

var schema = sqldb.Migrations{Namespace: "plants", FS: fstest.MapFS{
	"1_plants.tx.up.sql": {Data: []byte(`CREATE TABLE plants ({{id}}, name {{text}} NOT NULL, water {{bigint}} NOT NULL,
		thirsty boolean NOT NULL, created_at {{timestamp}} NOT NULL);`)},
	"1_plants.tx.down.sql": {Data: []byte(``)},
}}

func plants() framework.Resource {
	return framework.ViewSet[Plant]{
		Name: "plants", Verbs: framework.CRUD[plantInput, plantView](), Scope: framework.Public(),
		Ordering: framework.Ordering{Allowed: []string{"name", "water"}, Default: "name"},
		Filters:  []framework.Filter{filter.Min("min_water", "water"), filter.Exact("thirsty")},
		Actions: []framework.Action[Plant]{
			framework.Post("prune", func(_ *framework.Call, p *Plant, _ framework.None) (plantView, error) {
				return plantView{}, framework.Conflict("too_dry", "Water it first.").With(dryDetails{10 - p.Water})
			}).Refuses("too_dry"),
			framework.Delete("weeds", func(_ *framework.Call, _ *Plant, _ weedsInput) (framework.None, error) {
				return framework.None{}, nil
			}),
		},
	}
}

// A gardener is identified by the header Authorization: Garden spade.
type gardener struct{}

func (gardener) Authenticate(_ *framework.Call, r *http.Request) (*framework.Caller, error) {
	switch r.Header.Get("Authorization") {
	case "":
		return nil, nil
	case "Garden spade":
		return &framework.Caller{ID: uuid.Max}, nil
	}
	return nil, framework.InvalidCredentials("The spade is missing.")
}

func (gardener) Challenge() string { return `Garden realm="shed"` }

// A garden is the API and its contract.
func garden(t *testing.T) (http.Handler, *contract.Contract) {
	t.Helper()
	db, err := sqldb.Open("sqlite://"+filepath.ToSlash(filepath.Join(t.TempDir(), "garden.db")), sqldb.Options{})
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	must(t, db.Migrate(context.Background(), nil, schema, framework.Migrations()))
	api := framework.New(framework.Config{
		DB: db, Authentication: []framework.Authenticator{gardener{}}, Pagination: page.Number{Size: 2}, Log: slog.New(slog.DiscardHandler),
		Codes: []framework.CodeInfo{{Code: "too_dry", Status: 409, Title: "Too dry", Text: "Water it.", Details: dryDetails{}}},
	})
	api.Register(plants())
	handler, err := api.Handler()
	must(t, err)
	document, err := api.Document("json")
	must(t, err)
	promised, err := contract.New(document)
	must(t, err)
	return handler, promised
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A notebook is a test that records its failures instead of failing.
type notebook struct {
	testing.TB

	mu    sync.Mutex
	notes []string
}

func (n *notebook) Helper() {}

func (n *notebook) Error(args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notes = append(n.notes, fmt.Sprint(args...))
}

func (n *notebook) Errorf(format string, args ...any) { n.Error(fmt.Sprintf(format, args...)) }

func (n *notebook) read() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.notes
}

const nobody = "00000000-0000-7000-8000-000000000001"

// TestACorrectServerHasNoFindings: a correct server has no findings, for any request.
func TestACorrectServerHasNoFindings(t *testing.T) {
	handler, promised := garden(t)
	found := &notebook{TB: t}
	anonymous := frameworktest.New(t, promised.Wrap(found, handler))
	c := anonymous.With("Authorization", "Garden spade")
	var rose struct{ ID string }
	c.Post("/api/plants/", fields{"name": "Rose", "water": 3}).Expect(201).JSON(&rose)
	c.Post("/api/plants", fields{"name": "  Tulip \n"}).Expect(201)
	c.Post("/api/plants/", fields{"name": "Fern", "unknown": fields{"x": 1}, "id": nobody}).Expect(201)
	at := "/api/plants/" + rose.ID + "/"
	for _, path := range []string{
		"/api/plants/", "/api/plants", "/api/plants/?page=2", "/api/plants/?page=&min_water=", "/api/plants/?min_water=%202%20&thirsty=TRUE", "/api/plants/?thirsty=0",
		"/api/plants/?ordering=-name,water", "/api/plants/?unknown=1&nothing=2", "/api/plants/?" + strings.Repeat("long", 40) + "=1&%22a,+b%3B=2&%C3%A9=3&=4&empty=", at, "/api/",
		"/api/?unknown=1", "/api/plants/?a=1&b=1&c=1&d=1&e=1&f=1&g=1&h=1&i=1&j=1&k=1&l=1&m=1&n=1&o=1&p=1&q=1&r=1", "/api/openapi.json",
	} {
		c.Get(path).Expect(200)
		c.Do(http.MethodHead, path, nil).Expect(200)
		c.Do(http.MethodOptions, path, nil).Expect(200)
	}
	c.Do(http.MethodDelete, at+"weeds/", fields{"most": 1}).Expect(204)
	c.Patch(at, fields{"water": 7}).Expect(200)
	c.Put(at, fields{"name": "Rose"}).Expect(200)
	c.Post(at+"prune/", nil).Expect(409).Code("too_dry")
	for _, r := range []struct {
		method, path string
		body         any
		status       int
	}{
		{"GET", "/api/plants/?page=9", nil, 404}, {"GET", "/api/plants/?min_water=x", nil, 400}, {"GET", "/api/plants/?page=1&page=1", nil, 400},
		{"GET", "/api/plants/x/", nil, 404}, {"GET", "/api/plants//", nil, 404}, {"POST", "/api/plants//", nil, 405}, {"DELETE", at + "weeds/", fields{}, 400}, {"OPTIONS", "/nowhere", nil, 404},
		{"GET", "/api/plants/" + nobody + "/", nil, 404}, {"GET", "/nowhere", nil, 404}, {"GET", "/api/nowhere/", nil, 404},
		{"BREW", "/api/plants/", nil, 405}, {"PUT", "/api/plants/", fields{}, 405}, {"POST", "/api/plants/", "{", 400}, {"POST", "/api/plants/", fields{}, 400},
		{"POST", "/api/plants/", fields{"name": "", "water": 101}, 400}, {"POST", "/api/plants/", strings.Repeat(" ", 2<<20), 413}, {"DELETE", at, nil, 204},
	} {
		c.Do(r.method, r.path, r.body).Expect(r.status)
		anonymous.With("Authorization", "Garden rake").Do(r.method, r.path, r.body)
		anonymous.Do(r.method, r.path, r.body)
	}
	c.With("Content-Type", "text/plain").Post("/api/plants/", "name").Expect(415)
	c.With("Host", "elsewhere\\").Get("/api/plants/")
	for _, note := range found.read() {
		t.Error(note)
	}
}

// fields are a body.
type fields = map[string]any

// A lie is a changed answer and its finding.
type lie struct {
	name         string
	method, path string // GET and the list, if they are empty
	body         any
	anonymous    bool
	tell         func(*httptest.ResponseRecorder)
	want         string
}

// forge answers with a status and a body, and the headers of a success.
func forge(status int, body string) func(*httptest.ResponseRecorder) {
	return func(r *httptest.ResponseRecorder) {
		r.Code, r.Body = status, bytes.NewBufferString(body)
		r.Header().Set("Content-Type", "application/json")
		if status == http.StatusCreated {
			r.Header().Set("Location", "/")
		}
	}
}

// without removes a header, and with sets it.
func without(name string) func(*httptest.ResponseRecorder) {
	return func(r *httptest.ResponseRecorder) { r.Header().Del(name) }
}

func with(name, value string) func(*httptest.ResponseRecorder) {
	return func(r *httptest.ResponseRecorder) { r.Header().Set(name, value) }
}

// busy returns an error that any path may answer, without its header.
func busy(status int, code string) func(*httptest.ResponseRecorder) {
	return func(r *httptest.ResponseRecorder) {
		forge(status, fmt.Sprintf(`{"type":"about:blank","title":"Wait","status":%d,"detail":"Wait.","code":%q,"instance":"urn:uuid:%s","errors":[]}`, status, code, nobody))(r)
		r.Header().Set("Content-Type", "application/problem+json")
	}
}

// change changes the members of a JSON body.
func change(by func(map[string]any)) func(*httptest.ResponseRecorder) {
	return func(r *httptest.ResponseRecorder) {
		var body map[string]any
		if json.Unmarshal(r.Body.Bytes(), &body) != nil {
			return
		}
		by(body)
		text, _ := json.Marshal(body)
		r.Body = bytes.NewBuffer(text)
	}
}

// first returns the first row of a list.
func first(body map[string]any) map[string]any { return body["results"].([]any)[0].(map[string]any) }

const plant = `{"id":"` + nobody + `","name":"Rose","water":3,"thirsty":false,"created_at":"2026-01-01T00:00:00Z"}`

// lies are the wrong answers with the finding for each.
var lies = []lie{
	{name: "another status", tell: func(r *httptest.ResponseRecorder) { r.Code = 202 }, want: "that status is not described; these are: 200 "},
	{name: "a redirect", tell: func(r *httptest.ResponseRecorder) { r.Code = 301 }, want: "that status is not described"},
	{name: "an undescribed failure", method: "POST", path: "/api/plants/" + nobody + "/prune/", tell: forge(501, `{}`), want: "that status is not described"},
	{name: "a header", tell: func(r *httptest.ResponseRecorder) { r.Header().Set("X-Lie", "1") }, want: `the header X-Lie is not described; see the document at #/paths/~1api~1plants~1/get/responses/200/headers`},
	{name: "a header of another answer", tell: func(r *httptest.ResponseRecorder) { r.Header().Set("Location", "/") }, want: "the header Location is not described"},
	{name: "a member", tell: change(func(b map[string]any) { b["extra"] = 1 }), want: "/extra: the member is not described; see the document at #/paths/~1api~1plants~1/get/responses/200/content/application~1json/schema"},
	{name: "a member of a row", tell: change(func(b map[string]any) { first(b)["owner"] = 1 }), want: "/results/0/owner: the member is not described; see the document at #/components/schemas/PlantsPage/properties/results/items"},
	{name: "a missing member", tell: change(func(b map[string]any) { delete(b, "count") }), want: "the whole: missing property 'count'"},
	{name: "a missing member of a row", tell: change(func(b map[string]any) { delete(first(b), "name") }), want: "/results/0: missing property 'name'"},
	{name: "a number that is text", tell: change(func(b map[string]any) { first(b)["water"] = "3" }), want: "/results/0/water: got string, want integer"},
	{name: "null", tell: change(func(b map[string]any) { first(b)["name"] = nil }), want: "/results/0/name: got null, want string"},
	{name: "an invalid id", tell: change(func(b map[string]any) { first(b)["id"] = "1" }), want: "/results/0/id: '1' is not valid uuid"},
	{name: "an invalid time", tell: change(func(b map[string]any) { first(b)["created_at"] = "2026-02-30T00:00:00Z" }), want: "/results/0/created_at: '2026-02-30T00:00:00Z' is not valid date-time"},
	{name: "a list for a page", tell: forge(200, `[]`), want: "the whole: got array, want object"},
	{name: "no JSON", tell: forge(200, `{"count":`), want: "the body is not JSON"},
	{name: "no body", tell: forge(200, ``), want: "the body is not JSON"},
	{name: "a member twice", tell: forge(200, `{"count":0,"next":null,"previous":null,"results":[],"count":1}`), want: "the member /count is present twice"},
	{name: "a member of a row twice", tell: forge(200, `{"count":1,"next":null,"previous":null,"results":[`+strings.Replace(plant, "{", `{"name":"Tulip",`, 1)+`]}`), want: "the member /results/0/name is present twice"},
	{name: "the status of another error", path: "/api/plants/x/", tell: change(func(b map[string]any) { b["status"] = 418 }), want: "/status: value must be 404"},
	{name: "no id of the request", tell: without("X-Request-Id"), want: "the required header X-Request-Id is missing; see the document at #/paths/~1api~1plants~1/get/responses/200/headers/X-Request-Id"},
	{name: "no methods", tell: without("Allow"), want: "the required header Allow is missing"},
	{name: "methods that the path lacks", tell: with("Allow", "GET, HEAD, POST, DELETE, OPTIONS"), want: `Allow is "GET, HEAD, POST, DELETE, OPTIONS"; the path has GET, HEAD, OPTIONS, POST; see the document at #/paths/~1api~1plants~1`},
	{name: "missing methods", tell: with("Allow", "GET, HEAD, OPTIONS"), want: `Allow is "GET, HEAD, OPTIONS"`},
	{name: "no address of the created row", method: "POST", body: fields{"name": "Ivy"}, tell: without("Location"), want: "the required header Location is missing"},
	{name: "no challenge", anonymous: true, tell: without("WWW-Authenticate"), want: "the required header Www-Authenticate is missing"},
	{name: "no Retry-After", tell: busy(503, "unavailable"), want: "the required header Retry-After is missing"},
	{name: "no Retry-After, for an unknown path", path: "/api/nowhere", tell: busy(429, "throttled"), want: "the required header Retry-After is missing"},
	{name: "no id of the request, for an unknown path", path: "/api/nowhere", tell: without("X-Request-Id"), want: "the required header X-Request-Id is missing"},
	{name: "no challenge, for an unknown method", method: "PUT", anonymous: true, tell: without("WWW-Authenticate"), want: "the required header Www-Authenticate is missing"},
	{name: "an error for a method without a body", method: "PUT", body: fields{}, tell: forge(405, ``), want: `the media type is "application/json"; want "application/problem+json"`},
	{name: "an error for a method without Allow", method: "PUT", body: fields{}, tell: without("Allow"), want: "the required header Allow is missing"},
	{name: "an error for a method with a wrong Allow", method: "PUT", body: fields{}, tell: with("Allow", "PUT"), want: `Allow is "PUT"`},
	{name: "the status of another error, for an unknown path", path: "/api/nowhere", tell: change(func(b map[string]any) { b["status"] = 405 }), want: "the member status is 405"},
	{name: "a parameter without effect, not listed", path: "/api/plants/?unknown=1", tell: without("Trestle-Ignored"), want: "the query parameter unknown is not described, and Trestle-Ignored does not list it"},
	{name: "a parameter without effect, and another one listed", path: "/api/plants/?unknown=1", tell: with("Trestle-Ignored", "unknow, /unknown, unknown1"), want: "the query parameter unknown is not described"},
	{name: "another media type", tell: func(r *httptest.ResponseRecorder) { r.Header().Set("Content-Type", "text/html") }, want: `the media type "text/html" is not described; these are: application/json`},
	{name: "no media type", tell: func(r *httptest.ResponseRecorder) { r.Header().Del("Content-Type") }, want: `the media type "" is not described`},
	{name: "a body where there is none", method: "DELETE", path: "/api/plants/" + nobody + "/", tell: forge(204, plant), want: "no body is described"},
	{name: "another code", path: "/api/plants/x/", tell: change(func(b map[string]any) { b["code"] = "lost" }), want: "/code: value must be 'not_found'"},
	{name: "the code of another status", path: "/api/plants/x/", tell: change(func(b map[string]any) { b["code"] = "too_dry" }), want: "/code: value must be 'not_found'"},
	{name: "an error with the media type of a success", path: "/api/plants/x/", tell: func(r *httptest.ResponseRecorder) { r.Header().Set("Content-Type", "application/json") }, want: `the media type "application/json" is not described`},
	{name: "an additional member of an error", path: "/api/plants/x/", tell: change(func(b map[string]any) { b["stack"] = "main.go:1" }), want: "/stack: the member is not described"},
	{name: "an additional member of a fault", path: "/api/plants/?min_water=x", tell: change(func(b map[string]any) { b["errors"].([]any)[0].(map[string]any)["go"] = 1 }), want: "/errors/0/go: the member is not described"},
	{name: "an additional member of an error, for an unknown path", path: "/api/nowhere", tell: change(func(b map[string]any) { b["stack"] = 1 }), want: "/stack: the member is not described"},
	{name: "an undescribed path", path: "/api/nowhere", tell: forge(200, `{}`), want: "the document has no such path with this method"},
	{name: "an undescribed method", method: "PUT", path: "/api/plants/", body: fields{}, tell: forge(200, `{}`), want: "the document has no such path with this method"},
	{name: "a header where nothing is described", path: "/api/nowhere", tell: func(r *httptest.ResponseRecorder) { r.Header().Set("X-Lie", "1") }, want: "the header X-Lie is not described"},
	{name: "OPTIONS that fails", method: "OPTIONS", tell: forge(204, ``), want: "OPTIONS must be answered 200 or with an error"},
	{name: "OPTIONS that is a page", method: "OPTIONS", tell: func(r *httptest.ResponseRecorder) {
		forge(200, `<html>`)(r)
		r.Header().Set("Content-Type", "text/html")
	}, want: `OPTIONS is answered in the media type "text/html"; want application/json`},
	{name: "OPTIONS that is not JSON", method: "OPTIONS", tell: forge(200, `<html>`), want: "the answer to OPTIONS is not a JSON object"},
	{name: "OPTIONS that is a list", method: "OPTIONS", tell: forge(200, `[]`), want: "the answer to OPTIONS is not a JSON object"},
	{name: "OPTIONS with a member twice", method: "OPTIONS", tell: forge(200, `{"name":{"a":1,"a":2}}`), want: "the member /name/a is present twice"},
	{name: "OPTIONS with a header", method: "OPTIONS", tell: with("X-Secret", "1"), want: "the header X-Secret is not described"},
	{name: "OPTIONS without methods", method: "OPTIONS", tell: without("Allow"), want: "the required header Allow is missing"},
	{name: "OPTIONS with other methods", method: "OPTIONS", tell: with("Allow", "GET, OPTIONS"), want: `Allow is "GET, OPTIONS"`},
	{name: "HEAD with another status", method: "HEAD", tell: func(r *httptest.ResponseRecorder) { r.Code = 202 }, want: "that status is not described"},
	{name: "an accepted body without a required member", method: "POST", body: fields{"water": 1}, tell: forge(201, plant), want: "the body of the request is accepted: the whole: missing property 'name'"},
	{name: "an accepted body that is too long", method: "POST", body: fields{"name": strings.Repeat("a", 21)}, tell: forge(201, plant), want: "the body of the request is accepted: /name: maxLength: got 21, want 20"},
	{name: "an accepted number out of bounds", method: "POST", body: fields{"name": "a", "water": 101}, tell: forge(201, plant), want: "the body of the request is accepted: /water: maximum: got 101, want 100"},
	{name: "an accepted body that is not JSON", method: "POST", body: "name", tell: forge(201, plant), want: "the body of the request is accepted and is not JSON"},
	{name: "an accepted request without a body", method: "POST", tell: forge(201, plant), want: "the request has no body, which is required"},
	{name: "an accepted list where no body is described", method: "POST", path: "/api/plants/" + nobody + "/prune/", body: "[]", tell: forge(200, plant), want: "a body that is not an object is accepted, and no body is described"},
	{name: "an accepted body of DELETE", method: "DELETE", path: "/api/plants/" + nobody + "/weeds/", body: fields{"most": 0}, tell: forge(204, ``), want: "the body of the request is accepted: /most: minimum: got 0, want 1"},
	{name: "an accepted parameter of another type", path: "/api/plants/?min_water=much", tell: forge(200, `{"count":0,"next":null,"previous":null,"results":[]}`), want: `the query parameter min_water is accepted as "much": the whole: got string, want integer`},
	{name: "an accepted parameter that is present twice", path: "/api/plants/?min_water=1&min_water=2", tell: forge(200, `{"count":0,"next":null,"previous":null,"results":[]}`), want: "the query parameter min_water is present 2 times"},
	{name: "an accepted order that is not described", path: "/api/plants/?ordering=thirsty", tell: func(r *httptest.ResponseRecorder) { r.Header().Del("Trestle-Ignored") }, want: `the query parameter ordering is accepted as "thirsty"`},
	{name: "an accepted id of another type", path: "/api/plants/7/", tell: forge(200, plant), want: `the path parameter id is accepted as "7": the whole: '7' is not valid uuid`},
	{name: "a caller without credentials, served", anonymous: true, tell: func(r *httptest.ResponseRecorder) {
		forge(200, `{"count":0,"next":null,"previous":null,"results":[]}`)(r)
		r.Header().Del("WWW-Authenticate")
		r.Header().Set("Allow", "GET, HEAD, POST, OPTIONS")
	}, want: "the request satisfies no security requirement"},
}

// TestEachWrongAnswerIsFound: each wrong answer gives one finding, with its place in the
// document.
func TestEachWrongAnswerIsFound(t *testing.T) {
	handler, promised := garden(t)
	honest := frameworktest.New(t, handler).With("Authorization", "Garden spade")
	honest.Post("/api/plants/", fields{"name": "Rose", "water": 3}).Expect(201)
	honest.Get("/api/plants/").Expect(200)
	for _, l := range lies {
		t.Run(l.name, func(t *testing.T) {
			found := &notebook{TB: t}
			c := frameworktest.New(t, promised.Wrap(found, liar(handler, l.tell)))
			if !l.anonymous {
				c = c.With("Authorization", "Garden spade")
			}
			method, path := l.method, l.path
			if method == "" {
				method = http.MethodGet
			}
			if path == "" {
				path = "/api/plants/"
			}
			c.Do(method, path, l.body)
			notes := found.read()
			if len(notes) != 1 || !strings.Contains(strings.Join(notes, "\n"), l.want) || !strings.Contains(notes[0], method) {
				t.Errorf("the findings are\n%s\nwant only one, with %q", strings.Join(notes, "\n"), l.want)
			}
		})
	}
}

// liar returns a handler whose answers are changed.
func liar(handler http.Handler, tell func(*httptest.ResponseRecorder)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said := httptest.NewRecorder()
		handler.ServeHTTP(said, r)
		said.Header().Del("Content-Length")
		tell(said)
		maps.Copy(w.Header(), said.Header())
		w.WriteHeader(said.Code)
		_, _ = w.Write(said.Body.Bytes())
	})
}

// TestAWrongAnswerAfterManyCorrectOnes: a wrong answer is found even after many correct ones, which
// the contract remembers.
func TestAWrongAnswerAfterManyCorrectOnes(t *testing.T) {
	handler, promised := garden(t)
	lying := false
	found := &notebook{TB: t}
	c := frameworktest.New(t, promised.Wrap(found, liar(handler, func(r *httptest.ResponseRecorder) {
		if lying {
			change(func(b map[string]any) { first(b)["created_at"] = "2026-99-99T00:00:00Z" })(r)
		}
	}))).With("Authorization", "Garden spade")
	c.Post("/api/plants/", fields{"name": "Rose"}).Expect(201)
	for range 5 {
		c.Get("/api/plants/").Expect(200)
	}
	if notes := found.read(); len(notes) > 0 {
		t.Fatalf("the findings for a correct server are:\n%s", strings.Join(notes, "\n"))
	}
	lying = true
	c.Get("/api/plants/").Expect(200)
	if notes := found.read(); len(notes) != 1 {
		t.Errorf("%d findings; want one:\n%s", len(notes), strings.Join(notes, "\n"))
	}
}

// TestTransport: the transport of a client finds the same as the wrapper of a handler.
func TestTransport(t *testing.T) {
	handler, promised := garden(t)
	for name, want := range map[string]int{"honest": 0, "lying": 1} {
		t.Run(name, func(t *testing.T) {
			found := &notebook{TB: t}
			server := httptest.NewServer(liar(handler, func(r *httptest.ResponseRecorder) { r.Code += want }))
			defer server.Close()
			client := &http.Client{Transport: promised.Transport(found, server.Client().Transport), Timeout: time.Minute}
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/api/plants/", strings.NewReader(`{"name":"Rose"}`))
			must(t, err)
			request.Header.Set("Authorization", "Garden spade")
			request.Header.Set("Content-Type", "application/json")
			response, err := client.Do(request)
			must(t, err)
			defer response.Body.Close()
			var rose struct{ Name string }
			must(t, json.NewDecoder(response.Body).Decode(&rose))
			if rose.Name != "Rose" || len(found.read()) != want {
				t.Errorf("the answer is %v, the findings are\n%s\nwant %d", rose, strings.Join(found.read(), "\n"), want)
			}
		})
	}
}

// TestBrokenDocuments: a document with a missing reference is rejected when it is read.
func TestBrokenDocuments(t *testing.T) {
	for name, document := range map[string]string{
		"no JSON":          `openapi: 3.1.0`,
		"a missing schema": `{"openapi":"3.1.0","paths":{"/a":{"get":{"responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/None"}}}}}}}}}`,
		"an invalid type":  `{"openapi":"3.1.0","paths":{"/a":{"get":{"responses":{"200":{"content":{"application/json":{"schema":{"type":"text"}}}}}}}}}`,
	} {
		if _, err := contract.New([]byte(document)); err == nil {
			t.Errorf("%s is accepted as a document", name)
		}
	}
}
