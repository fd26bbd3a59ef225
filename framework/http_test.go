package framework_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestHead answers as GET does, without the body.
func TestHead(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := serve(t, config(db), shelves()...).as("ada")
		id := ada.post("/api/books/", fields{"title": "Emma"}).is(201).id()
		for _, path := range []string{"/api/", "/api/books/", "/api/books/" + id + "/", "/api/books/?pages=x&page=9", "/api/books/" + missing + "/", "/nowhere", "/api/errors/not_found"} {
			get, head := ada.get(path), ada.do("HEAD", path, nil)
			if head.status != get.status || head.body != "" {
				t.Errorf("HEAD %s: %d %q, GET: %d", path, head.status, head.body, get.status)
			}
			for _, name := range []string{"Content-Type", "Content-Length", "Allow", "Trestle-Ignored", "Cache-Control", "X-Content-Type-Options"} {
				if head.header.Get(name) != get.header.Get(name) {
					t.Errorf("HEAD %s: %s is %q, GET: %q", path, name, head.header.Get(name), get.header.Get(name))
				}
			}
		}
		ada.as("").do("HEAD", "/api/books/", nil).is(401)
	})
}

// TestSlashes: either form of a path is served directly; links show the
// canonical one.
func TestSlashes(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		a, b := authors(), books()
		b.Slash, b.Actions = framework.WithoutSlash, []framework.Action[Book]{framework.Post("lend", lend)}
		b.Collection = []framework.CollectionAction{framework.OnCollection("GET", "summary", summary)}
		c := config(db)
		ada := serve(t, c, countries(), a, b).as("ada")
		id := ada.post("/api/books", fields{"title": "Emma"}).is(201).id()
		for _, slash := range []string{"", "/"} {
			ada.get("/api"+slash).is(200).says(ada.url+`/api/authors/"`, ada.url+`/api/books"`)
			ada.get("/api/books" + slash).is(200)
			ada.get("/api/books/" + id + slash).is(200)
			ada.post("/api/books/"+id+"/lend"+slash, nil).is(204)
			ada.get("/api/books/summary" + slash).is(204)
			ada.get("/api/authors" + slash).is(200)
			ada.patch("/api/books/"+id+slash, fields{"pages": 3}).is(200)
			ada.get("/api/books/" + id + "//" + slash).is(404)
		}
		for range 4 {
			ada.post("/api/authors", fields{"name": "x"}).is(201)
			ada.post("/api/books/", fields{"title": uuid.NewString()}).is(201)
		}
		if next := ada.get("/api/authors").list().Next; next == nil || *next != ada.url+"/api/authors/?page=2" {
			t.Errorf("the next page of authors is %v", next)
		}
		if next := ada.get("/api/books/").list().Next; next == nil || *next != ada.url+"/api/books?page=2" {
			t.Errorf("the next page of books is %v", next)
		}
	})
}

// TestSlashOfTheAPI: what a viewset does not say, the API says.
func TestSlashOfTheAPI(t *testing.T) {
	c, a := config(sqlite(t)), authors()
	c.Slash, a.Slash = framework.WithoutSlash, framework.WithSlash
	api := serve(t, c, countries(), a)
	api.get("/api").is(200).says(`{"countries":"` + api.url + `/api/countries","authors":"` + api.url + `/api/authors/"}`)
}

// TestRoot lists every resource by name, in order of registration, to anyone.
func TestRoot(t *testing.T) {
	c := config(sqlite(t))
	c.Prefix = "v1/shop/"
	write := countries()
	write.Under, write.Verbs = "manage", framework.Verbs{Create: framework.Accepts[CountryInput, CountryView]()}
	one := countries()
	one.Name, one.Verbs = "one", framework.Verbs{Retrieve: framework.Shows[CountryView]()}
	api := serve(t, c, profile(), chapters(), books(), one, authors(), countries(), write)
	at := api.url + "/v1/shop/"
	want := `{"profile":"` + at + `profile/","chapters":"` + at + `chapters/","books":"` + at + `books/","authors":"` + at + `authors/","countries":"` + at + `countries/","manage/countries":"` + at + `manage/countries/"}`
	for _, path := range []string{"/v1/shop", "/v1/shop/"} {
		if got := api.get(path).is(200).head("Content-Type", "application/json"); got.body != want {
			t.Errorf("got %s\nwant %s", got.body, want)
		}
	}
	api.with("Authorization", "Nonsense").get("/v1/shop/").is(200)
	api.post("/v1/shop/", fields{}).refuses(405, "method_not_allowed").head("Allow", "GET, HEAD, OPTIONS")
	api.do("OPTIONS", "/v1/shop/", nil).is(200)
	api.get("/api/").refuses(404, "not_found")
}

