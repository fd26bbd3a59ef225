package console

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"trestle.example/framework/console/internal/assets"
	"trestle.example/framework/console/internal/client"
	"trestle.example/framework/console/internal/own"
	"trestle.example/framework/console/internal/site"
)

// New makes a console. An API without the endpoint of sessions is an error, and so is a tile, a page or a renderer for what the
// API lacks.
func New(o Options) (*Console, error) {
	o.Title, o.Session = cmp.Or(o.Title, o.API.Title), cmp.Or(o.Session, SessionPath)
	c := &Console{Options: o, site: site.New(o.API), client: client.Client{Handler: o.Handler, Within: o.Within, Cookies: client.Cookies{Path: o.Path}}}
	c.session = c.placeToSignIn(c.sessionAt())
	if c.Beside != nil {
		c.first = site.New(c.Beside).Find(c.API.Prefix + FirstPath).Place
		if c.first != nil && (c.first.By[http.MethodGet] == nil || c.first.By[http.MethodPost] == nil) {
			return nil, errors.New("Config.Console: ConsoleSignIn.First has no GET or no POST " + FirstPath)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		if c.session == nil || c.session.By[method] == nil {
			return nil, errors.New("Config.Console: the API has no endpoint " + method + " " + c.sessionAt() +
				", by which people sign in; register the viewset of package auth, call API.AddConsoleSignIn, or set Console.Session")
		}
	}
	if c.session.By[http.MethodPost].Body == nil {
		return nil, errors.New("Config.Console: POST " + c.sessionAt() + " takes no input, by which people sign in; Console.Session names another endpoint")
	}
	var err error
	if c.files, err = assets.New(styleSheet, script, o.Settings); err == nil {
		c.own, err = own.New(o.Settings, o.API, c.site, pages()["own"], page{}, c.files)
	}
	if err != nil {
		return nil, fmt.Errorf("Config.Console: %w", err)
	}
	return c, nil
}

// placeToSignIn returns the place of a path, which may be one that only the console reaches; nil without one.
func (c *Console) placeToSignIn(path string) *site.Place {
	if c.Beside != nil {
		if at := site.New(c.Beside).Find(path); at.Place != nil {
			return at.Place
		}
	}
	return c.site.Find(path).Place
}

// mostEntered is the number of bytes of a form, larger than the body that the API takes.
const mostEntered = 4 << 20

// ServeHTTP implements [http.Handler].
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), c.Path)
	if !ok {
		http.NotFound(w, r)
		return
	}
	if rest, escaped := strings.CutPrefix(path, "%7E"); escaped { // as some programs write a link
		path = "~" + rest
	}
	if name, ok := strings.CutPrefix(path, filesAt); ok {
		c.files.Serve(w, r, name)
		return
	}
	if strings.HasPrefix(path, firstAt+"/") { // the path has a secret, which no request of the page may repeat
		w.Header().Set("Referrer-Policy", "no-referrer")
	}
	v := &visit{Console: c, w: w, r: r, path: path, named: map[*site.Place]map[string]string{}}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodPost:
		r.Body = http.MaxBytesReader(w, r.Body, mostEntered)
		if err := r.ParseForm(); err != nil {
			v.refuse(http.StatusBadRequest, "The form cannot be read, or it is larger than 4 MiB.")
			return
		}
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		v.refuse(http.StatusMethodNotAllowed, "The console takes GET and POST.")
		return
	}
	if v.begin() {
		v.route()
	}
}

// protect sets the headers of every answer of the console. Only its own files are loaded, no
// other page may show it in a frame, and neither browsers nor proxies nor search engines keep it.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "+
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// begin reads the session and the rights of the caller. If the request is answered, it returns false.
func (v *visit) begin() bool {
	a := v.client.Send(v.w, v.r, client.Message{Method: http.MethodGet, Path: v.sessionAt()})
	if !a.OK() {
		v.refuse(a.Status, client.ReadRejection(a).Detail)
		return false
	}
	v.user, v.csrf = readSession(a)
	if v.user == "" {
		return true
	}
	var err error
	v.allowed, err = v.Allowed(v.client.Request(v.r, client.Message{Method: http.MethodGet, Path: v.sessionAt()}))
	if err != nil {
		v.refuse(http.StatusInternalServerError, "The rights of the caller could not be read.")
	}
	return err == nil
}

// route answers a request by its path.
func (v *visit) route() {
	switch {
	case v.path == signInAt:
		v.signIn()
	case v.path == firstAt, strings.HasPrefix(v.path, firstAt+"/"):
		v.makeFirst()
	case v.user == "":
		v.redirect(v.Path + signInAt + "?" + url.Values{"next": {v.here()}}.Encode())
	case v.path == signOutAt:
		v.signOut()
	case v.path == searchAt:
		v.search()
	case v.path == "":
		v.home()
	default:
		if p, keys := v.own.Find(v.path); p != nil {
			v.showOwn(p, keys)
			return
		}
		v.address()
	}
}

// address answers a request for the page of an address of the API, or for the form of an operation.
func (v *visit) address() {
	path, method := v.path, ""
	if before, last, ok := cutLast(strings.TrimSuffix(path, "/")); ok && strings.HasPrefix(last, "~") {
		path, method = before, strings.ToUpper(last[1:])
	}
	at := v.site.Find(v.API.Prefix + "/" + path)
	switch {
	case at.Place == nil, at.Place.Path == v.sessionAt(): // signing in and out have addresses of their own
		v.refuse(http.StatusNotFound, noAddress)
	case method != "" && v.isList(at) && listPages[method] != nil:
		listPages[method](v, at)
	case method != "":
		v.operate(at, method)
	case v.r.Method == http.MethodPost:
		v.refuse(http.StatusMethodNotAllowed, "A page is read; an operation has an address of its own.")
	default:
		v.show(at)
	}
}

// listPages answer at addresses of a list with several of its rows.
var listPages = map[string]func(*visit, site.Address){
	chosenMethod: (*visit).doChosen, gridMethod: (*visit).editRows, importMethod: (*visit).importRows,
}

// isList reports whether the caller may read a list at an address.
func (v *visit) isList(at site.Address) bool {
	e := at.Place.By[http.MethodGet]
	return v.may(e) && e.Page != nil
}

// cutLast cuts the last segment off a path.
func cutLast(path string) (before, last string, ok bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

// show answers a read of an address.
func (v *visit) show(at site.Address) {
	e := at.Place.By[http.MethodGet]
	switch {
	case e == nil:
		v.showOperations(at)
	case !isPage(e):
		v.redirect(at.Path()) // a file or a stream, which is no page
	case e.Page != nil:
		v.showList(at, e)
	default:
		v.showObject(at, e)
	}
}
