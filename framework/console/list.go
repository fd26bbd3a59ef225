package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/console/internal/client"
	"trestle.example/framework/console/internal/control"
	"trestle.example/framework/console/internal/site"
	"trestle.example/framework/console/internal/wording"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
)

// A listPage is what the page of a list shows.
type listPage struct {
	Table   *table
	Filters []control.Control
	Active  bool // a filter is set
	Reset   string
	turning
	Exports []link
	Actions []link
	Do      []control.Option // what may be done with rows that are chosen
	Chosen  string           // the address that does it
	Said    string
	Refused *client.Rejection // the API rejected the query
}

// showList answers with the page of a list.
func (v *visit) showList(at site.Address, e *spec.Endpoint) {
	path := at.Path()
	a := v.client.Send(v.w, v.r, client.Message{Method: http.MethodGet, Path: path, Query: v.query()})
	shown := listPage{Filters: v.filters(e), Actions: v.actionsOf(at), Reset: v.r.URL.EscapedPath()}
	shown.Active = slices.ContainsFunc(shown.Filters, func(f control.Control) bool { return f.Value != "" })
	title := v.titleOfPlace(at.Place)
	if !a.OK() {
		p := client.ReadRejection(a)
		if p.Status != http.StatusBadRequest || v.query() == "" {
			v.refuseWith(p)
			return
		}
		shown.Refused = &p
		shown.mark(p)
		v.render(p.Status, "list", page{Title: title, Crumbs: v.crumbs(at), Data: shown})
		return
	}
	answered, err := wire.ReadOrdered(a.Body())
	if err != nil {
		v.refuse(http.StatusBadGateway, "The answer of the API is no JSON.")
		return
	}
	envelope, rows := takeApart(answered, e.Page)
	shown.Said = said(v.r.URL.Query().Get(saidParam))
	shown.Table = shower{v, e.ViewSet, true}.table(rows, v.rowPages(at))
	v.offerSteps(shown.Table, at)
	v.offerChoice(&shown, at, rows)
	v.offerMany(&shown, at)
	v.offerRestoring(shown.Table, at, rows)
	shown.Table.Caption = title
	v.sortable(e, shown.Table)
	shown.turn(v, envelope, a.Header())
	shown.Exports = v.exports(e, path)
	v.render(http.StatusOK, "list", page{Title: title, Crumbs: v.crumbs(at), Data: shown})
}

// offerSteps adds what one may do with each row of a list, if its rows have no page to read.
func (v *visit) offerSteps(t *table, at site.Address) {
	item := v.site.Item(at.Place)
	if item == nil || item.By[http.MethodGet] != nil {
		return
	}
	for i, r := range t.Rows {
		rest, ok := strings.CutPrefix(r.Page, v.Path)
		if !ok {
			continue
		}
		t.Rows[i].Does = v.actionsOf(v.site.Find(v.API.Prefix + "/" + rest))
		t.HasSteps = t.HasSteps || len(t.Rows[i].Does) > 0
		t.Rows[i].Page = ""
	}
}

// offerChoice lets a person choose rows and what to do with them.
func (v *visit) offerChoice(shown *listPage, at site.Address, rows []any) {
	steps := v.stepsOf(at.Place)
	if len(steps) == 0 || len(rows) == 0 {
		return
	}
	shown.Table.Choice, shown.Do = true, []control.Option{{Text: "choose one", Chosen: true}}
	for _, s := range steps {
		shown.Do = append(shown.Do, control.Option{Value: s.name, Text: s.verb})
	}
	shown.Chosen = v.below(at, chosenAt)
	for i, one := range rows {
		o, _ := one.(wire.Members)
		shown.Table.Rows[i].Key = wording.Key(o, v.site.Item(at.Place).KeyName())
	}
}

// offerMany links to the pages that change or add several rows.
func (v *visit) offerMany(shown *listPage, at site.Address) {
	if len(shown.Table.Rows) > 0 && v.gridOf(at.Place) != nil {
		shown.Actions = append(shown.Actions, link{Text: "Edit in rows", To: v.below(at, gridAt)})
	}
	if _, e := v.bulkOf(at.Place); e != nil {
		shown.Actions = append(shown.Actions, link{Text: "Import", To: v.pageOf(strings.TrimSuffix(at.Path(), "/")+"/") + importAt})
	}
}

