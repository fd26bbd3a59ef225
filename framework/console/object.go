package console

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
)

// An objectPage is what the page of an object shows.
type objectPage struct {
	Fields  []field
	Tables  []*table
	Actions []link
	Related []link
	Said    string
}

// read reads an object from the API. Without one, the last result is the error of the API.
func (v *visit) read(e *spec.Endpoint, path, query string) (wire.Members, *answer, *rejection) {
	a := v.client.send(v.w, v.r, message{method: http.MethodGet, path: path, query: query})
	if !a.ok() {
		p := readProblem(a)
		return nil, a, &p
	}
	answered, err := wire.ReadOrdered(a.body.Bytes())
	if err != nil {
		return nil, a, &rejection{Status: http.StatusBadGateway, Title: "Bad gateway", Detail: "The answer of the API is no JSON."}
	}
	o, _ := answered.(wire.Members)
	if e.In != "" {
		o = o.At(e.In)
	}
	return o, a, nil
}

// showObject answers with the page of an object.
func (v *visit) showObject(at address, e *spec.Endpoint) {
	o, _, refused := v.read(e, at.place.fill(at.keys), v.query())
	if put := at.place.by[http.MethodPut]; refused != nil && refused.Status == http.StatusNotFound && creates(put) && v.may(put) {
		v.render(http.StatusNotFound, "object", page{Title: v.titleOfPlace(at.place), Crumbs: v.crumbs(at), Data: objectPage{
			Actions: []link{{Text: "Add", To: v.formAt(at, put)}},
		}})
		return
	}
	if refused != nil {
		v.refuseWith(*refused)
		return
	}
	shown := objectPage{Actions: v.actionsOf(at), Related: v.relatedOf(at), Said: said(v.r.URL.Query().Get(saidParam))}
	s := shower{v, e.ViewSet, false}
	for _, m := range o {
		one := s.show(m.Name, m.Value)
		if one.Kind == "rows" {
			shown.Tables = append(shown.Tables, one.Table)
			continue
		}
		shown.Fields = append(shown.Fields, field{m.Name, labelOf(m.Name), one})
	}
	title := cmp.Or(titleOf(o), v.titleOfPlace(at.place))
	v.render(http.StatusOK, "object", page{Title: title, Crumbs: v.crumbs(at), Data: shown})
}

// showOperations answers with the page of an address that only writes.
func (v *visit) showOperations(at address) {
	shown := objectPage{Actions: v.actionsOf(at), Related: v.relatedOf(at), Said: said(v.r.URL.Query().Get(saidParam))}
	if len(shown.Actions)+len(shown.Related) == 0 {
		v.refuse(http.StatusForbidden, "You may do nothing at this address.")
		return
	}
	title := v.titleOfPlace(at.place)
	if key := at.keys[at.place.keyName()]; key != "" && isKey(at.place.segs[len(at.place.segs)-1]) {
		title += " " + key
	}
	v.render(http.StatusOK, "object", page{Title: title, Crumbs: v.crumbs(at), Data: shown})
}

// saidParam has what was done before a page.
const saidParam = "~said"

// said returns the sentence about what was done before, "" for none.
func said(name string) string {
	return map[string]string{"saved": "Saved.", "created": "Added.", "deleted": "Deleted.", "done": "Done."}[name]
}

// actionsOf lists the operations at an address and at those one segment below it, each with the address of its form.
func (v *visit) actionsOf(at address) (all []link) {
	for _, e := range v.operations(at.place) {
		all = append(all, v.step(at, e))
	}
	for _, below := range v.site.below(at.place, false) {
		for _, e := range v.operations(below) {
			all = append(all, v.step(address{below, at.keys}, e))
		}
	}
	return all
}

// step links to the form of an operation. An operation that needs no form, and that does not delete, is one button.
func (v *visit) step(at address, e *spec.Endpoint) link {
	l := link{Text: v.verbOf(at.place, e), To: v.formAt(at, e)}
	if e.Method != http.MethodDelete && e.Body == nil {
		l.Token, l.Next = v.csrf, v.r.URL.EscapedPath()+strings.TrimSuffix("?"+v.query(), "?")
		l.Once = onceOf(e)
	}
	return l
}

