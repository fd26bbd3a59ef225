package clinic_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/frameworktest/contract"
	"trestle.example/framework/mail"
	"trestle.example/framework/sqldb"
	"trestle.example/resources"
)

// pageSize is the one that the document shows in use.
const pageSize = 20

// A site is the whole service over one database, as a program would serve it.
// Its own client is anonymous.
type site struct {
	*frameworktest.Client
	t      testing.TB
	db     *sqldb.DB
	users  *auth.Users
	watch  *watch
	people *people
}

// people are the users of a site by their names, made at their first use.
type people struct {
	mu sync.Mutex
	by map[string]person
}

type person struct {
	auth.User

	token string
}

// rights are the permissions of the users. Ada, Bob and users without a row
// have none; Stan is staff, Root a superuser, Ina inactive.
var rights = map[string][]string{
	"viewer":  {"patients.view", "appointments.view"},
	"changer": {"patients.change", "appointments.change"},
	"editor":  {"patients.view", "patients.change", "appointments.view", "appointments.change"},
	"deleter": {"patients.delete", "appointments.delete"},
	"remover": {"patients.view", "patients.delete", "appointments.view", "appointments.delete"},
	"auditor": {"patients.view", "patients.audit", "appointments.view", "appointments.audit"},
	"hirer":   {"doctors.add"},
	"trainer": {"doctors.change"},
	"firer":   {"doctors.delete"},
	"matron":  {"doctors.add", "doctors.change", "doctors.delete"},
}

// both runs a test on both databases, each with a fresh site, beside others.
func both(t *testing.T, test func(t *testing.T, s *site)) {
	t.Helper()
	t.Parallel()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) { test(t, open(t, db)) })
}

// contracts are those of the APIs that are served here.
var contracts = contract.Book{Unsaid: unsaid}

// unsaid are the faults of bodies that their schemas take, because JSON Schema cannot
// express the rule.
var unsaid = map[string][]string{
	"":                   {"nul"},                                                     // said of all text in the conventions
	"createPatient":      {"/phone: min"},                                             // its length counts without white space at its ends
	"replacePatient":     {"/phone: min"},                                             // the same
	"updatePatient":      {"/phone: min"},                                             // the same
	"createAppointment":  {"/fee: format", "/starts_at: format", "/starts_at: range"}, // decimal places and exponents; leap seconds; the years that are stored
	"replaceAppointment": {"/fee: format", "/starts_at: format", "/starts_at: range"}, // the same
	"updateAppointment":  {"/fee: format", "/starts_at: format", "/starts_at: range"}, // the same
}

// reporter reports to the test that gets the reports of faults.
type reporter struct {
	testing.TB

	by func() testing.TB
}

func (t reporter) Error(args ...any) { t.by().Error(args...) }

// open migrates a database and serves it.
func open(tb testing.TB, db *sqldb.DB) *site {
	tb.Helper()
	if err := db.Migrate(context.Background(), nil, resources.Migrations()...); err != nil {
		tb.Fatal(err)
	}
	w := newWatch(tb, nil)
	diary := newDiary(w.reportsTo)
	identity, err := resources.Identity(auth.Config{Mailer: mail.Log{To: slog.New(slog.DiscardHandler)}, Log: diary.log(), Hashes: auth.HashOptions{Write: auth.DjangoBcrypt(4)}})
	if err != nil {
		tb.Fatal(err)
	}
	config := resources.Config(db, pageSize, identity)
	config.Log = diary.log()
	api := framework.New(config)
	resources.Register(api, identity)
	handler, err := api.Handler()
	if err != nil {
		tb.Fatal(err)
	}
	diary.next = frameworktest.RequireHistory(tb, api, db, handler)
	w.next = contracts.Of(tb, "all services", api).Wrap(reporter{tb, w.reportsTo}, diary)
	return &site{Client: frameworktest.New(tb, w), t: tb, db: db, users: identity.Users, watch: w, people: &people{by: map[string]person{}}}
}

// on returns the site in a subtest.
func (s *site) on(tb testing.TB) *site {
	tb.Helper()
	other := *s
	other.t, other.Client = tb, s.Client.On(tb)
	return &other
}

// as is the client of a user.
func (s *site) as(name string) *frameworktest.Client {
	s.t.Helper()
	return s.As(s.person(name).token)
}

// token is a user's token.
func (s *site) token(name string) string {
	s.t.Helper()
	return s.person(name).token
}

func (s *site) person(name string) person {
	s.t.Helper()
	s.people.mu.Lock()
	defer s.people.mu.Unlock()
	if p, known := s.people.by[name]; known {
		return p
	}
	p := s.enrol(name)
	s.people.by[name] = p
	s.watch.forbid(p.ID.String(), p.token)
	return p
}

