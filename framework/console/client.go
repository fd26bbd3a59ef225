package console

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

// A client sends requests to the API in this process, as the caller of a request to the console.
type client struct {
	handler http.Handler
	plainly func(context.Context) context.Context
	cookies cookies
}

// A message is a request to the API.
type message struct {
	method string
	path   string // escaped
	query  string
	body   []byte // JSON; nil for none
	header http.Header
}

// An answer is what the API answered.
type answer struct {
	status int
	header http.Header
	body   bytes.Buffer
}

// ok reports whether the request succeeded.
func (a *answer) ok() bool { return a.status >= 200 && a.status < 300 }

// Header implements [http.ResponseWriter].
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(part []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(part)
}

// forwarded are the headers of a request to the console that the API gets too: what it checks about
// the sender, and what proxies say. Credentials are only those of the console's cookies.
var forwarded = []string{
	"Origin", "Referer", "Sec-Fetch-Site", "User-Agent", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Forwarded", "Traceparent", "Tracestate",
	"Accept-Language",
}

// send sends a request to the API, and passes the cookies that it sets on to the browser.
func (c client) send(w http.ResponseWriter, r *http.Request, m message) *answer {
	inner := c.request(r, m)
	a := &answer{header: http.Header{}}
	c.handler.ServeHTTP(a, inner)
	a.WriteHeader(http.StatusOK)
	c.cookies.pass(w.Header(), a.header)
	if life := a.header.Get("Strict-Transport-Security"); life != "" {
		w.Header().Set("Strict-Transport-Security", life)
	}
	return a
}

// request makes a request to the API by the caller of r.
func (c client) request(r *http.Request, m message) *http.Request {
	inner := r.Clone(c.plainly(r.Context()))
	inner.Method, inner.RequestURI, inner.Pattern = m.method, "", ""
	path, _ := url.PathUnescape(m.path) // it is escaped
	inner.URL = &url.URL{Path: path, RawPath: m.path, RawQuery: m.query}
	inner.Form, inner.PostForm, inner.MultipartForm = nil, nil, nil // the browser's form is not that of the API
	inner.Header = http.Header{"Accept": {"application/json"}}
	for _, name := range forwarded {
		if values := r.Header.Values(name); len(values) > 0 {
			inner.Header[name] = values
		}
	}
	maps.Copy(inner.Header, m.header)
	c.cookies.bring(inner.Header, r)
	inner.Body, inner.ContentLength, inner.TransferEncoding = http.NoBody, 0, nil
	if m.body != nil {
		inner.Header.Set("Content-Type", "application/json")
		inner.Body, inner.ContentLength = io.NopCloser(bytes.NewReader(m.body)), int64(len(m.body))
	}
	return inner
}

// cookies translates the cookies of the API's sessions to those of the console, and back. Their names differ, so the API accepts no
// cookie of the console. Over http, browsers send them to the console's path only. Over https, they have the prefix __Host-, so that
// no other host of the domain can set one; browsers demand the path "/" for that. A cookie of another name is of neither.
type cookies struct{ path string }

const (
	hostPrefix       = "__Host-"
	cookiePrefix     = "console-"
	hostCookiePrefix = hostPrefix + cookiePrefix
)

// pass adds the cookies that an answer of the API sets to a header of the console's answer. Scripts
// need no token, so the cookie that has it for them is left out.
func (c cookies) pass(to, from http.Header) {
	for _, line := range from.Values("Set-Cookie") {
		set, err := http.ParseSetCookie(line)
		if err != nil || !set.HttpOnly {
			continue
		}
		if name, isHost := strings.CutPrefix(set.Name, hostPrefix); isHost {
			set.Name = hostCookiePrefix + name
		} else {
			set.Name, set.Path = cookiePrefix+set.Name, c.path
		}
		to.Add("Set-Cookie", set.String())
	}
}

// bring adds the cookies of a request to the console to the header of one to the API. A cookie with the prefix __Host- comes from one
// that has it too: any host may set "console-__Host-sessionid".
func (c cookies) bring(to http.Header, from *http.Request) {
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
