package console

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"trestle.example/framework/console/internal/client"
	"trestle.example/framework/console/internal/site"
	"trestle.example/framework/console/internal/wording"
	"trestle.example/framework/internal/wire"
)

// searchAt is the address of the search in all lists.
const searchAt = "~search"

// Bounds of the search in all lists, so that it stays quick.
const (
	mostSearched = 12 // lists
	mostInList   = 5  // rows of each that are shown
	mostHints    = 3  // values beside the title of a row
)

// A searchPage is what the search in all lists shows.
type searchPage struct {
	Query string
	Pages []link
	Lists []foundRows
	None  bool // nothing was found
}

// foundRows are the first rows of a list that a search finds.
type foundRows struct {
	Title string
	All   string // the address of the list with the same search
	Rows  []foundRow
}

// A foundRow is one of them. Hint has some other values of the row.
type foundRow struct {
	link

	Hint string
}

// search answers with the resources whose names have the words of the query, and with the rows that the searches of the lists
// find. If there is one result alone, it goes there.
func (v *visit) search() {
	q := strings.TrimSpace(v.r.URL.Query().Get("q"))
	shown := searchPage{Query: q}
	if q != "" {
		shown.Pages, shown.Lists = v.pagesNamed(q), v.rowsFound(q)
		if only := shown.only(); only != "" {
			v.redirect(only)
			return
		}
		shown.None = len(shown.Pages)+len(shown.Lists) == 0
	}
	v.render(http.StatusOK, "search", page{Title: cmp.Or(q, "Search"), Data: shown})
}

// only returns the address of the one result; "" if there are several or none.
func (s searchPage) only() string {
	switch {
	case len(s.Pages) == 1 && len(s.Lists) == 0:
		return s.Pages[0].To
	case len(s.Pages) == 0 && len(s.Lists) == 1 && len(s.Lists[0].Rows) == 1 && s.Lists[0].All == "":
		return s.Lists[0].Rows[0].To
	}
	return ""
}

// pagesNamed lists the pages of the menu whose names have a text.
func (v *visit) pagesNamed(text string) (all []link) {
	for _, g := range v.menu() {
		for _, l := range g.Links {
			if strings.Contains(strings.ToLower(l.Text), strings.ToLower(text)) {
				all = append(all, l)
			}
		}
	}
	return all
}

// rowsFound lists the rows that the searches of the lists find for the caller.
func (v *visit) rowsFound(text string) (all []foundRows) {
	searched := 0
	for _, p := range v.site.Places {
		e := p.By[http.MethodGet]
		if searched == mostSearched {
			break
		}
		if e == nil || v.site.Lists[e.ViewSet] != p || !v.may(e) || searchOf(e) == "" {
			continue
		}
		searched++
		if found := v.rowsFoundIn(p, text); len(found.Rows) > 0 {
			all = append(all, found)
		}
	}
	return all
}

// rowsFoundIn lists the first rows of a list that its search finds. A list that rejects the search has none.
func (v *visit) rowsFoundIn(p *site.Place, text string) (found foundRows) {
	e := p.By[http.MethodGet]
	query := url.Values{searchOf(e): {text}}.Encode()
	a := v.client.Send(v.w, v.r, client.Message{Method: http.MethodGet, Path: p.Path, Query: query})
	answered, err := wire.ReadOrdered(a.Body())
	if !a.OK() || err != nil {
		return found
	}
	_, rows := takeApart(answered, e.Page)
	found.Title = v.titleOfPlace(p)
	if len(rows) > mostInList {
		rows, found.All = rows[:mostInList], v.pageOf(p.Path)+"?"+query
	}
	pageOfRow := v.rowPages(site.Address{Place: p})
	for _, one := range rows {
		o, _ := one.(wire.Members)
		to := ""
		if pageOfRow != nil && v.site.Item(p).By[http.MethodGet] != nil {
			to = pageOfRow(o)
		}
		to = cmp.Or(to, v.pageOf(p.Path)+"?"+query)
		found.Rows = append(found.Rows, foundRow{link{Text: wording.Title(o), To: to}, v.hintOf(e.ViewSet, o)})
	}
	return found
}

// hintOf returns some values of a row beside its title, by which people know it from others.
func (v *visit) hintOf(viewset string, o wire.Members) string {
	var hints []string
	for _, m := range o {
		text, kind := wording.Scalar(m.Value)
		if kind != jsontext.KindString && kind != jsontext.KindNumber || m.Name == "id" || text == "" || text == wording.Title(o) || uuid.Validate(text) == nil {
			continue
		}
		if shown := (shower{v, viewset, true}).show(m.Name, m.Value); shown.Link == "" && !slices.Contains(hints, shown.Text) {
			hints = append(hints, shown.Text)
		}
		if len(hints) == mostHints {
			break
		}
	}
	return strings.Join(hints, " · ")
}
