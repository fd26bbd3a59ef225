package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/compression"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/ignored"
	"trestle.example/framework/internal/moving"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
)

// A server serves an API by echo. Only this file and fromecho.go use echo: it finds the route of
// a request, and the endpoint does the rest.
type server struct {
	api       describe.Catalog
	echo      *echo.Echo
	describer *describer
	cors      *cors // nil without configured origins
	paths     paths

	compressor *compression.Compressor // nil if answers are not compressed

	shedByDatabase, shedByBodies, shedByParsing shedCount
}

// A place is one path with the endpoints of its methods.
type place struct {
	pattern  string
	path     string          // as in [call.Outcome]
	resource *table.Resource // nil for the API root
	methods  map[string]*table.Endpoint
	allow    string // the methods, as the header Allow lists them
}

// NewServer makes the handler of a checked API. document returns the OpenAPI document, the same at each call. If the API is
// documented, NewServer calls it; a mistake in the document is an error.
func NewServer(registry *table.Registry, document func() (wire.Members, error)) (http.Handler, error) {
	a := describe.NewCatalog(registry)
	if !a.Config.Undocumented {
		if _, err := document(); err != nil {
			return nil, err
		}
	}
	s := &server{api: a, echo: echo.New(), describer: &describer{a, document}, cors: newCORS(a), paths: pathsOf(a)}
	s.echo.HTTPErrorHandler = func(err error, c echo.Context) { s.unrouted(err, c) }
	reference, err := newReference(a, document)
	if err == nil && a.Config.Compress {
		s.compressor, err = compression.New()
	}
	if err != nil {
		return nil, err
	}
	s.mount(&place{pattern: "/"}, s.open("root", a.Config.Prefix+"/", serveRoot(a, a.Endpoints()[0])))
	for path, answer := range reference {
		s.mount(&place{pattern: path}, s.open("document", a.Config.Prefix+path, answer))
	}
	for _, p := range places(a) {
		s.mount(p, func(c echo.Context) error { s.serve(p, c); return nil })
	}
	s.at(s.errorsPath()+":code", s.errorPage)
	s.at(s.errorsPath()+":code/", s.errorPage)
	s.at(s.errorsPath(), s.errorPage)
	s.at(strings.TrimSuffix(s.errorsPath(), "/"), s.errorPage)
	if a.Config.Prefix != "" { // else the API's own root is there
		s.at("/", s.open("first", "/", newFirstPage(a).serve))
	}
	return s, nil
}

// places gathers the endpoints by their paths, in order of registration.
func places(a describe.Catalog) []*place {
	var all []*place
	byPattern := map[string]*place{}
	for _, r := range a.Resources {
		for _, e := range r.Endpoints {
			p := byPattern[e.Pattern]
			if p == nil {
				p = &place{pattern: e.Pattern, path: a.PathOf(e), resource: r, methods: map[string]*table.Endpoint{}}
				byPattern[e.Pattern] = p
				all = append(all, p)
			}
			p.methods[e.Route.Method] = e
		}
	}
	for _, p := range all {
		p.allow = p.offers()
	}
	return all
}

// mount serves a path with and without a slash at the end. Neither form is a redirect.
func (s *server) mount(p *place, h echo.HandlerFunc) {
	bare := strings.TrimSuffix(s.api.Config.Prefix+p.pattern, "/")
	for _, path := range []string{bare, bare + "/"} {
		s.at(path, h)
	}
}

// at serves a path of the server for every method.
func (s *server) at(path string, h echo.HandlerFunc) {
	for _, method := range append(naming.KnownMethods, echo.RouteNotFound) {
		s.echo.Add(method, path, h)
	}
}

// serve answers a request for a path of a resource.
func (s *server) serve(p *place, ec echo.Context) {
	method := naming.MethodOf(ec.Request())
	e, keys := p.methods[method], keysOf(ec, p.resource)
	w, r := http.ResponseWriter(ec.Response()), ec.Request()
	if e != nil && (e.Parts != nil || e.Exports != nil) {
		w = ec.Response().Writer // echo's own panics if it cannot flush
	}
	if e != nil && e.Parts != nil {
		r = exchangeOf(r).prolong(r, s.api.Config.Timeout)
		defer exchangeOf(r).progress.end()
	}
	s.compress(e, w, r, func(w http.ResponseWriter) {
		s.wrap(e, w, r, func(w http.ResponseWriter, r *http.Request) {
			s.answer(w, r, p.route(e, method), func(c *call.Call) (*table.Response, error) {
				exchangeOf(r).path = p.path
				switch {
				case e != nil:
					state.Of(c).Writer = w
					resp, err := verb.NewHandler(e).Handle(c, r, keys)
					return resp, s.suggest(p, r, err)
				case method == http.MethodOptions:
					return s.describer.describe(c, r, p, keys)
				}
				return nil, s.suggest(p, r, s.notAllowed(c, r, p))
			}, p.allow)
		})
	})
}