// below returns an address below that of a list, with its query.
func (v *visit) below(at site.Address, end string) string {
	return v.pageOf(strings.TrimSuffix(at.Path(), "/")+"/") + end + strings.TrimSuffix("?"+v.query(), "?")
}

// filters makes the controls of the parameters of a list, without those of pages and of members.
func (v *visit) filters(e *spec.Endpoint) (all []control.Control) {
	query := v.r.URL.Query()
	for _, p := range e.Params {
		if p.Role == spec.RolePage || p.Role == spec.RoleMembers || p.Role == spec.RoleFormat || p.Role == spec.RoleOrder && p.List {
			continue
		}
		c := control.Control{Name: p.Name, ID: "filter-" + p.Name, Label: wording.Label(p.Name), Hint: p.Doc, Value: query.Get(p.Name), Kind: "text"}
		switch {
		case p.Enum != nil:
			c.Kind, c.Options = "choice", control.Choices(p.Enum, c.Value, "any")
		case control.KindOf(p.Type) == "bool":
			c.Kind, c.Options = "choice", control.Choices([]string{"true", "false"}, c.Value, "any")
		case p.Compared != nil:
			c.Kind = "expression"
		}
		if p.Role == spec.RoleSearch {
			c.Kind = "search"
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b control.Control) int { return rankOfKind(a.Kind) - rankOfKind(b.Kind) })
	return all
}

// rankOfKind puts the search first and the expression last.
func rankOfKind(kind string) int {
	switch kind {
	case "search":
		return 0
	case "expression":
		return 2
	}
	return 1
}

// mark puts the faults of a query beside its controls.
func (l *listPage) mark(p client.Rejection) {
	for _, fault := range p.Faults {
		for i := range l.Filters {
			if l.Filters[i].Name == fault.Parameter {
				l.Filters[i].Error = fault.Detail
			}
		}
	}
}

// sortable gives the columns by which the list may be ordered their addresses.
func (v *visit) sortable(e *spec.Endpoint, t *table) {
	query, _ := url.ParseQuery(v.query())
	for _, p := range e.Params {
		if p.Role == spec.RolePage {
			query.Del(p.Name) // another order begins with its first page
		}
	}
	for _, p := range e.Params {
		if p.Role == spec.RoleOrder && p.List {
			t.sortBy(p, query, v.r.URL.EscapedPath())
		}
	}
}

// sortBy gives the columns that a parameter may name the addresses of the list ordered by them.
func (t *table) sortBy(p spec.Param, query url.Values, path string) {
	now, _, _ := strings.Cut(query.Get(p.Name), ",")
	for i := range t.Columns {
		c := &t.Columns[i]
		if !slices.Contains(p.Enum, c.Name) {
			continue
		}
		to := c.Name
		switch now {
		case c.Name:
			c.Sorted = "ascending"
			if slices.Contains(p.Enum, "-"+c.Name) {
				to = "-" + c.Name
			}
		case "-" + c.Name:
			c.Sorted = "descending"
		}
		query.Set(p.Name, to)
		c.Sort = path + "?" + query.Encode()
	}
}

// exports lists the formats in which the whole list may be downloaded from the API.
func (v *visit) exports(e *spec.Endpoint, path string) (all []link) {
	for _, media := range e.Exports {
		format := "ndjson"
		if strings.Contains(media, "csv") {
			format = "csv"
		}
		query := url.Values{}
		for name, values := range v.r.URL.Query() {
			if i := slices.IndexFunc(e.Params, func(p spec.Param) bool { return p.Name == name }); i >= 0 && e.Params[i].Role != spec.RolePage {
				query[name] = values
			}
		}
		query.Set("format", format)
		all = append(all, link{Text: strings.ToUpper(format), To: v.pageOf(strings.TrimSuffix(path, "/")+"/") + exportAt + "?" + query.Encode()})
	}
	return all
}
