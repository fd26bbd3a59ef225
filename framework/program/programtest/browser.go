package programtest

import (
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// A Browser opens pages of the console and sends their forms, as that of a person without JavaScript does. It keeps cookies and follows
// redirects. It is not safe for concurrent use.
type Browser struct {
	tb     testing.TB
	server string
	client *http.Client
}

// NewBrowser returns a browser without cookies for the server at a URL, see [Serve].
func NewBrowser(tb testing.TB, server string) *Browser {
	tb.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return &Browser{tb, server, &http.Client{Jar: jar}}
}

// A Page is the answer to a request of a [Browser].
type Page struct {
	Status int
	Text   string // the body, usually HTML
}

// Cookies are those that the browser sends to a path.
func (b *Browser) Cookies(path string) []*http.Cookie {
	b.tb.Helper()
	return b.client.Jar.Cookies(b.request(http.MethodGet, path, "").URL)
}

// Get opens the page at a path, which begins with a slash. Each of headers has the form "Sec-Fetch-Dest: document".
func (b *Browser) Get(path string, headers ...string) Page {
	b.tb.Helper()
	r := b.request(http.MethodGet, path, "")
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	return b.do(r)
}

var formToken = regexp.MustCompile(`name="~token" value="([^"]*)"`)

// Post opens the page at a path, and sends a form of it with the page's token against forged requests. A page without a form fails the test
// at once.
func (b *Browser) Post(path string, form url.Values) Page {
	b.tb.Helper()
	page := b.Get(path)
	token := formToken.FindStringSubmatch(page.Text)
	if token == nil {
		b.tb.Fatalf("%s has no form: %d %s", path, page.Status, page.Text)
	}
	filled := url.Values{"~token": {token[1]}}
	maps.Copy(filled, form)
	r := b.request(http.MethodPost, path, filled.Encode())
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", b.server)
	return b.do(r)
}

func (b *Browser) request(method, path, body string) *http.Request {
	b.tb.Helper()
	r, err := http.NewRequestWithContext(b.tb.Context(), method, b.server+path, strings.NewReader(body))
	if err != nil {
		b.tb.Fatal(err)
	}
	return r
}

func (b *Browser) do(r *http.Request) Page {
	b.tb.Helper()
	answer, err := b.client.Do(r)
	if err != nil {
		b.tb.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		b.tb.Fatal(err)
	}
	return Page{answer.StatusCode, string(text)}
}

// Expect fails the test unless the page has a status and each of some texts.
func (p Page) Expect(tb testing.TB, status int, texts ...string) {
	tb.Helper()
	if p.Status != status {
		tb.Errorf("the page has the status %d; want %d: %s", p.Status, status, p.Text)
		return
	}
	for _, text := range texts {
		if !strings.Contains(p.Text, text) {
			tb.Errorf("the page lacks %q: %s", text, p.Text)
		}
	}
}