// An account is a user as it is stored, here without a password: hashing one
// takes longer than most tests.
type account struct {
	auth.User    `bun:",extend"`
	PasswordHash string
}

func (s *site) enrol(name string) person {
	s.t.Helper()
	ctx, session := context.Background(), s.db.Session()
	user := account{User: auth.User{
		ID: uuid.Must(uuid.NewV7()), Email: name + "@clinic.example", Name: name,
		IsActive: true, IsStaff: name == "stan", IsSuperuser: name == "root",
	}}
	s.store(&user)
	s.must(s.users.Grant(ctx, session, user.ID, rights[name]...))
	token, _, err := s.users.IssueToken(ctx, session, user.User, "test", time.Hour)
	s.must(err)
	if name == "ina" {
		s.must(s.users.SetActive(ctx, session, user.ID, false))
	}
	return person{user.User, token.Reveal()}
}

func (s *site) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// fields are a body.
type fields = map[string]any

// patient makes one of a user's and returns its id.
func (s *site) patient(owner, name string) string {
	s.t.Helper()
	return s.patientOf(owner, fields{"name": name, "phone": "+91 50000 00000"})
}

func (s *site) patientOf(owner string, body fields) string {
	s.t.Helper()
	return id(s.as(owner).Post("/api/patients/", body).Expect(201))
}

// doctor makes one and returns its id.
func (s *site) doctor(name string) string {
	s.t.Helper()
	return id(s.as("matron").Post("/api/manage/doctors/", fields{"name": name, "speciality": "ENT"}).Expect(201))
}

// appointment makes one and returns its id; further fields may be added or
// replaced.
func (s *site) appointment(by, patient, doctor string, more fields) string {
	s.t.Helper()
	body := fields{"patient": patient, "doctor": doctor}
	maps.Copy(body, more)
	return id(s.as(by).Post("/api/appointments/", body).Expect(201))
}

// object is a response's body.
func object(r *frameworktest.Response) map[string]any {
	o := map[string]any{}
	r.JSON(&o)
	return o
}

func id(r *frameworktest.Response) string {
	text, _ := object(r)["id"].(string)
	return text
}

// A list is one page.
type list struct {
	Count    *int
	Next     *string
	Previous *string
	Results  []map[string]any
}

func page(r *frameworktest.Response) list {
	var l list
	r.Expect(200).JSON(&l)
	return l
}

// values are one member of each row.
func (l list) values(name string) []string { return valuesOf(l.Results, name) }

func valuesOf(rows []map[string]any, name string) []string {
	values := []string{}
	for _, row := range rows {
		text, ok := row[name].(string)
		if !ok {
			encoded, _ := json.Marshal(row[name])
			text = string(encoded)
		}
		values = append(values, text)
	}
	return values
}

// walk follows next from a list's first page to its last and joins the rows.
func walk(s *site, c *frameworktest.Client, path string) []map[string]any {
	s.t.Helper()
	rows, previous := []map[string]any{}, ""
	for next, n := path, 1; next != ""; n++ {
		l := page(c.Get(next))
		checkPage(s, l, len(rows), previous, n)
		rows, previous = append(rows, l.Results...), next
		if next = ""; l.Next != nil {
			next = *l.Next
		}
		if next == "" && len(rows) != *l.Count {
			s.t.Errorf("%s: the pages have %d rows, count says %d", path, len(rows), *l.Count)
		}
	}
	return rows
}

func checkPage(s *site, l list, before int, previous string, n int) {
	s.t.Helper()
	switch {
	case l.Next != nil && len(l.Results) != pageSize:
		s.t.Errorf("page %d is not the last and has %d rows", n, len(l.Results))
	case before+len(l.Results) > *l.Count:
		s.t.Errorf("page %d goes on after row %d, the count", n, *l.Count)
	case (n > 1) != (l.Previous != nil):
		s.t.Errorf("page %d: previous is %v", n, l.Previous)
	case n > 2 && samePlace(*l.Previous, previous) != nil:
		s.t.Errorf("page %d: previous is %q, but it came from %q", n, *l.Previous, previous)
	}
}

// samePlace compares two addresses without their hosts.
func samePlace(a, b string) error {
	at, err := url.Parse(a)
	if err != nil {
		return err
	}
	bt, err := url.Parse(b)
	if err != nil {
		return err
	}
	if at.RequestURI() != bt.RequestURI() {
		return &url.Error{Op: "compare", URL: a, Err: url.EscapeError(b)}
	}
	return nil
}

// query makes a path with parameters: name, value, name, value.
func query(path string, pairs ...string) string {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Add(pairs[i], pairs[i+1])
	}
	return path + "?" + v.Encode()
}

// same fails the test unless two lists of texts are equal.
func same(tb testing.TB, what string, got, want []string) {
	tb.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		tb.Errorf("%s: got %q, want %q", what, got, want)
	}
}
