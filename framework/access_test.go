package framework_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"trestle.example/framework"
)

// inRoom is a scope of conditions of one's own.
func inRoom(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
	return q.Where("?TableAlias.room = ?", c.Caller.Name)
}

// street has an endpoint of every kind that differs in who may use it.
func street() []framework.Resource {
	b := books()
	b.Actions = []framework.Action[Book]{
		framework.Get("look", nothing),
		framework.Post("lend", nothing).Permit(framework.Staff()),
		framework.Post("note", nothing).Permit(framework.Anyone()),
	}
	b.Collection = []framework.CollectionAction{framework.OnCollection("POST", "sweep", summary), framework.OnCollection("GET", "tidy", summary).Permit(framework.Staff())}

	reading := countries()
	reading.Permission = framework.PerModel("countries")
	reading.Verbs.List = reading.Verbs.List.Permit(framework.Anyone())

	rooms := notes()
	rooms.Permission, rooms.Scope = framework.Anyone(), framework.Where(inRoom)
	rooms.Verbs.Create = framework.Does(summary)

	halls := notes()
	halls.Name, halls.Scope = "halls", framework.Where(inRoom).Unless(framework.Staff())

	managed := countries()
	managed.Under, managed.Permission = "manage", framework.Anyone()

	open := authors()
	open.Name, open.Verbs, open.Authentication = "open", framework.ReadOnly[AuthorView](), []framework.Authenticator{}
	open.Verbs.List = open.Verbs.List.Permit(framework.Anyone())
	hatch := open
	hatch.Name, hatch.Under = "hatch", "manage"
	return []framework.Resource{reading, authors(), b, chapters(), rooms, halls, profile(), managed, open, hatch}
}

// streetMatrix is the access of a stranger, Ada (a user), Eve (staff), Root (superuser, not
// staff) and Max (may view and change books) to the endpoints: - rejected, s scoped, A
// allowed.
const streetMatrix = `
GET    /api/                       AAAAA

GET    /api/countries/             AAAAA
POST   /api/countries/             ---A-
GET    /api/countries/{id}/        -AAAA
PUT    /api/countries/{id}/        ---A-
PATCH  /api/countries/{id}/        ---A-
DELETE /api/countries/{id}/        ---A-

GET    /api/authors/               -AAAA
POST   /api/authors/               -AAAA
GET    /api/authors/{id}/          -AAAA
PUT    /api/authors/{id}/          -AAAA
PATCH  /api/authors/{id}/          -AAAA
DELETE /api/authors/{id}/          -AAAA

GET    /api/books/                 -ssAA
POST   /api/books/                 -ssAs
GET    /api/books/{id}/            -ssAA
PUT    /api/books/{id}/            -ssAA
PATCH  /api/books/{id}/            -ssAA
DELETE /api/books/{id}/            -ssAs
GET    /api/books/{id}/look/       -ssAA
POST   /api/books/{id}/lend/       --s--
POST   /api/books/{id}/note/       sssAA
POST   /api/books/sweep/           -AAAA
GET    /api/books/tidy/            --A--

GET    /api/chapters/              -ssss
POST   /api/chapters/              -ssss
GET    /api/chapters/{id}/         -ssss
PUT    /api/chapters/{id}/         -ssss
PATCH  /api/chapters/{id}/         -ssss
DELETE /api/chapters/{id}/         -ssss

GET    /api/notes/                 sssss
POST   /api/notes/                 AAAAA
GET    /api/notes/{id}/            sssss
PUT    /api/notes/{id}/            sssss
PATCH  /api/notes/{id}/            sssss
DELETE /api/notes/{id}/            sssss

GET    /api/halls/                 -sAss
POST   /api/halls/                 -sAss
GET    /api/halls/{id}/            -sAss
PUT    /api/halls/{id}/            -sAss
PATCH  /api/halls/{id}/            -sAss
DELETE /api/halls/{id}/            -sAss

GET    /api/profile/               -ssss
PUT    /api/profile/               -ssss
PATCH  /api/profile/               -ssss
DELETE /api/profile/               -ssss
POST   /api/profile/darken/        -ssss

GET    /api/manage/countries/      --A--
POST   /api/manage/countries/      --A--
GET    /api/manage/countries/{id}/ --A--
PUT    /api/manage/countries/{id}/ --A--
PATCH  /api/manage/countries/{id}/ --A--
DELETE /api/manage/countries/{id}/ --A--

GET    /api/open/                  AAAAA
GET    /api/open/{id}/             -----

GET    /api/manage/hatch/          --A--
GET    /api/manage/hatch/{id}/     -----
`

