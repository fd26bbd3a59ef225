package httpserver

import (
	"net/http"
	"strings"
	"testing"
)

// TestARequestWithTwoLengths ends its connection: a proxy in front of the server may have
// found another end of the request, and the bytes after it may belong to another client
// (RFC 9112, section 6.1). A request with only one of the fields keeps its connection.
func TestARequestWithTwoLengths(t *testing.T) {
	t.Parallel()
	const (
		head    = "POST / HTTP/1.1\r\nHost: x\r\n"
		chunked = "Transfer-Encoding: chunked\r\n"
		length  = "Content-Length: 3\r\n"
		body    = "3\r\nabc\r\n0\r\n\r\n"
		counted = head + length + "\r\nabc"
		hidden  = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n"
	)
	for name, test := range map[string]struct {
		before []string // requests that are answered first
		parts  []string // of the request, written one by one
		ends   bool
	}{
		"the length first":                       {nil, []string{head + length + chunked + "\r\n" + body}, true},
		"the length last":                        {nil, []string{head + chunked + length + "\r\n" + body}, true},
		"in other letters":                       {nil, []string{head + "tRANSFER-eNCODING: chunked\r\ncONTENT-lENGTH: 3\r\n\r\n" + body}, true},
		"without space, by line feeds":           {nil, []string{"POST / HTTP/1.1\nHost: x\nTransfer-Encoding:chunked\nContent-Length:3\n\n" + body}, true},
		"a length of nothing":                    {nil, []string{head + chunked + "Content-Length: 0\r\n\r\n" + body}, true},
		"the length in two parts":                {nil, []string{head + chunked + "Content-Le", "ngth: 3\r\n\r\n" + body}, true},
		"the body later":                         {nil, []string{head + chunked + length + "\r\n", body}, true},
		"after a request with a length":          {[]string{counted}, []string{head + chunked + length + "\r\n" + body}, true},
		"with another request directly after it": {nil, []string{head + chunked + length + "\r\n" + body + hidden}, true},
		"directly after another request":         {nil, []string{counted + head + chunked + length + "\r\n" + body}, true},
		"by HTTP/1.0, which keeps no connection": {nil, []string{"POST / HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n" + length + chunked + "\r\nabc" + hidden}, true},
		"chunked alone":                          {nil, []string{head + chunked + "\r\n" + body}, false},
		"a length alone":                         {nil, []string{counted}, false},
		"the length after another request":       {nil, []string{counted + head + length, chunked + "\r\n" + body}, true},
		"chunked after a length":                 {[]string{counted, counted}, []string{head + chunked + "\r\n" + body}, true},
		"a length in another field":              {nil, []string{head + chunked + "X-Content-Length: 3\r\n\r\n" + body}, false},
		"a length in a value":                    {nil, []string{head + chunked + "X: Content-Length: 3\r\n\r\n" + body}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serving(t, http.HandlerFunc(reads), Options{})
			w := s.dial()
			for _, one := range test.before {
				w.says("%s", one).next().is(t, http.StatusOK, "abc")
			}
			for _, part := range test.parts {
				w.says("%s", part)
			}
			w.next().is(t, http.StatusOK, "abc")
			if strings.HasPrefix(test.parts[0], counted+head) {
				w.next().is(t, http.StatusOK, "abc")
			}
			if test.ends {
				if !w.isClosed() {
					t.Error("the connection stays open")
				}
				return
			}
			w.says("%s", counted).next().is(t, http.StatusOK, "abc")
		})
	}
}
