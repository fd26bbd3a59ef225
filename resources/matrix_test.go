package resources_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
)

// declared is the answer of every endpoint to each caller: the status; 200- is 200
// without the owner's rows, and 200* a function's answer without them: each
// caller's own. All rows are the owner's, where rows have an
// owner, and every request is valid if the owner sends it, but for 400!: a
// password or a token that is wrong for every caller. The
// inactive caller's credentials were made while the user was active.
//
// A line holds for all schemes, unless the last column names some. What is open
// to anyone runs no scheme, or that of sessions alone.
const declared = `
                                         anonymous owner other staff superuser inactive  schemes

GET    /api/                                   200   200   200   200       200      200

GET    /api/patients/                          401   200 200- 200-       200      401
POST   /api/patients/                          401   201   201   201       201      401
GET    /api/patients/{id}/                     401   200   404   404       200      401
PUT    /api/patients/{id}/                     401   200   404   404       200      401
PATCH  /api/patients/{id}/                     401   200   404   404       200      401
DELETE /api/patients/{id}/                     401   204   404   404       204      401
GET    /api/patients/{id}/appointments/        401   200   404   404       200      401

GET    /api/appointments/                      401   200 200- 200-       200      401
POST   /api/appointments/                      401   201   400   400       201      401
GET    /api/appointments/{id}/                 401   200   404   404       200      401
PUT    /api/appointments/{id}/                 401   200   404   404       200      401
PATCH  /api/appointments/{id}/                 401   200   404   404       200      401
DELETE /api/appointments/{id}/                 401   204   404   404       204      401

GET    /api/doctors/                           401   200   200   200       200      401
GET    /api/doctors/{id}/                      401   200   200   200       200      401

GET    /api/manage/doctors/                    401   200   200   200       200      401
POST   /api/manage/doctors/                    401   403   403   403       201      401
GET    /api/manage/doctors/{id}/               401   200   200   200       200      401
PUT    /api/manage/doctors/{id}/               401   403   403   403       200      401
PATCH  /api/manage/doctors/{id}/               401   403   403   403       200      401
DELETE /api/manage/doctors/{id}/               401   403   403   403       204      401

GET    /api/categories                         200   200   200   200       200      200  Session
GET    /api/categories                         200   200   200   200       200      401  Token Bearer JWT
GET    /api/products                           200   200   200   200       200      200  Session
GET    /api/products                           200   200   200   200       200      401  Token Bearer JWT
GET    /api/products/{slug}                    200   200   200   200       200      200  Session
GET    /api/products/{slug}                    200   200   200   200       200      401  Token Bearer JWT

GET    /api/cart                               401   200  200*  200*      200*      401
DELETE /api/cart                               401   200   200   200       200      401
POST   /api/cart/items                         401   201   201   201       201      401
PATCH  /api/cart/items/{id}                    401   200   404   404       404      401
DELETE /api/cart/items/{id}                    401   200   404   404       404      401

GET    /api/orders                             401   200  200-  200-      200-      401
POST   /api/orders                             401   201   409   409       409      401
GET    /api/orders/{id}                        401   200   404   404       404      401
POST   /api/orders/{id}/cancel                 401   200   404   404       404      401

POST   /api/admin/products                     401   403   403   201       403      401
PATCH  /api/admin/products/{id}                401   403   403   200       403      401
PATCH  /api/admin/variants/{id}/stock          401   403   403   200       403      401
GET    /api/admin/orders                       401   403   403   200       403      401
POST   /api/admin/orders/{id}/confirm          401   403   403   200       403      401
POST   /api/admin/orders/{id}/pack             401   403   403   200       403      401
POST   /api/admin/orders/{id}/dispatch         401   403   403   200       403      401
POST   /api/admin/orders/{id}/deliver          401   403   403   200       403      401

POST   /api/auth/register                      201   201   201   201       201      201
POST   /api/auth/login                         200   200   200   200       200      200
POST   /api/auth/logout                        401   204   204   204       204      401
GET    /api/auth/me                            401   200   200   200       200      401
POST   /api/auth/token                         200   200   200   200       200      200
DELETE /api/auth/token                         401   204   204   204       204      401  Token Bearer
DELETE /api/auth/token                         401   401   401   401       401      401  Session JWT
GET    /api/auth/session                       200   200   200   200       200      200  Session
GET    /api/auth/session                       200   401   401   401       401      401  Token Bearer JWT
POST   /api/auth/session                       200   200   200   200       200      200
DELETE /api/auth/session                       204   204   204   204       204      204  Session
DELETE /api/auth/session                       204   401   401   401       401      401  Token Bearer JWT
POST   /api/auth/jwt                           200   200   200   200       200      200
POST   /api/auth/jwt/refresh                   200   200   200   200       200      200
POST   /api/auth/jwt/revoke                    204   204   204   204       204      204
PATCH  /api/auth/me                            401   200   200   200       200      401
POST   /api/auth/password                      401   204   204   204       204      401
POST   /api/auth/email                         401   202   202   202       202      401
DELETE /api/auth/me                            401  400!  400!  400!      400!      401
POST   /api/auth/password/reset                202   202   202   202       202      202
POST   /api/auth/password/reset/confirm       400!  400!  400!  400!      400!     400!
POST   /api/auth/email/verify                 400!  400!  400!  400!      400!     400!
POST   /api/auth/email/verification            401   202   202   202       202      401
`

