package auth

import (
	"net/http"
	"net/url"
	"strings"

	"trestle.example/framework"
)

// checkSource rejects a request that a page of another origin sent. Several Origin or
// Referer headers are an error. A trusted Origin passes, and nothing else is checked. Any
// other Origin must be the origin of the service. Without Origin, the Referer, if any, must
// have the origin of the service or a trusted one. Then [checkFetchSite] decides. A request
// without the three headers passes: it does not come from a current browser, and the token
// alone decides.
//
// It is stricter than CrossOriginProtection of net/http, which compares only the host of
// Origin, so that http passes for https, and ignores Referer.
func (s *Sessions) checkSource(c *framework.Call, r *http.Request) error {
	own := s.ownOrigin(c, r)
	origin, referer := r.Header.Values("Origin"), r.Header.Values("Referer")
	switch {
	case len(origin) > 1 || len(referer) > 1:
		return csrfError("The request has several Origin or Referer headers; a browser sends one.")
	case len(origin) == 1 && s.trusted[origin[0]]:
		return nil
	case len(origin) == 1 && origin[0] != own:
		return csrfError("The header Origin names neither this service, with its scheme and port, nor an origin that it trusts.")
	case len(origin) == 0 && len(referer) == 1 && !s.trusts(refererOrigin(referer[0]), own):
		return csrfError("The header Referer names neither this service, with its scheme and port, nor an origin that it trusts.")
	}
	return checkFetchSite(r.Header.Values("Sec-Fetch-Site"))
}

// checkFetchSite checks what the browser states about the origin of a request (Fetch
// Metadata). An absent header, "same-origin" and "none" pass; any other value, such as
// "same-site", and several headers are an error. "none" means that a person opened the
// address.
func checkFetchSite(site []string) error {
	if len(site) == 0 || len(site) == 1 && (site[0] == "same-origin" || site[0] == "none") {
		return nil
	}
	return csrfError("The header Sec-Fetch-Site says that the request comes from another site.")
}

func (s *Sessions) trusts(origin, own string) bool { return s.trusted[origin] || origin == own }

// ownOrigin returns the origin that the request was sent to.
func (s *Sessions) ownOrigin(c *framework.Call, r *http.Request) string {
	if s.options.Secure || c.Secure {
		return serializeOrigin("https", r.Host)
	}
	return serializeOrigin("http", r.Host)
}

// refererOrigin returns the origin of a Referer, or "" if it has none.
func refererOrigin(referer string) string {
	u, err := url.Parse(referer)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return serializeOrigin(u.Scheme, u.Host)
}

// serializeOrigin writes an origin as browsers do (RFC 6454 section 6.2).
func serializeOrigin(scheme, host string) string {
	usual := map[string]string{"http": ":80", "https": ":443"}[scheme]
	return scheme + "://" + strings.TrimSuffix(strings.ToLower(host), usual)
}
