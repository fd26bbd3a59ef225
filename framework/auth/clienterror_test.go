package auth_test

import (
	"errors"
	"log/slog"
	"net/http"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/auth"
)

// A hiring is the input of an endpoint of a program that creates an account.
type hiring struct {
	Email    string `json:"email"`
	Password string `json:"password" trim:"-"`
	Name     string `json:"name"`
	Group    string `json:"group"`
}

// TestAFunctionOfTheProgramReturnsTheSameErrors: one call turns errors of accounts into faults
// and conflicts.
func TestAFunctionOfTheProgramReturnsTheSameErrors(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		d.user("asha@example.com")
		hire := func(c *framework.Call, in hiring) (framework.None, error) {
			if in.Group != "" {
				_, err := d.service.Users.CreateGroup(c, c.Session(), in.Group, "patients.view")
				return framework.None{}, auth.ClientError(err)
			}
			_, err := d.service.Users.CreateUser(c, c.Session(), auth.NewUser{Email: in.Email, Password: in.Password, Name: in.Name})
			return framework.None{}, auth.ClientError(err)
		}
		desks := framework.ViewSet[auth.User]{
			Name: "desks", Scope: framework.Public(), Permission: framework.Anyone(),
			Collection: []framework.CollectionAction{framework.OnCollection(http.MethodPost, "hire", hire).Refuses(auth.CodeEmailTaken, framework.CodeUnique)},
		}
		api := framework.New(framework.Config{DB: d.db, Codes: d.service.Codes(), Log: slog.New(slog.DiscardHandler)})
		api.Register(desks)
		visitor := client(d.T, api)
		const path = "/api/desks/hire/"
		visitor.Post(path, map[string]any{"group": "Reception"}).Expect(http.StatusNoContent)
		visitor.Post(path, hiring{Email: "bela@example.com", Password: goodPassword}).Expect(http.StatusNoContent)
		for name, c := range map[string]struct {
			in        hiring
			status    int
			code      string
			at, fault string // "" for none
		}{
			"an invalid e-mail":             {hiring{Email: "bela", Password: goodPassword}, 400, framework.CodeValidationFailed, "/email", "email"},
			"a full-width e-mail":           {hiring{Email: "ａ@example.com", Password: goodPassword}, 400, framework.CodeValidationFailed, "/email", "email"},
			"a short password":              {hiring{Email: "c@example.com", Password: "short"}, 400, framework.CodeValidationFailed, "/password", "too_short"},
			"a name of two lines":           {hiring{Email: "c@example.com", Password: goodPassword, Name: "a\nb"}, 400, framework.CodeValidationFailed, "/name", "line"},
			"an e-mail in use":              {hiring{Email: "Asha@example.com", Password: goodPassword}, 409, auth.CodeEmailTaken, "", ""},
			"the name of a group in use":    {hiring{Group: "Reception"}, 409, framework.CodeUnique, "/name", framework.CodeUnique},
			"a group with a direction mark": {hiring{Group: "Night\u202e"}, 400, framework.CodeValidationFailed, "/name", "line"},
		} {
			d.Run(name, func(t *testing.T) {
				r := visitor.On(t).Post(path, c.in).Expect(c.status).Code(c.code)
				if c.at != "" {
					r.Fault(c.at, c.fault)
				}
				if c.status == http.StatusConflict {
					r.Lacks("asha", "Reception")
				}
			})
		}
	})
}

func TestClientErrorOfSeveralErrors(t *testing.T) {
	other := errors.New("the disk is full")
	email := &auth.InputError{Field: "email", Code: "email", Detail: "The e-mail is none."}
	short := &auth.InputError{Field: "password", Code: "too_short", Detail: "The password is short."}
	taken := &auth.InputError{Field: "email", Code: "unique", Detail: "asha@example.com is taken."}
	for name, c := range map[string]struct {
		errs []error
		want string // as the error says it, "" for nil
	}{
		"none":                       {nil, ""},
		"only nil":                   {[]error{nil, nil}, ""},
		"one":                        {[]error{nil, short}, "400 validation_failed: The body is not valid; errors names each fault.; /password too_short"},
		"two":                        {[]error{email, nil, short}, "400 validation_failed: The body is not valid; errors names each fault.; /email email; /password too_short"},
		"a value in use":             {[]error{taken}, "409 email_taken: A user with this e-mail exists already."},
		"a fault and a value in use": {[]error{taken, short}, "400 validation_failed: The body is not valid; errors names each fault.; /password too_short"},
		"another kind":               {[]error{short, other}, "the disk is full"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := auth.ClientError(c.errs...); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q; want %q", got, c.want)
			}
		})
	}
}
