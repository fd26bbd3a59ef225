package origin

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"

	"trestle.example/framework/problem"
)

// An Origin is where clients reach the API, and which headers of a request about that
// are trusted. It is safe for concurrent use.
type Origin struct {
	PublicURL string // without a last slash, "" for the request's own host
	Prefix    string // "/api", "" for none
	Hosts     []string
	Proxies   []netip.Prefix
}

// BasePath is the path of the public URL, which a proxy removes before the server sees
// a request. It is "" without one.
func (o *Origin) BasePath() string {
	u, err := url.Parse(o.PublicURL)
	if err != nil {
		return ""
	}
	return u.EscapedPath()
}

// root is where clients reach the server, without a last slash.
func (o *Origin) root(r *http.Request) string {
	if o.PublicURL != "" {
		return o.PublicURL
	}
	if r == nil || o.HostAllowed(r) != nil {
		return "" // a relative link is better than one to a host that the client invented
	}
	scheme := "http://"
	if o.Secure(r) {
		scheme = "https://"
	}
	return scheme + r.Host
}

// URL is the absolute URL of a path below the prefix. Without a request and without a
// public URL it is a path.
func (o *Origin) URL(r *http.Request, below string) string { return o.root(r) + o.Prefix + below }

// ErrorsAt is the address of the pages of error codes as clients read it: below the
// public URL, or a path without one. It never has the Host of a request, which a client
// can invent, and which would give one type several names.
func (o *Origin) ErrorsAt() string { return o.PublicURL + o.Prefix + problem.ErrorPages }

// HostAllowed rejects a request whose Host is not one of the allowed hosts. Otherwise
// links in the answer would lead to a host that an attacker chose.
func (o *Origin) HostAllowed(r *http.Request) error {
	if r.Host == "" {
		return problem.Refuse(http.StatusBadRequest, problem.CodeInvalidHost, "The request names no host.")
	}
	if o.PublicURL != "" || len(o.Hosts) == 0 {
		return nil
	}
	host := r.Host
	if name, port, err := net.SplitHostPort(host); err == nil && strings.Trim(port, "0123456789") == "" {
		host = name
	}
	for _, allowed := range o.Hosts {
		if strings.EqualFold(strings.Trim(host, "[]"), strings.Trim(allowed, "[]")) {
			return nil
		}
	}
	return problem.Refuse(http.StatusBadRequest, problem.CodeInvalidHost, "This server does not answer for the host that the request names.")
}

// Guards reports whether a request's path is the guarded prefix or below it, in any
// spelling.
func (o *Origin) Guards(under string, r *http.Request) bool {
	guarded := strings.ToLower(strings.Trim(under, "/"))
	if at, rooted := strings.CutPrefix(r.URL.Path, o.Prefix); guarded != "" && rooted && r.URL.RawPath == "" && isPlainPath(at) {
		return Below(guarded, at[1:])
	}
	prefix := strings.ToLower(strings.TrimRight(o.Prefix+"/"+guarded, "/"))
	for _, spelling := range []string{r.URL.Path, r.URL.EscapedPath()} {
		for range 2 {
			plain := strings.ToLower(strings.NewReplacer(`\`, "/", ";", "/").Replace(spelling))
			if Below(prefix, plain) || Below(prefix, path.Clean("/"+plain)) {
				return true
			}
			decoded, err := url.PathUnescape(spelling)
			if err != nil {
				break
			}
			spelling = decoded
		}
	}
	return false
}

// isPlainPath reports whether a path, as most are, has no other spelling.
func isPlainPath(path string) bool {
	after := byte(0)
	for i := range len(path) {
		c := path[i]
		if i == 0 && c != '/' || c == '/' && after == '/' || c != '/' && c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
		after = c
	}
	return path != ""
}

// Below reports whether a path is the prefix or below it.
func Below(prefix, path string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}
