package console

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/console/internal/client"
	"trestle.example/framework/console/internal/control"
	"trestle.example/framework/console/internal/site"
	"trestle.example/framework/console/internal/wording"
	"trestle.example/framework/internal/naming"
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
func (v *visit) read(e *spec.Endpoint, path, query string) (wire.Members, *client.Answer, *client.Rejection) {
	a := v.client.Send(v.w, v.r, client.Message{Method: http.MethodGet, Path: path, Query: query})
	if !a.OK() {
		p := client.ReadRejection(a)
		return nil, a, &p
	}
	answered, err := wire.ReadOrdered(a.Body())
	if err != nil {
		return nil, a, &client.Rejection{Status: http.StatusBadGateway, Title: "Bad gateway", Detail: "The answer of the API is no JSON."}
	}
	o, _ := answered.(wire.Members)
	if e.In != "" {
		o = o.At(e.In)
	}
	return o, a, nil
}

// showObject answers with the page of an object.
func (v *visit) showObject(at site.Address, e *spec.Endpoint) {
	o, _, refused := v.read(e, at.Place.Fill(at.Keys), v.query())
	if put := at.Place.By[http.MethodPut]; refused != nil && refused.Status == http.StatusNotFound && creates(put) && v.may(put) {
		v.render(http.StatusNotFound, "object", page{Title: v.titleOfPlace(at.Place), Crumbs: v.crumbs(at), Data: objectPage{
			Actions: []link{{Text: "Add", To: v.formAt(at, put)}},
		}})
		return
	}
	if refused != nil {
		v.refuseWith(*refused)
		return
	}
	shown := objectPage{Actions: append(v.actionsOf(at), v.additionsTo(at, o)...), Related: v.relatedOf(at), Said: said(v.r.URL.Query().Get(saidParam))}
	s := shower{v, e.ViewSet, false}
	for _, m := range o {
		one := s.show(m.Name, m.Value)
		if one.Kind == "rows" {
			shown.Tables = append(shown.Tables, one.Table)
			continue
		}
		shown.Fields = append(shown.Fields, field{m.Name, wording.Label(m.Name), one})
	}
	title := cmp.Or(wording.Title(o), v.titleOfPlace(at.Place))
	v.render(http.StatusOK, "object", page{Title: title, Crumbs: v.crumbs(at), Data: shown})
}

// additionsTo links to the forms that add a copy of a row, and rows of other viewsets that refer to it.
func (v *visit) additionsTo(at site.Address, o wire.Members) (all []link) {
	e := at.Place.By[http.MethodGet]
	list := v.site.Lists[e.ViewSet]
	if list == nil || v.site.Item(list) != at.Place {
		return nil
	}
	if post := list.By[http.MethodPost]; v.may(post) && post.Body != nil && post.Body.Items == nil && post.Upload == nil {
		all = append(all, link{Text: "Duplicate", To: v.formAt(site.Address{Place: list}, post) + "?" + url.Values{fromField: {at.Keys[at.Place.KeyName()]}}.Encode()})
	}
	for _, p := range v.site.Places {
		post := p.By[http.MethodPost]
		if !v.may(post) || post.Body == nil || post.Body.Items != nil || v.site.Lists[post.ViewSet] != p || len(p.Segs) > len(list.Segs)+1 {
			continue
		}
		for _, f := range post.Body.Shape.Fields {
			if f.Ref == e.ViewSet && f.Nested == nil && control.New(f, v.zone()).Kind != "lines" {
				text := "Add " + strings.ToLower(naming.Singular(v.titleOfPlace(p)))
				query := url.Values{f.Name: {wording.Key(o, v.keyFor(list, f))}}
				all = append(all, link{Text: text, To: v.formAt(site.Address{Place: p}, post) + "?" + query.Encode()})
				break
			}
		}
	}
	return all
}

// showOperations answers with the page of an address that only writes.
func (v *visit) showOperations(at site.Address) {
	shown := objectPage{Actions: v.actionsOf(at), Related: v.relatedOf(at), Said: said(v.r.URL.Query().Get(saidParam))}
	if len(shown.Actions)+len(shown.Related) == 0 {
		v.refuse(http.StatusForbidden, "You may do nothing at this address.")
		return
	}
	title := v.titleOfPlace(at.Place)
	if key := at.Keys[at.Place.KeyName()]; key != "" && site.IsKey(at.Place.Segs[len(at.Place.Segs)-1]) {
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
func (v *visit) actionsOf(at site.Address) (all []link) {
	for _, e := range v.operations(at.Place) {
		all = append(all, v.step(at, e))
	}
	for _, below := range v.site.Below(at.Place, false) {
		for _, e := range v.operations(below) {
			all = append(all, v.step(site.Address{Place: below, Keys: at.Keys}, e))
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

// relatedOf lists what may be read one segment below an address.
func (v *visit) relatedOf(at site.Address) (all []link) {
	for _, below := range v.site.Below(at.Place, false) {
		e := below.By[http.MethodGet]
		if v.may(e) && (e.Page != nil || e.Output != nil && !slices.ContainsFunc(e.Params, func(p spec.Param) bool { return p.Required })) {
			all = append(all, link{Text: v.titleOfPlace(below), To: v.pageOf(below.Fill(at.Keys))})
		}
	}
	return all
}

// formAt returns the address of the form of an operation.
func (v *visit) formAt(at site.Address, e *spec.Endpoint) string {
	return v.pageOf(strings.TrimSuffix(at.Place.Fill(at.Keys), "/")+"/") + "~" + strings.ToLower(e.Method)
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
			if len(p.Segs) == n && slices.Equal(p.Segs, at.Place.Segs[:n]) && v.may(p.By[http.MethodGet]) {
				text := v.titleOfPlace(p)
				if site.IsKey(p.Segs[n-1]) {
					text = wording.Short(at.Keys[p.KeyName()])
				}
				all = append(all, link{Text: text, To: v.pageOf(p.Fill(at.Keys))})
				break
			}
		}
	}
	return all
}

// home answers with the first page: what the caller may read, by service.
func (v *visit) home() {
	v.render(http.StatusOK, "home", page{Title: v.Title, Data: map[string]any{"Said": said(v.r.URL.Query().Get(saidParam)), "Tiles": v.showTiles()}})
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
	for _, p := range v.site.Places {
		e := p.By[http.MethodGet]
		if e == nil || len(e.Above) > 0 || e.Key != nil || !v.may(e) || e.Parts != nil || e.Totals != nil || p.Path == v.sessionAt() {
			continue
		}
		if e.Page == nil && (e.Output == nil || slices.ContainsFunc(e.Params, func(q spec.Param) bool { return q.Required })) {
			continue
		}
		i := slices.IndexFunc(all, func(g *group) bool { return g.Name == e.Service.Name })
		if i < 0 {
			i, all = len(all), append(all, &group{Name: e.Service.Name, Doc: e.Service.Doc})
		}
		text := strings.TrimPrefix(p.Path, v.API.Prefix+"/")
		all[i].Links = append(all[i].Links, link{Text: wording.Label(strings.Trim(text, "/")), To: v.pageOf(p.Path)})
	}
	return v.addOwn(all)
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
