package console

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"trestle.example/framework/console/internal/client"
	"trestle.example/framework/console/internal/control"
	"trestle.example/framework/console/internal/site"
	"trestle.example/framework/console/internal/wording"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
)

// A table is rows of an answer.
type table struct {
	Caption  string
	Columns  []column
	Rows     []row
	HasSteps bool // a row has something that one may do with it
	Choice   bool // the rows may be chosen
}

// A column is one member of the rows.
type column struct {
	Name, Label string
	Number      bool
	Sort        string // the address of the list ordered by it; "" if the list cannot be
	Sorted      string // "ascending" or "descending"; "" for another order
}

// A row is an object of a list.
type row struct {
	Title string
	Key   string // if it may be chosen
	Page  string // "" if it has none
	Cells []value
	Does  []link // what one may do with it, if it has no page to read
}

// A listPage is what the page of a list shows.
type listPage struct {
	Table    *table
	Filters  []control.Control
	Active   bool // a filter is set
	Reset    string
	Count    string
	Next     string
	Previous string
	Exports  []link
	Actions  []link
	Do       []control.Option // what may be done with rows that are chosen
	Chosen   string           // the address that does it
	Said     string
	Refused  *client.Rejection // the API rejected the query
}

// A link is an address with its text.
type link = Link

// showList answers with the page of a list.
func (v *visit) showList(at site.Address, e *spec.Endpoint) {
	path := at.Place.Fill(at.Keys)
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

// takeApart returns the members of a page beside its rows, and the rows.
func takeApart(answered any, p *spec.Page) (envelope wire.Members, rows []any) {
	if all, bare := answered.([]any); bare {
		return nil, all
	}
	members, _ := answered.(wire.Members)
	for _, m := range members {
		if all, isList := m.Value.([]any); isList && isRows(p, m.Name) {
			rows = all
			continue
		}
		envelope = append(envelope, m)
	}
	return envelope, rows
}

// isRows reports whether a member of a page has its rows.
func isRows(p *spec.Page, name string) bool {
	for _, sample := range p.Samples {
		for _, m := range sample {
			if _, rows := m.Value.(spec.Rows); rows && m.Name == name {
				return true
			}
		}
	}
	return false
}

// table makes a table of objects. pageOf returns the page of a row; it may be nil.
func (s shower) table(rows []any, pageOf func(wire.Members) string) *table {
	t := &table{}
	place := t.addColumns(rows)
	for _, one := range rows {
		o, _ := one.(wire.Members)
		r := row{Title: wording.Title(o), Cells: make([]value, len(t.Columns))}
		if pageOf != nil {
			r.Page = pageOf(o)
		}
		for _, m := range o {
			r.Cells[place[m.Name]] = s.cell(m)
		}
		t.Rows = append(t.Rows, r)
	}
	for i := range t.Columns {
		t.Columns[i].Number = !slices.ContainsFunc(t.Rows, func(r row) bool { return !slices.Contains([]string{"number", "none", ""}, r.Cells[i].Kind) })
	}
	t.order()
	return t
}

// addColumns adds a column for each member of the rows, and returns the place of each.
func (t *table) addColumns(rows []any) map[string]int {
	place := map[string]int{}
	for _, one := range rows {
		o, _ := one.(wire.Members)
		for _, m := range o {
			if _, known := place[m.Name]; !known {
				place[m.Name] = len(t.Columns)
				t.Columns = append(t.Columns, column{Name: m.Name, Label: wording.Label(m.Name)})
			}
		}
	}
	return place
}

// cell shows a member of a row. A UUID is cut.
func (s shower) cell(m wire.Member) value {
	v := s.show(m.Name, m.Value)
	if uuid.Validate(v.Text) == nil {
		v.Text = wording.Short(v.Text)
	}
	return v
}

// rank is the place of a column: a column that names all rows is first.
func (t *table) rank(column int) int {
	if slices.ContainsFunc(t.Rows, func(r row) bool { return r.Cells[column].Text == "" || r.Cells[column].Kind == "none" }) {
		return 0
	}
	return wording.Rank(t.Columns[column].Name)
}

// order puts the columns in the order of their ranks. Their keys are last, unless they alone name the rows.
func (t *table) order() {
	at := make([]int, len(t.Columns))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return t.rank(a) - t.rank(b) })
	if i := slices.IndexFunc(at, func(i int) bool { return t.Columns[i].Name == "id" }); i > 0 {
		id := at[i]
		at = append(slices.Delete(at, i, i+1), id)
	}
	columns := t.Columns
	t.Columns = make([]column, len(at))
	for i, from := range at {
		t.Columns[i] = columns[from]
	}
	for i, r := range t.Rows {
		cells := make([]value, len(at))
		for j, from := range at {
			cells[j] = r.Cells[from]
		}
		t.Rows[i].Cells = cells
	}
}

