package framework_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/page"
)

// whole is CRUD and an action of each kind on countries.
func whole() framework.ViewSet[Country] {
	v := countries()
	v.Actions = []framework.Action[Country]{
		framework.Get("look", func(*framework.Call, *Country, framework.None) (framework.None, error) { return framework.None{}, nil }),
		framework.Post("mark", func(*framework.Call, *Country, framework.None) (framework.None, error) { return framework.None{}, nil }),
	}
	v.Collection = []framework.CollectionAction{framework.OnCollection("POST", "sweep", summary)}
	return v
}

// TestPermissions: who may do what under each built-in permission. A letter
// for each request that is let in: List, Retrieve, Options; Create, Update,
// Patch, Mark and Sweep (actions); Delete.
func TestPermissions(t *testing.T) {
	callers["adder"] = &framework.Caller{ID: missingPlus(1), Permissions: map[string]bool{"countries.add": true}}
	callers["changer"] = &framework.Caller{ID: missingPlus(2), Permissions: map[string]bool{"countries.change": true, "countries.view": true}}
	callers["deleter"] = &framework.Caller{ID: missingPlus(3), Permissions: map[string]bool{"countries.delete": true}}
	const all, reads = "LROCUPMSD", "LRO"
	db := sqlite(t)
	for _, c := range []struct {
		permission framework.Permission
		says       string
		want       map[string]string
	}{
		{nil, "authenticated", map[string]string{"": "", "ada": all, "eve": all, "root": all}},
		{framework.Anyone(), "anyone", map[string]string{"": all, "ada": all}},
		{framework.Authenticated(), "authenticated", map[string]string{"": "", "ada": all}},
		{framework.Staff(), "staff", map[string]string{"": "", "ada": "", "eve": all, "root": ""}},
		{framework.OrReadOnly(framework.Staff()), "reading, else staff", map[string]string{"": reads, "ada": reads, "eve": all}},
		{framework.Holds("countries.add"), "countries.add", map[string]string{"": "", "ada": "", "adder": all, "root": all, "eve": ""}},
		{framework.HoldsModel("countries"), "countries.view|add|change|delete", map[string]string{"": "", "ada": "", "adder": "C", "changer": reads + "UPMS", "deleter": "D", "root": all}},
		{framework.PerModel("countries"), "countries.add|change|delete to write", map[string]string{"": "", "ada": reads, "adder": reads + "C", "changer": reads + "UPMS", "deleter": reads + "D", "root": all}},
		{framework.All(framework.Authenticated(), framework.Not(framework.Staff())), "(authenticated and not staff)", map[string]string{"": "", "ada": all, "eve": ""}},
		{framework.Any(framework.Staff(), framework.Holds("countries.add")), "(staff or countries.add)", map[string]string{"": "", "ada": "", "eve": all, "adder": all}},
		{framework.All(), "anyone", map[string]string{"": all}},
		{framework.Any(), "nobody", map[string]string{"": "", "root": ""}},
		{framework.Not(framework.Anyone()), "not anyone", map[string]string{"root": ""}},
	} {
		t.Run(c.says, func(t *testing.T) {
			v := whole()
			v.Permission = c.permission
			api := serve(t, config(db), v)
			if c.permission != nil && c.permission.String() != c.says {
				t.Errorf("it says %q, want %q", c.permission, c.says)
			}
			for caller, want := range c.want {
				if got := letIn(api.as(caller)); !sameLetters(got, want) {
					t.Errorf("%q is let in for %q, want %q", caller, got, want)
				}
			}
		})
	}
}

func sameLetters(a, b string) bool {
	for _, letter := range "LROCUPMSD" {
		if strings.ContainsRune(a, letter) != strings.ContainsRune(b, letter) {
			return false
		}
	}
	return true
}

// letIn lists the requests that are neither 401 nor 403.
func letIn(c *client) string {
	item, let := "/api/countries/"+missing+"/", ""
	for _, r := range []struct{ letter, method, path string }{
		{"L", "GET", "/api/countries/"}, {"R", "GET", item}, {"O", "OPTIONS", "/api/countries/"}, {"C", "POST", "/api/countries/"},
		{"U", "PUT", item}, {"P", "PATCH", item}, {"M", "POST", item + "mark/"}, {"S", "POST", "/api/countries/sweep/"}, {"D", "DELETE", item},
	} {
		want := 403
		if c.caller == "" {
			want = 401
		}
		switch a := c.do(r.method, r.path, nil); a.status {
		case want:
		case 401, 403:
			a.failf("a stranger is 401, a caller 403")
		default:
			let += r.letter
		}
	}
	return let
}

