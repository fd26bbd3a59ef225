package console

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/console/internal/client"
	"trestle.example/framework/console/internal/control"
	"trestle.example/framework/console/internal/site"
	"trestle.example/framework/console/internal/wording"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
)

// gridAt is the end of the address of a list at which a person changes several rows of a page.
const (
	gridAt      = "~rows"
	gridMethod  = "ROWS"
	fieldsField = "~fields"
	mostInGrid  = 6 // columns, unless the person chooses others
)

// A gridPage shows the rows of a page of a list with a control for each value.
type gridPage struct {
	Columns []control.Option // the fields that may be changed, and which of them are shown
	Rows    []gridRow
	Labels  []string
	Back    string
	Zone    string
	Error   string
	Saved   int
	Kept    []control.Control // the parameters of the list
}

// A gridRow is a row with its controls.
type gridRow struct {
	Number           int
	Key, Title, Page string
	Controls         []control.Control
	Error            string
	Saved            bool
}

// gridOf returns the endpoint that changes some fields of a row of a list, if the caller may use it and it has fields for a
// grid; nil without one.
func (v *visit) gridOf(list *site.Place) *spec.Endpoint {
	item := v.site.Item(list)
	if item == nil {
		return nil
	}
	if e := item.By[http.MethodPatch]; v.may(e) && e.Body != nil && e.Body.Partial && len(v.gridFields(e)) > 0 {
		return e
	}
	return nil
}

// gridFields are the fields of an input that fit into a cell.
func (v *visit) gridFields(e *spec.Endpoint) (all []*input.Field) {
	for _, f := range e.Body.Shape.Fields {
		if c := control.New(f, v.zone()); f.Ref == "" && slices.Contains([]string{"text", "number", "bool", "time", "choice"}, c.Kind) {
			all = append(all, f)
		}
	}
	return all
}

// editRows shows the rows of a page of a list with their controls, and saves those that a person changed.
func (v *visit) editRows(at site.Address) {
	e := v.gridOf(at.Place)
	if e == nil {
		v.refuse(http.StatusNotFound, "The rows of this list cannot be changed here.")
		return
	}
	shown := gridPage{Back: v.pageOf(at.Path()) + strings.TrimSuffix("?"+v.query(), "?"), Zone: v.zone().String()}
	for name, values := range v.r.URL.Query() {
		if !strings.HasPrefix(name, "~") && values[0] != "" {
			shown.Kept = append(shown.Kept, control.Control{Name: name, Value: values[0]})
		}
	}
	fields := v.chooseFields(&shown, e)
	if refused := v.fillGrid(&shown, at, fields); refused != nil {
		v.refuseWith(*refused)
		return
	}
	status := http.StatusOK
	if v.r.Method == http.MethodPost {
		if status = v.saveGrid(&shown, at, e); status == http.StatusOK {
			v.redirect(saying(shown.Back, "saved"))
			return
		}
	}
	v.render(status, "grid", page{Title: "Edit " + strings.ToLower(v.titleOfPlace(at.Place)), Crumbs: v.formCrumbs(at), Data: shown})
}

// chooseFields returns the fields that the person chose, or the first ones.
func (v *visit) chooseFields(shown *gridPage, e *spec.Endpoint) (chosen []*input.Field) {
	names, all := v.r.URL.Query()[fieldsField], v.gridFields(e)
	for i, f := range all {
		is := slices.Contains(names, f.Name) || len(names) == 0 && i < mostInGrid
		shown.Columns = append(shown.Columns, control.Option{Value: f.Name, Text: wording.Label(f.Name), Chosen: is})
		if is {
			chosen, shown.Labels = append(chosen, f), append(shown.Labels, wording.Label(f.Name))
		}
	}
	return chosen
}

