package accounts_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/accounts"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

const (
	password    = "four unrelated words walk"
	newPassword = "another four words walk"
	usersPath   = "/api/accounts/users/"
	groupsPath  = "/api/accounts/groups/"
)

// An office is an API with accounts.
type office struct {
	*testing.T
	*frameworktest.Client

	db      *sqldb.DB
	service *auth.Service
	log     *lines
	people  map[string]auth.User
	tokens  map[string]string
	groups  map[string]uuid.UUID
}

// inOffice runs a test on both databases. People have the rights that their names stand for:
//
//	root    a superuser
//	boss    staff with users.*, groups.* and cows.milk, by the group milkers
//	clerk   users.view, users.add, users.change, users.delete and cows.view
//	viewer  users.view
//	ann     nothing
func inOffice(t *testing.T, test func(*office)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		must(t, db.Migrate(t.Context(), nil, framework.Migrations(), auth.Migrations()))
		o := &office{T: t, db: db, log: &lines{}, people: map[string]auth.User{}, tokens: map[string]string{}, groups: map[string]uuid.UUID{}}
		var err error
		o.service, err = auth.New(auth.Config{
			Hashes: auth.HashOptions{Write: auth.DjangoPBKDF2(1000)}, Usernames: true,
			Log:     slog.New(slog.NewJSONHandler(o.log, nil)),
			Account: auth.AccountOptions{Change: true, LogoutEverywhere: true},
		})
		must(t, err)
		api := framework.New(framework.Config{
			DB: db, Log: slog.New(slog.DiscardHandler), Authentication: o.service.Authentication(),
			Codes: append(o.service.Codes(), accounts.Codes()...), Pagination: page.Number{Size: 50},
		})
		api.Register(append(accounts.Own(o.service), o.service.ViewSet(), accounts.Administration(api, o.service))...)
		handler, err := api.Handler()
		must(t, err)
		o.Client = frameworktest.New(t, handler)
		o.hire()
		test(o)
	})
}

func (o *office) hire() {
	o.group("milkers", "cows.milk")
	o.group("viewers", "cows.view")
	o.person("root", auth.NewUser{Superuser: true, Staff: true})
	o.person("boss", auth.NewUser{Staff: true}, "users.view", "users.add", "users.change", "users.delete", "groups.view", "groups.add", "groups.change", "groups.delete")
	o.person("clerk", auth.NewUser{}, "users.view", "users.add", "users.change", "users.delete", "cows.view")
	o.person("viewer", auth.NewUser{}, "users.view")
	o.person("ann", auth.NewUser{})
	must(o.T, o.service.Users.Join(o.Context(), o.db.Session(), o.people["boss"].ID, o.groups["milkers"]))
}

func (o *office) group(name string, permissions ...string) {
	o.Helper()
	g, err := o.service.Users.CreateGroup(o.Context(), o.db.Session(), name, permissions...)
	must(o.T, err)
	o.groups[name] = g.ID
}

// person adds a user with a token.
func (o *office) person(name string, n auth.NewUser, permissions ...string) {
	o.Helper()
	n.Email, n.Name, n.Password = name+"@example.com", name, password
	ctx, s := o.Context(), o.db.Session()
	user, err := o.service.Users.CreateUser(ctx, s, n)
	must(o.T, err)
	must(o.T, o.service.Users.Grant(ctx, s, user.ID, permissions...))
	secret, _, err := o.service.Users.IssueToken(ctx, s, user, "laptop", 0)
	must(o.T, err)
	o.people[name], o.tokens[name] = user, secret.Reveal()
}

// as returns the client of a person, on a subtest's t.
func (o *office) as(t *testing.T, name string) *frameworktest.Client {
	return o.On(t).With("Authorization", "Token "+o.tokens[name])
}

// at is the address of a person.
func (o *office) at(name string) string { return usersPath + o.people[name].ID.String() + "/" }

// now reads a person.
func (o *office) now(name string) auth.User {
	o.Helper()
	user, err := o.service.Users.UserByID(o.Context(), o.db.Session(), o.people[name].ID)
	must(o.T, err)
	return user
}

// rights are the permissions that a person holds, joined by spaces.
func (o *office) rights(name string) string {
	o.Helper()
	held, err := o.service.Users.PermissionsOf(o.Context(), o.db.Session(), o.people[name].ID)
	must(o.T, err)
	return strings.Join(held, " ")
}

// signsIn checks whether a password signs a person in.
func (o *office) signsIn(name, password string, want bool) {
	o.Helper()
	status := map[bool]int{true: http.StatusOK, false: http.StatusUnauthorized}[want]
	o.Post("/api/auth/login", map[string]any{"email": o.now(name).Email, "password": password}).Expect(status)
}

// lines is a log whose lines a test waits for.
type lines struct {
	mu      sync.Mutex
	all     []map[string]any
	changed chan struct{}
}

func (l *lines) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := map[string]any{}
	if err := json.Unmarshal(bytes.TrimSpace(text), &line); err != nil {
		return 0, err
	}
	l.all = append(l.all, line)
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
	return len(text), nil
}

// wait returns the first line with an event; the test ends if there is none.
func (o *office) wait(event string) map[string]any {
	o.Helper()
	for {
		o.log.mu.Lock()
		for i, line := range o.log.all {
			if line["event"] == event {
				o.log.all = append(o.log.all[:i], o.log.all[i+1:]...)
				o.log.mu.Unlock()
				return line
			}
		}
		if o.log.changed == nil {
			o.log.changed = make(chan struct{})
		}
		changed := o.log.changed
		o.log.mu.Unlock()
		select {
		case <-changed:
		case <-o.Context().Done():
			o.Fatalf("the audit log has no %s", event)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