// rowPages returns a function for the page of a row of a list; nil if rows have none.
func (v *visit) rowPages(at site.Address) func(wire.Members) string {
	item := v.site.Item(at.Place)
	if item == nil {
		item = v.elsewhere(at.Place)
	}
	if item == nil {
		return nil
	}
	return func(o wire.Members) string {
		key := wording.Key(o, item.KeyName())
		if key == "" {
			return ""
		}
		keys := map[string]string{item.KeyName(): key}
		for name, above := range at.Keys {
			if _, own := keys[name]; !own {
				keys[name] = above
			}
		}
		return v.pageOf(item.Fill(keys))
	}
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
		shown.Actions = append(shown.Actions, link{Text: "Import", To: v.pageOf(strings.TrimSuffix(at.Place.Fill(at.Keys), "/")+"/") + importAt})
	}
}

// below returns an address below that of a list, with its query.
func (v *visit) below(at site.Address, end string) string {
	return v.pageOf(strings.TrimSuffix(at.Place.Fill(at.Keys), "/")+"/") + end + strings.TrimSuffix("?"+v.query(), "?")
}

// elsewhere returns the place of one row for a list of a viewset below a row, such as
// /patients/{id}/appointments/, whose rows have pages of their own viewset.
func (v *visit) elsewhere(p *site.Place) *site.Place {
	last := p.Segs[len(p.Segs)-1]
	list := v.site.Lists[last]
	if list == nil || list == p || list.By[http.MethodGet].Output != p.By[http.MethodGet].Output {
		return nil
	}
	return v.site.Item(list)
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

// turn sets the addresses of the pages before and after, and the count.
func (l *listPage) turn(v *visit, envelope wire.Members, h http.Header) {
	for _, m := range envelope {
		text, kind := wording.Scalar(m.Value)
		switch name := strings.ToLower(m.Name); {
		case kind == jsontext.KindString && (name == "next" || name == "previous" || name == "prev"):
			l.set(name, v.pageOf(text))
		case kind == jsontext.KindNumber && (name == "count" || name == "total"):
			l.Count = text
		}
	}
	for part := range strings.SplitSeq(strings.Join(h.Values("Link"), ","), ",") {
		to, rel, _ := strings.Cut(part, ";")
		if _, rel, ok := strings.Cut(rel, `rel="`); ok {
			l.set(strings.TrimSuffix(strings.TrimSpace(rel), `"`), v.pageOf(strings.Trim(strings.TrimSpace(to), "<>")))
		}
	}
	l.turnByNumber(v, envelope)
	if is, ok := envelope.Member("count_is").(string); ok && l.Count != "" {
		l.Count = map[string]string{"at_least": "over ", "estimate": "about "}[is] + l.Count
	}
}

// turnByNumber sets the addresses of the pages before and after by their numbers, for envelopes without links.
func (l *listPage) turnByNumber(v *visit, envelope wire.Members) {
	text, _ := wording.Scalar(envelope.Member("page"))
	number, err := strconv.Atoi(text)
	if err != nil || l.Next != "" || l.Previous != "" {
		return
	}
	to := func(n int) string {
		query, _ := url.ParseQuery(v.query())
		query.Set("page", strconv.Itoa(n))
		return v.r.URL.EscapedPath() + "?" + query.Encode()
	}
	if _, more := wording.Scalar(envelope.Member("hasNext")); more == jsontext.KindTrue {
		l.Next = to(number + 1)
	}
	if number > 1 {
		l.Previous = to(number - 1)
	}
}

func (l *listPage) set(rel, to string) {
	switch {
	case to == "":
	case rel == "next":
		l.Next = to
	case rel == "previous" || rel == "prev":
		l.Previous = to
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

// titleOfPlace names a place to people, by its last segment that is no key.
func (v *visit) titleOfPlace(p *site.Place) string {
	for _, segment := range slices.Backward(p.Segs) {
		if !site.IsKey(segment) {
			return wording.Label(segment)
		}
	}
	return v.Title
}
