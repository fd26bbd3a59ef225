package auth_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/auth"
)

// leaked is a policy of a program.
func leaked(_ context.Context, password string, owner auth.PasswordOwner) error {
	switch {
	case strings.Contains(password, "unavailable"):
		return errors.New("the service of leaked passwords is away")
	case strings.Contains(password, "leaked"):
		return &auth.InputError{Field: "password", Code: "leaked", Detail: "The password was found in a leak."}
	case owner.Name != "" && strings.Contains(password, owner.Name):
		return &auth.InputError{Field: "password", Code: "leaked", Detail: "The password contains the name."}
	}
	return nil
}

// TestAnOwnPolicy: it runs after the built-in rules wherever a password is set, and its error is a
// fault of the field.
func TestAnOwnPolicy(t *testing.T) {
	inOffice(t, auth.AccountOptions{Change: true, Reset: true}, func(own *auth.Config, common *framework.Config) {
		unlimited(own, common)
		own.Passwords.Check = leaked
		common.Codes = append(common.Codes, framework.CodeInfo{Code: "leaked", Text: "It was found in a leak."})
	}, func(o *office) {
		asha := o.user("asha@example.com")
		bearer := o.bearer(asha)
		o.Post(resetPath, resetOf(asha.Email)).Expect(http.StatusAccepted)
		token := o.tokenTo(asha.Email)
		for _, c := range []struct {
			name string
			send func(password string) (status int, body string)
		}{
			{"a registration", func(p string) (int, string) {
				r := o.Post(register, map[string]any{"email": "b@example.com", "name": "Belinda", "password": p})
				return r.Status(), r.Body()
			}},
			{"a change", func(p string) (int, string) {
				r := bearer.Post(passwordPath, passwordChangeOf(goodPassword, p))
				return r.Status(), r.Body()
			}},
			{"a reset", func(p string) (int, string) {
				r := o.Post(confirmPath, confirmationOf(token, p))
				return r.Status(), r.Body()
			}},
		} {
			for password, want := range map[string]struct {
				status int
				code   string
			}{
				"four leaked words": {http.StatusBadRequest, `"pointer":"/password","code":"leaked"`}, "leaked": {http.StatusBadRequest, `"code":"too_short"`},
				"service unavailable": {http.StatusInternalServerError, `"code":"internal"`},
			} {
				if status, body := c.send(password); status != want.status || !strings.Contains(strings.ReplaceAll(body, " ", ""), want.code) {
					o.Errorf("%s with %q: %d %s", c.name, password, status, body)
				}
			}
		}
		o.Post(register, map[string]any{"email": "b@example.com", "name": "Belinda", "password": "from Belinda alone"}).Expect(http.StatusBadRequest).Fault("/password", "leaked")
		err := o.service.Users.SetPassword(o.Context(), o.db.Session(), asha.ID, "four leaked words")
		if wrong, ok := errors.AsType[*auth.InputError](err); !ok || wrong.Code != "leaked" {
			o.Errorf("SetPassword: %v", err)
		}
		o.signsIn(asha.Email, goodPassword)
	})
}
