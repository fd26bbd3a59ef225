package describe

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"trestle.example/framework/call"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// FindSignIn finds the endpoint that 401 names, and gives the codes of 401 their
// details.
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

// asksCredentials reports whether a code is of a 401 that other credentials would help.
func asksCredentials(code string) bool {
	return code == problem.CodeAuthenticationRequired || code == problem.CodeInvalidToken
}

// Guided says in a 401 where to sign in, and leaves any other error as it is.
func Guided(a *table.Registry, e *problem.Error) *problem.Error {
	if a.SignIn == "" || e.Details != nil || !asksCredentials(e.Code) {
		return e
	}
	e = e.With(problem.SignInDetails{SignIn: a.SignIn})
	e.Detail += " Sign in by POST " + a.SignIn + "."
	return e
}

// Forbidding says in the 403 of an endpoint's own permission what it asks for, as
// the reference of the endpoint does. An API without a reference does not say it,
// and a guard never does: it refuses before any endpoint is known.
func (e Operation) Forbidding(err error) error {
	refusal, ok := errors.AsType[*problem.Error](err)
	if !ok || refusal.Code != problem.CodeForbidden || e.Resource.API.Config.Undocumented {
		return err
	}
	needed := fmt.Sprintf("it needs the permission %q", e.right(e.Permission))
	switch {
	case e.admits(&call.Caller{ID: uuid.Max}): // the reference says no more than that it is for signed-in users
		return err
	case e.admits(&call.Caller{ID: uuid.Max, Staff: true}):
		needed = "it is for staff"
	}
	named := *refusal
	named.Detail = "You are signed in but have no permission to do this; " + needed + "."
	return &named
}
