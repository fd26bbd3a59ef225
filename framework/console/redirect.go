package console

import (
	"net/http"
	"strings"
)

// PageFor returns the address of the page for a request to the API; "" if Redirect is false, if the request is not of a person who opens the
// address in a browser, if it has credentials for the API, or if the address has no page. A browser states by
// Sec-Fetch-Dest what a request is for (Fetch Metadata).
func (c *Console) PageFor(r *http.Request) string {
	if !c.Redirect || r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Dest") != "document" || len(r.Header.Values("Authorization")) > 0 {
		return ""
	}
	path := r.URL.EscapedPath()
	if !strings.HasPrefix(path, c.API.Prefix+"/") {
		return ""
	}
	at := c.site.Find(path)
	if at.Place == nil || at.Place.Path == c.sessionAt() {
		return ""
	}
	if !isPage(at.Place.By[http.MethodGet]) {
		return ""
	}
	return c.pageOf(r.URL.String())
}
