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

// An Origin has the addresses at which clients reach the API, and the proxies that the server
// trusts. It is safe for concurrent use.
type Origin struct {
	PublicURL string         // without a slash at the end; "" to use the host of each request
	Prefix    string         // of the API's paths, "/api"; "" for no prefix
	Hosts     []string       // the hosts that a request may name without a PublicURL; empty for any
	Proxies   []netip.Prefix // the proxies whose X-Forwarded headers are trusted
}

// BasePath is the path of the public URL. A proxy removes it before the server receives a
// request. It is "" if the public URL has no path.
func (o *Origin) BasePath() string {
	u, err := url.Parse(o.PublicURL)
	if err != nil {
		return ""
	}
	return u.EscapedPath()
}

// root is the URL at which clients reach the server, without a slash at the end: the public URL,
// or the scheme and the host of the request if no public URL is set. Without a public URL, it is ""
// if there is no request, and if the host of the request is not allowed.
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

// URL is the absolute URL of a path below the prefix. Without a public URL, the host is that of
// the request. If there is no request either, or its host is not allowed, URL is only a path.
func (o *Origin) URL(r *http.Request, below string) string { return o.root(r) + o.Prefix + below }

// ErrorsAt is the address of the pages of error codes: below the public URL, or only a path
// without a public URL. It never contains the Host of a request: a client can invent it, and
// the same error would have a different type for each host.
func (o *Origin) ErrorsAt() string { return o.PublicURL + o.Prefix + problem.ErrorPages }

// HostAllowed returns an error (400) for a request without a Host. Without a public URL, it also
// returns one for a Host that Hosts does not list, unless Hosts is empty; case and port do not
// matter. Without this check, links in the answer could lead to a host that an attacker chose.
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

// Guards reports whether a request's path is a guarded path or below it. The guarded path is
// relative to the API's prefix. Other spellings count too: upper case, percent-encoding once or
// twice, dot segments, and backslashes or semicolons as slashes.
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

// isPlainPath reports whether a path begins with a slash and has only lower-case letters, digits,
// hyphens, underscores and single slashes, so that no other spelling must be compared.
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