// fillGrid reads the page of the list. A form that is sent has the rows that it was made with.
func (v *visit) fillGrid(shown *gridPage, at site.Address, fields []*input.Field) *client.Rejection {
	if v.r.Method == http.MethodPost {
		for n := 0; n < mostChosen && v.r.PostForm.Has(rowField("key", n)); n++ {
			shown.add(v.r.PostForm.Get(rowField("key", n)), v.r.PostForm.Get(rowField("title", n)), nil, fields, v)
		}
		return nil
	}
	a := v.client.Send(v.w, v.r, client.Message{Method: http.MethodGet, Path: at.Path(), Query: v.query()})
	answered, err := wire.ReadOrdered(a.Body())
	if !a.OK() || err != nil {
		p := client.ReadRejection(a)
		return &p
	}
	_, rows := takeApart(answered, at.Place.By[http.MethodGet].Page)
	for _, one := range rows {
		o, _ := one.(wire.Members)
		if key := wording.Key(o, v.site.Item(at.Place).KeyName()); key != "" {
			shown.add(key, wording.Title(o), o, fields, v)
		}
	}
	return nil
}

// rowField is the name of a field of a row beside its controls.
func rowField(name string, row int) string { return "~" + name + "-" + strconv.Itoa(row) }

// add adds a row to the grid. Without an object, its controls have what was sent.
func (g *gridPage) add(key, title string, o wire.Members, fields []*input.Field, v *visit) {
	r := gridRow{Number: len(g.Rows), Key: key, Title: title}
	for _, f := range fields {
		c := control.New(f, v.zone())
		if c.Kind == "bool" {
			c.Options = control.Choices([]string{"true", "false"}, "", "not set")
		} else if f.Enum != nil {
			c.Options = control.Choices(f.Enum, "", "choose one")
		}
		c.Name = strconv.Itoa(r.Number) + "." + f.Name
		c.ID = "field-" + c.Name
		if o != nil {
			c.Fill(o.Member(f.Name))
			c.Was = c.Value
		} else {
			c.Take(v.r.PostForm)
		}
		r.Controls = append(r.Controls, c)
	}
	g.Rows = append(g.Rows, r)
}

// saveGrid changes each row in which a person changed a value, and returns the status of the answer.
func (v *visit) saveGrid(shown *gridPage, at site.Address, e *spec.Endpoint) int {
	failed := 0
	for i := range shown.Rows {
		r := &shown.Rows[i]
		if !slices.ContainsFunc(r.Controls, func(c control.Control) bool { return c.Value != c.Was }) {
			continue
		}
		if r.Error = v.saveRow(r, at, e); r.Error != "" {
			failed++
			continue
		}
		r.Saved = true
		shown.Saved++
		for j := range r.Controls {
			r.Controls[j].Was = r.Controls[j].Value
		}
	}
	if failed == 0 {
		return http.StatusOK
	}
	shown.Error = strconv.Itoa(failed) + " of the rows that you changed were not saved. The reasons are beside them; the other rows are saved."
	return http.StatusBadRequest
}

// saveRow changes a row as its own form would, and returns why it was not changed.
func (v *visit) saveRow(r *gridRow, at site.Address, e *spec.Endpoint) string {
	f, there := &form{endpoint: e}, at.Row(v.site.Item(at.Place), r.Key)
	if refused := f.begin(v, there); refused != nil {
		return refused.Detail
	}
	sent := url.Values{}
	f.Controls = slices.DeleteFunc(f.Controls, func(c control.Control) bool {
		i := slices.IndexFunc(r.Controls, func(in control.Control) bool { return in.Field.Name == c.Name })
		if i >= 0 {
			sent.Set(c.Name, r.Controls[i].Value)
			sent.Set(control.WasPrefix+c.Name, r.Controls[i].Was)
		}
		return i < 0
	})
	now := slices.Clone(f.Controls)
	body := f.read(sent)
	if !f.faulty() && !f.conflict(now) && f.send(v, there, body, "").OK() {
		return ""
	}
	r.explain(f)
	return f.Error
}

// explain puts the faults of a row's form, and what another person changed, beside the controls of the grid.
func (r *gridRow) explain(f *form) {
	for _, c := range f.Controls {
		for j := range r.Controls {
			in := &r.Controls[j]
			if in.Field.Name != c.Name {
				continue
			}
			in.Error = c.Error
			if c.Was != in.Was {
				in.Error = strings.TrimPrefix(in.Error+"; it is now "+c.Was, "; ")
				in.Was = c.Was
			}
		}
	}
}
