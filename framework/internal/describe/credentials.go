package describe

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// FindSignIn sets SignIn to the address of the first POST endpoint that issues credentials: only
// its path, if Config.PublicURL is not set. If there is such an endpoint, the error codes for
// missing and invalid credentials get [problem.SignInDetails].
func (a Catalog) FindSignIn() {
	for _, e := range a.Endpoints() {
		if e.SignsIn && e.Route.Method == http.MethodPost {
			a.SignIn = a.Config.PublicURL + a.PathOf(e)
			break
		}
	}
	for code, info := range a.Codes {
		if asksCredentials(code) && a.SignIn != "" {
			info.Details = problem.SignInDetails{}
			a.Codes[code] = info
		}
	}
}

// asksCredentials reports whether a code is that of a 401 for missing or invalid credentials.
func asksCredentials(code string) bool {
	return code == problem.CodeAuthenticationRequired || code == problem.CodeInvalidToken
}

// Guided adds the address of the sign-in endpoint to a 401 for missing or invalid credentials.
// It returns the error unchanged if it has another code or has details, or if the API has no
// sign-in endpoint.
func Guided(a *table.Registry, e *problem.Error) *problem.Error {
	if a.SignIn == "" || e.Details != nil || !asksCredentials(e.Code) {
		return e
	}
	e = e.With(problem.SignInDetails{SignIn: a.SignIn})
	e.Detail += " Sign in by POST " + a.SignIn + "."
	return e
}

// Forbidding replaces the detail of an error with the code forbidden: the new detail names what
// the endpoint's permission requires, as the OpenAPI document describes it. It returns the error
// unchanged if it has another code, if the API has no OpenAPI document, or if the guards and the
// permission permit a signed-in caller without any permission.
func (e Operation) Forbidding(err error) error {
	return e.Catalog().forbidding(err, e.admits, func() []string { return neededIn(e.Permission, e.Route) })
}

// ForbiddingBy is [Operation.Forbidding] for a guard. c is the call that the guard rejects. It
// returns the error unchanged if it has another code, if the API has no OpenAPI document, or if
// the guard permits a signed-in caller without any permission.
func (a Catalog) ForbiddingBy(g call.Guard, c *call.Call, err error) error {
	permits := func(caller *call.Caller) (ok bool) {
		defer func() { _ = recover() }() // a permission that panics permits no caller
		return g.Permission.Permit(a.imagined(c.Route, a.Config.Authentication, caller))
	}
	return a.forbidding(err, permits, func() []string { return access.Needed(g.Permission, call.Permission.String) })
}

// forbidding names in a 403 what a permission requires: it is for staff, if it permits a member of
// staff without any permission; otherwise it needs all that needed names. permits reports whether a
// caller is permitted.
func (a Catalog) forbidding(err error, permits func(*call.Caller) bool, needed func() []string) error {
	refusal, ok := errors.AsType[*problem.Error](err)
	if !ok || refusal.Code != problem.CodeForbidden || a.Config.Undocumented || permits(a.InventCaller()) {
		return err
	}
	required := "it is for staff"
	if !permits(a.inventStaff()) {
		required = requirement(needed())
	}
	named := *refusal
	named.Detail = "You are signed in but have no permission to do this; " + required + "."
	return &named
}

// requirement says which permissions a request needs, by their names: it needs the permissions "a.view" and "b.view".
func requirement(names []string) string {
	staff := access.Staff().String()
	held := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == staff })
	text, with := "it needs the permission ", " and "
	switch {
	case len(held) == 0:
		return "it is for staff"
	case len(held) < len(names):
		text = "it is for staff with the permission "
	}
	if len(held) > 1 {
		text = strings.TrimSuffix(text, " ") + "s "
	}
	for i, name := range held {
		if held[i] = alternatives(name); held[i] != strconv.Quote(name) {
			with = ", and "
		}
	}
	return text + strings.Join(held, with)
}

// alternatives quotes the name of a permission or, of a name such as (a.view or b.view), each of the permissions.
func alternatives(name string) string {
	inner := strings.TrimSuffix(strings.TrimPrefix(name, "("), ")")
	if len(inner) != len(name)-2 || strings.ContainsAny(inner, "()") || !strings.Contains(inner, " or ") {
		return strconv.Quote(name)
	}
	all := strings.Split(inner, " or ")
	for i, one := range all {
		all[i] = strconv.Quote(one)
	}
	return strings.Join(all, " or ")
}
