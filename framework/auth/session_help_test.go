package auth

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest/contract"
)

// A site is an API with sessions, as a service would declare it, but users sign in
// without a password: hashing would make the tables of cases slow.
type site struct {
	*world

	sessions *Sessions
	handler  http.Handler
	acts     atomic.Int64 // how often a request had an effect
	log      bytes.Buffer
	base     string // its address for browsers
}

func (w *world) site(o SessionOptions) *site {
	w.Helper()
	o.Now = w.clock
	sessions, err := NewSessions(o)
	w.must(err)
	s := &site{world: w, sessions: sessions, base: "http://api.example.org"}
	if o.Secure {
		s.base = "https://api.example.org"
	}
	api := framework.New(framework.Config{
		DB: w.db, Now: w.clock, Codes: SessionCodes(), Log: slog.New(slog.NewJSONHandler(&s.log, nil)),
		Authentication: []framework.Authenticator{sessions, Token{}},
	})
	api.Register(framework.ViewSet[Group]{Name: "groups", Scope: framework.Public(), Collection: s.actions()})
	handler, err := api.Handler()
	w.must(err)
	s.handler = contracts.Of(w, "", api).Wrap(w, handler)
	return s
}

// contracts are the contracts of the APIs in these tests: the OpenAPI document must
// describe every answer.
var contracts = contract.Book{Unsaid: map[string][]string{}}

type enterInput struct {
	Email string `json:"email"`
}

type renewInput struct {
	Password string `json:"password"`
}

type shownSession struct {
	Email     string `json:"email"`
	CSRFToken string `json:"csrfToken"`
}

func (s *site) actions() []framework.CollectionAction {
	actions := []framework.CollectionAction{
		framework.OnCollection("GET", "session", s.show).Permit(framework.Anyone()),
		framework.OnCollection("POST", "session", s.enter).Permit(framework.Anyone()).Authenticate().
			Refuses(CodeCSRFFailed).Sends(s.sessions.Sends()...),
		framework.OnCollection("DELETE", "session", s.leave).Permit(framework.Anyone()),
		framework.OnCollection("POST", "password", s.renew).Refuses(CodeCSRFFailed).Sends(s.sessions.Sends()...),
	}
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		actions = append(actions, framework.OnCollection(method, "act", s.act))
	}
	return actions
}

func (s *site) act(c *framework.Call, _ framework.None) (framework.None, error) {
	if c.Request().Method != http.MethodGet && c.Request().Method != http.MethodHead {
		s.acts.Add(1)
	}
	return framework.None{}, nil
}

func (s *site) show(c *framework.Call, _ framework.None) (shownSession, error) {
	token, err := s.sessions.CSRFToken(c)
	return shownSession{c.Caller.Email, token}, err
}

func (s *site) enter(c *framework.Call, in enterInput) (shownSession, error) {
	user, err := s.users.FindUser(c, c.Session(), in.Email)
	if err != nil {
		return shownSession{}, err
	}
	token, err := s.sessions.Begin(c, user)
	if err != nil {
		return shownSession{}, err
	}
	s.acts.Add(1)
	return shownSession{user.Email, token}, nil
}

// renew changes the password of the caller and signs the browser in again.
func (s *site) renew(c *framework.Call, in renewInput) (shown shownSession, err error) {
	id := framework.IDOf[uuid.UUID](c)
	err = c.InTx(func(c *framework.Call) error {
		if err := s.users.SetPassword(c, c.Session(), id, in.Password); err != nil {
			return err
		}
		user, err := s.users.UserByID(c, c.Session(), id)
		if err != nil {
			return err
		}
		token, err := s.sessions.Begin(c, user)
		shown = shownSession{user.Email, token}
		return err
	})
	return shown, err
}

func (s *site) leave(c *framework.Call, _ framework.None) (framework.None, error) {
	return framework.None{}, s.sessions.End(c)
}

