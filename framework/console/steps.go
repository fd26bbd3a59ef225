package console

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"

	"trestle.example/framework/console/internal/site"
	"trestle.example/framework/console/internal/wording"
	"trestle.example/framework/internal/spec"
)

// saidParam has what was done before a page.
const saidParam = "~said"

// said returns the sentence about what was done before, "" for none.
func said(name string) string {
	return map[string]string{"saved": "Saved.", "created": "Added.", "deleted": "Deleted.", "done": "Done."}[name]
}

// actionsOf lists the operations at an address and at those one segment below it, each with the address of its form.
func (v *visit) actionsOf(at site.Address) (all []link) {
	for _, e := range v.operations(at.Place) {
		all = append(all, v.step(at, e))
	}
	for _, below := range v.site.Below(at.Place, false) {
		for _, e := range v.operations(below) {
			all = append(all, v.step(at.To(below), e))
		}
	}
	return all
}

// step links to the form of an operation. An operation that needs no form, and that does not delete, is one button.
func (v *visit) step(at site.Address, e *spec.Endpoint) link {
	l := link{Text: v.verbOf(at.Place, e), To: v.formAt(at, e)}
	if e.Method != http.MethodDelete && e.Body == nil {
		l.Token, l.Next = v.csrf, v.r.URL.EscapedPath()+strings.TrimSuffix("?"+v.query(), "?")
		l.Once = onceOf(e)
	}
	return l
}

// formAt returns the address of the form of an operation.
func (v *visit) formAt(at site.Address, e *spec.Endpoint) string {
	return v.pageOf(strings.TrimSuffix(at.Path(), "/")+"/") + "~" + strings.ToLower(e.Method)
}

// verbOf names an operation to people: "Add", "Edit", "Delete", or the name of the action.
func (v *visit) verbOf(p *site.Place, e *spec.Endpoint) string {
	last := p.Segs[len(p.Segs)-1]
	list := p.By[http.MethodGet] != nil && p.By[http.MethodGet].Page != nil
	switch {
	case e.Method == http.MethodPost && list:
		return "Add"
	case e.Method == http.MethodPost && !site.IsKey(last):
		return v.titleOfPlace(p)
	case e.Method == http.MethodDelete && (site.IsKey(last) || p.By[http.MethodGet] != nil):
		return "Delete"
	case site.IsKey(last) || p.By[http.MethodGet] != nil && !list:
		return "Edit"
	}
	if e.Method == http.MethodDelete {
		return "Remove " + strings.ToLower(v.titleOfPlace(p))
	}
	return cmp.Or(e.Summary, v.titleOfPlace(p))
}

// crumbs are the pages above an address.
func (v *visit) crumbs(at site.Address) (all []link) {
	for n := 1; n < len(at.Place.Segs); n++ {
		for _, p := range v.site.Places {
			if p.IsAbove(at.Place, n) && v.may(p.By[http.MethodGet]) {
				text, keys := v.titleOfPlace(p), at.To(p).Keys
				if site.IsKey(p.Segs[n-1]) {
					text = wording.Short(keys[p.KeyName()])
				}
				all = append(all, link{Text: text, To: v.pageOf(p.Fill(keys))})
				break
			}
		}
	}
	return all
}

// saying returns an address with a sentence about what was done.
func saying(to, what string) string {
	u, err := url.Parse(to)
	if err != nil {
		return to
	}
	q := u.Query()
	q.Set(saidParam, what)
	u.RawQuery = q.Encode()
	return u.String()
}

// onceOf returns a new key by which the API does an operation once; "" for an operation that takes none.
func onceOf(e *spec.Endpoint) string {
	if !e.Idempotent {
		return ""
	}
	return rand.Text()
}

// The names of the fields that a form sends beside its controls. No field of an input has a tilde.
const (
	seenField    = "~seen"
	onceField    = "~once"
	nextField    = "~next"
	anotherField = "~another" // an empty form follows
	moreField    = "~more"    // the name of a list that gets one more row before the form is sent
	fromField    = "~from"    // the key of a row whose values a form for a new one begins with
)
