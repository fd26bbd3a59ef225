package describe

import (
	"errors"
	"fmt"
	"net/http"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// FindSignIn sets SignIn to the address of the first POST endpoint that issues credentials. If
// there is such an endpoint, the error codes for missing and invalid credentials get
// [problem.SignInDetails].
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

// asksCredentials reports whether a code is of a 401 that a client solves by other credentials.
func asksCredentials(code string) bool {
	return code == problem.CodeAuthenticationRequired || code == problem.CodeInvalidToken
}

// Guided adds the address of the sign-in endpoint to a 401 for missing or invalid credentials.
// It returns an error unchanged if it is any other, if it has details, or if the API has no such
// endpoint.
func Guided(a *table.Registry, e *problem.Error) *problem.Error {
	if a.SignIn == "" || e.Details != nil || !asksCredentials(e.Code) {
		return e
	}
	e = e.With(problem.SignInDetails{SignIn: a.SignIn})
	e.Detail += " Sign in by POST " + a.SignIn + "."
	return e
}

// Forbidding adds to a 403 of the endpoint's permission what the permission requires, as the
// OpenAPI document describes it. It returns the error unchanged if the API has no OpenAPI
// document, or if the permission permits every signed-in caller.
func (e Operation) Forbidding(err error) error {
	return e.Catalog().forbidding(err, e.admits, func() string { return e.right(e.Permission) })
}

// ForbiddingBy adds to a 403 of a guard what its permission requires. c is the call that the
// guard rejects. It returns the error unchanged if the API has no OpenAPI document, or if the
// permission permits every signed-in caller.
func (a Catalog) ForbiddingBy(g call.Guard, c *call.Call, err error) error {
	permits := func(caller *call.Caller) (ok bool) {
		defer func() { _ = recover() }() // a permission that panics permits nobody
		return g.Permission.Permit(a.imagined(c.Route, a.Config.Authentication, caller))
	}
	return a.forbidding(err, permits, g.Permission.String)
}

// forbidding names in a 403 what a permission requires: staff, if it permits every member of
// staff, otherwise its right. permits reports whether the permission permits a caller.
func (a Catalog) forbidding(err error, permits func(*call.Caller) bool, right func() string) error {
	refusal, ok := errors.AsType[*problem.Error](err)
	if !ok || refusal.Code != problem.CodeForbidden || a.Config.Undocumented || permits(a.InventCaller()) {
		return err
	}
	needed := "it is for staff"
	if !permits(a.inventStaff()) {
		needed = fmt.Sprintf("it needs the permission %q", right())
	}
	named := *refusal
	named.Detail = "You are signed in but have no permission to do this; " + needed + "."
	return &named
}