// send sends one request; each header is "Name: value".
func (s *site) send(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	s.Helper()
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, s.request(method, path, body, headers...))
	s.checkCookies(w)
	return w
}

func (s *site) request(method, path, body string, headers ...string) *http.Request {
	r := httptest.NewRequestWithContext(context.Background(), method, s.base+"/api/groups/"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		if name == "Content-Type" {
			r.Header.Del(name)
		}
		r.Header.Add(name, value)
	}
	return r
}

// checkCookies checks the cookies of every response.
func (s *site) checkCookies(w *httptest.ResponseRecorder) {
	s.Helper()
	var names []string
	for _, c := range w.Result().Cookies() {
		names = append(names, c.Name)
		bare := strings.TrimPrefix(c.Name, hostPrefix)
		known := c.Name == csrfCookie || (bare == sessionCookie || bare == presessionCookie) && s.sessions.name(bare) == c.Name
		if !known || c.Path != "/" || c.Domain != "" || c.SameSite != http.SameSiteLaxMode || !c.Expires.IsZero() ||
			c.Secure != s.sessions.options.Secure || c.HttpOnly != (c.Name != csrfCookie) || (c.Value == "") != (c.MaxAge < 0) {
			s.Errorf("the cookie %s is not as it must be", c.Raw)
		}
	}
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != len(names) {
		s.Errorf("cookies are set twice: %v", names)
	}
	if len(names) > 0 && w.Header().Get("Cache-Control") != "no-store" {
		s.Errorf("a response that sets %v may be cached", names)
	}
}

// A browser stores the cookies of one site and the latest token.
type browser struct {
	*site

	cookies map[string]string
	token   string
}

func (s *site) browser() *browser { return &browser{site: s, cookies: map[string]string{}} }

// signedIn returns a browser whose user is signed in.
func (s *site) signedIn(email string) *browser {
	s.Helper()
	b := s.browser()
	b.show()
	b.enter(email, http.StatusOK)
	return b
}

// do sends a request as a page of the site does.
func (b *browser) do(method, path, body string) *httptest.ResponseRecorder {
	b.Helper()
	headers := []string{"Cookie: " + b.cookie(), "Origin: " + b.base, "Sec-Fetch-Site: same-origin"}
	if b.token != "" {
		headers = append(headers, "X-CSRFToken: "+b.token)
	}
	w := b.send(method, path, body, headers...)
	for _, c := range w.Result().Cookies() {
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		} else {
			b.cookies[c.Name] = c.Value
		}
	}
	if token := b.cookies[csrfCookie]; token != "" {
		b.token = token
	}
	return w
}

func (b *browser) cookie() string {
	var all []string
	for name, value := range b.cookies {
		all = append(all, name+"="+value)
	}
	return strings.Join(all, "; ")
}

func (b *browser) key(cookie string) string { return b.cookies[b.sessions.name(cookie)] }

func (b *browser) show() *httptest.ResponseRecorder {
	b.Helper()
	return b.wants(b.do("GET", "session/", ""), http.StatusOK, "")
}

func (b *browser) enter(email string, status int) {
	b.Helper()
	b.wants(b.do("POST", "session/", `{"email":"`+email+`"}`), status, "")
}

// admitted checks whether the browser may act.
func (b *browser) admitted(want bool) {
	b.Helper()
	status := http.StatusNoContent
	if !want {
		status = http.StatusUnauthorized
	}
	b.wants(b.do("GET", "act/", ""), status, "")
}

func (s *site) wants(w *httptest.ResponseRecorder, status int, contains string) *httptest.ResponseRecorder {
	s.Helper()
	if w.Code != status || !strings.Contains(w.Body.String(), contains) {
		s.Errorf("%d %s; want %d with %q", w.Code, w.Body, status, contains)
	}
	return w
}

// on returns the site for a subtest.
func (s *site) on(t *testing.T) *site {
	w := *s.world
	w.T = t
	return &site{world: &w, sessions: s.sessions, handler: s.handler, base: s.base}
}
