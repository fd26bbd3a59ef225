package console

import (
	"net/http"
	"strconv"
	"strings"

	"trestle.example/framework/console/internal/client"
	"trestle.example/framework/console/internal/control"
	"trestle.example/framework/console/internal/sheet"
	"trestle.example/framework/console/internal/site"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/spec"
)

// importAt is the end of the address of a list at which a person adds the rows of a spreadsheet.
const (
	importAt     = "~import"
	importMethod = "IMPORT"
	textField    = "csv"
	mostShown    = 20 // rows of a spreadsheet before it is sent
)

// An importPage shows the rows of a spreadsheet before they are added, and their faults.
type importPage struct {
	Text, Back, Names string
	Sheet             *sheet.Sheet // nil before it is read
	Shown             [][]string
	Once, Error       string
	Faults            []formFault
	Changed           []change // always none
}

// bulkOf returns the place and the endpoint that adds many rows to a list in one transaction; nil without one.
func (v *visit) bulkOf(list *site.Place) (*site.Place, *spec.Endpoint) {
	for _, p := range v.site.Below(list, false) {
		if e := p.By[http.MethodPost]; v.may(e) && e.Body != nil && e.Body.Items != nil && !e.Each {
			return p, e
		}
	}
	return nil, nil
}

// importRows shows what a person pasted, and adds the rows once the person is sure: all of them, or none.
func (v *visit) importRows(at site.Address) {
	p, e := v.bulkOf(at.Place)
	if e == nil {
		v.refuse(http.StatusNotFound, "This list takes no spreadsheet, or your permissions do not include adding many rows at once.")
		return
	}
	shown := importPage{Back: v.pageOf(at.Path()), Text: v.r.PostForm.Get(textField), Once: onceOf(e)}
	var names []string
	for _, f := range e.Body.Shape.Fields {
		names = append(names, f.Name)
	}
	shown.Names = strings.Join(names, ", ")
	status := http.StatusOK
	if v.r.Method == http.MethodPost {
		status = v.readSheet(&shown, e)
		if shown.Sheet != nil && v.r.PostForm.Get(sureField) != "" {
			if status = v.addRows(&shown, site.Address{Place: p, Keys: at.Keys}, e); status < http.StatusMultipleChoices {
				v.redirect(saying(shown.Back, "created"))
				return
			}
		}
	}
	v.render(status, "import", page{Title: "Import " + strings.ToLower(v.titleOfPlace(at.Place)), Crumbs: v.formCrumbs(at), Data: shown})
}

// readSheet reads what a person pasted, and returns the status of the answer.
func (v *visit) readSheet(shown *importPage, e *spec.Endpoint) int {
	blank := func(f *input.Field) control.Control { return control.New(f, v.zone()) }
	s, err := sheet.Read(shown.Text, e.Body.Shape, blank, e.Body.Items.Most)
	if err != nil {
		shown.Error = "Nothing was added: " + err.Error() + "."
		return http.StatusBadRequest
	}
	shown.Sheet, shown.Shown = s, s.Rows[:min(len(s.Rows), mostShown)]
	return http.StatusOK
}

// addRows sends the rows to the API, and returns its status. Faults name the lines.
func (v *visit) addRows(shown *importPage, at site.Address, e *spec.Endpoint) int {
	m := client.Message{Method: e.Method, Path: at.Path(), Header: v.withToken(), Body: shown.Sheet.Body()}
	if once := v.r.PostForm.Get(onceField); e.Idempotent && once != "" {
		m.Header.Set("Idempotency-Key", once)
	}
	a := v.client.Send(v.w, v.r, m)
	if a.OK() {
		return a.Status
	}
	p := client.ReadRejection(a)
	shown.Error = "Nothing was added. " + p.Detail
	for _, fault := range p.Faults {
		path := naming.PointerSegments(fault.Pointer)
		label := ""
		if n, err := strconv.Atoi(strings.Join(path[:min(1, len(path))], "")); err == nil && n < len(shown.Sheet.Lines) {
			label, path = "Line "+strconv.Itoa(shown.Sheet.Lines[n]), path[1:]
		}
		shown.Faults = append(shown.Faults, formFault{Label: strings.TrimPrefix(label+", "+strings.Join(path, " / "), ", "), Detail: fault.Detail})
	}
	return a.Status
}
