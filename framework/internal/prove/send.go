package prove

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// answerTimeout limits how long an answer may take. A stream that goes on is cut off then.
const answerTimeout = 10 * time.Second

// A request is one request of a proof.
type request struct {
	method, path, query string
	header              http.Header
	body                []byte
	by                  *person
}

// An answer is what the server sent.
type answer struct {
	request

	status int
	header http.Header
	text   string
}

// send sends a request, and counts its answer.
func (p *prover) send(e *endpoint, r request) *answer {
	ctx, cancel := context.WithTimeout(p.ctx, answerTimeout)
	defer cancel()
	var body io.Reader = http.NoBody
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, "http://"+host+r.path, body)
	if err != nil {
		return &answer{request: r, text: err.Error()}
	}
	sent.URL.RawQuery = r.query
	sent.RequestURI, sent.RemoteAddr = sent.URL.RequestURI(), "192.0.2.1:4711" // an address of documentation, RFC 5737
	if r.body != nil && r.header.Get("Content-Type") == "" {
		sent.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(sent.Header, r.by.header)
	maps.Copy(sent.Header, r.header)
	to := &recorder{header: http.Header{}}
	p.Handler.ServeHTTP(to, sent)
	p.report.Requests++
	if r.method != http.MethodGet && r.method != http.MethodHead && r.method != http.MethodOptions {
		p.now = nil
	}
	got := &answer{r, to.status, to.sent, to.body.String()}
	if e != nil && r.method == e.info.Method {
		e.tried.Cells[r.by.at].Statuses[got.status]++
	}
	return got
}

// host is the host of the requests: a loopback address, which every API accepts.
const host = "localhost"

// A recorder keeps an answer.
type recorder struct {
	header, sent http.Header
	status       int
	body         bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= http.StatusOK {
		r.status, r.sent = status, r.header.Clone()
	}
}

func (r *recorder) Write(text []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(text)
}

// Flush lets a stream send its parts.
func (r *recorder) Flush() { r.WriteHeader(http.StatusOK) }

// ok reports a success.
func (a *answer) ok() bool { return a.status >= http.StatusOK && a.status < http.StatusMultipleChoices }

// rejects reports whether the answer is 401 or 403.
func (a *answer) rejects() bool {
	return a.status == http.StatusUnauthorized || a.status == http.StatusForbidden
}

// value is the body, read as JSON; nil for any other.
func (a *answer) value() any {
	var value any
	d := json.NewDecoder(strings.NewReader(a.text))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return nil
	}
	return value
}

// curl returns a line for a POSIX shell that repeats the request, with its credentials in the
// variable CREDENTIALS.
func (r request) curl() string {
	line := []string{"curl", "-i", "-X", r.method}
	if len(r.by.header) > 0 {
		line = append(line, "-H", `"$CREDENTIALS"`)
	}
	if r.body != nil {
		line = append(line, "-H", "'Content-Type: application/json'", "--data-binary", quote(string(r.body)))
	}
	for _, name := range slices.Sorted(maps.Keys(r.header)) {
		line = append(line, "-H", quote(name+": "+r.header.Get(name)))
	}
	at := url.URL{Scheme: "http", Host: host, Path: r.path, RawQuery: r.query}
	return strings.Join(append(line, quote(at.String())), " ")
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// changing are headers that differ between two answers to the same request.
var changing = []string{"Date", "X-Request-Id", "Traceparent", "Server-Timing"}

// plain returns an answer without what no two answers have in common. The texts in masked, such
// as the key that a path names, count as equal.
func (a *answer) plain(masked ...string) string {
	var text strings.Builder
	text.WriteString(http.StatusText(a.status))
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		if !slices.Contains(changing, name) && !strings.HasPrefix(name, "Ratelimit") {
			text.WriteString("\n" + name + ": " + strings.Join(a.header[name], ", "))
		}
	}
	whole := text.String() + "\n\n" + a.text
	for i, one := range append(masked, a.header.Get("X-Request-Id")) {
		if one == "" {
			continue
		}
		for _, form := range []string{one, url.PathEscape(one), url.QueryEscape(one)} {
			whole = strings.ReplaceAll(whole, form, "<"+string(rune('A'+min(i, len(masked))))+">")
		}
	}
	return whole
}
