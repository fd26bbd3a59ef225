package console

import (
	"cmp"
	"net/http"
	"strings"

	"trestle.example/framework/console/internal/client"
	"trestle.example/framework/console/internal/own"
	"trestle.example/framework/console/internal/wording"
	"trestle.example/framework/internal/wire"
)

// A shownTile is a tile with what it shows.
type shownTile struct {
	Title, To string
	Count     string
	Empty     bool // the list has no rows
	Table     *table
	Groups    []field
	Error     string // why the API answered nothing
}

// showTiles reads the tiles that the caller may see.
func (v *visit) showTiles() (all []shownTile) {
	for _, t := range v.own.Tiles {
		if !v.may(t.Endpoint) {
			continue
		}
		a := v.client.Send(v.w, v.r, client.Message{Method: http.MethodGet, Path: t.Endpoint.Path, Query: t.Query})
		shown := shownTile{Title: t.Title, To: v.pageOf(t.Endpoint.Path + strings.TrimSuffix("?"+t.Query, "?"))}
		switch {
		case a.Status == http.StatusUnauthorized, a.Status == http.StatusForbidden, a.Status == http.StatusNotFound:
			continue
		case !a.OK():
			shown.Error = client.ReadRejection(a).Detail
		default:
			shown.take(v, t, a)
		}
		all = append(all, shown)
	}
	return all
}

// take gives a tile what the API answered.
func (s *shownTile) take(v *visit, t *own.Tile, a *client.Answer) {
	answered, err := wire.ReadOrdered(a.Body())
	if err != nil {
		s.Error = "The answer of the API is no JSON."
		return
	}
	if t.Endpoint.Totals != nil {
		s.takeTotals(v, t, answered)
		return
	}
	envelope, rows := takeApart(answered, t.Endpoint.Page)
	if t.Rows == 0 {
		var turn listPage
		turn.turn(v, envelope, a.Header())
		s.Count = turn.Count
		return
	}
	s.Empty = len(rows) == 0
	if s.Empty {
		return
	}
	s.Table = shower{v, t.Endpoint.ViewSet, true}.table(rows[:min(t.Rows, len(rows))], v.rowPages(t.At))
	s.Table.Caption = t.Title
	s.Table.narrow(tileColumns)
}

// narrow leaves the first columns of a table, without that of the ids, which is the last one.
func (t *table) narrow(most int) {
	if last := len(t.Columns) - 1; last > 0 && t.Columns[last].Name == "id" {
		most = min(most, last)
	}
	most = min(most, len(t.Columns))
	t.Columns = t.Columns[:most]
	for i := range t.Rows {
		t.Rows[i].Cells = t.Rows[i].Cells[:most]
	}
}

// takeTotals gives a tile the groups of totals: the count of each, and its other figures after it.
func (s *shownTile) takeTotals(v *visit, t *own.Tile, answered any) {
	o, _ := answered.(wire.Members)
	all, _ := o.Member("totals").([]any)
	s.Empty = len(all) == 0
	in := shower{v, t.Endpoint.ViewSet, true}
	for _, one := range all {
		row, _ := one.(wire.Members)
		var names, figures []string
		for _, g := range row.At("group") {
			names = append(names, textOf(g.Value))
		}
		for _, m := range row {
			if part, _ := m.Value.(wire.Members); m.Name != "group" && part != nil {
				figures = append(figures, in.figuresOf(m.Name, part)...)
			} else if m.Name != "group" {
				figures = append(figures, textOf(m.Value))
			}
		}
		s.Groups = append(s.Groups, field{Label: cmp.Or(strings.Join(names, ", "), "all"), Value: value{Kind: "text", Text: strings.Join(figures, ", ")}})
	}
}

// figuresOf names the figures of a part of totals: "sum of fee 120.00".
func (s shower) figuresOf(part string, figures wire.Members) (all []string) {
	for _, f := range figures {
		all = append(all, part+" of "+strings.ToLower(wording.Label(f.Name))+" "+s.show(f.Name, f.Value).Text)
	}
	return all
}

// textOf shows a value of a group to people.
func textOf(v any) string {
	text, _ := wording.Scalar(v)
	if text == "" {
		return "none"
	}
	if plainWord.MatchString(text) {
		return wording.Label(text)
	}
	return text
}
