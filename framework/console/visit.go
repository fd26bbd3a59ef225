package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"trestle.example/framework/console/internal/assets"
	"trestle.example/framework/console/internal/client"
	"trestle.example/framework/console/internal/own"
	"trestle.example/framework/console/internal/site"
	"trestle.example/framework/console/internal/wording"
	"trestle.example/framework/internal/spec"
)

// A Console serves pages below its path. It is an [http.Handler], and safe for concurrent use.
type Console struct {
	Options

	site    *site.Site
	session *site.Place // of the endpoint of sessions
	first   *site.Place // of the endpoint that makes the first superuser; nil without one
	client  client.Client
	own     *own.Parts
	files   *assets.Set
}

// A visit is one request to the console by a person who signed in, or who is about to.
type visit struct {
	*Console

	w       http.ResponseWriter
	r       *http.Request
	path    string // escaped, below the console's path: "patients/5/~patch"
	user    string // the name of the caller; "" before signing in
	csrf    string // the token for forms
	allowed []bool // in the order of API.Endpoints

	in    *time.Location                    // of the person; nil before [visit.zone]
	named map[*site.Place]map[string]string // the titles of the rows of lists, by key
}

// The addresses of the console itself. An API has no such paths, because its names have no tilde.
const (
	signInAt  = "~sign-in"
	signOutAt = "~sign-out"
	firstAt   = "~first"
	filesAt   = "~files/"
)

// may reports whether the permission of an endpoint admits the caller. The API decides again at each request.
func (v *visit) may(e *spec.Endpoint) bool {
	return e != nil && v.allowed != nil && v.allowed[v.site.Number[e]]
}

// isPage reports whether an endpoint answers a read with JSON, which a page can show. A file and a stream are not JSON.
func isPage(e *spec.Endpoint) bool {
	return e != nil && e.Parts == nil && (e.Output != nil || e.Page != nil || e.Totals != nil)
}

// here is the address of the request.
func (v *visit) here() string {
	if v.r.URL.RawQuery == "" {
		return v.r.URL.EscapedPath()
	}
	return v.r.URL.EscapedPath() + "?" + v.r.URL.RawQuery
}

// query is the query of the request for the API: without the parameters of the console itself, and without the empty
// values that browsers send for controls without an entry.
func (v *visit) query() string {
	query := v.r.URL.Query()
	before := len(query)
	for name, values := range query {
		if strings.HasPrefix(name, "~") || len(values) == 1 && values[0] == "" {
			delete(query, name)
		}
	}
	if len(query) == before {
		return v.r.URL.RawQuery // as it came
	}
	return query.Encode()
}

// pageOf returns the address of the page of a path or of an absolute URL of the API; "" for any other.
func (c *Console) pageOf(apiURL string) string {
	u, err := url.Parse(apiURL)
	if err != nil {
		return ""
	}
	rest, ok := strings.CutPrefix(u.EscapedPath(), c.API.Prefix+"/")
	if !ok {
		return ""
	}
	page := c.Path + rest
	if u.RawQuery != "" {
		page += "?" + u.RawQuery
	}
	return page
}

// redirect answers 303, so that the browser reads the address.
func (v *visit) redirect(to string) {
	v.w.Header().Set("Location", to)
	v.w.WriteHeader(http.StatusSeeOther)
}

// methods are those of operations, in the order in which pages offer them.
var methods = []string{http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodDelete}

// operations lists the endpoints of a place that write and that the caller may use. A change of some fields stands
// for the replacement of the whole.
func (v *visit) operations(p *site.Place) (all []*spec.Endpoint) {
	for _, method := range methods {
		e := p.By[method]
		switch {
		case !v.may(e), e.Body != nil && e.Body.Items != nil, e.Upload != nil: // no form for them yet
		case method == http.MethodPut && slices.ContainsFunc(all, func(o *spec.Endpoint) bool { return o.Method == http.MethodPatch }):
		default:
			all = append(all, e)
		}
	}
	return all
}

// titleOfPlace names a place to people, by its last segment that is no key.
func (v *visit) titleOfPlace(p *site.Place) string {
	for _, segment := range slices.Backward(p.Segs) {
		if !site.IsKey(segment) {
			return wording.Label(segment)
		}
	}
	return v.Title
}

// sessionAt is the path of the endpoint of sessions.
func (c *Console) sessionAt() string { return c.API.Prefix + c.Session }

// withToken returns the headers of a request to the API that may write.
func (v *visit) withToken() http.Header {
	h := http.Header{}
	h.Set(csrfHeader, v.r.PostFormValue(csrfField))
	return h
}

// csrfField is the name of the field of a form that has the token. It is sent to the API as the header X-CSRFToken.
const (
	csrfField  = "~token"
	csrfHeader = "X-CSRFToken"
)

// jsonAt is the end of the address of a page as JSON.
const jsonAt = "~json"
