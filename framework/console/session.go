package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// csrfField is the name of the field of a form that has the token. It is sent to the API as the header X-CSRFToken.
const (
	csrfField  = "~token"
	csrfHeader = "X-CSRFToken"
)

// sessionAt is the path of the endpoint of sessions.
func (c *Console) sessionAt() string { return c.API.Prefix + c.Session }

// readSession returns the name of the caller, "" for none, and the token for forms.
func readSession(a *answer) (user, csrf string) {
	var session struct {
		User map[string]any `json:"user"`
		CSRF string         `json:"csrfToken"`
	}
	if json.Unmarshal(a.body.Bytes(), &session) != nil || session.User == nil {
		return "", session.CSRF
	}
	for _, name := range []string{"email", "username", "name", "id"} {
		if text, ok := session.User[name].(string); ok && text != "" {
			return text, session.CSRF
		}
	}
	return "signed in", session.CSRF
}

// withToken returns the headers of a request to the API that may write.
func (v *visit) withToken() http.Header {
	h := http.Header{}
	h.Set(csrfHeader, v.r.PostFormValue(csrfField))
	return h
}

// signIn shows the form for signing in, and signs in.
func (v *visit) signIn() {
	e := v.site.find(v.sessionAt()).place.by[http.MethodPost]
	f := &form{endpoint: e}
	next := v.nextPage(v.r.FormValue("next"))
	if v.r.Method != http.MethodPost && v.user != "" {
		v.redirect(next)
		return
	}
	f.prepare(v)
	if e.Body.Shape.ByName["email"] != nil { // a username names the same account
		f.Controls = slices.DeleteFunc(f.Controls, func(c control) bool { return c.Name == "username" })
	}
	status := http.StatusOK
	if v.r.Method == http.MethodPost {
		a := v.client.send(v.w, v.r, message{method: e.Method, path: v.sessionAt(), body: f.read(v.r), header: v.withToken()})
		if a.ok() {
			v.redirect(next)
			return
		}
		status = a.status
		f.reject(readProblem(a))
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
	a := v.client.send(v.w, v.r, message{method: http.MethodDelete, path: v.sessionAt(), header: v.withToken()})
	if !a.ok() {
		v.refuse(a.status, readProblem(a).Detail)
		return
	}
	v.w.Header().Set("Clear-Site-Data", `"cache"`)
	v.redirect(v.Path + signInAt)
}
