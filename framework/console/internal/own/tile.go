package own

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/console/internal/site"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/spec"
)

// A Tile is a tile of the first page with the endpoint that it reads.
type Tile struct {
	declare.ConsoleTile

	At       site.Address
	Endpoint *spec.Endpoint
	Query    string
}

// newTile finds the endpoint of a tile, and checks the tile.
func (p *Parts) newTile(declared declare.ConsoleTile) (*Tile, error) {
	path, query, _ := strings.Cut(declared.Path, "?")
	e, err := p.Endpoint("GET " + path)
	if err != nil {
		return nil, err
	}
	t := &Tile{ConsoleTile: declared, At: p.site.Find(p.api.Prefix + path), Endpoint: e, Query: query}
	switch {
	case t.Title == "":
		return nil, errors.New("it needs a Title")
	case e.Page == nil && e.Totals == nil:
		return nil, fmt.Errorf("GET %s is neither a list nor totals", path)
	case slices.ContainsFunc(t.At.Place.Segs, site.IsKey):
		return nil, fmt.Errorf("the path %s has a key; a tile shows the same address to all callers", path)
	case e.Page != nil && t.Rows == 0 && !counts(e.Page):
		return nil, fmt.Errorf("the pages of GET %s have no count; set Rows to show the first rows", path)
	}
	return t, checkQuery(e, query)
}

// counts reports whether the pages of a list have the count of its rows.
func counts(p *spec.Page) bool {
	return slices.ContainsFunc(p.Samples[0], func(m spec.Member) bool {
		return m.Value != nil && slices.Contains([]string{"count", "total"}, strings.ToLower(m.Name))
	})
}

// checkQuery returns an error for a parameter that an endpoint lacks, and for a value that is not one of its allowed values.
func checkQuery(e *spec.Endpoint, query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return err
	}
	known := make([]string, len(e.Params))
	for i, p := range e.Params {
		known[i] = p.Name
		for _, value := range values[p.Name] {
			if p.Enum != nil && !p.List && !slices.Contains(p.Enum, value) {
				return fmt.Errorf("the parameter %s cannot be %q%s", p.Name, value, naming.DidYouMean(value, p.Enum))
			}
		}
	}
	for name := range values {
		if !slices.Contains(known, name) {
			return fmt.Errorf("GET %s has no parameter %q%s", e.Path, name, naming.DidYouMean(name, known))
		}
	}
	return nil
}
