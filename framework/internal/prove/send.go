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
	"unicode/utf8"

	"trestle.example/framework/internal/fault"
	"trestle.example/framework/query"
)

// answerTimeout limits how long an answer may take. A stream that goes on is cut off then. The next
// answers of its endpoint are cut off after streamTimeout.
const (
	answerTimeout = 5 * time.Second
	streamTimeout = 300 * time.Millisecond
)

// A request is one request of a proof.
type request struct {
	method, path, query string
	header              http.Header
	body                []byte
	by                  *person
	small               bool // pages of lists have one row
}

// smallPages are the pages of a list, which have one row for some requests of a proof.
type smallPages struct {
	query.Pagination

	small *bool
}

// Window implements [query.Pagination].
func (s smallPages) Window(v query.Values) (query.Window, error) {
	w, err := s.Pagination.Window(v)
	if *s.small {
		w.Limit = min(w.Limit, 1)
	}
	return w, err
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
	timeout := answerTimeout
	if e.endless {
		timeout = streamTimeout
	}
	ctx, cancel := context.WithTimeout(p.ctx, timeout)
	defer cancel()
	var body io.Reader = http.NoBody
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, "http://"+host+r.path, body)
	if err != nil {
		p.stop(err)
		return &answer{request: r}
	}
	sent.URL.RawQuery = r.query
	sent.RequestURI, sent.RemoteAddr = sent.URL.RequestURI(), "192.0.2.1:4711" // an address of documentation, RFC 5737
	if r.body != nil && r.header.Get("Content-Type") == "" {
		sent.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(sent.Header, r.by.header)
	maps.Copy(sent.Header, r.header)
	to := &recorder{header: http.Header{}}
	p.small = r.small
	p.serve(to, sent)
	p.report.Requests++
	e.endless = e.endless || ctx.Err() != nil
	if e.mayChange(r.method) {
		p.now = nil
		p.settled()
	}
	if r.method == e.info.Method {
		e.tried.Cells[r.by.at].Statuses[to.status]++
	}
	return &answer{r, to.status, to.sent, to.body.String()}
}

// serve runs the handler as a server does: a handler that writes nothing answers 200, and one that
// closes the connection has no status.
func (p *prover) serve(to *recorder, sent *http.Request) {
	defer func() {
		if failure := recover(); failure != nil && !fault.IsAbort(failure) {
			panic(failure)
		}
	}()
	p.Handler.ServeHTTP(to, sent)
	to.WriteHeader(http.StatusOK)
}

// settled waits for the functions after a commit, which may change the database too. One that goes on
// is not waited for.
func (p *prover) settled() {
	ctx, cancel := context.WithTimeout(p.ctx, answerTimeout)
	defer cancel()
	_ = p.registry.After.Wait(ctx)
}

// mayChange reports whether a request may change the database: by its method, or because a function
// of the program answers it.
func (e *endpoint) mayChange(method string) bool {
	switch method {
	case http.MethodOptions:
		return false
	case http.MethodGet, http.MethodHead:
		return !e.declared() && !e.spec.Root
	}
	return true
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
	if r.method == http.MethodHead {
		line = []string{"curl", "--head"} // with -X HEAD, curl waits for a body
	}
	if len(r.by.header) > 0 {
		line = append(line, "-H", `"$CREDENTIALS"`)
	}
	if r.body != nil {
		if r.header.Get("Content-Type") == "" {
			line = append(line, "-H", "'Content-Type: application/json'")
		}
		body := quote(clip(string(r.body)))
		if !utf8.Valid(r.body) {
			body = "@FILE"
		}
		line = append(line, "--data-binary", body)
	}
	for _, name := range slices.Sorted(maps.Keys(r.header)) {
		line = append(line, "-H", quote(name+": "+r.header.Get(name)))
	}
	at := "http://" + host + r.path
	if r.query != "" {
		at += "?" + r.query
	}
	line = append(line, quote(at))
	if r.small {
		line = append(line, "# if pages have one row")
	}
	return strings.Join(line, " ")
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// changing are headers that differ between two answers to the same request.
// Content-Length depends on the length of a key that a body repeats; the body itself is compared.
var changing = []string{"Content-Length", "Date", "X-Request-Id", "Traceparent", "Server-Timing"}

// plain returns an answer without what no two answers have in common. The texts in masked, such
// as the key that a path names and that of no row, count as equal.
func (a *answer) plain(masked ...string) string {
	var text strings.Builder
	text.WriteString(http.StatusText(a.status))
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		if !slices.Contains(changing, name) && !strings.HasPrefix(name, "Ratelimit") {
			text.WriteString("\n" + name + ": " + strings.Join(a.header[name], ", "))
		}
	}
	whole := text.String() + "\n\n" + a.text
	longest := func(a, b string) int { return len(b) - len(a) }
	for _, one := range slices.SortedStableFunc(slices.Values(masked), longest) {
		for _, form := range []string{one, url.PathEscape(one), url.QueryEscape(one)} {
			whole = mask(whole, form, "<key>")
		}
	}
	return mask(whole, a.header.Get("X-Request-Id"), "<request>")
}

// mask replaces a word in a text. In a longer word it stays: the key 4 is not masked in 404.
func mask(text, word, with string) string {
	if word == "" {
		return text
	}
	var masked strings.Builder
	done := 0 // of the text
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return masked.String() + text[done:]
		}
		at, from = from+at, from+at+1
		end := at + len(word)
		if at > 0 && wordy(text[at-1]) && wordy(word[0]) || end < len(text) && wordy(text[end]) && wordy(word[len(word)-1]) {
			continue
		}
		masked.WriteString(text[done:at] + with)
		done, from = end, end
	}
}

// wordy reports whether a byte is part of a word.
func wordy(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
