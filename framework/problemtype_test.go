package framework_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// typeOf is the type of a problem, and of its example in the reference.
func typeOf(t *testing.T, text string, path ...string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(path, "type") {
		value = value.(map[string]any)[name]
	}
	return value.(string)
}

// TestTypeOfAProblem: the public URL, the prefix and the page of the code, and
// never the host that a request names. The page is there, and the reference says
// the same.
func TestTypeOfAProblem(t *testing.T) {
	for _, c := range []struct {
		about, prefix, public, want string
		page                        string // where the server itself has it
	}{
		{"by default", "", "", "/api/errors/not_found", "/api/errors/not_found"},
		{"below a prefix", "/v1/shop/", "", "/v1/shop/errors/not_found", "/v1/shop/errors/not_found"},
		{"without a prefix", "/", "", "/errors/not_found", "/errors/not_found"},
		{"with a public URL", "", "https://api.example.org", "https://api.example.org/api/errors/not_found", "/api/errors/not_found"},
		{"with a public URL and a prefix", "v1", "https://api.example.org:8443/", "https://api.example.org:8443/v1/errors/not_found", "/v1/errors/not_found"},
		{"with a public URL below a path", "", "https://example.org/shop", "https://example.org/shop/api/errors/not_found", "/api/errors/not_found"},
		{"with a public URL and without a prefix", "/", "https://api.example.org", "https://api.example.org/errors/not_found", "/errors/not_found"},
	} {
		t.Run(c.about, func(t *testing.T) {
			settings := config(sqlite(t))
			settings.Prefix, settings.PublicURL = c.prefix, c.public
			api := framework.New(settings)
			api.Register(countries())
			handler, err := api.Handler()
			if err != nil {
				t.Fatal(err)
			}
			sent := frameworktest.New(t, handler)
			for _, host := range []string{"", "evil.example", "api.example.org"} {
				r := sent.With("Host", host).Get("/nowhere").Expect(http.StatusNotFound)
				if got := typeOf(t, r.Body()); got != c.want {
					t.Errorf("for the host %q the type is %q; want %q", host, got, c.want)
				}
			}
			list := strings.TrimSuffix(c.page, "not_found")
			sent.Get(c.page).Expect(http.StatusOK).Contains("<code>not_found</code>")
			sent.Get(list).Expect(http.StatusOK).Contains(`<a href="` + c.want + `"><code>not_found</code></a>`)
			sent.Get(strings.TrimSuffix(list, "/")).Expect(http.StatusOK)
			if list != "/errors/" {
				sent.Get("/errors/not_found").Expect(http.StatusNotFound)
			}
			document, err := api.Document("json")
			if err != nil {
				t.Fatal(err)
			}
			if got := typeOf(t, string(document), "components", "examples", "not_found", "value"); got != c.want {
				t.Errorf("in the reference the type is %q; want %q", got, c.want)
			}
			pages := strings.TrimSuffix(c.want, "not_found")
			if want := "[" + pages + "](" + pages + ")"; !strings.Contains(string(document), want) {
				t.Errorf("the reference does not link %s", want)
			}
		})
	}
}

// TestTwoAPIsInOneProgram: each has the pages of its own codes.
func TestTwoAPIsInOneProgram(t *testing.T) {
	mux := http.NewServeMux()
	for _, name := range []string{"books", "maps"} {
		c := config(sqlite(t))
		c.Prefix = "/" + name
		c.Codes = []framework.CodeInfo{{Code: name + "_closed", Status: http.StatusConflict, Title: "Closed", Text: "It is closed."}}
		v := countries()
		v.Permission = framework.Anyone()
		v.Collection = []framework.CollectionAction{framework.OnCollection("POST", "close", func(*framework.Call, framework.None) (framework.None, error) {
			return framework.None{}, framework.Conflict(name+"_closed", "It is closed.")
		}).Refuses(name + "_closed")}
		api := framework.New(c)
		api.Register(v)
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		mux.Handle("/"+name+"/", handler)
	}
	sent := frameworktest.New(t, mux)
	for name, other := range map[string]string{"books": "maps", "maps": "books"} {
		r := sent.Post("/"+name+"/countries/close/", nil).Expect(http.StatusConflict)
		page := typeOf(t, r.Body())
		if page != "/"+name+"/errors/"+name+"_closed" {
			t.Errorf("the type is %q", page)
		}
		sent.Get(page).Expect(http.StatusOK).Contains("It is closed.")
		sent.Get("/" + other + "/errors/" + name + "_closed").Expect(http.StatusNotFound)
	}
}

// TestTheAddressOfThePagesIsTaken: a viewset cannot be where they are.
func TestTheAddressOfThePagesIsTaken(t *testing.T) {
	for under, want := range map[string]string{"": "errors", "errors": "errors/countries"} {
		v := countries()
		if v.Under = under; under == "" {
			v.Name = "errors"
		}
		api := framework.New(config(sqlite(t)))
		api.Register(v)
		want += `: the pages of error codes are at "/api/errors/"; choose another name`
		if err := api.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the mistake is %v; want %s", err, want)
		}
	}
}

// TestAPublicURLWithAPath: a proxy takes the path off, so clients need it in the OpenAPI
// document and in a suggested path.
func TestAPublicURLWithAPath(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		settings := config(db)
		settings.PublicURL = "https://api.example.org/base/"
		api := framework.New(settings)
		api.Register(countries())
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		document, err := api.Document("json")
		if err != nil || !regexp.MustCompile(`"servers":\s*\[\s*\{\s*"url":\s*"/base"\s*\}\s*\]`).Match(document) {
			t.Errorf("the document lacks the path of the public URL: %v", err)
		}
		frameworktest.New(t, handler).Get("/api/countrie/").Expect(http.StatusNotFound).Contains("did you mean /base/api/countries/?")
	})
}