// The callers of the matrix, in the order of its columns.
const (
	anonymous = "anonymous"
	owner     = "owner"
	other     = "other"
	inactive  = "inactive"
)

var callers = []string{anonymous, owner, other, "staff", "superuser", inactive}

// A line is what an endpoint answers callers who use one of some schemes.
type line struct {
	cells   []string
	schemes []string
}

// lines reads the matrix, by "GET /api/".
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

// whole checks that each endpoint is declared once for each scheme, and that
// nothing else is.
func whole(t *testing.T, routes []framework.RouteInfo, all map[string][]line) {
	t.Helper()
	served := map[string]bool{}
	for _, r := range routes {
		served[route(r)] = true
		var given []string
		for _, l := range all[route(r)] {
			given = append(given, l.schemes...)
		}
		if slices.Sort(given); !slices.Equal(given, slices.Sorted(slices.Values(schemes))) {
			t.Errorf("the matrix declares an endpoint for the schemes %v; want each once. The line to add, with a status for each ?:\n%s", given, blank(r))
		}
	}
	for name := range all {
		if !served[name] {
			t.Errorf("the matrix declares %s, which is not served", name)
		}
	}
}

func blank(r framework.RouteInfo) string {
	return fmt.Sprintf("%-6s %-38s", r.Method, r.Path) + "   ?     ?     ?     ?         ?        ?"
}

// A matrix is the table at work.
type matrix struct {
	*world

	users   map[string]auth.User // by caller
	wallets map[string]wallet
	stage   *stage
	changed bool // the stage must be set again
	cells   int
}

func newMatrix(w *world) *matrix {
	m := &matrix{world: w, users: map[string]auth.User{
		owner: w.user(), other: w.user(), "staff": w.user(staff), "superuser": w.user(superuser),
	}, wallets: map[string]wallet{inactive: w.stale()}, changed: true}
	for name, user := range m.users {
		m.wallets[name] = w.wallet(user)
	}
	return m
}

// TestMatrix sends a request for each cell.
func TestMatrix(t *testing.T) {
	if testing.Short() {
		t.Skip("sends a request for each cell, one after the other")
	}
	peopled(t, func(w *world) {
		all := lines(w.t)
		whole(w.t, w.api.Routes(), all)
		m := newMatrix(w)
		for _, r := range w.api.Access(m.callers()...) {
			for _, l := range all[route(r.RouteInfo)] {
				for i, caller := range callers {
					m.try(w, r.RouteInfo, l, caller, l.cells[i])
				}
			}
			if some := all[route(r.RouteInfo)]; len(some) > 0 {
				agree(w.t, r, some)
			}
		}
		w.t.Logf("%d cells", m.cells)
	})
}

