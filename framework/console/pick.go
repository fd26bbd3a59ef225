package console

import (
	"cmp"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"trestle.example/framework/console/internal/client"
	"trestle.example/framework/console/internal/control"
	"trestle.example/framework/console/internal/site"
	"trestle.example/framework/console/internal/wording"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
)

// most is the greatest number of rows among which a form offers a choice without a search.
const most = 50

// offer lets a person choose a row of a viewset: among all of them, if they are few, or else by a search. The rows are
// those that the API lists for the caller.
func (v *visit) offer(c *control.Control, viewset string) {
	list := v.site.Lists[viewset]
	if list == nil || !v.may(list.By[http.MethodGet]) || v.site.Item(list) == nil {
		return
	}
	c.Elsewhere, c.Key = v.pageOf(list.Path), v.keyFor(list, c.Field)
	if searchOf(list.By[http.MethodGet]) != "" {
		c.Find = strings.TrimSuffix(c.Elsewhere, "/") + "/" + findAt + "?" + url.Values{"key": {c.Key}}.Encode()
	}
	options, whole := v.rowsOf(list, c.Key, "")
	switch {
	case c.Field.ListsKeys():
		c.Find = ""
		if whole {
			c.Offer(options)
		}
	case whole && len(options) <= most:
		c.Kind, c.Options, c.Find = "choice", append([]control.Option{{Text: "choose one", Chosen: true}}, options...), ""
	}
}

// offerInRows lets a person choose rows of viewsets in the objects of a list.
func (v *visit) offerInRows(c *control.Control) {
	for i := range c.Rows {
		for j := range c.Rows[i].Controls {
			in := &c.Rows[i].Controls[j]
			if in.Field.Ref == "" || in.Elsewhere != "" {
				continue
			}
			v.offer(in, in.Field.Ref)
			in.Choose()
			v.name(in)
		}
	}
}

// keyFor returns the member of the rows of a list by which a field names one: their key, unless that is of another type, such as
// a slug. Then it is their id.
func (v *visit) keyFor(list *site.Place, f *input.Field) string {
	item := v.site.Item(list)
	for _, e := range item.By {
		if e.Key != nil && naming.Indirect(e.Key.Type) != naming.Indirect(keyType(f)) {
			return "id"
		}
	}
	return item.KeyName()
}

// keyType is the type of the keys that a field has.
func keyType(f *input.Field) reflect.Type {
	if f.ListsKeys() {
		return f.KeyType()
	}
	return control.TypeOf(f)
}

// rowsOf lists the rows of the first page of a list, as options with a member as their value, and reports whether there are no
// others.
func (v *visit) rowsOf(list *site.Place, name, query string) (options []control.Option, whole bool) {
	pageKey := v.site.Item(list).KeyName()
	a := v.client.Send(v.w, v.r, client.Message{Method: http.MethodGet, Path: list.Path, Query: query})
	answered, err := wire.ReadOrdered(a.Body())
	if !a.OK() || err != nil {
		return nil, false
	}
	envelope, rows := takeApart(answered, list.By[http.MethodGet].Page)
	for _, one := range rows {
		o, _ := one.(wire.Members)
		key := wording.Key(o, name)
		if key == "" {
			return nil, false
		}
		options = append(options, control.Option{Value: key, Text: wording.Title(o), Page: wording.Key(o, pageKey)})
	}
	var turn turning
	turn.turn(v, envelope, a.Header())
	return options, turn.Next == ""
}

// searchOf returns the name of the parameter that searches a list, "" for none.
func searchOf(e *spec.Endpoint) string {
	for _, p := range e.Params {
		if p.Role == spec.RoleSearch {
			return p.Name
		}
	}
	return ""
}

// findAt is the end of the address at which a form finds rows while a person types.
const (
	findAt     = "~find"
	findMethod = "FIND"
	mostFound  = 20
)

// find answers with the rows of a list that a search finds, as JSON.
func (v *visit) find(at site.Address) {
	e := at.Place.By[http.MethodGet]
	if e == nil || e.Page == nil || searchOf(e) == "" || len(at.Keys) > 0 || v.site.Item(at.Place) == nil {
		v.refuse(http.StatusNotFound, "This list has no search.")
		return
	}
	found, _ := v.rowsOf(at.Place, cmp.Or(v.r.URL.Query().Get("key"), v.site.Item(at.Place).KeyName()), url.Values{searchOf(e): {v.r.URL.Query().Get("q")}}.Encode())
	found = found[:min(len(found), mostFound)]
	members := make([]any, len(found))
	for i, o := range found {
		members[i] = wire.Members{{Name: "key", Value: o.Value}, {Name: "text", Value: o.Text}}
	}
	body, err := wire.Encode(members)
	if err != nil {
		v.refuse(http.StatusInternalServerError, "The rows could not be written.")
		return
	}
	v.w.Header().Set("Content-Type", "application/json")
	_, _ = v.w.Write(body)
}

// name gives a control that names a row the title of that row.
func (v *visit) name(c *control.Control) {
	list := v.site.Lists[c.Field.Ref]
	if c.Find == "" || c.Value == "" {
		return
	}
	item := v.site.Item(list)
	if e := item.By[http.MethodGet]; v.may(e) {
		o, _, refused := v.read(e, item.Fill(map[string]string{item.KeyName(): c.Value}), "")
		if refused == nil {
			c.Text = wording.Title(o)
		}
	}
}
