package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/console/internal/client"
	"trestle.example/framework/console/internal/control"
)

// readSession returns the name of the caller, "" for none, and the token for forms.
func readSession(a *client.Answer) (user, csrf string) {
	var session struct {
		User map[string]any `json:"user"`
		CSRF string         `json:"csrfToken"`
	}
	if json.Unmarshal(a.Body(), &session) != nil || session.User == nil {
		return "", session.CSRF
	}
	for _, name := range []string{"email", "username", "name", "id"} {
		if text, ok := session.User[name].(string); ok && text != "" {
			return text, session.CSRF
		}
	}
	return "signed in", session.CSRF
}

// signIn shows the form for signing in, and signs in.
func (v *visit) signIn() {
	e := v.session.By[http.MethodPost]
	f := &form{endpoint: e}
	next := v.nextPage(v.r.FormValue("next"))
	if v.r.Method != http.MethodPost && v.user != "" {
		v.redirect(next)
		return
	}
	f.prepare(v)
	if e.Body.Shape.ByName["email"] != nil { // a username names the same account
		f.Controls = slices.DeleteFunc(f.Controls, func(c control.Control) bool { return c.Name == "username" })
	}
	for i := range f.Controls {
		f.Controls[i].Known = true
	}
	status := http.StatusOK
	if v.r.Method == http.MethodPost {
		a := v.client.Send(v.w, v.r, client.Message{Method: e.Method, Path: v.sessionAt(), Body: f.read(v.r.PostForm), Header: v.withToken()})
		if a.OK() {
			v.redirect(next)
			return
		}
		status = a.Status
		f.reject(client.ReadRejection(a))
	}
	v.render(status, "signin", page{Title: "Sign in", Bare: true, Data: map[string]any{"Form": f, "Next": next}})
}

// nextPage returns a page of this console, to go to after signing in; that of home for any other address.
func (v *visit) nextPage(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, v.Path) || strings.ContainsAny(next, "\\\t\r\n") {
		return v.Path
	}
	return next
}

// signOut ends the session. The browser forgets the pages that it has.
func (v *visit) signOut() {
	if v.r.Method != http.MethodPost {
		v.redirect(v.Path)
		return
	}
	a := v.client.Send(v.w, v.r, client.Message{Method: http.MethodDelete, Path: v.sessionAt(), Header: v.withToken()})
	if !a.OK() {
		v.refuse(a.Status, client.ReadRejection(a).Detail)
		return
	}
	v.w.Header().Set("Clear-Site-Data", `"cache"`)
	v.redirect(v.Path + signInAt)
}
