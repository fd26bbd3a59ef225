package exchange

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"trestle.example/framework/internal/prove/sample"
)

// A Request is one request of a proof.
type Request struct {
	Method, Path, Query string
	Header              http.Header
	Body                []byte
	By                  *Person
	Small               bool // pages of lists have one row
}

// Sent is the text of the path, the query and the body.
func (r Request) Sent() string { return r.Path + " " + r.Query + " " + string(r.Body) }

// HasCredentials reports whether the request has headers that identify a caller.
func (r Request) HasCredentials() bool { return len(r.By.Header) > 0 || r.By.Caller != nil }

// Has reports whether the path, the query or the body has a text, which may be escaped there.
func (r Request) Has(text string) bool {
	return slices.ContainsFunc(forms(text), func(form string) bool { return strings.Contains(r.Sent(), form) })
}

// forms lists a text as it may be in a request or an answer.
func forms(text string) []string {
	return append(sample.Escaped(text), text, url.PathEscape(text), url.QueryEscape(text))
}

// longestBody is the length of a body, in bytes, that a line of curl repeats. A longer one is in a file.
const longestBody = 4000

// host is the host of the requests: a loopback address, which every API accepts.
const host = "localhost"

// Curl returns a line for a POSIX shell that repeats the request, with its credentials in the
// variable CREDENTIALS.
func (r Request) Curl() string {
	line := []string{"curl", "-i", "-X", r.Method}
	if r.Method == http.MethodHead {
		line = []string{"curl", "--head"} // with -X HEAD, curl waits for a body
	}
	if len(r.By.Header) > 0 {
		line = append(line, "-H", `"$CREDENTIALS"`)
	}
	if r.Body != nil {
		if r.Header.Get("Content-Type") == "" {
			line = append(line, "-H", "'Content-Type: application/json'")
		}
		body := sample.Quote(string(r.Body))
		if !utf8.Valid(r.Body) || len(r.Body) > longestBody {
			body = "@FILE"
		}
		line = append(line, "--data-binary", body)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		line = append(line, "-H", sample.Quote(name+": "+r.Header.Get(name)))
	}
	at := "http://" + host + r.Path
	if r.Query != "" {
		at += "?" + r.Query
	}
	line = append(line, sample.Quote(at))
	if r.Small {
		line = append(line, "# if pages have one row")
	}
	return strings.Join(line, " ")
}
