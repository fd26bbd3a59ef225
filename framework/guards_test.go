package framework_test

import (
	"bufio"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// sentAsIs sends a request whose target is exactly what was written, which no
// client library would do, and answers with its status.
func sentAsIs(t *testing.T, api *client, method, target string) int {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(api.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: books.example\r\nConnection: close\r\n\r\n", method, target)
	answer, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%s %s: %v", method, target, err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

// TestGuardsAreNotTricked: however a path is spelt, what some part of it could
// be taken for is guarded.
func TestGuardsAreNotTricked(t *testing.T) {
	c := config(sqlite(t))
	c.Guards = []framework.Guard{{Under: "admin", Permission: framework.Staff()}}
	v, open := countries(), countries()
	v.Under, v.Permission = "admin", framework.Anyone()
	open.Permission = framework.Anyone()
	api := serve(t, c, v, open)
	for _, target := range []string{
		"/api/admin/files/a;..;..;..;x/", "/api/admin/;..;..;zz", "/api/admin/..;/..;/countries/", "/api/admin/../countries/",
		"/api/admin/%2e%2e/countries/", "/api/admin/..%2fcountries/", "/api/admin/..%5ccountries/", "/api/x/..;/admin/countries/",
		`/api\admin\countries\`, `/api/admin\..\countries/`, `/api\admin/countries/`,
		"/api/%2561dmin/countries/", "/api%252fadmin/countries/", "/api%255cadmin/", "/api/x/%252e%252e/admin/", "/api;/admin/", "/api/;/admin/countries/",
		"/api//admin//countries//", "//api//admin", "/api/./admin/./", "/api/AdMiN/countries/", "/api/%41dmin/", "/api/admin?x=1", "/api/admin%3bx/", "/api/admin%253bx/",
	} {
		for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "MADEUP"} {
			if got := sentAsIs(t, api, method, target); got != 401 {
				t.Errorf("%s %s passes the guard and is answered with %d", method, target, got)
			}
		}
	}
	for _, target := range []string{"/api/countries/", "/api/", "/api/administer/", "/api/countries/?under=/api/admin/", "/api/errors/not_found"} {
		if got := sentAsIs(t, api, "GET", target); got == 401 {
			t.Errorf("GET %s is below no guard and is answered with 401", target)
		}
	}
}

// TestGuardOfEverything: Under "" guards the whole API, its root as well.
func TestGuardOfEverything(t *testing.T) {
	c := config(sqlite(t))
	c.Guards = []framework.Guard{{Under: "", Permission: framework.Staff()}}
	v := countries()
	v.Permission = framework.Anyone()
	api := serve(t, c, v)
	for _, path := range []string{"/api", "/api/", "/api/countries/", "/api/nowhere", "/API/", "/api/countries/" + missing + "/"} {
		api.get(path).refuses(401, "authentication_required").head("Allow", "")
		api.as("ada").get(path).refuses(403, "forbidden").head("Allow", "")
		if got := api.as("eve").get(path); got.status == 401 || got.status == 403 {
			got.failf("the guard lets staff pass")
		}
	}
	api.get("/api/errors/not_found").refuses(401, "authentication_required")
	api.get("/nowhere").refuses(404, "not_found")
}

// TestNoPrefix: an API at the root of its server.
func TestNoPrefix(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		c := config(db)
		c.Prefix = "/"
		c.Guards = []framework.Guard{{Under: "manage", Permission: framework.Staff()}}
		manage := countries()
		manage.Under = "manage"
		api := serve(t, c, countries(), manage)
		ada := api.as("ada")
		if got := api.get("/").is(200); got.body != `{"countries":"`+api.url+`/countries/","manage/countries":"`+api.url+`/manage/countries/"}` {
			t.Errorf("the root is %s", got.body)
		}
		for i := range 4 {
			ada.post("/countries/", fields{"name": fmt.Sprint("Country ", i)}).is(201)
		}
		made := ada.post("/countries", fields{"name": "Chile"}).is(201)
		if at := made.header.Get("Location"); at != api.url+"/countries/"+made.id()+"/" {
			t.Errorf("Location is %q", at)
		}
		ada.get(made.header.Get("Location")).is(200).says("Chile")
		if next := ada.get("/countries/").list().Next; next == nil || *next != api.url+"/countries/?page=2" {
			t.Errorf("next is %v", next)
		}
		for _, path := range []string{"/manage", "/manage/", "/manage/countries/", "/manage/nowhere", "//manage/countries/", "/MANAGE/"} {
			ada.get(path).refuses(403, "forbidden")
		}
		api.as("eve").get("/manage/countries/").is(200)
		api.as("ada").get("/api/").refuses(404, "not_found")
		api.get("/errors/not_found").is(200)
	})
}

// TestGuardReadsHead: HEAD is GET to a guard too.
func TestGuardReadsHead(t *testing.T) {
	c := config(sqlite(t))
	c.Guards = []framework.Guard{{Under: "countries", Permission: framework.OrReadOnly(framework.Staff())}}
	v := countries()
	v.Permission = framework.Anyone()
	api := serve(t, c, v)
	for _, method := range []string{"GET", "HEAD", "OPTIONS"} {
		api.do(method, "/api/countries/", nil).is(200)
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "TRACE", "MADEUP"} {
		api.do(method, "/api/countries/", fields{"name": "x"}).is(401)
	}
}

// remembered is a permission that records the calls that it checks.
type remembered struct {
	mu   sync.Mutex
	said []string
}

func (r *remembered) Permit(c *framework.Call) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, c.ID.String()+" "+c.Caller.Name)
	return true
}

func (r *remembered) String() string { return "remembered" }

// TestGuardedRequestsAreOneCall: identified once, and under one id.
func TestGuardedRequestsAreOneCall(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		asked, logged := &remembered{}, &lines{}
		c := config(db)
		c.Log = slog.New(slog.NewTextHandler(logged, nil))
		c.Authentication = []framework.Authenticator{querying{}}
		c.Guards = []framework.Guard{{Under: "", Permission: asked}, {Under: "countries", Permission: asked}}
		v := countries()
		v.Permission = asked
		api := serve(t, c, v)
		api.do("OPTIONS", "/api/countries/", nil).is(200) // writes the document, which checks calls of its own
		n := frameworktest.CountStatements(db)
		for _, request := range []struct {
			method, path string
			statements   int // the caller's and the answer's
		}{{"GET", "/api/countries/", 2}, {"OPTIONS", "/api/countries/", 1}, {"TRACE", "/api/countries/", 1}} {
			asked.said = nil
			var a *answer
			statements(t, n, request.statements, func() { a = api.do(request.method, request.path, nil) })
			id := a.header.Get("X-Request-Id")
			if want := id + " Ada"; len(asked.said) < 3 || slices.ContainsFunc(asked.said, func(s string) bool { return s != want }) {
				t.Errorf("%s: the guards and the viewset were asked as %v, want %s each time", request.method, asked.said, want)
			}
			if strings.Count(logged.String(), id) != 1 {
				t.Errorf("want one line of the request %s in\n%s", id, logged)
			}
		}
	})
}

// TestOwnSchemesOfAnEndpoint: an endpoint runs its own schemes, whatever caller a guard
// identified.
func TestOwnSchemesOfAnEndpoint(t *testing.T) {
	c := config(sqlite(t))
	c.Guards = []framework.Guard{{Under: "", Permission: framework.Anyone()}}
	v := countries()
	v.Authentication = []framework.Authenticator{always{"bob"}}
	v.Collection = []framework.CollectionAction{
		framework.OnCollection("GET", "who", func(c *framework.Call, _ framework.None) (string, error) { return c.Caller.Name, nil }),
		framework.OnCollection("GET", "nobody", func(c *framework.Call, _ framework.None) (string, error) { return c.Caller.Name, nil }).
			Authenticate().Permit(framework.Anyone()),
	}
	other := countries()
	other.Name, other.Authentication = "others", []framework.Authenticator{strangers{}}
	ada := serve(t, c, v, other).as("ada")
	ada.get("/api/countries/who/").is(200).says(`"Bob"`)
	ada.get("/api/countries/nobody/").is(200).says(`""`)
	ada.get("/api/others/").refuses(401, "invalid_token")
	c.Authentication = []framework.Authenticator{always{"bob"}} // who shows no header, as a cookie does
	serve(t, c, other).get("/api/others/").refuses(401, "authentication_required")
}

// fragile is a permission that panics.
type fragile struct{}

func (fragile) Permit(*framework.Call) bool { panic("secret") }
func (fragile) String() string              { return "fragile" }

// TestPermissionsThatPanic are a failure of the server, in a guard as well.
func TestPermissionsThatPanic(t *testing.T) {
	logged := &lines{}
	c := config(sqlite(t))
	c.Log = slog.New(slog.NewTextHandler(logged, nil))
	c.Guards = []framework.Guard{{Under: "manage", Permission: fragile{}}}
	v, guarded := countries(), countries()
	v.Permission, guarded.Under = fragile{}, "manage"
	ada := serve(t, c, v, guarded).as("ada")
	for _, path := range []string{"/api/countries/", "/api/countries/" + missing + "/", "/api/manage/countries/", "/api/manage/"} {
		for _, method := range []string{"GET", "DELETE", "OPTIONS"} {
			ada.do(method, path, nil).refuses(500, "internal").lacks("secret", "panic")
		}
	}
	if strings.Count(logged.String(), "secret") != 12 {
		t.Errorf("want the cause of each failure in\n%s", logged)
	}
}
