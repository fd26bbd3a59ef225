package console

import (
	"net/http"
	"strings"

	"trestle.example/framework/console/internal/client"
)

// FirstPath is the path at which package auth makes the first superuser, below the prefix. Only the console reaches it.
const FirstPath = "/auth/first/superuser"

// firstHeader has the token of the link to the form of the first superuser.
const firstHeader = "X-First-Token"

// FirstLink returns the path of the link with a token that makes the first superuser, for a console at a path.
func FirstLink(path, token string) string { return path + firstAt + "/" + token }

// makeFirst shows the form that makes the first superuser, and sends it. The link has the token in its path. It leads to the form at
// an address without the token, which is in a cookie from then on. So no history of a browser and no Referer of the form has it.
func (v *visit) makeFirst() {
	token, isLink := strings.CutPrefix(v.path, firstAt+"/")
	h := http.Header{}
	if isLink {
		h.Set(firstHeader, token)
	}
	if v.first == nil {
		v.refuse(http.StatusNotFound, noAddress)
		return
	}
	switch a := v.client.Send(v.w, v.r, client.Message{Method: http.MethodGet, Path: v.first.Path, Header: h}); {
	case a.Status == http.StatusNotFound:
		v.refuse(http.StatusNotFound, noAddress)
	case !a.OK():
		v.refuseWith(client.ReadRejection(a))
	case isLink:
		v.redirect(v.Path + firstAt)
	default:
		v.firstForm()
	}
}

// firstForm shows the form of the first superuser, and sends what a person entered.
func (v *visit) firstForm() {
	f, status := &form{endpoint: v.first.By[http.MethodPost]}, http.StatusOK
	f.prepare(v)
	if v.r.Method == http.MethodPost {
		a := v.client.Send(v.w, v.r, client.Message{Method: http.MethodPost, Path: v.first.Path, Body: f.read(v.r.PostForm), Header: v.withToken()})
		if a.OK() {
			v.redirect(v.Path)
			return
		}
		status = a.Status
		f.reject(client.ReadRejection(a))
	}
	v.render(status, "first", page{Title: "Make the first superuser", Bare: true, Data: f})
}