// callers returns the callers as the framework identifies them. An inactive one is anonymous.
func (m *matrix) callers() (asked []*framework.Caller) {
	for _, name := range callers {
		u, known := m.users[name]
		if !known {
			asked = append(asked, nil)
			continue
		}
		asked = append(asked, &framework.Caller{ID: u.ID, Staff: u.IsStaff, Superuser: u.IsSuperuser})
	}
	return asked
}

// try sends a caller's requests of a line, one by each scheme. In a hurry it is
// one by the scheme whose turn it is.
func (m *matrix) try(w *world, r framework.RouteInfo, l line, caller, want string) {
	w.t.Helper()
	used := l.schemes
	if testing.Short() {
		turn := m.cells + m.cells/len(callers) // another for the same caller in the next line
		used = []string{l.schemes[turn%len(l.schemes)]}
	}
	if caller == anonymous {
		used = []string{"nothing"}
	}
	for _, scheme := range used {
		m.cells++
		w.t.Run(route(r)+" "+caller+" by "+scheme, func(t *testing.T) {
			m.world = w.on(t)
			m.cell(r, caller, scheme, want)
		})
	}
}

// cell sends one request and holds the answer against what is declared.
func (m *matrix) cell(r framework.RouteInfo, caller, scheme, want string) {
	m.t.Helper()
	if m.changed {
		m.stage, m.changed = m.world.stage(m.users[owner]), false
	}
	m.stage.world = m.world
	client, at, body := m.as(r, caller, scheme), path(r, m.stage.id(r)), m.stage.body(r)
	before := m.contents()
	answer := client.Do(r.Method, at, body)
	m.holds(answer, want)
	m.shows(answer, r, want)
	m.changed = m.contents() != before
	writes := r.Method != http.MethodGet && !refusal(want) && !nothingToDo(r, caller)
	if m.changed != writes {
		m.t.Errorf("it wrote to the database: %v; want %v", m.changed, writes)
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
	if route(r) == "POST /api/auth/session" && !(scheme == bySession && caller != inactive) {
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

func refusal(cell string) bool { return cell[0] == '4' }

// holds checks the status, and that a 401 names the schemes of credentials.
func (m *matrix) holds(answer *frameworktest.Response, want string) {
	m.t.Helper()
	status, err := strconv.Atoi(strings.TrimRight(want, "-*!"))
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

// shows checks that the rows on stage are in the answer or are not.
func (m *matrix) shows(answer *frameworktest.Response, r framework.RouteInfo, want string) {
	m.t.Helper()
	rows := r.ViewSet != "auth" && r.Name != "root"
	switch {
	case rows && want == "200" && r.Method == http.MethodGet:
		answer.Contains(mark)
	case want == "200-" || want == "200*" || refusal(want):
		s := m.stage
		answer.Lacks(mark, s.patient, s.doctor, s.visitor, s.specialist, s.slot, s.line, s.owner.ID.String(), s.owner.Email)
	}
}

// agree compares the lines of an endpoint with the access that the framework computes
// from the declarations: it rejects exactly the callers that a line rejects, and only callers
// that no scope narrows get rows of other owners.
func agree(t *testing.T, r framework.RouteAccess, all []line) {
	t.Helper()
	for i, caller := range callers {
		cell := ""
		for _, l := range all {
			if cell = l.cells[i]; cell != "401" && cell != "403" {
				break
			}
		}
		access := accessOf(cell)
		if ownRows := caller == owner || r.Name == "create" || r.Scope == "where"; ownRows && access == framework.AccessAllowed && r.Access[i] == framework.AccessScoped {
			continue // the answer does not show whether other rows exist
		}
		if access != r.Access[i] {
			t.Errorf("%s is %s to %s by its declaration; the matrix says %s, which is %s", route(r.RouteInfo), r.Access[i], caller, cell, access)
		}
	}
}

// accessOf is what a cell shows; 400 is that of a reference to another's row.
func accessOf(cell string) framework.Access {
	switch cell {
	case "401", "403":
		return framework.AccessRefused
	case "200-", "400", "404":
		return framework.AccessScoped
	}
	return framework.AccessAllowed
}