// keysOf returns the keys in the path.
func keysOf(ec echo.Context, r *table.Resource) verb.Keys {
	keys := verb.Keys{Above: make([]string, r.Depth()), Row: pathKey(ec, "id"), Other: pathKey(ec, "other")}
	for i := range keys.Above {
		keys.Above[i] = pathKey(ec, table.AboveParam(i))
	}
	return keys
}

// pathKey returns a key in the path, percent-decoded. echo does not decode it if the path has
// escapes that Go does not write itself, such as %2F.
func pathKey(ec echo.Context, param string) string {
	text := ec.Param(param)
	if ec.Request().URL.RawPath == "" {
		return text
	}
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// route is the route of the endpoint, or a route with the name of the method if the path has no
// endpoint for it.
func (p *place) route(e *table.Endpoint, method string) call.Route {
	if e != nil {
		return e.Route
	}
	return call.Route{ViewSet: p.resource.Path, Name: strings.ToLower(method), Method: method}
}

// notAllowed returns 405 for a caller that may use the viewset. Any other caller gets the error
// of the access check, which does not reveal the methods. The throttles count the request.
func (s *server) notAllowed(c *call.Call, r *http.Request, p *place) error {
	if err := p.resource.Access.Admit(c, r); err != nil {
		return err
	}
	return problem.Refuse(http.StatusMethodNotAllowed, problem.CodeMethodNotAllowed,
		fmt.Sprintf("%s is not offered here; this path takes %s.", naming.Printable(r.Method), p.allow))
}

// offers lists the methods of a path, as the header Allow has them.
func (p *place) offers() string {
	var methods []string
	for _, m := range naming.KnownMethods {
		if p.methods[m] != nil || m == http.MethodHead && p.methods[http.MethodGet] != nil {
			methods = append(methods, m)
		}
	}
	return strings.Join(append(methods, http.MethodOptions), ", ")
}

// answer runs one request: it turns a panic into an error, sends the response, and reports the
// outcome to the observers and to the log. Without allow, there is no header Allow.
func (s *server) answer(w http.ResponseWriter, r *http.Request, route call.Route, run func(*call.Call) (*table.Response, error), allow string) {
	x := exchangeOf(r)
	x.Route = route
	h := w.Header()
	h.Set(problem.HeaderRequestID, x.ID.String())
	resp, err := protect(func() (*table.Response, error) { return encode(run(x.Call)) })
	if allow != "" && !hidesMethods(err) {
		h.Set(problem.HeaderAllow, allow)
	}
	if err == nil {
		resp.Locate(x.Call)
	}
	if notes := ignored.Value(x.Call); notes != "" {
		h.Set(problem.HeaderIgnored, notes)
	}
	if err == nil && resp.Parts != nil {
		w = x.observe(w)
		if x.progress == nil { // a list, which is sent in parts for some requests
			r = x.prolong(r, s.api.Config.Timeout)
			defer x.progress.end()
		}
		if s.sendParts(w, r, x, resp.Parts) {
			return
		}
		if err = x.failed; hidesMethods(err) {
			h.Del(problem.HeaderAllow)
		}
	}
	x.gone = x.hungUp() && !isLate(err)
	status := s.send(w, x, resp, err)
	s.finish(x, r, status, err)
}

// isLate reports whether the body did not arrive in time. Then net/http ends the context of the
// request, although the client is still there.
func isLate(err error) bool {
	e, ok := errors.AsType[*problem.Error](err)
	return ok && e.Code == problem.CodeRequestTimeout
}

// hidesMethods reports whether an answer with this error must not have the header Allow: a
// caller without access does not learn the methods of the path. That is so for 401 and 403.
func hidesMethods(err error) bool {
	e, ok := errors.AsType[*problem.Error](err)
	return ok && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden)
}

// encode writes the value of a response as JSON.
func encode(resp *table.Response, err error) (*table.Response, error) {
	if err == nil {
		err = resp.Encode()
	}
	return resp, err
}

// protect turns a panic into an error, so that the client gets the answer 500: net/http would
// close the connection.
func protect(run func() (*table.Response, error)) (resp *table.Response, err error) {
	err = fault.Protect(func() (err error) {
		resp, err = run()
		return err
	})
	return resp, err
}

// unrouted answers 404 to a request for which echo found no route, or for an unknown error code.
func (s *server) unrouted(_ error, ec echo.Context) {
	r := ec.Request()
	s.answer(ec.Response(), r, call.Route{Method: r.Method}, func(*call.Call) (*table.Response, error) {
		return nil, s.noPath(r)
	}, "")
}

