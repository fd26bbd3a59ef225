package console

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
)

// most is the greatest number of rows among which a form offers a choice without a search.
const most = 50

// offer lets a person choose a row of a viewset: among all of them, if they are few, or else by a search. The rows are
// those that the API lists for the caller.
func (v *visit) offer(c *control, viewset string) {
	list := v.site.lists[viewset]
	if list == nil || !v.may(list.by[http.MethodGet]) || v.site.item(list) == nil {
		return
	}
	c.Elsewhere, c.key = v.pageOf(list.path), v.keyFor(list, c.field)
	if searchOf(list.by[http.MethodGet]) != "" {
		c.Find = strings.TrimSuffix(c.Elsewhere, "/") + "/" + findAt + "?" + url.Values{"key": {c.key}}.Encode()
	}
	if options, whole := v.rowsOf(list, c.key, ""); whole && len(options) <= most {
		c.Kind, c.Options, c.Find = "choice", append([]option{{Text: "choose one", Chosen: true}}, options...), ""
	}
}

// keyFor returns the member of the rows of a list by which a field names one: their key, unless that is of another type, such as
// a slug. Then it is their id.
func (v *visit) keyFor(list *place, f *input.Field) string {
	item := v.site.item(list)
	for _, e := range item.by {
		if e.Key != nil && naming.Indirect(e.Key.Type) != naming.Indirect(typeOf(f)) {
			return "id"
		}
	}
	return item.keyName()
}

// refer gives a control the row that a value of an object names: by its key, or by itself.
func (c *control) refer(now any) {
	if o, whole := now.(wire.Members); whole {
		now = o.Member(cmp.Or(c.key, "id"))
	}
	text, _ := scalarOf(now)
	for _, o := range c.Options {
		if text != "" && o.page == text {
			now = o.Value
		}
	}
	c.fill(now)
}

// rowsOf lists the rows of the first page of a list, as options with a member as their value, and reports whether there are no
// others.
func (v *visit) rowsOf(list *place, name, query string) (options []option, whole bool) {
	pageKey := v.site.item(list).keyName()
	a := v.client.send(v.w, v.r, message{method: http.MethodGet, path: list.path, query: query})
	answered, err := wire.ReadOrdered(a.body.Bytes())
	if !a.ok() || err != nil {
		return nil, false
	}
	envelope, rows := takeApart(answered, list.by[http.MethodGet].Page)
	for _, one := range rows {
		o, _ := one.(wire.Members)
		key := keyOf(o, name)
		if key == "" {
			return nil, false
		}
		options = append(options, option{Value: key, Text: titleOf(o), page: keyOf(o, pageKey)})
	}
	var turn listPage
	turn.turn(v, envelope, a.header)
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
func (v *visit) find(at address) {
	e := at.place.by[http.MethodGet]
	if e == nil || e.Page == nil || searchOf(e) == "" || len(at.keys) > 0 || v.site.item(at.place) == nil {
		v.refuse(http.StatusNotFound, "This list has no search.")
		return
	}
	found, _ := v.rowsOf(at.place, cmp.Or(v.r.URL.Query().Get("key"), v.site.item(at.place).keyName()), url.Values{searchOf(e): {v.r.URL.Query().Get("q")}}.Encode())
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
func (v *visit) name(c *control) {
	list := v.site.lists[c.field.Ref]
	if c.Find == "" || c.Value == "" {
		return
	}
	item := v.site.item(list)
	if e := item.by[http.MethodGet]; v.may(e) {
		o, _, refused := v.read(e, item.fill(map[string]string{item.keyName(): c.Value}), "")
		if refused == nil {
			c.Text = titleOf(o)
		}
	}
}
