package framework_test

import (
	"encoding/json"
	"strings"
	"testing"

	"trestle.example/framework"
)

// signing are countries with an endpoint that gives credentials.
func signing() framework.ViewSet[Country] {
	v := countries()
	v.Collection = []framework.CollectionAction{
		framework.OnCollection("POST", "enter", func(*framework.Call, framework.None) (string, error) { return "token", nil }).
			Authenticate().Permit(framework.Anyone()).SignsIn(),
		framework.OnCollection("POST", "enter-too", func(*framework.Call, framework.None) (string, error) { return "token", nil }).
			Authenticate().Permit(framework.Anyone()).SignsIn(),
		framework.OnCollection("POST", "fail", func(*framework.Call, framework.None) (string, error) {
			return "", framework.Refuse(401, "wrong_password", "It is wrong.")
		}).Authenticate().Permit(framework.Anyone()).Refuses("wrong_password"),
	}
	return v
}

// TestWhereToSignIn: a 401 that credentials would help names the endpoint that
// gives them, to people and to programs, and never by the host of the request.
func TestWhereToSignIn(t *testing.T) {
	for _, c := range []struct {
		about, public, prefix string
		v                     framework.ViewSet[Country]
		want                  string // "" for nothing
	}{
		{"a path", "", "", signing(), "/api/countries/enter/"},
		{"below a prefix", "", "/v1", signing(), "/v1/countries/enter/"},
		{"with a public URL", "https://api.example.org", "", signing(), "https://api.example.org/api/countries/enter/"},
		{"no such endpoint", "", "", countries(), ""},
	} {
		t.Run(c.about, func(t *testing.T) {
			settings := config(sqlite(t))
			settings.PublicURL, settings.Prefix = c.public, c.prefix
			settings.Guards = []framework.Guard{{Under: "guarded", Permission: framework.Staff()}}
			settings.Codes = []framework.CodeInfo{{Code: "wrong_password", Status: 401, Title: "Wrong", Text: "It is wrong."}}
			api := serve(t, settings, c.v)
			root := c.prefix
			if root == "" {
				root = "/api"
			}
			for about, got := range map[string]*answer{
				"no credentials":          api.with("Host", "evil.example").get(root+"/countries/").refuses(401, "authentication_required"),
				"no credentials, a guard": api.get(root+"/guarded/").refuses(401, "authentication_required"),
				"no credentials, 405":     api.do("PROPFIND", root+"/countries/", nil).refuses(401, "authentication_required"),
				"wrong credentials":       api.with("Authorization", "Nonsense x").get(root+"/countries/").refuses(401, "invalid_token"),
			} {
				var p struct {
					Detail  string
					Details map[string]string
				}
				if err := json.Unmarshal([]byte(got.body), &p); err != nil {
					t.Fatal(err)
				}
				if p.Details["signIn"] != c.want || strings.Contains(p.Detail, " Sign in by POST "+c.want+".") != (c.want != "") {
					t.Errorf("%s: it says %q and %v; want %q", about, p.Detail, p.Details, c.want)
				}
			}
			if c.want != "" {
				api.post(root+"/countries/fail/", nil).refuses(401, "wrong_password").lacks("signIn", "Sign in by")
			}
		})
	}
}

// TestWhatIsForbiddenNamesThePermission: a 403 names what the permission of the endpoint or the
// guard requires, unless the API has no OpenAPI document.
func TestWhatIsForbiddenNamesThePermission(t *testing.T) {
	const plain = "You are signed in but have no permission to do this."
	needs := func(what string) string { return strings.TrimSuffix(plain, ".") + "; " + what + "." }
	nothing := func(*framework.Call, framework.None) (framework.None, error) {
		return framework.None{}, framework.Forbidden()
	}
	v := countries()
	v.Permission = framework.PerModel("countries")
	v.Collection = []framework.CollectionAction{
		framework.OnCollection("POST", "merge", nothing).Permit(framework.Holds("countries.merge")),
		framework.OnCollection("POST", "audit", nothing).Permit(framework.Staff()),
		framework.OnCollection("POST", "either", nothing).Permit(framework.Any(framework.Staff(), framework.Holds("countries.merge"))),
		framework.OnCollection("POST", "never", nothing).Permit(framework.Any()),
		framework.OnCollection("POST", "own", nothing).Permit(framework.Authenticated()),
	}
	for _, undocumented := range []bool{false, true} {
		c := config(sqlite(t))
		c.Undocumented = undocumented
		c.Guards = []framework.Guard{{Under: "manage", Permission: framework.Staff()}}
		ada := serve(t, c, v).as("ada")
		for path, want := range map[string]string{
			"POST /api/countries/":                   needs(`it needs the permission "countries.add"`),
			"DELETE /api/countries/" + missing + "/": needs(`it needs the permission "countries.delete"`),
			"POST /api/countries/merge/":             needs(`it needs the permission "countries.merge"`),
			"POST /api/countries/audit/":             needs("it is for staff"),
			"POST /api/countries/either/":            needs("it is for staff"),
			"POST /api/countries/never/":             needs(`it needs the permission "nobody"`),
			"POST /api/countries/own/":               plain,                    // its function returns the error
			"GET /api/manage/anything/":              needs("it is for staff"), // a guard also covers paths that do not exist
		} {
			if undocumented {
				want = plain
			}
			method, at, _ := strings.Cut(path, " ")
			got := ada.do(method, at, fields{"name": "x"}).refuses(403, "forbidden")
			var p struct{ Detail string }
			if err := json.Unmarshal([]byte(got.body), &p); err != nil || p.Detail != want {
				t.Errorf("%s, undocumented %t: it says %q; want %q", path, undocumented, p.Detail, want)
			}
		}
	}
}
