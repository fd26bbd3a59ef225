package console

import (
	"net/http"

	"trestle.example/framework/console/internal/control"
	"trestle.example/framework/internal/spec"
)

// permissions lists the permissions that the declarations name, as options.
func (v *visit) permissions() (all []control.Option) {
	for _, name := range v.API.Permissions {
		all = append(all, control.Option{Value: name, Text: name})
	}
	return all
}

// account lists the pages and forms of the caller's own account: those beside the endpoint of sessions.
func (v *visit) account() (all []link) {
	if v.user == "" {
		return nil
	}
	for _, own := range []struct{ path, method, text string }{
		{"/auth/me", http.MethodPatch, "Account"},
		{"/auth/email", http.MethodPost, "Change the e-mail address"},
		{"/auth/password", http.MethodPost, "Change the password"},
		{"/auth/tokens", http.MethodGet, "Tokens"},
		{"/auth/sessions", http.MethodGet, "Sessions"},
		{"/auth/logout/everywhere", http.MethodPost, "Sign out everywhere"},
	} {
		at := v.site.Find(v.API.Prefix + own.path)
		if at.Place == nil || !v.may(at.Place.By[own.method]) {
			continue
		}
		all = append(all, link{Text: own.text, To: v.accountAt(at.Place.Path, at.Place.By[own.method])})
	}
	return all
}

// accountAt returns the address of a page, or of the form of an operation.
func (v *visit) accountAt(path string, e *spec.Endpoint) string {
	if e.Method == http.MethodGet {
		return v.pageOf(path)
	}
	return v.formAt(v.site.Find(path), e)
}
