package resources_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
)

// open are the routes to rows that every caller may read: there is nothing in
// them to keep.
var open = []string{"GET /api/doctors/{id}/", "GET /api/manage/doctors/{id}/", "GET /api/products/{slug}"}

// objectRoutes are all that name a row, HEAD and OPTIONS among them, but for
// those that are open.
func objectRoutes(routes []framework.RouteInfo) (all []framework.RouteInfo) {
	described := map[string]bool{}
	for _, r := range routes {
		if !strings.Contains(r.Path, "{") || slices.Contains(open, route(r)) {
			continue
		}
		all = append(all, r)
		if r.Method == http.MethodGet {
			r.Method = http.MethodHead
			all = append(all, r)
		}
		if r.Method = http.MethodOptions; !described[r.Path] {
			described[r.Path] = true
			all = append(all, r)
		}
	}
	return all
}

// TestReplay: a user repeats each allowed request of another user for that user's row, word
// for word, and gets the same answer as for a row that does not exist.
func TestReplay(t *testing.T) {
	peopled(t, func(w *world) {
		ada, bob := w.wallet(w.user()), w.wallet(w.user())
		sent := 0
		for _, r := range objectRoutes(w.api.Routes()) {
			for _, scheme := range schemes {
				sent++
				w.t.Run(route(r)+" by "+scheme, func(t *testing.T) {
					w := w.on(t)
					s := w.stage(ada.user)
					mine, body := path(r, s.id(r)), s.body(r)
					w.unchanged(func() {
						refusal := s.replay(r, bob.show(w.client, scheme), mine, body)
						refusal.Expect(replayed(r))
					})
					granted(t, r, ada.show(w.client, scheme).Do(r.Method, mine, body))
				})
			}
		}
		w.t.Logf("%d requests were replayed", sent)
	})
}

// replayed is the status of another user's request. OPTIONS describes the
// path and reads no row; doctors have no owner, and cannot be written.
func replayed(r framework.RouteInfo) int {
	switch {
	case strings.HasPrefix(r.Path, "/api/admin/"):
		return http.StatusForbidden
	case r.Method == http.MethodOptions:
		return http.StatusOK
	case r.Scope == "public":
		return http.StatusForbidden
	}
	return http.StatusNotFound
}

// granted checks that the request was one worth replaying: its row is there, and
// the owner's is fine.
func granted(t *testing.T, r framework.RouteInfo, answer *frameworktest.Response) {
	t.Helper()
	if r.Scope != "public" && answer.Status() >= http.StatusMultipleChoices {
		t.Errorf("%s by the owner is answered with %d", route(r), answer.Status())
	}
}

// replay sends a request, and the same for rows that do not exist, and returns
// the answer to the former, which must be that to the latter.
func (s *stage) replay(r framework.RouteInfo, c *frameworktest.Client, at string, body any) *frameworktest.Response {
	s.t.Helper()
	answer := c.Do(r.Method, at, body)
	for _, missing := range []uuid.UUID{newID(), uuid.New()} {
		alike(s.t, answer, c.Do(r.Method, path(r, missing.String()), body))
	}
	answer.Lacks(mark, s.patient, s.doctor, s.visitor, s.specialist, s.slot, s.line, s.owner.ID.String(), s.owner.Email)
	return answer
}

// TestReplayOfFaultyRequests: faults of the request are not reported sooner for a row
// that exists than for a row that does not.
func TestReplayOfFaultyRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("sends each fault on each route, one after the other")
	}
	peopled(t, func(w *world) {
		ada, bob := w.user(), w.wallet(w.user())
		s := w.stage(ada)
		for _, r := range objectRoutes(w.api.Routes()) {
			for name, body := range map[string]any{
				"no body": nil, "an empty object": fields{}, "no JSON": "{", "no object": "[]", "text that is no UTF-8": "{\"name\":\"\xff\"}",
				"the wrong types": fields{"name": 1, "patient": true, "fee": "x", "starts_at": 7}, "blank fields": fields{"name": "", "phone": "", "patient": nil, "doctor": nil},
				"unknown fields": fields{"owner": "x", "is_staff": true}, "its own id": fields{"id": s.id(r)}, "references to another's rows": fields{"patient": s.patient, "doctor": s.doctor},
				"too much": strings.Repeat(" ", 2<<20),
			} {
				w.t.Run(route(r)+" with "+name, func(t *testing.T) {
					s.world = w.on(t)
					s.unchanged(func() { s.replay(r, bob.show(s.client, byToken), path(r, s.id(r)), body) })
				})
			}
			w.t.Run(route(r)+" with parameters", func(t *testing.T) {
				s.world = w.on(t)
				client, asked := bob.show(s.client, byToken), "?page=0&search=x&unknown=1&ordering=-"
				alike(t, client.Do(r.Method, path(r, s.id(r))+asked, s.body(r)), client.Do(r.Method, path(r, newID().String())+asked, s.body(r)))
			})
		}
	})
}

// TestReferencesToAnothersRows are rejected like those to rows that do not exist.
func TestReferencesToAnothersRows(t *testing.T) {
	peopled(t, func(w *world) {
		bob := w.wallet(w.user())
		s := w.stage(w.user())
		own := patientOf(bob.user)
		w.store(&own)
		for _, scheme := range schemes {
			client := bob.show(w.client, scheme)
			mine := client.Post("/api/appointments/", fields{"patient": own.ID, "doctor": s.doctor}).Expect(201)
			var slot struct{ ID string }
			mine.JSON(&slot)
			for _, r := range []struct{ method, path string }{
				{"POST", "/api/appointments/"}, {"PUT", "/api/appointments/" + slot.ID + "/"}, {"PATCH", "/api/appointments/" + slot.ID + "/"},
			} {
				w.t.Run(r.method+" by "+scheme, func(t *testing.T) {
					w, client := w.on(t), client.On(t)
					w.unchanged(func() {
						for _, theirs := range []string{s.patient, s.visitor} {
							refusal := client.Do(r.method, r.path, fields{"patient": theirs, "doctor": s.doctor}).Expect(400).Fault("/patient", "invalid_reference")
							alike(t, refusal, client.Do(r.method, r.path, fields{"patient": newID(), "doctor": s.doctor}))
							refusal.Lacks(theirs, mark)
						}
					})
				})
			}
			w.t.Run("a filter by "+scheme, func(t *testing.T) {
				client := client.On(t)
				theirs := client.Get("/api/appointments/?patient="+s.visitor).Lacks(mark, s.slot)
				alike(t, theirs, client.Get("/api/appointments/?patient="+newID().String()))
			})
		}
	})
}

var (
	links  = regexp.MustCompile(`patient=[0-9a-f-]{36}`)
	quotas = regexp.MustCompile(`;[rt]=\d+`)
)

// alike checks that two answers are the same in all but the id of the request.
func alike(t *testing.T, one, another *frameworktest.Response) {
	t.Helper()
	if a, b := plain(one), plain(another); a != b {
		t.Errorf("the answers tell a row that exists from one that does not:\n%s\nand\n%s", a, b)
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
	body := links.ReplaceAllString(r.Body(), "patient=ID")
	if id != "" {
		body = strings.ReplaceAll(body, id, "ID")
	}
	return fmt.Sprintf("%d %v\n%s", r.Status(), header, body)
}
