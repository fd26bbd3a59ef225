package docspage_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework/docspage"
)

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// serve serves a page at /api/docs.
func serve(t *testing.T, title string) (at string, files []string) {
	t.Helper()
	page, err := docspage.New(docspage.Options{Title: title, Name: "docs", Reference: "openapi.json"})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.StripPrefix("/api/docs", page))
	t.Cleanup(server.Close)
	return server.URL + "/api/docs", page.Files()
}

// An answer is a response without Go's own unpacking.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// send sends a request; headers are names and values in turn.
func send(t *testing.T, method, at string, headers ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	got, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{got.StatusCode, got.Header, body}
}

func (got answer) is(t *testing.T, status int, headers map[string]string) {
	t.Helper()
	if got.status != status {
		t.Errorf("status %d; want %d", got.status, status)
	}
	for name, want := range headers {
		if is := strings.Join(got.header.Values(name), " and "); is != want {
			t.Errorf("%s is %q; want %q", name, is, want)
		}
	}
}

func TestEveryAnswerIsGuarded(t *testing.T) {
	t.Parallel()
	at, files := serve(t, "Books")
	media := map[string]string{
		"": "text/html; charset=utf-8", "/": "text/html; charset=utf-8",
		"/docs.css": "text/css; charset=utf-8", "/docs.js": "text/javascript; charset=utf-8", "/icon.svg": "image/svg+xml",
		"/swagger-ui-bundle.js": "text/javascript; charset=utf-8", "/swagger-ui.css": "text/css; charset=utf-8",
	}
	for _, file := range files {
		if media["/"+file] == "" {
			t.Errorf("nothing is expected of %s", file)
		}
	}
	for path, media := range media {
		send(t, http.MethodGet, at+path).is(t, http.StatusOK, map[string]string{
			"Content-Type": media, "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff",
			"Referrer-Policy": "same-origin", "Cache-Control": "no-cache", "Set-Cookie": "",
		})
	}
	for path, c := range map[string]struct {
		method string
		status int
	}{
		"/nothing":               {http.MethodGet, http.StatusNotFound},
		"/swagger-ui-bundle":     {http.MethodGet, http.StatusNotFound},
		"/swagger-ui.css.gz":     {http.MethodGet, http.StatusNotFound},
		"/oauth2-redirect.html":  {http.MethodGet, http.StatusNotFound},
		"/../static/docs.js":     {http.MethodGet, http.StatusNotFound},
		"/?url=//evil.example/x": {http.MethodPost, http.StatusMethodNotAllowed},
		"/docs.js":               {http.MethodDelete, http.StatusMethodNotAllowed},
	} {
		send(t, c.method, at+path).is(t, c.status, map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
		})
	}
}

var (
	references = regexp.MustCompile(`(?:href|src|data-document)="([^"]*)"`)
	urls       = regexp.MustCompile(`url\(\s*["']?([^"')]{0,40})`)
	inline     = regexp.MustCompile(`(?i)<script[^>]*>[^<]|<style|\sstyle=|\son\w+=|javascript:`)
)

// TestThePageRefersToItsOwnFilesAlone, with and without its last slash.
func TestThePageRefersToItsOwnFilesAlone(t *testing.T) {
	t.Parallel()
	at, files := serve(t, "Books")
	for _, slash := range []string{"", "/"} {
		got := send(t, http.MethodGet, at+slash)
		base, err := url.Parse(at + slash)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, match := range references.FindAllStringSubmatch(string(got.body), -1) {
			to, err := base.Parse(match[1])
			if err != nil || to.Host != base.Host {
				t.Fatalf("%q leads to another host", match[1])
			}
			if to.Path == "/api/openapi.json" {
				continue
			}
			name, below := strings.CutPrefix(to.Path, "/api/docs/")
			if !below {
				t.Errorf("%q leads to %s", match[1], to)
			}
			found = append(found, name)
			send(t, http.MethodGet, to.String()).is(t, http.StatusOK, map[string]string{"Cache-Control": "public, max-age=31536000, immutable"})
		}
		if slices.Sort(found); !slices.Equal(found, files) {
			t.Errorf("the page loads %q; it has %q", found, files)
		}
		if inline.Match(got.body) {
			t.Errorf("the page has scripts or styles inside:\n%s", got.body)
		}
		if n := strings.Count(string(got.body), `"`+strings.Repeat("../", len(slash))+`openapi.json"`); n != 2 {
			t.Errorf("the page names the reference %d times:\n%s", n, got.body)
		}
	}
	for _, css := range []string{"/docs.css", "/swagger-ui.css"} {
		text := string(send(t, http.MethodGet, at+css).body)
		for _, match := range urls.FindAllStringSubmatch(text, -1) {
			if !strings.HasPrefix(match[1], "data:") {
				t.Errorf("%s loads %s", css, match[1])
			}
		}
		if strings.Contains(text, "@import") {
			t.Errorf("%s imports", css)
		}
	}
	for _, file := range []string{"/docs.js", "/docs.css", "/icon.svg", ""} {
		text := strings.ReplaceAll(string(send(t, http.MethodGet, at+file).body), `"http://www.w3.org/2000/svg"`, "")
		if strings.Contains(strings.ReplaceAll(text, "// ", ""), "//") {
			t.Errorf("%s names a host:\n%s", file, text)
		}
	}
}