// TestUnder: a second viewset of a model, below a prefix.
func TestUnder(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		public, manage := countries(), countries()
		public.Verbs = framework.ReadOnly[CountryView]()
		manage.Under, manage.Permission = "manage", framework.HoldsModel("countries")
		api := serve(t, config(db), public, manage)
		api.as("ada").post("/api/manage/countries/", fields{"name": "Chile"}).refuses(403, "forbidden")
		id := api.as("root").post("/api/manage/countries/", fields{"name": "Chile"}).is(201).id()
		api.as("ada").get("/api/countries/" + id + "/").is(200)
		api.as("ada").delete("/api/countries/"+id+"/").refuses(405, "method_not_allowed")
		api.as("root").delete("/api/manage/countries/" + id + "/").is(204)
		api.as("root").get("/api/manage/").refuses(404, "not_found")
	})
}

// TestLinks are absolute and keep the other parameters, as they were sent.
func TestLinks(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := serve(t, config(db), shelves()...).as("ada")
		for _, title := range []string{"a&b", "b&c", "c&b", "d&b", "e&b", "f&b", "g&b"} {
			ada.post("/api/books/", fields{"title": title, "pages": 5}).is(201)
		}
		first := ada.get("/api/books/?search=%26b&min_pages=1&ordering=-title&unknown=x%20y&page=").list()
		if *first.Count != 6 || first.Previous != nil || first.Next == nil {
			t.Fatalf("the first page is %+v", first)
		}
		want := url.Values{"search": {"&b"}, "min_pages": {"1"}, "ordering": {"-title"}, "unknown": {"x y"}, "page": {"2"}}
		if *first.Next != ada.url+"/api/books/?"+want.Encode() {
			t.Errorf("next is %s", *first.Next)
		}
		second := ada.get(*first.Next).list()
		if second.Next != nil || second.Previous == nil {
			t.Fatalf("the second page is %+v", second)
		}
		back := ada.get(*second.Previous).list()
		if back.Results[0]["title"] != "g&b" || len(back.Results) != 3 {
			t.Errorf("previous leads to %v", back.values("title"))
		}
	})
}

// TestPublicURL: absolute links begin where clients reach the server,
// whatever the request's Host says.
func TestPublicURL(t *testing.T) {
	c := config(sqlite(t))
	c.PublicURL, c.Hosts = "https://books.example.org/", []string{"other.example"}
	api := serve(t, c, countries())
	api.with("Host", "evil.example").get("/api/").is(200).says(`"https://books.example.org/api/countries/"`).lacks("evil")
	api.with("Host", "evil.example").get("/nowhere").is(404).says(`"type":"https://books.example.org/api/errors/not_found"`)
}

// TestHosts: without a public URL links follow the request's Host, which must
// be one of those the program names.
func TestHosts(t *testing.T) {
	c := config(sqlite(t))
	c.Hosts = []string{"books.example.org", "127.0.0.1", "[::1]"}
	api := serve(t, c, countries())
	for _, host := range []string{"books.example.org", "books.example.org:8080", "BOOKS.example.ORG", "[::1]:80", "[::1]", "127.0.0.1"} {
		api.with("Host", host).get("/api/").is(200).says(`"http://` + host + `/api/countries/"`)
	}
	for _, host := range []string{"evil.example", "books.example.org.evil.example", "evil.example:80", "sub.books.example.org", "127.0.0.2", "books.example.org:443,evil.example", "books.example.org:1;evil"} {
		for _, path := range []string{"/api/", "/api/countries/", "/nowhere", "/api/errors/not_found"} {
			api.with("Host", host).get(path).refuses(400, "invalid_host")
		}
	}
	api.get("/api/errors/invalid_host").is(200)
}

// TestHeaders that every answer has.
func TestHeaders(t *testing.T) {
	api := serve(t, config(sqlite(t)), shelves()...)
	for _, path := range []string{"/api/", "/api/books/", "/nowhere"} {
		for _, caller := range []string{"", "ada"} {
			a := api.as(caller).with("X-Request-Id", "mine").get(path)
			id, err := uuid.Parse(a.header.Get("X-Request-Id"))
			if err != nil || id.Version() != 7 {
				a.failf("the request id %q is not the server's own", a.header.Get("X-Request-Id"))
			}
			if a.status >= 400 && a.problem().Instance != "urn:uuid:"+id.String() {
				a.failf("the instance is not urn:uuid: and the request's id")
			}
			a.head("X-Content-Type-Options", "nosniff").head("Cache-Control", "no-store")
		}
	}
}