// relatedOf lists what may be read one segment below an address.
func (v *visit) relatedOf(at address) (all []link) {
	for _, below := range v.site.below(at.place, false) {
		e := below.by[http.MethodGet]
		if v.may(e) && (e.Page != nil || e.Output != nil && !slices.ContainsFunc(e.Params, func(p spec.Param) bool { return p.Required })) {
			all = append(all, link{Text: v.titleOfPlace(below), To: v.pageOf(below.fill(at.keys))})
		}
	}
	return all
}

// formAt returns the address of the form of an operation.
func (v *visit) formAt(at address, e *spec.Endpoint) string {
	return v.pageOf(strings.TrimSuffix(at.place.fill(at.keys), "/")+"/") + "~" + strings.ToLower(e.Method)
}

// verbOf names an operation to people: "Add", "Edit", "Delete", or the name of the action.
func (v *visit) verbOf(p *place, e *spec.Endpoint) string {
	last := p.segs[len(p.segs)-1]
	list := p.by[http.MethodGet] != nil && p.by[http.MethodGet].Page != nil
	switch {
	case e.Method == http.MethodPost && list:
		return "Add"
	case e.Method == http.MethodPost && !isKey(last):
		return v.titleOfPlace(p)
	case e.Method == http.MethodDelete && (isKey(last) || p.by[http.MethodGet] != nil):
		return "Delete"
	case isKey(last) || p.by[http.MethodGet] != nil && !list:
		return "Edit"
	}
	if e.Method == http.MethodDelete {
		return "Remove " + strings.ToLower(v.titleOfPlace(p))
	}
	return cmp.Or(e.Summary, v.titleOfPlace(p))
}

// crumbs are the pages above an address.
func (v *visit) crumbs(at address) (all []link) {
	for n := 1; n < len(at.place.segs); n++ {
		for _, p := range v.site.places {
			if len(p.segs) == n && slices.Equal(p.segs, at.place.segs[:n]) && v.may(p.by[http.MethodGet]) {
				text := v.titleOfPlace(p)
				if isKey(p.segs[n-1]) {
					text = short(at.keys[p.keyName()])
				}
				all = append(all, link{Text: text, To: v.pageOf(p.fill(at.keys))})
				break
			}
		}
	}
	return all
}

// short cuts a long key. Of a UUID, it leaves the end, because the beginning of many is the same.
func short(key string) string {
	r := []rune(key)
	switch {
	case uuid.Validate(key) == nil:
		return "…\u2060" + key[len(key)-8:] // no line ends between them
	case len(r) > 24:
		return string(r[:23]) + "…"
	}
	return key
}

// home answers with the first page: what the caller may read, by service.
func (v *visit) home() {
	v.render(http.StatusOK, "home", page{Title: v.Title, Data: map[string]any{"Said": said(v.r.URL.Query().Get(saidParam))}})
}

// A group is the lists of a service.
type group struct {
	Name, Doc string
	Links     []link
}

// menu lists what the caller may read, by service, in order of registration.
func (v *visit) menu() (all []*group) {
	if v.user == "" {
		return nil
	}
	for _, p := range v.site.places {
		e := p.by[http.MethodGet]
		if e == nil || len(e.Above) > 0 || e.Key != nil || !v.may(e) || e.Parts != nil || e.Totals != nil || p.path == v.sessionAt() {
			continue
		}
		if e.Page == nil && (e.Output == nil || slices.ContainsFunc(e.Params, func(q spec.Param) bool { return q.Required })) {
			continue
		}
		i := slices.IndexFunc(all, func(g *group) bool { return g.Name == e.Service.Name })
		if i < 0 {
			i, all = len(all), append(all, &group{Name: e.Service.Name, Doc: e.Service.Doc})
		}
		text := strings.TrimPrefix(p.path, v.API.Prefix+"/")
		all[i].Links = append(all[i].Links, link{Text: labelOf(strings.Trim(text, "/")), To: v.pageOf(p.path)})
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