func TestTheTitleIsText(t *testing.T) {
	t.Parallel()
	at, _ := serve(t, `</title><script src="//evil.example/x.js"></script>`)
	body := string(send(t, http.MethodGet, at).body)
	if strings.Contains(body, "<script src=\"//evil") || !strings.Contains(body, "<title>&lt;/title&gt;&lt;script") {
		t.Error(body)
	}
}

func TestCompression(t *testing.T) {
	t.Parallel()
	at, _ := serve(t, "Books")
	whole := send(t, http.MethodGet, at+"/swagger-ui.css").body
	for accepted, packed := range map[string]bool{
		"":                              false,
		"gzip":                          true,
		"GZIP":                          true,
		"x-gzip":                        true,
		"br, deflate, gzip;q=0.1":       true,
		"gzip; q=1.0, *;q=0":            true,
		"*":                             true,
		"br;q=1, *;q=0.5":               true,
		"gzip;q=0":                      false,
		"gzip;q=0.000, *":               false,
		"*;q=0":                         false,
		"identity":                      false,
		"br":                            false,
		"gzipped, notgzip, deflate;q=1": false,
	} {
		got := send(t, http.MethodGet, at+"/swagger-ui.css", "Accept-Encoding", accepted)
		coding := map[bool]string{true: "gzip", false: ""}[packed]
		got.is(t, http.StatusOK, map[string]string{"Content-Encoding": coding, "Vary": "Accept-Encoding", "Content-Type": "text/css; charset=utf-8"})
		if got.header.Get("Content-Encoding") == "gzip" {
			unpacked, err := gzip.NewReader(bytes.NewReader(got.body))
			if err != nil {
				t.Fatal(err)
			}
			if got.body, err = io.ReadAll(unpacked); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(got.body, whole) || len(whole) < 100_000 {
			t.Errorf("%q: %d bytes; want %d", accepted, len(got.body), len(whole))
		}
	}
	send(t, http.MethodGet, at+"/docs.js", "Accept-Encoding", "gzip").is(t, http.StatusOK, map[string]string{"Content-Encoding": "", "Vary": ""})
}

func TestWhoHasAFileIsNotSentItAgain(t *testing.T) {
	t.Parallel()
	at, _ := serve(t, "Books")
	tags := map[string]bool{}
	for _, accepted := range []string{"identity", "gzip"} {
		for _, path := range []string{"", "/", "/docs.js", "/swagger-ui-bundle.js"} {
			first := send(t, http.MethodGet, at+path, "Accept-Encoding", accepted)
			tag := first.header.Get("ETag")
			for _, sent := range []string{tag, "W/" + tag, "*", `"x", ` + tag, `"x",W/` + tag + `,"y"`} {
				again := send(t, http.MethodGet, at+path, "Accept-Encoding", accepted, "If-None-Match", sent)
				again.is(t, http.StatusNotModified, map[string]string{
					"ETag": tag, "Cache-Control": first.header.Get("Cache-Control"), "Vary": first.header.Get("Vary"), "Content-Encoding": "",
				})
				if len(again.body) > 0 {
					t.Errorf("%s: 304 has a body", path)
				}
			}
			for _, sent := range []string{`"x"`, "", strings.Trim(tag, `"`), tag + "x"} {
				send(t, http.MethodGet, at+path, "Accept-Encoding", accepted, "If-None-Match", sent).is(t, http.StatusOK, nil)
			}
			if path == "/swagger-ui-bundle.js" {
				tags[tag] = true
			}
		}
	}
	if len(tags) != 2 {
		t.Errorf("what is compressed and what is not share a tag: %v", tags)
	}
	send(t, http.MethodGet, at+"/docs.js?another").is(t, http.StatusOK, map[string]string{"Cache-Control": "no-cache"})
}

// TestHead answers as GET does, without the body.
func TestHead(t *testing.T) {
	t.Parallel()
	at, _ := serve(t, "Books")
	for _, accepted := range []string{"identity", "gzip"} {
		for _, path := range []string{"", "/", "/docs.css", "/swagger-ui-bundle.js", "/nothing"} {
			get := send(t, http.MethodGet, at+path, "Accept-Encoding", accepted)
			head := send(t, http.MethodHead, at+path, "Accept-Encoding", accepted)
			if len(head.body) > 0 {
				t.Errorf("HEAD %s has a body", path)
			}
			want := map[string]string{}
			for name := range get.header {
				if name != "Date" {
					want[name] = get.header.Get(name)
				}
			}
			head.is(t, get.status, want)
		}
	}
}
