// Package own checks what a program declares for its console against the API: its pages, tiles and renderers.
package own

import (
	"errors"
	"fmt"
	"html/template"
	"strings"

	"trestle.example/framework/console/internal/assets"
	"trestle.example/framework/console/internal/site"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/spec"
)

// Parts are what a program declares for its console. They do not change.
type Parts struct {
	Pages []*Page
	Tiles []*Tile

	api       *spec.API
	site      *site.Site
	renderers map[string]declare.ConsoleRenderer
}

// New checks the parts of a console. base is the template of a page, with an empty template "content", and probe a page without
// data. Style sheets are added to the files.
func New(c declare.Console, api *spec.API, s *site.Site, base *template.Template, probe any, files *assets.Set) (*Parts, error) {
	p := &Parts{api: api, site: s, renderers: c.Renderers}
	var mistakes []error
	for _, declared := range c.Pages {
		made, err := p.newPage(declared)
		if err == nil {
			err = made.read(base, probe, files)
		}
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("the page %q: %w", declared.Path, err))
			continue
		}
		p.Pages = append(p.Pages, made)
	}
	for _, declared := range c.Tiles {
		made, err := p.newTile(declared)
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("the tile %q: %w", declared.Title, err))
			continue
		}
		p.Tiles = append(p.Tiles, made)
	}
	return p, errors.Join(append(mistakes, p.checkRenderers())...)
}

// Endpoint returns the endpoint of the API with a name such as "POST /admin/orders/{id}/confirm".
func (p *Parts) Endpoint(name string) (*spec.Endpoint, error) {
	method, path, _ := strings.Cut(name, " ")
	at := p.site.Find(p.api.Prefix + path)
	if strings.HasPrefix(path, "/") && at.Place != nil && at.Place.By[method] != nil {
		return at.Place.By[method], nil
	}
	known := make([]string, len(p.api.Endpoints))
	for i, e := range p.api.Endpoints {
		known[i] = e.Method + " " + strings.TrimPrefix(e.Path, p.api.Prefix)
	}
	return nil, fmt.Errorf("the API has no endpoint %q%s", name, naming.DidYouMean(name, known))
}
