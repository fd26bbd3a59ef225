// Package client sends requests to the API in the same process, as the caller of a request to the console.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"trestle.example/framework/problem"
)

// A Client sends requests to the API in this process, as the caller of a request to the console.
type Client struct {
	Handler http.Handler
	Within  func(context.Context) context.Context
	Cookies Cookies
}

// A Message is a request to the API.
type Message struct {
	Method string
	Path   string // escaped
	Query  string
	Body   []byte // JSON; nil for none
	Header http.Header
}

// An Answer is what the API answered.
type Answer struct {
	Status int
	header http.Header
	body   bytes.Buffer
}

// OK reports whether the request succeeded.
func (a *Answer) OK() bool { return a.Status >= 200 && a.Status < 300 }

// Body returns the body of the answer.
func (a *Answer) Body() []byte { return a.body.Bytes() }

// Header implements [http.ResponseWriter].
func (a *Answer) Header() http.Header { return a.header }

// WriteHeader implements [http.ResponseWriter].
func (a *Answer) WriteHeader(status int) {
	if a.Status == 0 {
		a.Status = status
	}
}

// Write implements [http.ResponseWriter].
func (a *Answer) Write(part []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(part)
}

// forwarded are the headers of a request to the console that the API gets too: what it checks about
// the sender, and what proxies say. Credentials are only those of the console's cookies.
var forwarded = []string{
	"Origin", "Referer", "Sec-Fetch-Site", "User-Agent", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Forwarded", "Traceparent", "Tracestate",
	"Accept-Language",
}

// Send sends a request to the API, and passes the cookies that it sets on to the browser.
func (c Client) Send(w http.ResponseWriter, r *http.Request, m Message) *Answer {
	inner := c.Request(r, m)
	a := &Answer{header: http.Header{}}
	c.Handler.ServeHTTP(a, inner)
	a.WriteHeader(http.StatusOK)
	c.Cookies.pass(w.Header(), a.header)
	if life := a.header.Get("Strict-Transport-Security"); life != "" {
		w.Header().Set("Strict-Transport-Security", life)
	}
	return a
}

// Request makes a request to the API by the caller of r.
func (c Client) Request(r *http.Request, m Message) *http.Request {
	inner := r.Clone(c.Within(r.Context()))
	inner.Method, inner.RequestURI, inner.Pattern = m.Method, "", ""
	path, _ := url.PathUnescape(m.Path) // it is escaped
	inner.URL = &url.URL{Path: path, RawPath: m.Path, RawQuery: m.Query}
	inner.Form, inner.PostForm, inner.MultipartForm = nil, nil, nil // the browser's form is not that of the API
	inner.Header = http.Header{"Accept": {"application/json"}}
	for _, name := range forwarded {
		if values := r.Header.Values(name); len(values) > 0 {
			inner.Header[name] = values
		}
	}
	maps.Copy(inner.Header, m.Header)
	c.Cookies.bring(inner.Header, r)
	inner.Body, inner.ContentLength, inner.TransferEncoding = http.NoBody, 0, nil
	if m.Body != nil {
		inner.Header.Set("Content-Type", "application/json")
		inner.Body, inner.ContentLength = io.NopCloser(bytes.NewReader(m.Body)), int64(len(m.Body))
	}
	return inner
}

// Cookies translate the cookies of the API's sessions to those of the console, and back. Their names differ, so the API accepts no
// cookie of the console. Over http, browsers send them to the console's path only. Over https, they have the prefix __Host-, so that
// no other host of the domain can set one; browsers demand the path "/" for that. A cookie of another name is of neither.
type Cookies struct{ Path string }

const (
	hostPrefix       = "__Host-"
	cookiePrefix     = "console-"
	hostCookiePrefix = hostPrefix + cookiePrefix
)

// pass adds the cookies that an answer of the API sets to a header of the console's answer. Scripts
// need no token, so the cookie that has it for them is left out.
func (c Cookies) pass(to, from http.Header) {
	for _, line := range from.Values("Set-Cookie") {
		set, err := http.ParseSetCookie(line)
		if err != nil || !set.HttpOnly {
			continue
		}
		if name, isHost := strings.CutPrefix(set.Name, hostPrefix); isHost {
			set.Name = hostCookiePrefix + name
		} else {
			set.Name, set.Path = cookiePrefix+set.Name, c.Path
		}
		to.Add("Set-Cookie", set.String())
	}
}

// bring adds the cookies of a request to the console to the header of one to the API. A cookie with the prefix __Host- comes from one
// that has it too: any host may set "console-__Host-sessionid".
func (c Cookies) bring(to http.Header, from *http.Request) {
	var all []string
	for _, sent := range from.Cookies() {
		if name, ok := strings.CutPrefix(sent.Name, hostCookiePrefix); ok {
			all = append(all, hostPrefix+name+"="+sent.Value)
		} else if name, ok := strings.CutPrefix(sent.Name, cookiePrefix); ok && !strings.HasPrefix(name, "__") {
			all = append(all, name+"="+sent.Value)
		}
	}
	if len(all) > 0 {
		to.Set("Cookie", strings.Join(all, "; "))
	}
}

// A Rejection is an error of the API.
type Rejection struct {
	Status int             `json:"status"`
	Title  string          `json:"title"`
	Detail string          `json:"detail"`
	Code   string          `json:"code"`
	Faults []problem.Fault `json:"errors"`
}

// ReadRejection reads the error of an answer. An error in another shape has its status as its text.
func ReadRejection(a *Answer) Rejection {
	var p Rejection
	if json.Unmarshal(a.body.Bytes(), &p) != nil || p.Detail == "" {
		p = Rejection{Title: http.StatusText(a.Status), Detail: http.StatusText(a.Status)}
	}
	p.Status = a.Status
	return p
}