// TestGuards protect a prefix before anything is routed, however it is spelt.
func TestGuards(t *testing.T) {
	c := config(sqlite(t))
	c.Guards = []framework.Guard{{Under: "admin", Permission: framework.Staff()}}
	v, open := countries(), countries()
	v.Under, v.Permission = "admin", framework.Anyone()
	open.Name, open.Permission = "administrators", framework.Anyone()
	api := serve(t, c, v, open)
	for _, path := range []string{
		"/api/admin", "/api/admin/", "/api/admin/countries/", "/api/admin/nowhere", "/api/admin/countries/" + missing,
		"/api//admin/countries/", "/api/./admin/countries/", "/api/x/../admin/countries/", "//api/admin/countries/",
		"/api/%61dmin/countries/", "/api/%2561dmin/countries/", "/api/ADMIN/countries/", "/API/admin/countries/",
		"/api/admin%2fcountries/", "/api%2fadmin/countries/", "/api/admin;x=1/countries/", "/api/admin%5ccountries/",
		"/api/admin/..;/admin/countries", "/api/%2e/admin/countries/",
	} {
		for _, method := range []string{"GET", "POST", "DELETE", "OPTIONS", "HEAD", "TRACE"} {
			raw := api.as("")
			raw.do(method, path, nil).is(401)
			raw.as("ada").do(method, path, nil).is(403)
			if got := raw.as("nobody").do(method, path, nil).is(401); method == "GET" {
				got.refuses(401, "invalid_token").head("WWW-Authenticate", `Name realm="library"`)
			}
		}
		if got := api.as("eve").get(path); got.status == 401 || got.status == 403 {
			got.failf("the guard lets staff pass")
		}
	}
	api.as("eve").get("/api/admin/countries/").is(200)
	api.as("eve").get("/api/admin/nowhere").refuses(404, "not_found")
	for _, path := range []string{"/api/administrators/", "/api/", "/admin/", "/api/errors/not_found"} {
		if got := api.get(path); got.status == 401 || got.status == 403 {
			got.failf("the guard is about /api/admin alone")
		}
	}
}

// TestUnknownPaths are 404 in the API's shape.
func TestUnknownPaths(t *testing.T) {
	api := serve(t, config(sqlite(t)), shelves()...)
	for _, path := range []string{"/api/x", "/api/books/" + missing + "/lend/", "/apibooks/", "/api/books/" + missing + "/x/y", "/favicon.ico", "/api/errors/nothing", "/api/errors//", "/api/errors/not_found/x", "/api/Books/"} {
		for _, method := range []string{"GET", "POST", "DELETE", "OPTIONS", "MADEUP"} {
			api.as("ada").do(method, path, nil).refuses(404, "not_found").lacks("echo", "message")
		}
	}
}

// TestMethodOverride: no header turns one method into another.
func TestMethodOverride(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := serve(t, config(db), shelves()...).as("ada")
		id := ada.post("/api/books/", fields{"title": "Emma"}).is(201).id()
		ada.with("X-HTTP-Method-Override", "DELETE").post("/api/books/"+id+"/?_method=DELETE", fields{}).refuses(405, "method_not_allowed")
		ada.with("X-Original-URL", "/api/authors/").with("X-Rewrite-URL", "/api/authors/").get("/api/books/" + id + "/").is(200).says(id)
	})
}

