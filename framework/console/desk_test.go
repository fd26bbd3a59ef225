package console_test

import (
	"html"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// An agent answers tickets.
type agent struct {
	bun.BaseModel `bun:"table:agents"`

	ID   uuid.UUID `bun:",pk"`
	Name string
}

type agentInput struct {
	Name string `json:"name" validate:"required,max=100" doc:"The agent's name."`
}

type agentView struct {
	ID uuid.UUID `json:"id"`
	agentInput
}

// A ticket is what a user wants, and only that user sees it.
type ticket struct {
	bun.BaseModel `bun:"table:tickets"`

	ID       uuid.UUID `bun:",pk"`
	OwnerID  uuid.UUID
	AgentID  uuid.UUID
	Title    string
	Body     string
	Priority int64
	IsOpen   bool
	DueAt    *time.Time
}

func (t *ticket) owner() *uuid.UUID { return &t.OwnerID }

type ticketInput struct {
	Title    string     `json:"title"    validate:"required,max=4000"`
	Body     string     `json:"body"     validate:"max=5000"`
	AgentID  uuid.UUID  `json:"agent_id" validate:"required" ref:"agents"`
	Priority int64      `json:"priority" validate:"min=1,max=5" default:"3"`
	IsOpen   bool       `json:"is_open"  default:"true"`
	DueAt    *time.Time `json:"due_at"`
}

type ticketView struct {
	ID uuid.UUID `json:"id"`
	ticketInput
}

type closing struct {
	Reason string `json:"reason" validate:"required,max=100"`
}

func closeTicket(c *framework.Call, t *ticket, in closing) (ticketView, error) {
	if strings.Contains(in.Reason, "boredom") {
		return ticketView{}, framework.Refuse(http.StatusConflict, "no_reason", "Boredom is no reason.")
	}
	t.IsOpen = false
	if err := framework.Save(c, t); err != nil {
		return ticketView{}, err
	}
	return ticketView{ID: t.ID, ticketInput: ticketInput{Title: t.Title, Body: t.Body, AgentID: t.AgentID, Priority: t.Priority, IsOpen: t.IsOpen, DueAt: t.DueAt}}, nil
}

// tables are those of the desk.
func tables() sqldb.Migrations {
	return sqldb.Migrations{Namespace: "desk", FS: fstest.MapFS{"0001_desk.tx.down.sql": {Data: []byte("-- The tables stay.")}, "0001_desk.tx.up.sql": {Data: []byte(`
CREATE TABLE agents ({{id}}, name {{text}} NOT NULL);
CREATE TABLE tickets (
    {{id}},
    owner_id {{uuid}} NOT NULL REFERENCES auth_users (id),
    agent_id {{uuid}} NOT NULL REFERENCES agents (id),
    title {{text}} NOT NULL, body {{text}} NOT NULL, priority {{bigint}} NOT NULL, is_open {{bool}} NOT NULL, due_at {{timestamp}}
);
CREATE TABLE rooms ({{id}}, slug {{text}} NOT NULL UNIQUE, name {{text}} NOT NULL, floors {{json}}, ratings {{json}});
CREATE TABLE baskets (
    {{id}},
    owner_id {{uuid}} NOT NULL REFERENCES auth_users (id),
    name {{text}} NOT NULL, packed_at {{timestamp}}, lines {{json}}
);
CREATE TABLE desks (
    {{id}},
    user_id {{uuid}} NOT NULL UNIQUE REFERENCES auth_users (id),
    room_id {{uuid}} NOT NULL REFERENCES rooms (id), image_url {{text}} NOT NULL, note {{text}} NOT NULL
);
`)}}}
}

// A desk is a program with a console, and its users.
type desk struct {
	t        *testing.T
	db       *sqldb.DB
	identity *auth.Service
	url      string
}

const password = "four unrelated words walk"

// openDesk serves a program with a console on a database. change changes its settings; it may be nil.
func openDesk(t *testing.T, db *sqldb.DB, change func(*framework.Config)) *desk {
	t.Helper()
	identity, err := auth.New(auth.Config{Hashes: auth.HashOptions{Write: auth.Bcrypt(4)}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return openDeskOf(t, db, identity, change)
}

// openDeskOf is openDesk with other users, and with viewsets beside those of the desk.
func openDeskOf(t *testing.T, db *sqldb.DB, identity *auth.Service, change func(*framework.Config), others ...framework.Resource) *desk {
	t.Helper()
	if err := db.Migrate(t.Context(), nil, framework.Migrations(), auth.Migrations(), tables()); err != nil {
		t.Fatal(err)
	}
	handler, err := deskAPI(db, identity, change, others...).Handler()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &desk{t: t, db: db, identity: identity, url: server.URL}
}

// deskAPI declares the API of the desk.
func deskAPI(db *sqldb.DB, identity *auth.Service, change func(*framework.Config), others ...framework.Resource) *framework.API {
	settings := framework.Config{
		DB: db, Authentication: identity.Authentication(), Codes: append(identity.Codes(), framework.CodeInfo{Code: "no_reason", Status: http.StatusConflict, Title: "No reason"}),
		Pagination: page.Number{Size: 60}, Log: slog.New(slog.DiscardHandler), Title: "Desk", Console: framework.Console{Path: "/admin/"},
	}
	if change != nil {
		change(&settings)
	}
	api := framework.New(settings)
	api.Register(identity.ViewSet(), framework.ViewSet[agent]{
		Name: "agents", Verbs: framework.CRUD[agentInput, agentView](), Scope: framework.Public(), Ordering: framework.Ordering{Default: "name"},
		Permission: framework.OrReadOnly(framework.Holds("agents.change")), Search: framework.Search{Fields: []string{"name"}},
	}, framework.ViewSet[ticket]{
		Name: "tickets", Verbs: framework.CRUD[ticketInput, ticketView](), Scope: framework.Own((*ticket).owner),
		Ordering: framework.Ordering{Allowed: []string{"title", "priority"}, Default: "title"},
		Filters:  []framework.Filter{filter.Exact("priority"), filter.Exact("is_open")}, Search: framework.Search{Fields: []string{"title"}},
		Actions: []framework.Action[ticket]{framework.Post("close", closeTicket).Refuses("no_reason")},
		Export:  []framework.Media{framework.CSV},
	})
	api.Register(others...)
	return api
}

// onBoth runs a test with a desk on each database.
func onBoth(t *testing.T, test func(t *testing.T, d *desk)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) { test(t, openDesk(t, db, nil)) })
}

// user makes a user who holds permissions.
func (d *desk) user(email string, superuser bool) auth.User {
	d.t.Helper()
	user, err := d.identity.Users.CreateUser(d.t.Context(), d.db.Session(), auth.NewUser{Email: email, Password: password, Superuser: superuser})
	if err != nil {
		d.t.Fatal(err)
	}
	return user
}

// insert stores rows.
func (d *desk) insert(rows any) {
	d.t.Helper()
	if _, err := d.db.Session().IDB().NewInsert().Model(rows).Exec(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

// A browser is a person's browser, with cookies.
type browser struct {
	d      *desk
	client *http.Client
}

// browser returns a new browser. It follows no redirect by itself.
func (d *desk) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		d.t.Fatal(err)
	}
	return &browser{d, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// signedIn returns the browser of a user after signing in.
func (d *desk) signedIn(email string) *browser {
	d.t.Helper()
	b := d.browser()
	b.submit("/admin/~sign-in?next=/admin/", url.Values{"email": {email}, "password": {password}}).to("/admin/")
	return b
}

// A seen is an answer as the browser has it.
type seen struct {
	t      *testing.T
	name   string
	status int
	header http.Header
	body   string
}

func (b *browser) send(method, path string, form url.Values, headers ...string) *seen {
	b.d.t.Helper()
	r, err := http.NewRequestWithContext(b.d.t.Context(), method, b.d.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.d.t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", b.d.url)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := b.client.Do(r)
	if err != nil {
		b.d.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.d.t.Fatal(err)
	}
	return &seen{b.d.t, method + " " + path, resp.StatusCode, resp.Header, string(body)}
}

func (b *browser) get(path string) *seen {
	b.d.t.Helper()
	return b.send(http.MethodGet, path, nil)
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// form reads the page of a form and returns its hidden fields with others.
func (b *browser) form(path string, entered url.Values) url.Values {
	b.d.t.Helper()
	all := url.Values{}
	for _, hidden := range hiddenField.FindAllStringSubmatch(b.get(path).is(http.StatusOK).body, -1) {
		all.Set(html.UnescapeString(hidden[1]), html.UnescapeString(hidden[2]))
	}
	maps.Copy(all, entered)
	return all
}

// submit reads the page of a form, enters values and sends it.
func (b *browser) submit(path string, entered url.Values) *seen {
	b.d.t.Helper()
	return b.send(http.MethodPost, path, b.form(path, entered))
}

func (s *seen) is(status int) *seen {
	s.t.Helper()
	if s.status != status {
		s.t.Fatalf("%s: status %d; want %d:\n%s", s.name, s.status, status, s.body)
	}
	return s
}

// to checks that the answer sends the browser to an address.
func (s *seen) to(address string) {
	s.t.Helper()
	s.is(http.StatusSeeOther)
	if got := s.header.Get("Location"); got != address {
		s.t.Fatalf("%s: leads to %s; want %s", s.name, got, address)
	}
}

func (s *seen) says(texts ...string) *seen {
	s.t.Helper()
	for _, text := range texts {
		if !strings.Contains(s.body, text) {
			s.t.Errorf("%s: the page lacks %q:\n%s", s.name, text, s.body)
		}
	}
	return s
}

func (s *seen) lacks(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		if strings.Contains(s.body, text) {
			s.t.Errorf("%s: the page has %q:\n%s", s.name, text, s.body)
		}
	}
}

// htmlText returns a text as a page has it.
func htmlText(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "+", "&#43;").Replace(text)
}
