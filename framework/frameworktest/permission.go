package frameworktest

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
)

// TestPermission checks a permission against the contract of [framework.Permission], for
// every kind of caller on every kind of route. It must decide the same each time and in
// any goroutine, use no database and not change the call. String must return one line
// that states what it requires.
func TestPermission(t *testing.T, p framework.Permission) {
	t.Helper()
	checkPermission(t, p)
}

func checkPermission(tb testing.TB, p framework.Permission) {
	tb.Helper()
	name := p.String()
	if strings.TrimSpace(name) == "" || strings.ContainsAny(name, "\r\n") || p.String() != name {
		tb.Errorf("String is %q and then %q; want one line that states what it requires, always the same", name, p.String())
	}
	for _, caller := range callers() {
		for _, route := range routes() {
			checkDecision(tb, p, caller, route)
		}
	}
}

func checkDecision(tb testing.TB, p framework.Permission, caller framework.Caller, route framework.Route) {
	tb.Helper()
	want, ok := permits(tb, p, caller, route)
	if !ok {
		return
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if got, ok := permits(tb, p, caller, route); ok && got != want {
				tb.Errorf("%s for %+v on %+v decides %t and then %t", p, caller, route, want, got)
			}
		})
	}
	group.Wait()
}

// permits calls Permit with a call that has a caller, a route and a time, and no
// database.
func permits(tb testing.TB, p framework.Permission, caller framework.Caller, route framework.Route) (permitted, ok bool) {
	tb.Helper()
	asked := caller
	c := &framework.Call{Context: context.Background(), Caller: &asked, Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Route: route}
	before := *c
	defer func() {
		if r := recover(); r != nil {
			tb.Errorf("%s for %+v on %+v panics: %v; a permission reads Caller and Route and has no database", p, caller, route, r)
			ok = false
		}
	}()
	permitted = p.Permit(c)
	if !reflect.DeepEqual(before, *c) || !reflect.DeepEqual(caller, asked) {
		tb.Errorf("%s changes the call", p)
	}
	return permitted, true
}

// callers returns one caller of each kind.
func callers() []framework.Caller {
	id := uuid.MustParse("01900000-0000-7000-8000-000000000001")
	return []framework.Caller{
		{},
		{ID: id, Email: "user@example.org", Scheme: "Token"},
		{ID: id, Email: "staff@example.org", Staff: true, Scheme: "Session"},
		{ID: id, Email: "root@example.org", Superuser: true, Scheme: "JWT"},
		{ID: id, Email: "viewer@example.org", Permissions: map[string]bool{"rows.view": true}, Scheme: "Token"},
		{ID: id, Email: "editor@example.org", Permissions: map[string]bool{"rows.add": true, "rows.change": true, "rows.delete": true}, Scheme: "Token"},
	}
}

// routes returns the six verbs, two actions, OPTIONS, and routes without a viewset.
func routes() []framework.Route {
	return []framework.Route{
		{ViewSet: "rows", Name: "list", Method: http.MethodGet},
		{ViewSet: "rows", Name: "retrieve", Method: http.MethodGet},
		{ViewSet: "rows", Name: "create", Method: http.MethodPost},
		{ViewSet: "rows", Name: "update", Method: http.MethodPut},
		{ViewSet: "rows", Name: "patch", Method: http.MethodPatch},
		{ViewSet: "rows", Name: "delete", Method: http.MethodDelete},
		{ViewSet: "rows", Name: "history", Method: http.MethodGet},
		{ViewSet: "rows", Name: "cancel", Method: http.MethodPost},
		{ViewSet: "rows", Name: "options", Method: http.MethodOptions},
		{Name: "root", Method: http.MethodGet},
		{},
	}
}
