package framework

import (
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/problem"
)

// basePath is the path of [Config.PublicURL], which a proxy takes off before the server
// sees a request. It is "" without one.
func (a *API) basePath() string {
	u, err := url.Parse(a.config.PublicURL)
	if err != nil {
		return ""
	}
	return u.EscapedPath()
}

// root is where clients reach the server, without a last slash.
func (a *API) root(r *http.Request) string {
	if a.config.PublicURL != "" {
		return a.config.PublicURL
	}
	if a.hostAllowed(r) != nil {
		return "" // a relative link, rather than one to a host somebody made up
	}
	scheme := "http://"
	if a.secure(r) {
		scheme = "https://"
	}
	return scheme + r.Host
}

// url is the absolute URL of a path below the prefix.
func (a *API) url(r *http.Request, below string) string { return a.root(r) + a.config.Prefix + below }

// hostAllowed refuses a request whose Host the program did not name: links
// would lead where an attacker wants.
func (a *API) hostAllowed(r *http.Request) error {
	if r.Host == "" {
		return problem.Refuse(http.StatusBadRequest, problem.CodeInvalidHost, "The request names no host.")
	}
	if a.config.PublicURL != "" || len(a.config.Hosts) == 0 {
		return nil
	}
	host := r.Host
	if name, port, err := net.SplitHostPort(host); err == nil && strings.Trim(port, "0123456789") == "" {
		host = name
	}
	for _, allowed := range a.config.Hosts {
		if strings.EqualFold(strings.Trim(host, "[]"), strings.Trim(allowed, "[]")) {
			return nil
		}
	}
	return problem.Refuse(http.StatusBadRequest, problem.CodeInvalidHost, "This server does not answer for the host that the request names.")
}

// guards reports whether a request's path is the guard's prefix or below it,
// however it is spelt.
func (a *API) guards(g Guard, r *http.Request) bool {
	guarded := strings.ToLower(strings.Trim(g.Under, "/"))
	if at, rooted := strings.CutPrefix(r.URL.Path, a.config.Prefix); guarded != "" && rooted && r.URL.RawPath == "" && isPlainPath(at) {
		return below(guarded, at[1:])
	}
	prefix := strings.ToLower(strings.TrimRight(a.config.Prefix+"/"+guarded, "/"))
	for _, spelling := range []string{r.URL.Path, r.URL.EscapedPath()} {
		for range 2 {
			plain := strings.ToLower(strings.NewReplacer(`\`, "/", ";", "/").Replace(spelling))
			if below(prefix, plain) || below(prefix, path.Clean("/"+plain)) {
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

// isPlainPath reports whether a path, as most are, can be spelt in no other way.
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

func below(prefix, path string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}

// serveRoot answers the API root, which takes no parameters.
func (a *API) serveRoot(root *endpoint) opening {
	return func(c *Call, r *http.Request) (*response, error) {
		query, err := input.ReadQuery(r)
		if err != nil {
			return nil, err
		}
		if err := root.ignoreQuery(c, query); err != nil {
			return nil, err
		}
		return &response{status: http.StatusOK, value: a.entries(r)}, nil
	}
}

// entries are the API root: every way in by its name, in order of registration.
func (a *API) entries(r *http.Request) listAnswer {
	var entries Envelope
	for _, res := range a.resources {
		for _, at := range res.entries() {
			entries = append(entries, Member{Name: strings.Trim(at, "/"), Value: a.url(r, at)})
		}
	}
	return listAnswer{envelope: entries}
}

// entries are the paths by which clients enter a resource: its own, or those
// of its actions where nothing is offered at its own.
func (r *resource) entries() []string {
	var paths []string
	for _, e := range r.endpoints {
		switch {
		case e.pattern == r.listPath():
			return []string{e.pattern}
		case !strings.Contains(e.pattern, ":") && !slices.Contains(paths, e.pattern):
			paths = append(paths, e.pattern)
		}
	}
	return paths
}
