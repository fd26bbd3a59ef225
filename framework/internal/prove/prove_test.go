package prove_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A Box belongs to a user, and things are in it.
type Box struct {
	bun.BaseModel `bun:"table:boxes"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	Label   string
}

type boxInput struct {
	Label string `json:"label" validate:"required,max=60"`
}

type boxView struct {
	ID uuid.UUID `json:"id"`
	boxInput
}

func (b *Box) owner() *uuid.UUID { return &b.OwnerID }

// A Thing is in a box.
type Thing struct {
	bun.BaseModel `bun:"table:things"`

	ID    uuid.UUID `bun:",pk"`
	BoxID uuid.UUID
	Name  string
}

type thingInput struct {
	BoxID uuid.UUID `json:"box" validate:"required" ref:"boxes"`
	Name  string    `json:"name" validate:"required,max=60"`
}

type thingView struct {
	ID uuid.UUID `json:"id"`
	thingInput
}

var schema = sqldb.Migrations{Namespace: "boxes", FS: fstest.MapFS{
	"1_boxes.tx.up.sql": {Data: []byte(`
CREATE TABLE boxes ({{id}}, owner_id {{uuid}} NOT NULL, label {{text}} NOT NULL);
CREATE TABLE things ({{id}}, box_id {{uuid}} NOT NULL REFERENCES boxes (id), name {{text}} NOT NULL);
CREATE TABLE teams ({{id}}, name {{text}} NOT NULL);
CREATE TABLE members ({{id}}, user_id {{uuid}} NOT NULL, team_id {{uuid}} NOT NULL REFERENCES teams (id));
CREATE TABLE papers ({{id}}, team_id {{uuid}} NOT NULL REFERENCES teams (id), title {{text}} NOT NULL);
`)},
	"1_boxes.tx.down.sql": {Data: []byte("DROP TABLE papers;\nDROP TABLE members;\nDROP TABLE teams;\nDROP TABLE things;\nDROP TABLE boxes;\n")},
}}

func boxes() framework.ViewSet[Box] {
	return framework.ViewSet[Box]{
		Name:       "boxes",
		Verbs:      framework.CRUD[boxInput, boxView](),
		Scope:      framework.Own((*Box).owner).Unless(framework.Holds("boxes.audit")),
		Permission: framework.Authenticated(),
		Ordering:   framework.Ordering{Allowed: []string{"label"}, Default: "label"},
		Filters:    []framework.Filter{filter.Exact("label")},
		Export:     []framework.Media{framework.CSV, framework.NDJSON},
	}
}

func things() framework.ViewSet[Thing] {
	return framework.ViewSet[Thing]{
		Name:       "things",
		Verbs:      framework.CRUD[thingInput, thingView](),
		Scope:      framework.Via("box_id", "boxes"),
		Permission: framework.Authenticated(),
		Ordering:   framework.Ordering{Default: "name"},
	}
}

// A Team has papers, which its members see.
type Team struct {
	bun.BaseModel `bun:"table:teams"`

	ID   uuid.UUID `bun:",pk"`
	Name string
}

type teamInput struct {
	Name string `json:"name" validate:"required,max=60"`
}

type teamView struct {
	ID uuid.UUID `json:"id"`
	teamInput
}

// A Member is a user in a team.
type Member struct {
	bun.BaseModel `bun:"table:members"`

	ID     uuid.UUID `bun:",pk"`
	UserID uuid.UUID
	TeamID uuid.UUID
}

func (m *Member) user() *uuid.UUID { return &m.UserID }

type memberInput struct {
	TeamID uuid.UUID `json:"team" validate:"required" ref:"teams"`
}

type memberView struct {
	ID uuid.UUID `json:"id"`
	memberInput
}

// A Paper belongs to a team.
type Paper struct {
	bun.BaseModel `bun:"table:papers"`

	ID     uuid.UUID `bun:",pk"`
	TeamID uuid.UUID
	Title  string
}

type paperInput struct {
	TeamID uuid.UUID `json:"team" validate:"required" ref:"teams"`
	Title  string    `json:"title" validate:"required,max=60"`
}

type paperView struct {
	ID uuid.UUID `json:"id"`
	paperInput
}

// ofTeams are the papers of the caller's teams.
func ofTeams(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
	teams := c.DB.NewSelect().Table("members").Column("team_id").Where("user_id = ?", c.Caller.ID)
	return q.Where("team_id IN (?)", teams)
}

func tenants() []framework.Resource {
	signedIn := framework.Authenticated()
	return []framework.Resource{
		framework.ViewSet[Team]{Name: "teams", Verbs: framework.Verbs{Create: framework.Accepts[teamInput, teamView](), Retrieve: framework.Shows[teamView]()}, Scope: framework.Public(), Permission: signedIn},
		framework.ViewSet[Member]{Name: "members", Verbs: framework.CRUD[memberInput, memberView](), Scope: framework.Own((*Member).user), Permission: signedIn, Ordering: framework.Ordering{Default: "id"}},
		framework.ViewSet[Paper]{
			Name: "papers", Verbs: framework.CRUD[paperInput, paperView](), Scope: framework.Where(ofTeams), Permission: signedIn, Ordering: framework.Ordering{Default: "title"},
			Bulk: framework.Bulk{Create: true},
		},
	}
}

// Guests are callers by their tokens.
type guests struct {
	mu    sync.Mutex
	known map[string]*framework.Caller
	first string // the token of the first one, who makes the rows
}

const scheme = "Guest "

// Authenticate implements [framework.Authenticator].
func (g *guests) Authenticate(_ *framework.Call, r *http.Request) (*framework.Caller, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.known[r.Header.Get("Authorization")], nil
}

// Challenge implements [framework.Authenticator].
func (*guests) Challenge() string { return scheme + `realm="tests"` }

// signIn makes a caller of a kind.
func (g *guests) signIn(_ context.Context, k framework.ProofCaller) (http.Header, *framework.Caller, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	caller := &framework.Caller{ID: uuid.Must(uuid.NewV7()), Staff: k.Staff, Superuser: k.Superuser, Permissions: map[string]bool{}, Scheme: "Guest"}
	for _, permission := range k.Permissions {
		caller.Permissions[permission] = true
	}
	token := scheme + caller.IDText()
	if g.known == nil {
		g.known, g.first = map[string]*framework.Caller{}, token
	}
	g.known[token] = caller
	return http.Header{"Authorization": {token}}, caller, nil
}

// proof proves boxes and things, and other resources, behind a change of the handler.
func proof(t *testing.T, db *sqldb.DB, change func(g *guests, next http.Handler) http.Handler, more ...framework.Resource) *framework.Proof {
	t.Helper()
	if err := db.Migrate(t.Context(), nil, schema, further); err != nil {
		t.Fatal(err)
	}
	return prove(t, db, change, append([]framework.Resource{boxes(), things()}, more...)...)
}

// prove proves resources behind a change of the handler.
func prove(t *testing.T, db *sqldb.DB, change func(g *guests, next http.Handler) http.Handler, resources ...framework.Resource) *framework.Proof {
	t.Helper()
	g := &guests{}
	return proveWith(t, db, g, g.signIn, change, resources...)
}

// proveWith proves resources whose callers are guests that a function signs in.
func proveWith(t *testing.T, db *sqldb.DB, g *guests, signIn func(context.Context, framework.ProofCaller) (http.Header, *framework.Caller, error), change func(g *guests, next http.Handler) http.Handler, resources ...framework.Resource) *framework.Proof {
	t.Helper()
	if err := db.Migrate(t.Context(), nil, framework.Migrations()); err != nil {
		t.Fatal(err)
	}
	c := apitest.Config(db)
	c.Authentication, c.CursorKeys = []framework.Authenticator{g}, [][]byte{make([]byte, 32)}
	api := framework.New(c)
	api.Register(resources...)
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		handler = change(g, handler)
	}
	report, err := api.Prove(t.Context(), framework.ProofOptions{Handler: handler, SignIn: signIn, Seed: seed()})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// seed is 1, or the number in TRESTLE_SEED.
func seed() uint64 {
	n, err := strconv.ParseUint(os.Getenv("TRESTLE_SEED"), 10, 64)
	if err != nil {
		return 1
	}
	return n
}

// asOwner serves the requests that a function selects as if the owner of the rows sent them.
func asOwner(is func(r *http.Request) bool) func(*guests, http.Handler) http.Handler {
	return func(g *guests, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if is(r) {
				r.Header.Set("Authorization", g.first)
			}
			next.ServeHTTP(w, r)
		})
	}
}

// caches lets caches keep all answers.
func caches(control string) func(*guests, http.Handler) http.Handler {
	return func(_ *guests, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", control)
			next.ServeHTTP(w, r)
		})
	}
}

// cachesCookies sets a cookie in each answer that caches may keep.
func cachesCookies(_ *guests, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/countries/") && r.Header.Get("Authorization") == "" {
			w.Header().Set("Cache-Control", "public, max-age=60")
			w.Header().Set("Set-Cookie", "a=b")
		}
		next.ServeHTTP(w, r)
	})
}

func one(method, prefix string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		return r.Method == method && strings.HasPrefix(r.URL.Path, prefix) && len(r.URL.Path) > len(prefix)
	}
}

func TestAnAPIWithoutLeaks(t *testing.T) {
	t.Parallel()
	requests := map[int]bool{} // how many each proof sent
	apitest.Databases(t, sqldb.Migrations{Namespace: "none", FS: fstest.MapFS{}}, func(t *testing.T, db *sqldb.DB) {
		report := proof(t, db, nil, append(tenants(), items(), countries())...)
		for _, f := range append(report.Findings, report.Unexercised...) {
			t.Errorf("%s", f)
		}
		if requests[report.Requests] = true; len(requests) > 1 {
			t.Errorf("two proofs with the same seed sent %v requests", requests)
		}
		known, err := os.ReadFile("testdata/access.txt")
		if now := report.Matrix(); err != nil || now != string(known) {
			t.Errorf("the access is not that of testdata/access.txt (%v):\n%s", err, now)
		}
	})
}

// TestLeaks: each server has one leak, which the proof finds.
func TestLeaks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*guests, http.Handler) http.Handler
		more   []framework.Resource
		where  string // of a finding
		what   string
	}{
		{name: "a row is shown to all", change: asOwner(one("GET", "/api/boxes/")), where: "GET /api/boxes/{id}/", what: "not theirs"},
		{name: "a cache may keep a row of one caller", change: caches("public, max-age=60"), where: "GET /api/boxes/{id}/", what: "and the request has credentials"},
		{name: "a shared cache may keep a list of one caller", change: caches("S-MaxAge=60"), where: "GET /api/boxes/", what: "and the request has credentials"},
		{name: "a cache may keep a cookie", change: cachesCookies, more: []framework.Resource{countries()}, where: "GET /api/countries/", what: "and it sets a cookie"},
		{name: "a row of a row is shown to all", change: asOwner(one("GET", "/api/things/")), where: "GET /api/things/{id}/", what: "not theirs"},
		{name: "a row is changed by all", change: asOwner(one("PATCH", "/api/boxes/")), where: "PATCH /api/boxes/{id}/", what: "it changes boxes"},
		{name: "a row is deleted by all", change: asOwner(one("DELETE", "/api/things/")), where: "DELETE /api/things/{id}/", what: "it changes things"},
		{name: "HEAD shows a row", change: asOwner(one("HEAD", "/api/boxes/")), where: "GET /api/boxes/{id}/", what: "not theirs"},
		{name: "a list shows all rows", change: asOwner(func(r *http.Request) bool { return r.URL.Path == "/api/boxes/" && r.Method == http.MethodGet }), where: "GET /api/boxes/", what: "of a row or a field that is not theirs"},
		{name: "an export of a format shows all rows", change: asOwner(func(r *http.Request) bool { return r.URL.Query().Get("format") == "csv" }), where: "GET /api/boxes/", what: "of a row or a field that is not theirs"},
		{name: "an export by Accept shows all rows", change: asOwner(func(r *http.Request) bool { return r.Header.Get("Accept") == "application/x-ndjson" }), where: "GET /api/boxes/", what: "of a row or a field that is not theirs"},
		{name: "the export of the list below another's row", change: asOwner(func(r *http.Request) bool { return belowABox("GET")(r) && r.URL.Query().Has("format") }), more: []framework.Resource{items()}, where: "GET /api/boxes/{box_id}/items/", what: "not theirs"},
		{name: "a filter shows all rows", change: asOwner(func(r *http.Request) bool { return r.URL.Query().Has("label") }), where: "GET /api/boxes/", what: "not theirs"},
		{name: "a reference to any row is accepted", change: asOwner(func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Path == "/api/things/" }), where: "POST /api/things/", what: "a reference to another's row"},
		{name: "a visitor is a user", change: asOwner(func(r *http.Request) bool {
			return r.Header.Get("Authorization") == "" && r.Method == http.MethodPost && r.URL.Path == "/api/boxes/"
		}), where: "POST /api/boxes/", what: "reject this caller"},
		{name: "another's row is 403 and not 404", change: forbids, where: "GET /api/boxes/{id}/", what: "differs from that for a row that does not exist"},
		{name: "a header of a row that exists", change: marks, where: "PATCH /api/boxes/{id}/", what: "differs from that for a row that does not exist"},
		{name: "a paper is shown outside its team", change: asOwner(one("GET", "/api/papers/")), more: tenants(), where: "GET /api/papers/{id}/", what: "not theirs"},
		{name: "a paper is changed outside its team", change: asOwner(one("PUT", "/api/papers/")), more: tenants(), where: "PUT /api/papers/{id}/", what: "differs from that for a row"},
		{name: "a function counts all rows", more: []framework.Resource{counter("count", countAll)}, where: "GET /api/counter/count/", what: "changed after another caller's request"},
		{name: "a row that is deleted softly is shown", change: remembers, more: []framework.Resource{cards()}, where: "GET /api/cards/{id}/", what: "not theirs"},
		{name: "rows that are deleted softly are counted", change: countsDeleted, more: []framework.Resource{cards()}, where: "GET /api/cards/", what: "made and deleted"},
		{name: "PUT resets a field that the caller may not write", change: resets, more: []framework.Resource{pins()}, where: "PUT /api/pins/{id}/", what: "which the body does not have"},
		{name: "a function deletes all rows, and others spend theirs", more: spending(), where: "POST /api/all/remove/", what: "it changes a row of cards"},
		{name: "a function deletes all rows, which only staff sees", more: []framework.Resource{clearer(), inventory()}, where: "POST /api/clearer/clear/", what: "it changes a row of things"},
		{name: "OPTIONS shows the members of a body to a visitor", change: asOwner(at("OPTIONS", "/api/boxes/")), where: "GET /api/boxes/", what: "the access check of the viewset rejects this caller"},
		{name: "the count of a list that is longer than a page has all rows", change: countsAll, where: "GET /api/boxes/", what: "changed after another caller's request"},
		{name: "a function compares texts of all rows", more: []framework.Resource{counter("late", countLate)}, where: "GET /api/counter/late/", what: "changed after another caller's request PATCH"},
		{name: "an error has texts of all rows", more: []framework.Resource{lister(clash)}, where: "POST /api/lister/find/", what: "of a row or a field"},
		{name: "a function lists all rows", more: []framework.Resource{counter("keys", listAll)}, where: "GET /api/counter/keys/", what: "of a row or a field that is not theirs"},
		{name: "a row with a number as its key is shown to all", change: asOwner(one("GET", "/api/cards/")), more: []framework.Resource{cards()}, where: "GET /api/cards/{id}/", what: "not theirs"},
		{name: "an action is run by all, after rows are deleted softly", change: asOwner(one("POST", "/api/cards/")), more: []framework.Resource{cards()}, where: "POST /api/cards/{id}/print/", what: "not theirs"},
		{name: "the list below another's row", change: asOwner(belowABox("GET")), more: []framework.Resource{items()}, where: "GET /api/boxes/{box_id}/items/", what: "not theirs"},
		{name: "OPTIONS of the list below another's row", change: asOwner(belowABox("OPTIONS")), more: []framework.Resource{items()}, where: "GET /api/boxes/{box_id}/items/", what: "differs from that for a row that does not exist"},
		{name: "a change is answered with another row", change: swaps, where: "PATCH /api/boxes/{id}/", what: "the request is for another row"},
		{name: "a new row below another's row", change: asOwner(belowABox("POST")), more: []framework.Resource{items()}, where: "POST /api/boxes/{box_id}/items/", what: "it changes items"},
		{name: "another's row below an own row", change: crossing, more: []framework.Resource{items()}, where: "GET /api/boxes/{box_id}/items/{id}/", what: "not theirs"},
		{name: "the list of callers with one row each", change: asOwner(at("GET", "/api/profiles/")), more: []framework.Resource{profiles()}, where: "GET /api/profiles/", what: "of a row or a field"},
		{name: "a single row is shown to all", change: asOwner(at("GET", "/api/profile/")), more: []framework.Resource{profile()}, where: "GET /api/profile/", what: "not theirs"},
		{name: "a throttled row is shown to all", change: asOwner(one("GET", "/api/crates/")), more: []framework.Resource{throttled()}, where: "GET /api/crates/{id}/", what: "not theirs"},
		{name: "an action whose body is rejected at first", change: asOwner(one("POST", "/api/sealed/")), more: []framework.Resource{sealed()}, where: "POST /api/sealed/{id}/seal/", what: "not theirs"},
		{name: "an action on a row changes all rows", more: []framework.Resource{wiper("POST")}, where: "POST /api/wiper/{id}/wipe/", what: "it changes a row of boxes"},
		{name: "a GET changes all rows", more: []framework.Resource{wiper("GET")}, where: "GET /api/wiper/{id}/wipe/", what: "it changes a row of boxes"},
		{name: "a stream has all rows", more: []framework.Resource{exporter()}, where: "GET /api/exporter/export/", what: "of a row or a field"},
		{name: "a POST lists the keys of all rows", more: []framework.Resource{lister(listAll)}, where: "POST /api/lister/find/", what: "of a row or a field"},
		{name: "a POST lists texts of all rows", more: []framework.Resource{lister(labels)}, where: "POST /api/lister/find/", what: "of a row or a field"},
		{name: "a field that few see is shown to all", more: []framework.Resource{stickers()}, where: "GET /api/stickers/labels/", what: "of a row or a field"},
		{name: "a row outside a scope with an alternative", change: asOwner(one("GET", "/api/papers/")), more: openPapers(), where: "GET /api/papers/{id}/", what: "not theirs"},
		{name: "a reference by a holder of a permission", change: references, more: []framework.Resource{kits()}, where: "POST /api/kits/", what: "a reference to another's row"},
		{name: "a function with required parameters lists texts of all rows", more: []framework.Resource{finder(anyLabel)}, where: "GET /api/finder/find/", what: "of a row or a field"},
		{name: "a row that all read is changed by all", change: asOwner(one("PATCH", "/api/shared/")), more: shared(), where: "PATCH /api/shared/{id}/", what: "it changes boxes"},
		{name: "rows are added below a row that all read", change: asOwner(belowABox("POST")), more: shared(), where: "POST /api/shared/{shared_id}/items/", what: "it changes items"},
		{name: "a function deletes all rows", more: []framework.Resource{clearer()}, where: "POST /api/clearer/clear/", what: "it changes a row of things"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			onDatabases(t, sqldb.Migrations{Namespace: "none", FS: fstest.MapFS{}}, func(t *testing.T, db *sqldb.DB) {
				report := proof(t, db, c.change, c.more...)
				wantFinding(t, report, c.where, c.what)
			})
		})
	}
}

// forbids answers 403 for a box that exists, and 404 for one that does not.
func forbids(g *guests, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if one("GET", "/api/boxes/")(r) && exists(g, next, r) && r.Header.Get("Authorization") != g.first {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// marks adds a header for a box that exists.
func marks(g *guests, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if one("PATCH", "/api/boxes/")(r) && exists(g, next, r) {
			w.Header().Set("X-Version", "7")
		}
		next.ServeHTTP(w, r)
	})
}

// countsAll adds the number of the owner's boxes to the answer of a list with a next page.
func countsAll(g *guests, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := &captured{ResponseWriter: w}
		next.ServeHTTP(to, r)
		if at("GET", "/api/boxes/")(r) && strings.Contains(to.text, `"next":"http`) && r.Header.Get("Authorization") != g.first {
			all := &captured{ResponseWriter: &status{header: http.Header{}}}
			r.Header.Set("Authorization", g.first)
			next.ServeHTTP(all, r)
			to.text += regexp.MustCompile(`"count":\d+`).FindString(all.text)
		}
		w.WriteHeader(to.code)
		_, _ = w.Write([]byte(to.text))
	})
}

