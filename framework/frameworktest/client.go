package frameworktest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// A Client sends requests to a handler over a real connection. It never follows
// redirects. Its timeout is one minute.
//
// A Client never changes: [Client.As], [Client.With] and [Client.On] return another one.
// Goroutines may send at the same time. Call expectations that stop the test only in the
// goroutine of the test.
type Client struct {
	tb     testing.TB
	http   *http.Client
	base   string
	header http.Header
}

// New serves the handler until the test ends and returns an anonymous client.
func New(tb testing.TB, handler http.Handler) *Client {
	tb.Helper()
	server := httptest.NewServer(handler)
	tb.Cleanup(server.Close)
	return &Client{tb: tb, base: server.URL, header: http.Header{}, http: &http.Client{
		Transport:     server.Client().Transport,
		Timeout:       time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// URL returns the address of the server, without a trailing slash.
func (c *Client) URL() string { return c.base }

// On returns the client for another test, usually a subtest. Failures are reported there.
func (c *Client) On(tb testing.TB) *Client {
	other := *c
	other.tb = tb
	return &other
}

// As returns the client with the header Authorization: Token {token}. An empty token
// makes it anonymous.
func (c *Client) As(token string) *Client {
	if token == "" {
		return c.With("Authorization", "")
	}
	return c.With("Authorization", "Token "+token)
}

// With returns the client with a header set to a value. An empty value removes the
// header. Host sets the host of the request.
func (c *Client) With(header, value string) *Client {
	other := *c
	other.header = c.header.Clone()
	other.header.Set(header, value)
	if value == "" {
		other.header.Del(header)
	}
	return &other
}

// Get sends GET; see [Client.Do].
func (c *Client) Get(path string) *Response {
	c.tb.Helper()
	return c.Do(http.MethodGet, path, nil)
}

// Post sends POST; see [Client.Do].
func (c *Client) Post(path string, body any) *Response {
	c.tb.Helper()
	return c.Do(http.MethodPost, path, body)
}

// Put sends PUT; see [Client.Do].
func (c *Client) Put(path string, body any) *Response {
	c.tb.Helper()
	return c.Do(http.MethodPut, path, body)
}

// Patch sends PATCH; see [Client.Do].
func (c *Client) Patch(path string, body any) *Response {
	c.tb.Helper()
	return c.Do(http.MethodPatch, path, body)
}

// Delete sends DELETE without a body; see [Client.Do].
func (c *Client) Delete(path string) *Response {
	c.tb.Helper()
	return c.Do(http.MethodDelete, path, nil)
}

// Do sends a request. The path is on the server, with its query. For an absolute URL,
// such as a link of an answer, only its path and query are used, so credentials go to no
// other server. A string or []byte is sent as it is, nil sends no body, and any other
// value is sent as JSON. The Content-Type is application/json unless [Client.With] sets
// another one.
//
// If a request gets no answer, the test fails at once.
func (c *Client) Do(method, path string, body any) *Response {
	c.tb.Helper()
	sent, err := encode(body)
	if err != nil {
		c.tb.Fatalf("%s %s: the body cannot be sent as JSON: %v", method, path, err)
	}
	request, err := c.request(method, path, sent)
	if err != nil {
		c.tb.Fatalf("%s %s: the request is not valid: %v", method, path, err)
	}
	return c.exchange(request, sent)
}

func (c *Client) exchange(request *http.Request, sent []byte) *Response {
	c.tb.Helper()
	response, err := c.http.Do(request)
	if err != nil {
		c.tb.Fatalf("no answer: %v\n%s", err, curl(request, sent))
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	if err != nil {
		c.tb.Fatalf("the connection broke during the answer: %v\n%s", err, curl(request, sent))
	}
	return &Response{tb: c.tb, request: request, sent: sent, response: response, body: got}
}

func (c *Client) request(method, path string, body []byte) (*http.Request, error) {
	at, err := c.locate(path)
	if err != nil {
		return nil, err
	}
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	r, err := http.NewRequestWithContext(context.Background(), method, at, reader)
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(r.Header, c.header)
	if host := c.header.Get("Host"); host != "" {
		r.Host = host
	}
	return r, nil
}

// locate turns a path or an absolute URL into an address of the server.
func (c *Client) locate(path string) (string, error) {
	if !strings.Contains(path, "://") || strings.HasPrefix(path, "/") {
		return c.base + path, nil
	}
	u, err := url.Parse(path)
	if err != nil {
		return "", err
	}
	return c.base + u.RequestURI(), nil
}

func encode(body any) ([]byte, error) {
	switch body := body.(type) {
	case nil:
		return nil, nil
	case string:
		return []byte(body), nil
	case []byte:
		return body, nil
	}
	return json.Marshal(body)
}
