package framework_test

import (
	"testing"

	"trestle.example/framework"
)

// TestPercentEncodedPaths: percent-encoded unreserved characters are the
// characters themselves (RFC 3986, section 6.2.2.2). What else is encoded is part
// of its segment: it separates nothing, ends nothing, and passes no guard.
func TestPercentEncodedPaths(t *testing.T) {
	c := config(sqlite(t))
	c.Guards = []framework.Guard{{Under: "admin", Permission: framework.Staff()}}
	open, guarded := countries(), countries()
	open.Permission, guarded.Permission, guarded.Under = framework.Anyone(), framework.Anyone(), "admin"
	guarded.Collection = []framework.CollectionAction{framework.OnCollection("GET", "sum_up", summary)}
	api := serve(t, c, open, guarded)
	id := api.as("eve").post("/api/countries/", fields{"name": "Chile"}).is(201).id()
	for _, test := range []struct {
		about, target string
		status        int
	}{
		{"as it is", "/api/countries/", 200},
		{"a letter", "/api/%63ountries/", 200},
		{"a letter, in a capital digit", "/api/c%6Funtries/", 200},
		{"a letter, in a small digit", "/api/c%6funtries/", 200},
		{"every letter", "/%61%70%69/%63%6f%75%6e%74%72%69%65%73", 200},
		{"with a query", "/api/%63ountries/?name=Chile", 200},
		{"a letter of the prefix", "/%61pi/", 200},
		{"a letter of a row's id", "/api/countries/%" + hexOf(id[0]) + id[1:] + "/", 200},
		{"the hyphen of a row's id", "/api/countries/" + id[:8] + "%2D" + id[9:] + "/", 200},
		{"the dot of a file", "/api/openapi%2ejson", 200},
		{"a letter of a page of codes", "/api/errors/not%5Ffound", 200},
		{"a letter of the pages of codes", "/api/%65rrors/not_found", 200},
		{"a capital, which is another letter", "/api/%43ountries/", 404},
		{"a letter encoded twice", "/api/%2563ountries/", 404},
		{"a slash", "/api%2fcountries/", 404},
		{"a slash before a row", "/api/countries%2F" + id, 404},
		{"a backslash", "/api%5ccountries/", 404},
		{"a dot segment", "/api/%2e/countries/", 404},
		{"two dots", "/api/x/%2e%2e/countries/", 404},
		{"two dots, one of them encoded", "/api/x/.%2e/countries/", 404},
		{"two dots and a slash", "/api/x%2f%2e%2e%2fcountries/", 404},
		{"two dots as they are", "/api/x/../countries/", 404},
		{"two dots for a row", "/api/countries/%2e%2e/", 404},
		{"a semicolon", "/api/countries%3bx/", 404},
		{"a NUL", "/api/countries%00/", 404},
		{"a question mark", "/api/countries%3Fname=x", 404},
		{"a broken byte", "/api/%ffcountries/", 404},
		{"the guard as it is", "/api/admin/countries/", 401},
		{"a letter of the guard", "/api/%61dmin/countries/", 401},
		{"a letter behind the guard", "/api/admin/%63ountries/", 401},
		{"an underscore behind the guard", "/api/admin/countries/sum%5fup/", 401},
		{"the prefix of the guard", "/%61pi/admin/countries/", 401},
		{"every letter of the guard", "/%61%70%69/%61%64%6d%69%6e/", 401},
		{"a capital of the guard", "/api/%41dmin/countries/", 401},
		{"a letter of the guard encoded twice", "/api/%2561dmin/countries/", 401},
		{"a slash behind the guard", "/api/admin%2fcountries/", 401},
		{"a slash before the guard", "/api%2fadmin/countries/", 401},
		{"two dots out of the guard", "/api/admin/%2e%2e/countries/", 401},
		{"two dots and a slash out of the guard", "/api/admin/..%2fcountries/", 401},
		{"two dots into the guard", "/api/x/%2e%2e/admin/countries/", 401},
	} {
		t.Run(test.about, func(t *testing.T) {
			if got := sentAsIs(t, api, "GET", test.target); got != test.status {
				t.Errorf("GET %s is answered with %d; want %d", test.target, got, test.status)
			}
		})
	}
	for target, want := range map[string]int{"/api/%61dmin/countries/": 200, "/api/admin/%63ountries/sum%5fup/": 204, "/api/admin%2fcountries/": 404, "/api/admin/%2e%2e/countries/": 404} {
		api.as("eve").get(target).is(want)
	}
}

// hexOf is a byte in two digits.
func hexOf(b byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[b>>4], digits[b&15]})
}