// exists reports whether the owner gets the row of a request.
func exists(g *guests, next http.Handler, r *http.Request) bool {
	probe, _ := http.NewRequestWithContext(r.Context(), http.MethodGet, "http://localhost"+r.URL.Path, http.NoBody)
	probe.RequestURI, probe.RemoteAddr = probe.URL.RequestURI(), r.RemoteAddr
	probe.Header.Set("Authorization", g.first)
	to := &status{header: http.Header{}}
	next.ServeHTTP(to, probe)
	return to.code == http.StatusOK
}

// A status keeps the status of an answer.
type status struct {
	header http.Header
	code   int
}

func (s *status) Header() http.Header  { return s.header }
func (s *status) WriteHeader(code int) { s.code = code }
func (s *status) Write(text []byte) (int, error) {
	s.code = max(s.code, http.StatusOK)
	return len(text), nil
}

// counter serves a function that reads rows without a scope.
func counter[Out any](name string, read func(*framework.Call, framework.None) (Out, error)) framework.Resource {
	return framework.ViewSet[Box]{
		Name: "counter", Scope: framework.Own((*Box).owner), Permission: framework.Authenticated(),
		Collection: []framework.CollectionAction{framework.OnCollection(http.MethodGet, name, read)},
	}
}

type total struct {
	Boxes int64 `json:"boxes"`
}