// office is a permission of the tests' own: one method of one viewset.
type office struct{ viewset, method string }

func (o office) Permit(c *framework.Call) bool {
	return c.Route.ViewSet == o.viewset && c.Route.Method == o.method && !c.Caller.Anonymous()
}
func (o office) String() string { return o.method + " of " + o.viewset }

// TestOwnPermission: a class of one's own sees the caller and the route.
func TestOwnPermission(t *testing.T) {
	v := whole()
	v.Permission = office{"countries", "POST"}
	if got := letIn(serve(t, config(sqlite(t)), v).as("ada")); got != "CMS" {
		t.Errorf("let in for %q", got)
	}
}

// always is an authenticator that knows one caller without being shown
// anything.
type always struct{ name string }

func (a always) Authenticate(*framework.Call, *http.Request) (*framework.Caller, error) {
	return callers[a.name], nil
}
func (always) Challenge() string { return "" }

// strangers is an authenticator that never finds its credentials.
type strangers struct{}

func (strangers) Authenticate(*framework.Call, *http.Request) (*framework.Caller, error) {
	return nil, nil
}
func (strangers) Challenge() string { return `Stranger realm="x"` }

// TestAuthenticators run in turn; a request with invalid credentials is never anonymous.
func TestAuthenticators(t *testing.T) {
	db := sqlite(t)
	v := countries()
	v.Collection = []framework.CollectionAction{framework.OnCollection("GET", "who", func(c *framework.Call, _ framework.None) (string, error) {
		return c.Caller.Name, nil
	}).Permit(framework.Anyone())}
	with := func(as ...framework.Authenticator) *client {
		c := config(db)
		c.Authentication = as
		return serve(t, c, v)
	}
	for _, c := range []struct {
		name    string
		schemes []framework.Authenticator
		header  string
		status  int
		says    string
	}{
		{"the first that finds something decides", []framework.Authenticator{strangers{}, names{}, always{"bob"}}, "Name ada", 200, `"Ada"`},
		{"the next is asked where there is nothing", []framework.Authenticator{strangers{}, names{}, always{"bob"}}, "", 200, `"Bob"`},
		{"bad credentials never fall back to the next", []framework.Authenticator{names{}, always{"bob"}}, "Name nobody", 401, "invalid_token"},
		{"bad credentials never fall back to anonymous", []framework.Authenticator{names{}}, "Name nobody", 401, "invalid_token"},
		{"nothing sent is anonymous", []framework.Authenticator{names{}}, "", 200, `""`},
		{"credentials that no scheme knows", []framework.Authenticator{names{}}, "Bearer x", 401, "accepted here; send Name, a space and the credentials."},
		{"an empty scheme", []framework.Authenticator{names{}}, "Name ", 401, "invalid_token"},
		{"none of the schemes before knows them", []framework.Authenticator{strangers{}, names{}}, "Bearer x", 401, "send Stranger or Name, a space"},
		{"without schemes nobody looks", nil, "Bearer x", 200, `""`},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := with(c.schemes...).in(t)
			if c.header != "" {
				api = api.with("Authorization", c.header)
			}
			api.get("/api/countries/who/").is(c.status).says(c.says)
		})
	}
	t.Run("without schemes nothing can be sent", func(t *testing.T) {
		with().in(t).with("Authorization", "Bearer x").get("/api/countries/").is(401).says("authentication_required", "no credentials are accepted here")
	})
	t.Run("every scheme challenges", func(t *testing.T) {
		with(strangers{}, names{}).in(t).get("/api/countries/").is(401).head("WWW-Authenticate", `Stranger realm="x", Name realm="library"`)
		with(always{""}).in(t).get("/api/countries/").is(401).head("WWW-Authenticate", "")
	})
}