// walkers are the callers of the matrices, in the order of their columns.
var walkers = []string{"", "ada", "eve", "root", "max"}

// accessOf is the matrix of an API, in which every declaration is right.
func accessOf(t *testing.T, c framework.Config, resources ...framework.Resource) []framework.RouteAccess {
	t.Helper()
	api := framework.New(c)
	api.Register(resources...)
	if err := api.Check(); err != nil {
		t.Fatal(err)
	}
	var asked []*framework.Caller
	for _, name := range walkers {
		asked = append(asked, callers[name])
	}
	return api.Access(asked...)
}

// matrix is what streetMatrix shows, without its empty lines.
func matrix(t *testing.T, routes []framework.RouteAccess) string {
	t.Helper()
	letters := map[framework.Access]string{framework.AccessRefused: "-", framework.AccessScoped: "s", framework.AccessAllowed: "A"}
	var text strings.Builder
	for _, r := range routes {
		fmt.Fprintf(&text, "%-6s %-27s ", r.Method, r.Path)
		for _, access := range r.Access {
			if letters[access] == "" {
				t.Fatalf("%s %s is %q to somebody", r.Method, r.Path, access)
			}
			text.WriteString(letters[access])
		}
		text.WriteString("\n")
	}
	return text.String()
}

func guardedStreet(t *testing.T) framework.Config {
	t.Helper()
	c := config(sqlite(t))
	c.Guards = []framework.Guard{{Under: "manage", Permission: framework.Staff()}}
	return c
}

func TestAccess(t *testing.T) {
	got := matrix(t, accessOf(t, guardedStreet(t), street()...))
	want := strings.TrimPrefix(strings.ReplaceAll(streetMatrix, "\n\n", "\n"), "\n")
	if got != want {
		t.Errorf("the matrix is\n%s\nwant\n%s", got, want)
	}
}

// TestAccessIsWhatRequestsMeet: a request is answered 401 or 403 if, and only if, the matrix has
// -.
func TestAccessIsWhatRequestsMeet(t *testing.T) {
	c := guardedStreet(t)
	api := serve(t, c, street()...)
	for _, r := range accessOf(t, c, street()...) {
		for i, caller := range walkers {
			got := api.as(caller).do(r.Method, strings.ReplaceAll(r.Path, "{id}", missing), nil)
			stopped := got.status == http.StatusUnauthorized || got.status == http.StatusForbidden
			if stopped != (r.Access[i] == framework.AccessRefused) {
				got.failf("the matrix calls it %s to %q", r.Access[i], caller)
			}
		}
	}
}

// TestAccessToRows: who is scoped does not have another's row, who is allowed
// has it.
func TestAccessToRows(t *testing.T) {
	c := guardedStreet(t)
	api := serve(t, c, street()...)
	id := api.as("bob").post("/api/books/", fields{"title": "Emma"}).is(201).id()
	status := map[framework.Access]int{framework.AccessScoped: 404, framework.AccessAllowed: 200}
	seen := 0
	for _, r := range accessOf(t, c, street()...) {
		if r.Method != http.MethodPatch || r.ViewSet != "books" {
			continue
		}
		for i, caller := range walkers {
			if want := status[r.Access[i]]; want != 0 {
				seen++
				api.as(caller).patch(strings.ReplaceAll(r.Path, "{id}", id), fields{"pages": 1}).is(want)
			}
		}
	}
	if seen != 4 {
		t.Errorf("%d callers were tried; want 4", seen)
	}
}

