package main

import (
	"crypto/tls"
	"io"
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest/contract"
)

// A visitor sends requests to a server as one client does.
type visitor struct {
	base   string
	client *http.Client
	header http.Header // of every request
}

// visit makes a visitor. The server's own OpenAPI document must describe every answer to
// it; headers are names and values in turn. TLS is nil for a server without TLS.
func visit(t *testing.T, base string, speaks *tls.Config, headers ...string) visitor {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: speaks, MaxIdleConnsPerHost: 100}
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport, Timeout: waitLimit}
	promised := contracts.Of(t, "", reference{t, base, client})
	return visitor{base, &http.Client{Transport: promised.Transport(t, transport), Timeout: waitLimit}, http.Header{}}.with(headers...)
}

// contracts are those of the servers.
var contracts contract.Book

// A reference is that of a server.
type reference struct {
	t      *testing.T
	base   string
	client *http.Client
}

// Document fetches it.
func (r reference) Document(format string) ([]byte, error) {
	got := visitor{r.base, r.client, http.Header{}}.send(r.t, "GET /api/openapi."+format, "").is(r.t, http.StatusOK)
	return []byte(got.body), nil
}

// with is the visitor with more headers.
func (v visitor) with(headers ...string) visitor {
	v.header = v.header.Clone()
	for i := 0; i < len(headers); i += 2 {
		v.header.Set(headers[i], headers[i+1])
	}
	return v
}

// An answer is the answer to a visitor; status 0 means that it got no answer.
type answer struct {
	status  int
	header  http.Header
	cookies []*http.Cookie
	body    string
}

// send sends a request such as "GET /api/", with a body unless it is "".
func (v visitor) send(t *testing.T, request, body string) answer {
	t.Helper()
	method, path, _ := strings.Cut(request, " ")
	sent, err := http.NewRequestWithContext(t.Context(), method, v.base+path, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return answer{}
	}
	sent.Header = v.header.Clone()
	if body != "" {
		sent.Header.Set("Content-Type", "application/json")
	}
	got, err := v.client.Do(sent)
	if err != nil {
		t.Errorf("%s: no answer: %v", request, err)
		return answer{}
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		t.Errorf("%s: the answer broke off: %v", request, err)
	}
	return answer{got.StatusCode, got.Header, got.Cookies(), string(text)}
}

// is checks the status, and that the body holds some words.
func (got answer) is(t *testing.T, status int, says ...string) answer {
	t.Helper()
	if got.status != status {
		t.Errorf("status %d; want %d: %s", got.status, status, got.body)
	}
	for _, words := range says {
		if !strings.Contains(got.body, words) {
			t.Errorf("the answer is %s; want it to say %q", got.body, words)
		}
	}
	return got
}

// cookie is one of the answer's.
func (got answer) cookie(t *testing.T, name string) *http.Cookie {
	t.Helper()
	for _, c := range got.cookies {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("it sets no cookie %s: %v", name, got.header["Set-Cookie"])
	return nil
}
