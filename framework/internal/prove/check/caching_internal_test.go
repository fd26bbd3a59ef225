package check

import (
	"net/http"
	"testing"
	"time"

	"trestle.example/framework/internal/prove/exchange"
)

// TestIsShared checks which answers to requests with credentials a shared cache may pass on to others, although they are not public.
func TestIsShared(t *testing.T) {
	token, cookie := http.Header{"Authorization": {"Bearer x"}}, http.Header{"Cookie": {"session=x"}}
	const cc, surrogate, cdn = "Cache-Control", "Surrogate-Control", "Example-Cdn-Cache-Control"
	for _, c := range []struct {
		what    string
		request http.Header
		name    string
		control string
		vary    string
		want    bool
	}{
		{"an answer to a token with a time for shared caches", token, surrogate, "max-age=60", "", true},
		{"an answer to a token with a time for the caches of one network", token, cdn, "max-age=60", "", true},
		{"an answer that the caches of one network do not keep", token, cdn, "no-store", "", false},
		{"an answer for one token with a time for shared caches", token, surrogate, "max-age=60", "Authorization", false},
		{"an answer that varies by a longer name than that of the cookie", cookie, cc, "max-age=60", "Cookie-Consent", true},
		{"a fresh answer to a token", token, cc, "max-age=60", "", false},
		{"a fresh answer to a cookie", cookie, cc, "max-age=60", "", true},
		{"a fresh answer to a token that must be revalidated when stale", token, cc, "max-age=60, must-revalidate", "", true},
		{"capital letters", token, cc, "Max-Age=60, Must-Revalidate", "", true},
		{"an answer that is stale at once", token, cc, "max-age=0, must-revalidate", "", false},
		{"a private answer", cookie, cc, "private, max-age=60", "", false},
		{"an answer that is validated before each use", cookie, cc, "no-cache, max-age=60", "", false},
		{"an answer that is not stored", cookie, cc, "no-store", "", false},
		{"an answer for one cookie", cookie, cc, "max-age=60", "Accept, cookie", false},
		{"an answer for one token", token, cc, "max-age=60, must-revalidate", "Authorization", false},
		{"an answer that varies by everything", cookie, cc, "max-age=60", "*", false},
		{"no policy", cookie, cc, "", "", false},
		{"an answer of which only a cookie is private", cookie, cc, `private="set-cookie", max-age=60`, "", true},
		{"an answer that is private, and whose cookie is validated", cookie, cc, `no-cache="set-cookie", private, max-age=60`, "", false},
	} {
		got := &exchange.Answer{Request: exchange.Request{By: &exchange.Person{Header: c.request}}, Header: http.Header{"Vary": {c.vary}}}
		if is := isShared(got, c.name, c.control, ""); is != c.want {
			t.Errorf("%s is shared: %t", c.what, is)
		}
	}
	later := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	for _, c := range []struct {
		header           http.Header
		control, expires string
		want             bool
	}{{cookie, "", later, true}, {token, "", later, false}, {cookie, "private", later, false}, {cookie, "", "0", false}} {
		if is := isShared(&exchange.Answer{Request: exchange.Request{By: &exchange.Person{Header: c.header}}}, cc, c.control, c.expires); is != c.want {
			t.Errorf("with Expires %q and Cache-Control %q it is shared: %t", c.expires, c.control, is)
		}
	}
}
