package catalogue

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// TestWhatIsAnImageURL: an address that pages may put where pictures are.
func TestWhatIsAnImageURL(t *testing.T) {
	for _, good := range []string{
		"https://img.example/a.png", "https://img.example", "https://IMG-2.example.org:8443/a/b.webp?w=1&h=2#top", "https://a:1/x", "https://a:65535/x",
		"https://192.0.2.7/a.png", "https://[2001:db8::1]:443/a.png", "https://localhost/a", "https://xn--p1b.example/a%20b.png", "https://img.example/चित्र.png", "https://img.example/a'b(c)",
	} {
		var u ImageURL
		if err := u.UnmarshalText([]byte(good)); err != nil || string(u) != good {
			t.Errorf("%s: %v", good, err)
		}
	}
	for about, bad := range map[string]string{
		"nothing":                         "",
		"no scheme":                       "img.example/a.png",
		"a scheme without encryption":     "http://img.example/a.png",
		"a script":                        "javascript:alert(1)",
		"no host":                         "https:///a.png",
		"no slashes":                      "https:img.example/a.png",
		"a user":                          "https://me@img.example/a.png",
		"a quote in the host":             `https://a"b/`,
		"a quote in the path":             `https://a/b"c`,
		"a tag":                           "https://a/<script>",
		"the end of a tag":                "https://a/b>",
		"a tag in the query":              "https://a/?q=<b",
		"a tag in the fragment":           "https://a/#<b",
		"a backquote":                     "https://a/`b",
		"a space":                         "https://a/b c",
		"a backslash":                     `https://a\b/`,
		"a line":                          "https://a/b\nc",
		"an override":                     "https://a/\u202eb",
		"a port that there is not":        "https://a:99999/x",
		"port 0":                          "https://a:0/x",
		"a port that is empty":            "https://a:/x",
		"a port that is text":             "https://a:b/x",
		"a sub-delimiter in the host":     "https://a'b/",
		"an escape in the host":           "https://a%22b/",
		"an underscore in the host":       "https://a_b/",
		"a label that begins with -":      "https://-a.example/",
		"a label that ends with -":        "https://a-.example/",
		"a label that is empty":           "https://a..example/",
		"a host in another script":        "https://चित्र.example/",
		"an address of IPv6 with a zone":  "https://[fe80::1%25eth0]/a",
		"brackets without an IP address":  "https://[a]/",
		"one byte more than there may be": "https://a/" + strings.Repeat("a", 2039),
	} {
		var u ImageURL
		if err := u.UnmarshalText([]byte(bad)); err == nil || u != "" {
			t.Errorf("%s: %s is taken", about, bad)
		}
	}
}

// TestImagePatternAllowsWhatIsRead: the pattern of the OpenAPI document matches every
// accepted address. The scheme of a URL may have capitals.
func TestImagePatternAllowsWhatIsRead(t *testing.T) {
	schema, err := ImageURL("").JSONSchemaBytes()
	if err != nil {
		t.Fatal(err)
	}
	var read struct{ Pattern string }
	if err := json.Unmarshal(schema, &read); err != nil {
		t.Fatal(err)
	}
	pattern := regexp.MustCompile(read.Pattern)
	for _, address := range []string{"https://img.example/a.png", "HTTPS://img.example/a.png", "Https://IMG.example/a.png", "http://img.example/a.png", "ftp://img.example/a.png", "xhttps://img.example",
		"https://img.example/चित्र.png", "https://img.example/a\u200f", "https://img.example/a\x7f", "https://img.example/a\u009f", "https://img.example/\u200bb", "https://img.example/\u2066b\u2069"} {
		var u ImageURL
		if accepted := u.UnmarshalText([]byte(address)) == nil; pattern.MatchString(address) != accepted {
			t.Errorf("%s: the server accepts it: %v; the pattern %s matches: %v", address, accepted, pattern, !accepted)
		}
	}
}
