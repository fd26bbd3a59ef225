package resources_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
)

// declared is the answer of every endpoint of the accounts, and of some others, to each caller by
// each scheme: the status. Every request is valid, but for 400!: a password or a token that is wrong
// for every caller. The inactive caller's credentials were made while the user was active.
//
// A line holds for all schemes, unless the last column names some. What is open to anyone runs no
// scheme, or that of sessions alone. What the other endpoints answer each caller, the proof of
// cmd/trestle tries.
const declared = `
                                       anonymous user superuser inactive  schemes

GET    /api/                                 200  200       200      200
GET    /api/patients/                        401  200       200      401
POST   /api/patients/                        401  201       201      401
GET    /api/categories                       200  200       200      200  Session
GET    /api/categories                       200  200       200      401  Token Bearer JWT
GET    /api/cart                             401  200       200      401
DELETE /api/cart                             401  200       200      401

POST   /api/auth/register                    201  201       201      201
POST   /api/auth/login                       200  200       200      200
POST   /api/auth/logout                      401  204       204      401
GET    /api/auth/me                          401  200       200      401
POST   /api/auth/token                       200  200       200      200
DELETE /api/auth/token                       401  204       204      401  Token Bearer
DELETE /api/auth/token                       401  401       401      401  Session JWT
GET    /api/auth/session                     200  200       200      200  Session
GET    /api/auth/session                     200  401       401      401  Token Bearer JWT
POST   /api/auth/session                     200  200       200      200
DELETE /api/auth/session                     204  204       204      204  Session
DELETE /api/auth/session                     204  401       401      401  Token Bearer JWT
POST   /api/auth/jwt                         200  200       200      200
POST   /api/auth/jwt/refresh                 200  200       200      200
POST   /api/auth/jwt/revoke                  204  204       204      204
PATCH  /api/auth/me                          401  200       200      401
POST   /api/auth/password                    401  204       204      401
POST   /api/auth/email                       401  202       202      401
DELETE /api/auth/me                          401 400!      400!      401
POST   /api/auth/password/reset              202  202       202      202
POST   /api/auth/password/reset/confirm     400! 400!      400!     400!
POST   /api/auth/email/verify               400! 400!      400!     400!
POST   /api/auth/email/verification          401  202       202      401
`

// The callers, in the order of the columns.
const (
	anonymous = "anonymous"
	inactive  = "inactive"
)

var callers = []string{anonymous, "user", "superuser", inactive}

// A line is what an endpoint answers callers who use one of some schemes.
type line struct {
	cells   []string
	schemes []string
}

// lines reads the table, by "GET /api/".
func lines(t *testing.T) map[string][]line {
	t.Helper()
	all := map[string][]line{}
	for _, text := range strings.Split(declared, "\n")[2:] {
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if len(words) < 2+len(callers) {
			t.Fatalf("%q has %d words; a line is a method, a path and a cell for each of %d callers", text, len(words), len(callers))
		}
		l := line{words[2 : 2+len(callers)], words[2+len(callers):]}
		if len(l.schemes) == 0 {
			l.schemes = schemes
		}
		name := words[0] + " " + words[1]
		all[name] = append(all[name], l)
	}
	return all
}

// whole checks that each endpoint of the accounts is declared once for each scheme.
func whole(t *testing.T, routes []framework.RouteInfo, all map[string][]line) {
	t.Helper()
	served := map[string]bool{}
	for _, r := range routes {
		served[route(r)] = true
		var given []string
		for _, l := range all[route(r)] {
			given = append(given, l.schemes...)
		}
		slices.Sort(given)
		if r.ViewSet == "auth" && !slices.Equal(given, slices.Sorted(slices.Values(schemes))) {
			t.Errorf("the table declares %s for the schemes %v; want each once", route(r), given)
		}
	}
	for name := range all {
		if !served[name] {
			t.Errorf("the table declares %s, which is not served", name)
		}
	}
}

// A matrix is the table at work.
type matrix struct {
	*world

	users   map[string]auth.User // by caller
	wallets map[string]wallet
	owner   auth.User // whose credentials are in bodies
}

func newMatrix(w *world) *matrix {
	m := &matrix{world: w, users: map[string]auth.User{"user": w.user(), "superuser": w.user(superuser)}, owner: w.user()}
	m.wallets = map[string]wallet{inactive: w.stale()}
	for name, user := range m.users {
		m.wallets[name] = w.wallet(user)
	}
	return m
}

// TestSchemes sends a request for each cell by each scheme.
func TestSchemes(t *testing.T) {
	if testing.Short() {
		t.Skip("sends a request for each cell, one after the other")
	}
	peopled(t, func(w *world) {
		all := lines(w.t)
		whole(w.t, w.api.Routes(), all)
		m := newMatrix(w)
		for _, r := range w.api.Routes() {
			for _, l := range all[route(r)] {
				for i, caller := range callers {
					m.try(w, r, l, caller, l.cells[i])
				}
			}
		}
	})
}

// try sends a caller's requests of a line, one by each scheme.
func (m *matrix) try(w *world, r framework.RouteInfo, l line, caller, want string) {
	w.t.Helper()
	used := l.schemes
	if caller == anonymous {
		used = []string{"nothing"}
	}
	for _, scheme := range used {
		w.t.Run(route(r)+" "+caller+" by "+scheme, func(t *testing.T) {
			m.world = w.on(t)
			m.cell(r, caller, scheme, want)
		})
	}
}