// TestIgnored: one header lists the names that had no effect, and no client can break out
// of it.
func TestIgnored(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := serve(t, config(db), shelves()...).as("ada")
		id := ada.post("/api/books/", fields{"title": "Emma"}).is(201).head("Trestle-Ignored", "").id()
		many := make([]string, 40)
		for i := range many {
			many[i] = "zz" + string(rune('a'+i/10)) + string(rune('a'+i%10)) + "=1"
		}
		for _, c := range []struct{ name, method, path, body, want string }{
			{"an unknown parameter", "GET", "/api/books/?colour=red", "", "colour"},
			{"an unknown parameter with its nearest name", "GET", "/api/books/?serach=x&stauts=out", "", "serach; did you mean search?, stauts; did you mean status?"},
			{"given twice, an unknown parameter is told once", "GET", "/api/books/?colour=red&colour=blue", "", "colour"},
			{"an empty unknown parameter is told as well", "GET", "/api/books/?colour=", "", "colour"},
			{"a parameter of the list on one row", "GET", "/api/books/" + id + "/?search=x", "", "search"},
			{"a parameter of a write", "PATCH", "/api/books/" + id + "/?dry_run=1", "{}", "dry_run"},
			{"an ordering term", "GET", "/api/books/?ordering=-titel,notes", "", "ordering=-titel; did you mean -title?, ordering=notes"},
			{"an unknown field", "PATCH", "/api/books/" + id + "/", `{"titel":"x","colour":{"a":1}}`, "/titel; did you mean /title?, /colour"},
			{"a read-only field that differs", "PATCH", "/api/books/" + id + "/", `{"id":"x"}`, "/id"},
			{"line breaks", "GET", "/api/books/?a%0d%0aSet-Cookie:%20x=1", "", "a%0D%0ASet-Cookie:%20x"},
			{"line breaks in a field", "PATCH", "/api/books/" + id + "/", `{"a\r\nSet-Cookie: x":1}`, "/a%0D%0ASet-Cookie:%20x"},
			{"what the header's own syntax uses", "GET", `/api/books/?a,b%3Bc%22d%3Fe%25f=1`, "", "a%2Cb%3Bc%22d%3Fe%25f"},
			{"letters that are not ASCII", "PATCH", "/api/books/" + id + "/", `{"né":1}`, "/n%C3%A9"},
			{"a long name is cut", "GET", "/api/books/?" + strings.Repeat("x", 100) + "=1", "", strings.Repeat("x", 64) + "..."},
			{"many names are cut", "GET", "/api/books/?" + strings.Join(many, "&"), "", strings.ReplaceAll(strings.Join(many[:16], ", "), "=1", "") + ", ..."},
		} {
			t.Run(c.name, func(t *testing.T) {
				var body any
				if c.body != "" {
					body = c.body
				}
				a := ada.in(t).do(c.method, c.path, body).is(200).head("Trestle-Ignored", c.want)
				if len(a.header["Trestle-Ignored"]) != 1 || a.header.Get("Set-Cookie") != "" {
					a.failf("want one header and no cookie: %v", a.header)
				}
			})
		}
	})
}

// TestRequestLine: a query string with forbidden content is rejected.
func TestRequestLine(t *testing.T) {
	api := serve(t, config(sqlite(t)), shelves()...).as("ada")
	for _, c := range []struct {
		name, query string
		status      int
		code        string
	}{
		{"a semicolon", "a=1;b=2", 400, "invalid_parameter"},
		{"half an escape", "search=%4", 400, "invalid_parameter"},
		{"an escape that is none", "search=%zz", 400, "invalid_parameter"},
		{"a NUL", "search=%00", 400, "invalid_parameter"},
		{"a NUL in a name", "sea%00rch=1", 400, "invalid_parameter"},
		{"no UTF-8", "search=%ff", 400, "invalid_parameter"},
		{"a surrogate", "search=%ed%a0%80", 400, "invalid_parameter"},
		{"too many parameters", strings.Repeat("x=1&", 101), 400, "invalid_parameter"},
		{"as many as may be", strings.Repeat("x=1&", 100), 200, ""},
		{"too long", "x=" + strings.Repeat("a", 9000), 414, "uri_too_long"},
		{"a known parameter twice", "search=a&search=b", 400, "invalid_parameter"},
		{"a known parameter twice and empty", "search=&search=", 400, "invalid_parameter"},
		{"a known parameter empty", "search=&min_pages=&status=%20&page=", 200, ""},
		{"an ampersand too many", "&&search=a&", 200, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := api.in(t).get("/api/books/?" + c.query)
			if c.code == "" {
				a.is(c.status)
				return
			}
			a.refuses(c.status, c.code)
		})
	}
	t.Run("every fault at once", func(t *testing.T) {
		a := api.in(t).get("/api/books/?min_pages=x&status=burnt&author=y").refuses(400, "invalid_parameter")
		api.in(t).get("/api/books/?" + strings.Repeat("x=1&", 101)).says("it has 101 parameters; at most 100 are read")
		a.fault("min_pages", "invalid_parameter").fault("status", "invalid_parameter").fault("author", "invalid_parameter").
			says("must be a whole number", "must be one of draft, out, lost")
	})
}

// TestNoBody: an answer without a body has none of its headers either.
func TestNoBody(t *testing.T) {
	v := countries()
	v.Collection = []framework.CollectionAction{framework.OnCollection(http.MethodPost, "summary", summary)}
	a := serve(t, config(sqlite(t)), v).as("ada").post("/api/countries/summary/", nil).is(204)
	if a.body != "" || a.header.Get("Content-Type") != "" {
		a.failf("204 has no body")
	}
}
