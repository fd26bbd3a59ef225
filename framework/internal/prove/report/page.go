package report

import (
	_ "embed"
	"html/template"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

//go:embed page.html
var pageSource string

var page = template.Must(template.New("proof").Funcs(template.FuncMap{"statuses": Cell.statuses}).Parse(pageSource))

// WriteHTML writes the report as a page for people: the findings, and a table of every endpoint
// with the access and the answers of each caller.
func (r *Report) WriteHTML(w io.Writer) error { return page.Execute(w, r) }

// statuses lists the statuses with the number of answers: "200: 3, 404: 12".
func (c Cell) statuses() string {
	var all []string
	for _, status := range slices.Sorted(maps.Keys(c.Statuses)) {
		all = append(all, strconv.Itoa(status)+": "+strconv.Itoa(c.Statuses[status]))
	}
	return strings.Join(all, ", ")
}