// cell sends one request and holds the answer against what is declared.
func (m *matrix) cell(r framework.RouteInfo, caller, scheme, want string) {
	m.t.Helper()
	client, body := m.as(r, caller, scheme), m.body(r)
	before := m.contents()
	m.holds(client.Do(r.Method, r.Path, body), want)
	changed, writes := m.contents() != before, r.Method != http.MethodGet && want[0] != '4' && !nothingToDo(r, caller)
	if changed != writes {
		m.t.Errorf("it wrote to the database: %v; want %v", changed, writes)
	}
	if writes && route(r) == "POST /api/auth/password" { // it ends all other credentials
		m.wallets[caller] = m.fresh(caller)
	}
}

// nothingToDo reports whether a request is valid and has nothing to write: there is
// no session to end, or a mail is sent after the answer.
func nothingToDo(r framework.RouteInfo, caller string) bool {
	switch route(r) {
	case "DELETE /api/auth/session":
		return caller == anonymous
	case "POST /api/auth/email", "POST /api/auth/email/verification", "POST /api/auth/password/reset":
		return true
	}
	return false
}

// as is the client of a caller. Requests that may end the credentials that they
// are sent with have their own. To sign a browser in, the request must prove that it comes
// from its own page: by a live session, or else by a browser that is about
// to sign in.
func (m *matrix) as(r framework.RouteInfo, caller, scheme string) *frameworktest.Client {
	m.t.Helper()
	k := m.wallets[caller]
	if r.ViewSet == "auth" && r.Method != http.MethodGet && caller != anonymous {
		k = m.fresh(caller)
	}
	client := k.show(m.client, scheme)
	if route(r) == "POST /api/auth/session" && (scheme != bySession || caller == inactive) {
		before, csrf := m.knock()
		cookies := "presession=" + before
		if scheme == bySession {
			cookies += "; sessionid=" + k.cookie
		}
		client = client.With("Cookie", cookies).With("X-CSRFToken", csrf)
	}
	return client
}

func (m *matrix) fresh(caller string) wallet {
	m.t.Helper()
	if caller == inactive {
		return m.stale()
	}
	return m.wallet(m.users[caller])
}

// body is one that a route takes, nil for none.
func (m *matrix) body(r framework.RouteInfo) any {
	account := fields{"email": m.owner.Email, "password": password}
	bodies := map[string]any{
		"POST /api/patients/":                   fields{"name": "New", "phone": "999"},
		"POST /api/auth/register":               fields{"email": newID().String() + "@new.example", "password": password},
		"POST /api/auth/login":                  account,
		"POST /api/auth/token":                  account,
		"POST /api/auth/session":                account,
		"POST /api/auth/jwt":                    account,
		"PATCH /api/auth/me":                    fields{"name": newID().String()},
		"POST /api/auth/password":               fields{"currentPassword": password, "password": password},
		"POST /api/auth/email":                  fields{"currentPassword": password, "email": newID().String() + "@new.example"},
		"DELETE /api/auth/me":                   fields{"password": "not " + password},
		"POST /api/auth/password/reset":         fields{"email": m.owner.Email},
		"POST /api/auth/password/reset/confirm": fields{"token": "unknown", "password": password},
		"POST /api/auth/email/verify":           fields{"token": "unknown"},
	}
	if body, known := bodies[route(r)]; known {
		return body
	}
	if strings.HasPrefix(r.Path, "/api/auth/jwt/") {
		pair, err := m.identity.JWT.Issue(m.t.Context(), m.db.Session(), m.now(m.owner))
		m.must(err)
		return fields{"refresh": pair.Refresh.Reveal()}
	}
	return nil
}

// holds checks the status, and that a 401 names the schemes of credentials.
func (m *matrix) holds(answer *frameworktest.Response, want string) {
	m.t.Helper()
	status, err := strconv.Atoi(strings.TrimRight(want, "!"))
	m.must(err)
	answer.Expect(status)
	challenge := ""
	if status == http.StatusUnauthorized {
		challenge = answer.Headers().Get("WWW-Authenticate")
		if !strings.Contains(challenge, `realm="api"`) {
			m.t.Errorf("WWW-Authenticate is %q", challenge)
		}
	}
	answer.Header("WWW-Authenticate", challenge)
}

var quotas = regexp.MustCompile(`;[rt]=\d+`)

// alike checks that two answers are the same in all but the id of the request.
func alike(t *testing.T, one, another *frameworktest.Response) {
	t.Helper()
	if a, b := plain(one), plain(another); a != b {
		t.Errorf("the answers differ:\n%s\nand\n%s", a, b)
	}
}

// plain is an answer without what no two have in common.
func plain(r *frameworktest.Response) string {
	id, header := r.Headers().Get("X-Request-Id"), r.Headers().Clone()
	header.Del("X-Request-Id")
	header.Del("Date")
	for name, values := range header {
		if strings.HasPrefix(name, "Ratelimit") {
			header[name] = []string{quotas.ReplaceAllString(strings.Join(values, ", "), "")}
		}
	}
	body := r.Body()
	if id != "" {
		body = strings.ReplaceAll(body, id, "ID")
	}
	return fmt.Sprintf("%d %v\n%s", r.Status(), header, body)
}
