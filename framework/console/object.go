package console

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

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

// showObject answers with the page of an object.
func (v *visit) showObject(at site.Address, e *spec.Endpoint) {
	o, _, refused := v.read(e, at.Path(), v.query())
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

// relatedOf lists what may be read one segment below an address.
func (v *visit) relatedOf(at site.Address) (all []link) {
	for _, below := range v.site.Below(at.Place, false) {
		e := below.By[http.MethodGet]
		if v.may(e) && (e.Page != nil || e.Output != nil && !slices.ContainsFunc(e.Params, func(p spec.Param) bool { return p.Required })) {
			all = append(all, link{Text: v.titleOfPlace(below), To: v.pageOf(below.Fill(at.To(below).Keys))})
		}
	}
	return all
}