// TestAccessOfWholeAPIs: what holds for every endpoint.
func TestAccessOfWholeAPIs(t *testing.T) {
	staffOnly := []framework.Guard{{Under: "", Permission: framework.Staff()}}
	for name, test := range map[string]struct {
		change func(*framework.Config)
		want   string // of each endpoint but the root
		root   string
	}{
		"with the defaults":                {func(*framework.Config) {}, "-AAAA", "AAAAA"},
		"for anyone":                       {func(c *framework.Config) { c.Permission = framework.Anyone() }, "AAAAA", "AAAAA"},
		"without schemes nobody is known":  {func(c *framework.Config) { c.Authentication = nil }, "-----", "AAAAA"},
		"behind a guard of everything":     {func(c *framework.Config) { c.Guards = staffOnly }, "--A--", "--A--"},
		"behind a guard that knows nobody": {func(c *framework.Config) { c.Guards, c.Authentication = staffOnly, nil }, "-----", "-----"},
		"behind two guards": {func(c *framework.Config) {
			c.Guards = append([]framework.Guard{{Permission: framework.Holds("books.view")}}, staffOnly...)
		}, "-----", "-----"},
		"behind a guard of something else": {func(c *framework.Config) {
			c.Guards = []framework.Guard{{Under: "count", Permission: framework.Staff()}}
		}, "-AAAA", "AAAAA"},
		"behind a guard that lets all read": {func(c *framework.Config) {
			c.Guards = []framework.Guard{{Permission: framework.OrReadOnly(framework.Staff())}}
		}, "-AAAA --A--", "AAAAA"},
		"at the root of its server":            {func(c *framework.Config) { c.Prefix, c.Guards = "/", staffOnly }, "--A--", "--A--"},
		"behind a guard that asks for a verb":  {func(c *framework.Config) { c.Guards = []framework.Guard{{Permission: office{"", "GET"}}} }, "-AAAA -----", "-AAAA"},
		"by a permission that asks for a verb": {func(c *framework.Config) { c.Permission = office{"countries", "GET"} }, "-AAAA -----", "AAAAA"},
	} {
		t.Run(name, func(t *testing.T) {
			c := config(sqlite(t))
			test.change(&c)
			reading, writing, differ := strings.Cut(test.want, " ")
			if !differ {
				writing = reading
			}
			for line := range strings.Lines(matrix(t, accessOf(t, c, countries()))) {
				want := writing
				if strings.HasPrefix(line, "GET") {
					want = reading
				}
				words := strings.Fields(line)
				if !strings.Contains(words[1], "countries") {
					want = test.root
				}
				if got := words[2]; got != want {
					t.Errorf("%s %s is %s; want %s", words[0], words[1], got, want)
				}
			}
		})
	}
}

// TestAccessNeedsNoDatabase: it reads neither the database nor a request.
func TestAccessNeedsNoDatabase(t *testing.T) {
	c := guardedStreet(t)
	if err := c.DB.Close(); err != nil {
		t.Fatal(err)
	}
	if routes := accessOf(t, c, street()...); len(routes) < 50 {
		t.Errorf("%d routes; want all of them", len(routes))
	}
}

// TestPermissionsThatAreAskedFor are those of endpoints, scopes and guards, each
// once, in whatever they are wrapped.
func TestPermissionsThatAreAskedFor(t *testing.T) {
	v, c := countries(), config(sqlite(t))
	v.Permission = framework.All(framework.Authenticated(), framework.Not(framework.Holds("countries.lock")))
	v.Scope = framework.Public().Unless(framework.HoldsModel("books"))
	v.Verbs.List = v.Verbs.List.Permit(framework.OrReadOnly(framework.Holds("books.view")))
	c.Guards = []framework.Guard{{Under: "countries", Permission: framework.Any(framework.Staff(), framework.Holds("admin.enter"))}}
	api := framework.New(c)
	api.Register(v)
	if err := api.Check(); err != nil {
		t.Fatal(err)
	}
	want := []string{"admin.enter", "books.add", "books.change", "books.delete", "books.view", "countries.lock"}
	if got := api.Permissions(); !slices.Equal(got, want) {
		t.Errorf("it asks for %q; want %q", got, want)
	}
}

// TestAccessPairsWithRoutes: the same endpoints in the same order.
func TestAccessPairsWithRoutes(t *testing.T) {
	api := framework.New(guardedStreet(t))
	api.Register(street()...)
	if err := api.Check(); err != nil {
		t.Fatal(err)
	}
	routes, rows := api.Routes(), api.Access()
	if len(routes) != len(rows) {
		t.Fatalf("%d routes, %d of the matrix", len(routes), len(rows))
	}
	for i, row := range rows {
		if row.RouteInfo != routes[i] || len(row.Access) != 0 {
			t.Errorf("row %d is %+v; want %+v and nobody's access", i, row, routes[i])
		}
	}
}
