package main

import (
	"crypto/rand"
	"log/slog"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/frameworktest/contract"
	"trestle.example/framework/program"
	"trestle.example/framework/sqldb"
)

// callers have a token each: ada, bob and mod make a profile, eve has none, mod moderates.
var callers = []string{"ada", "bob", "eve", "mod"}

// open serves the forum on an empty database. It returns a client of a visitor, and the tokens of
// the callers.
func open(t *testing.T, db *sqldb.DB) (*frameworktest.Client, map[string]string) {
	t.Helper()
	if err := db.Migrate(t.Context(), nil, migrations()...); err != nil {
		t.Fatal(err)
	}
	site := &program.Site{DB: db, PageSize: 20}
	common := config(site)
	common.Log = slog.New(slog.DiscardHandler)
	api := framework.New(common)
	register(api, site)
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	missing, err := api.MissingIndexes(t.Context())
	if err != nil || len(missing) > 0 {
		t.Errorf("missing indexes: %v, %v", missing, err)
	}
	var book contract.Book
	return frameworktest.New(t, book.Of(t, "", api).Wrap(t, handler)), tokens(t, db)
}

// tokens makes the callers.
func tokens(t *testing.T, db *sqldb.DB) map[string]string {
	t.Helper()
	users, err := auth.NewUsers(auth.Options{})
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]string{}
	for _, name := range callers {
		user, err := users.CreateUser(t.Context(), db.Session(), auth.NewUser{Email: name + "@example.com", Password: rand.Text()})
		if err != nil {
			t.Fatal(err)
		}
		if name == "mod" {
			err = users.Grant(t.Context(), db.Session(), user.ID, moderate)
		}
		if err != nil {
			t.Fatal(err)
		}
		token, _, err := users.IssueToken(t.Context(), db.Session(), user, "test", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		made[name] = token.Reveal()
	}
	return made
}

// A request is one row of a table: who sends what, and the answer.
type request struct {
	name   string
	as     string // "" for a visitor
	what   string // the method, a space, and the path below /api
	body   string
	status int
	code   string   // of an error
	faults []string // pointers with codes, such as "/thread/title required"
	has    []string // texts that the answer contains
	lacks  []string
	// control is the expected header Cache-Control, "" for any.
	control string
}

// run sends the requests, one after the other. {name} in a path or a body stands for ids[name].
func run(t *testing.T, c *frameworktest.Client, tokens, ids map[string]string, requests []request) {
	t.Helper()
	var pairs []string
	for name, id := range ids {
		pairs = append(pairs, "{"+name+"}", id)
	}
	fill := strings.NewReplacer(pairs...).Replace
	var all []frameworktest.Scenario
	for _, r := range requests {
		method, path, _ := strings.Cut(fill(r.what), " ")
		s := frameworktest.Scenario{
			Name: r.name, As: tokens[r.as], Method: method, Path: "/api" + path,
			Status: r.status, Code: r.code, Contains: filled(fill, r.has), Lacks: r.lacks, Faults: map[string]string{},
		}
		if r.body != "" {
			s.Body = fill(r.body)
		}
		if r.control != "" {
			s.Answers = map[string]string{"Cache-Control": r.control}
		}
		for _, f := range r.faults {
			pointer, code, _ := strings.Cut(f, " ")
			s.Faults[pointer] = code
		}
		all = append(all, s)
	}
	frameworktest.Run(t, c, all)
}

// filled are texts with the ids in the places of their names.
func filled(fill func(string) string, texts []string) (all []string) {
	for _, text := range texts {
		all = append(all, fill(text))
	}
	return all
}

func TestForum(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		c, tokens := open(t, db)
		ids := map[string]string{}
		t.Run("profiles", func(t *testing.T) { run(t, c.On(t), tokens, ids, profiles) })
		t.Run("boards", func(t *testing.T) { run(t, c.On(t), tokens, ids, boards) })
		ids["board"], ids["link"] = found(c, "/api/boards/go/", `"id":"`), found(c, "/api/boards/go/", `"links":[{"id":"`)
		t.Run("threads", func(t *testing.T) { run(t, c.On(t), tokens, ids, threads) })
		t.Run("posts", func(t *testing.T) { run(t, c.On(t), tokens, ids, posts) })
		ids["post"] = found(c, "/api/threads/generics/posts/?ordering=created_at", `"posts":[{"id":"`)
		t.Run("votes, stars and follows", func(t *testing.T) { run(t, c.On(t), tokens, ids, toggles) })
		t.Run("changes", func(t *testing.T) { run(t, c.On(t), tokens, ids, changes) })
		t.Run("totals", func(t *testing.T) { run(t, c.On(t), tokens, ids, totals) })
		t.Run("limits", func(t *testing.T) { run(t, c.On(t), tokens, ids, limits) })
		t.Run("caches", func(t *testing.T) { run(t, c.On(t), tokens, ids, caches) })
	})
}

// found is the id that follows a text in an answer.
func found(c *frameworktest.Client, path, before string) string {
	_, after, _ := strings.Cut(c.Get(path).Expect(200).Body(), before)
	id, _, _ := strings.Cut(after, `"`)
	return id
}
