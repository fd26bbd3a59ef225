package own

import (
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"regexp"
	"strings"

	"trestle.example/framework/console/internal/assets"
	"trestle.example/framework/console/internal/site"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/spec"
)

// A Page is a page of the program's own.
type Page struct {
	declare.ConsolePage

	Place     *site.Place // its path, beside those of the API
	Endpoints []*spec.Endpoint
	Made      *template.Template
	Sheet     string // the name of its style sheet among the files; "" for none
}

var (
	pagePath = regexp.MustCompile(`^(([A-Za-z0-9._-]+|\{[A-Za-z0-9_]+\})/)+$`)
	// forbidden is what the policy of a page does not let run or apply.
	forbidden = regexp.MustCompile(`(?i)<script|<style|\sstyle\s*=|\son[a-z]+\s*=|javascript:`)
)

// newPage checks a page.
func (p *Parts) newPage(declared declare.ConsolePage) (*Page, error) {
	switch {
	case !pagePath.MatchString(declared.Path):
		return nil, errors.New(`the path must be names or keys in braces, each with a slash after it; "packing/{id}/" is one`)
	case declared.Title == "" || declared.Files == nil || declared.Template == "" || declared.Data == nil:
		return nil, errors.New("it needs a Title, Files, a Template and Data")
	}
	made := &Page{ConsolePage: declared, Place: site.NewPlace("/" + declared.Path)}
	for _, other := range p.Pages {
		if other.Place.Same(made.Place) {
			return nil, errors.New("another page has this path")
		}
	}
	for _, name := range declared.Needs {
		e, err := p.Endpoint(name)
		if err != nil {
			return nil, err
		}
		made.Endpoints = append(made.Endpoints, e)
	}
	if declared.Group != "" && p.replaces(made) {
		return nil, errors.New("it replaces a generated page, which has its link in the menu; leave Group empty")
	}
	return made, nil
}

// replaces reports whether a page has the path of a generated one.
func (p *Parts) replaces(made *Page) bool {
	for _, place := range p.site.Places {
		if site.NewPlace(strings.TrimPrefix(place.Path, p.api.Prefix)).Same(made.Place) {
			return true
		}
	}
	return false
}

// read reads the template and the style sheet of a page.
func (o *Page) read(base *template.Template, probe any, files *assets.Set) error {
	text, err := fs.ReadFile(o.Files, o.Template)
	if err != nil {
		return err
	}
	if found := forbidden.FindString(string(text)); found != "" {
		return fmt.Errorf("the template %s has %q, which the policy of the page forbids; use Style, and forms without a script", o.Template, strings.TrimSpace(found))
	}
	if o.Made, err = base.Clone(); err != nil {
		return err
	}
	if _, err = o.Made.New("content").Parse(string(text)); err != nil {
		return fmt.Errorf("the template %s: %w", o.Template, err)
	}
	// The first use escapes the whole template, so this finds the mistakes that do not depend on data.
	if escaping := (*template.Error)(nil); errors.As(o.Made.ExecuteTemplate(io.Discard, "layout", probe), &escaping) {
		return fmt.Errorf("the template %s: %w", o.Template, escaping)
	}
	if o.Style == "" {
		return nil
	}
	sheet, err := fs.ReadFile(o.Files, o.Style)
	o.Sheet = files.AddSheet(sheet)
	return err
}

// Find returns the page of the program's own at a path below that of the console, with the keys of the path; nil without one. A
// generated page whose path has fewer keys comes first.
func (p *Parts) Find(path string) (found *Page, keys map[string]string) {
	if strings.Contains(path, "~") {
		return nil, nil
	}
	for _, o := range p.Pages {
		if given := o.Place.Match(path); given != nil && (found == nil || len(given) < len(keys)) {
			found, keys = o, given
		}
	}
	if at := p.site.Find(p.api.Prefix + "/" + path); at.Place != nil && len(at.Keys) < len(keys) {
		return nil, nil
	}
	return found, keys
}