// TestOverrides: what a verb or an action says is nearer than what the viewset
// says, and that nearer than the API; an empty list is something said.
func TestOverrides(t *testing.T) {
	db := sqlite(t)
	api := config(db)
	api.Permission = framework.Staff()
	t.Run("the API's", func(t *testing.T) {
		got := letIn(serve(t, api, whole()).as("eve"))
		if !sameLetters(got, "LROCUPMSD") {
			t.Errorf("let in for %q", got)
		}
		if got := letIn(serve(t, api, whole()).as("ada")); got != "" {
			t.Errorf("let in for %q", got)
		}
	})
	t.Run("permission", func(t *testing.T) {
		v := whole()
		v.Permission = framework.Authenticated()
		v.Verbs.List = v.Verbs.List.Permit(framework.Anyone())
		v.Verbs.Delete = v.Verbs.Delete.Permit(framework.Staff())
		v.Actions[1] = v.Actions[1].Permit(framework.Not(framework.Anyone()))
		v.Collection[0] = v.Collection[0].Permit(framework.Anyone())
		c := serve(t, api, v)
		for caller, want := range map[string]string{"": "LS", "ada": "LROCUPS", "eve": "LROCUPSD"} {
			if got := letIn(c.as(caller)); !sameLetters(got, want) {
				t.Errorf("%q is let in for %q, want %q", caller, got, want)
			}
		}
	})
	t.Run("authentication", func(t *testing.T) {
		v := whole()
		v.Permission, v.Authentication = framework.Authenticated(), []framework.Authenticator{names{}}
		v.Verbs.List = v.Verbs.List.Authenticate(always{"bob"})
		v.Verbs.Retrieve = v.Verbs.Retrieve.Authenticate()
		v.Actions[1] = v.Actions[1].Authenticate()
		v.Collection[0] = v.Collection[0].Authenticate(always{"bob"})
		conf := api
		conf.Authentication = []framework.Authenticator{strangers{}}
		c := serve(t, conf, v)
		if got := letIn(c); !sameLetters(got, "LS") {
			t.Errorf("a stranger is let in for %q", got)
		}
		item := "/api/countries/" + missing + "/"
		c.as("ada").get(item).refuses(401, "authentication_required").head("WWW-Authenticate", "")
		c.as("ada").post(item+"mark/", nil).refuses(401, "authentication_required")
		c.as("ada").patch(item, fields{}).refuses(404, "not_found")
		c.as("nobody").get("/api/countries/").is(200)
	})
	t.Run("throttles", func(t *testing.T) {
		of := func(seconds int) []framework.Throttle {
			return []framework.Throttle{&turnstile{wait: time.Duration(seconds) * time.Second}}
		}
		conf := api
		conf.Throttles = of(5)
		v, plain := whole(), authors()
		v.Permission, plain.Permission = framework.Anyone(), framework.Anyone()
		v.Throttles = of(3)
		v.Verbs.List = v.Verbs.List.Throttle()
		v.Verbs.Retrieve = v.Verbs.Retrieve.Throttle(of(2)...)
		v.Actions[1] = v.Actions[1].Throttle(of(4)...)
		v.Collection[0] = v.Collection[0].Throttle()
		c := serve(t, conf, v, plain)
		item := "/api/countries/" + missing + "/"
		for _, r := range []struct{ method, path, wait string }{
			{"GET", "/api/countries/", ""}, {"GET", item, "2"}, {"PATCH", item, "3"}, {"POST", item + "mark/", "4"}, {"POST", "/api/countries/sweep/", ""}, {"GET", "/api/authors/", "5"},
		} {
			c.do(r.method, r.path, nil).head("Retry-After", r.wait)
		}
	})
	t.Run("pagination", func(t *testing.T) {
		v := countries()
		v.Permission, v.Pagination = framework.Anyone(), page.Number{Size: 2, SizeParam: "viewset"}
		c := serve(t, api, v)
		c.get("/api/countries/?viewset=1").is(200).head("Trestle-Ignored", "")
		v.Verbs.List = v.Verbs.List.Paginate(page.Number{SizeParam: "verb"})
		c = serve(t, api, v)
		c.get("/api/countries/?viewset=1&verb=1").is(200).head("Trestle-Ignored", "viewset")
	})
	t.Run("filters", func(t *testing.T) {
		v := countries()
		v.Permission, v.Filters = framework.Anyone(), []framework.Filter{filter.Exact("name")}
		v.Verbs.List = v.Verbs.List.Filter(filter.Exact("called", "name"))
		serve(t, api, v).get("/api/countries/?name=x&called=y").is(200).head("Trestle-Ignored", "name")
		v.Verbs.List = v.Verbs.List.Filter()
		serve(t, api, v).get("/api/countries/?name=x").is(200).head("Trestle-Ignored", "name")
	})
}

// querying is an authenticator that reads the database.
type querying struct{}

func (querying) Authenticate(c *framework.Call, _ *http.Request) (*framework.Caller, error) {
	var one int
	if err := c.DB.NewSelect().ColumnExpr("1").Scan(c, &one); err != nil {
		return nil, err
	}
	return callers["ada"], nil
}
func (querying) Challenge() string { return "" }
