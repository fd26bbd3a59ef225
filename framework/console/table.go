package console

import (
	"net/http"
	"slices"

	"github.com/google/uuid"

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

// A link is an address with its text.
type link = Link

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
		return v.pageOf(at.Row(item, key).Path())
	}
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