func countAll(c *framework.Call, _ framework.None) (total, error) {
	n, err := c.DB.NewSelect().Table("boxes").Count(c)
	return total{n}, err
}

// countLate counts the boxes whose label is the last in an order.
func countLate(c *framework.Call, _ framework.None) (total, error) {
	n, err := c.DB.NewSelect().Table("boxes").Where("label > ?", "yz").Count(c)
	return total{n}, err
}

type allKeys struct {
	Keys string `json:"keys"`
}

func listAll(c *framework.Call, _ framework.None) (allKeys, error) {
	var rows []Box
	err := c.DB.NewSelect().Model(&rows).Scan(c)
	var keys []string
	for _, b := range rows {
		keys = append(keys, b.ID.String())
	}
	return allKeys{fmt.Sprint(keys)}, err
}

// clearer serves a function that deletes the things of all callers.
func clearer() framework.Resource {
	empty := func(c *framework.Call, _ framework.None) (framework.None, error) {
		_, err := c.DB.NewDelete().Table("things").Where("1 = 1").Exec(c)
		return framework.None{}, err
	}
	return framework.ViewSet[Box]{
		Name: "clearer", Scope: framework.Own((*Box).owner), Permission: framework.Authenticated(),
		Collection: []framework.CollectionAction{framework.OnCollection(http.MethodPost, "clear", empty)},
	}
}