// open serves a path that every caller may read. It answers GET, HEAD and OPTIONS in the same
// way, and any other method with 405.
func (s *server) open(name, path string, serve opening) echo.HandlerFunc {
	return func(ec echo.Context) error {
		r := ec.Request()
		s.answer(ec.Response(), r, call.Route{Name: name, Method: r.Method}, func(c *call.Call) (*table.Response, error) {
			exchangeOf(r).path = path
			switch r.Method {
			case http.MethodGet, http.MethodHead, http.MethodOptions:
				return serve(c, r)
			}
			return nil, problem.Refuse(http.StatusMethodNotAllowed, problem.CodeMethodNotAllowed,
				naming.Printable(r.Method)+" is not offered here; this path takes GET.")
		}, "GET, HEAD, OPTIONS")
		return nil
	}
}

// errorsPath is the path of the pages of error codes.
func (s *server) errorsPath() string { return s.api.Config.Prefix + problem.ErrorPages }

// errorPage answers {prefix}/errors/ and {prefix}/errors/{code}. An unknown code is 404; any
// method except GET and HEAD is 405. A page has no log line; a 404 or 405 has one.
func (s *server) errorPage(ec echo.Context) error {
	r := ec.Request()
	page, known := explain(s.api, ec.Param("code"))
	if page.Code == nil { // for a method that echo does not know, the path may be a longer one
		known = known && strings.TrimSuffix(r.URL.Path, "/")+"/" == s.errorsPath()
	}
	if known {
		exchangeOf(r).path = s.errorsPath()
	}
	switch {
	case !known:
		s.unrouted(nil, ec)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		page.write(ec.Response())
	default:
		s.answer(ec.Response(), r, call.Route{Method: r.Method}, func(*call.Call) (*table.Response, error) {
			return nil, problem.Refuse(http.StatusMethodNotAllowed, problem.CodeMethodNotAllowed,
				naming.Printable(r.Method)+" is not offered here; this path takes GET.")
		}, "GET, HEAD")
	}
	return nil
}

// ServeHTTP checks the host and the prefix guards of a request, and then routes it.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.begin(w, r, func(x *exchange, w http.ResponseWriter, r *http.Request) {
		if _, err := protect(func() (*table.Response, error) { return nil, s.gate(x.Call, r) }); err != nil {
			s.answer(w, r, x.Route, func(*call.Call) (*table.Response, error) { return nil, err }, "")
			return
		}
		s.echo.ServeHTTP(w, plainlySpelt(r))
	})
}

// begin gives a request its deadline and its call, sets the headers that every answer has, and
// calls Begin of the observers. It answers a preflight request of an allowed origin to an
// allowed host itself, and calls then for any other request.
func (s *server) begin(w http.ResponseWriter, r *http.Request, then func(*exchange, http.ResponseWriter, *http.Request)) {
	ctx, cancel := context.WithTimeout(r.Context(), s.api.Config.Timeout)
	defer cancel()
	x := &exchange{Call: newCall(ctx, s.api.Registry, r, w.Header()), began: time.Now(), lasting: r.Context()}
	if life := s.api.Config.HSTS; x.Secure && life > 0 {
		w.Header().Set("Strict-Transport-Security", "max-age="+strconv.FormatInt(int64(life/time.Second), 10))
	}
	guardAnswer(w.Header())
	preflight := s.cors.allow(w.Header(), r)
	if len(s.api.Config.Observers) > 0 {
		x.observation = &observation{ResponseWriter: w}
		w = x.observation
		defer s.endUnlogged(x, r)
		s.beginObservers(x, r)
	}
	r = x.become(moving.Now(x.Context), r)
	if preflight && s.api.Origin.HostAllowed(r) == nil {
		s.answer(w, r, call.Route{Name: "preflight", Method: http.MethodOptions}, s.cors.preflight, "")
		return
	}
	then(x, w, r)
}

// gate checks the request's host, and the guards of its path, in order. The first failure is the
// error. For a guard, it identifies the caller and sets the route of the call.
func (s *server) gate(c *call.Call, r *http.Request) error {
	if err := s.api.Origin.HostAllowed(r); err != nil {
		return err
	}
	for _, g := range s.api.Config.Guards {
		if !s.api.Origin.Guards(g.Under, r) {
			continue
		}
		c.Route.ViewSet, c.Route.Name = g.Under, "guard"
		if err := access.Identify(c, r, s.api.Config.Authentication); err != nil {
			return err
		}
		if !g.Permission.Permit(c) {
			return s.api.ForbiddingBy(g, c, access.PermissionError(c, s.api.Config.Authentication))
		}
	}
	return nil
}
