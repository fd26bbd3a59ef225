package scaffold

import (
	"errors"
	"fmt"
	"go/build"
	"io"
	"slices"
	"strings"

	"trestle.example/framework/internal/naming"
)

// A resource is what the templates of a resource need.
type resource struct {
	source

	Singular, Plural string // "book_review", "book_reviews"
	Fields           []field
}

// newResource checks the name and the fields of a resource against the project that it is
// added to. The error joins every mistake.
func newResource(name string, fields []string, into source) (resource, error) {
	r := resource{source: into, Singular: naming.Singular(name)}
	r.Plural = naming.Plural(r.Singular)
	if err := checkWord(name); err != nil {
		return r, fmt.Errorf("the resource %q: %w", name, err)
	}
	wrong := []error{r.mistake()}
	if len(fields) == 0 {
		wrong = append(wrong, fmt.Errorf("the resource %q has no fields; give at least one, such as title:string", name))
	}
	for _, text := range fields {
		f, err := r.readField(text)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		r.Fields = append(r.Fields, f)
	}
	return r, errors.Join(wrong...)
}

// mistake returns an error if the names of the resource are taken, reserved or equal.
func (r resource) mistake() error {
	if r.Singular == r.Plural {
		return fmt.Errorf("the resource %q: its plural is equal to its singular, but the model and the viewset need two names; choose another, such as %s_item", r.Singular, r.Singular)
	}
	if isReserved(r.Plural) {
		return fmt.Errorf("the resource %q: the table would be %q, which is a reserved word; choose another name", r.Singular, r.Plural)
	}
	if isOfFramework(r.Plural) {
		return fmt.Errorf("the resource %q: the framework has a table or a page of the name %q; choose another name", r.Singular, r.Plural)
	}
	if _, taken := r.resources[r.Plural]; taken {
		return fmt.Errorf("the resource %q: the project has a resource %q already; choose another name", r.Singular, r.Plural)
	}
	if always, err := buildsEverywhere(r.Plural + ".go"); !always {
		return errors.Join(fmt.Errorf("the resource %q: Go compiles a file %s.go for one system alone; choose another name", r.Singular, r.Plural), err)
	}
	for _, name := range r.declares() {
		if place, taken := r.names[name]; taken {
			return fmt.Errorf("the resource %q: %s declares %s already; choose another name", r.Singular, place, name)
		}
	}
	return nil
}

// declares returns the names that the files of the resource declare.
func (r resource) declares() []string {
	tests := "Test" + r.ViewSet()
	return []string{
		r.Model(), r.Model() + "Input", r.Model() + "View", r.ViewSet(), r.Body(), r.Body() + "With", r.Body() + "Without", r.Maker(),
		tests + "BelongToTheirOwner", tests + "AreChecked", tests + "AreFound",
	}
}

// buildsEverywhere reports whether Go compiles a file of this name for every system. It does not
// if the name ends in that of a system, such as app_windows.go.
func buildsEverywhere(name string) (bool, error) {
	nowhere := build.Context{GOOS: "none", GOARCH: "none", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package main")), nil
	}}
	return nowhere.MatchFile("", name)
}

// readField reads a field, and finds the resource that it refers to.
func (r resource) readField(text string) (field, error) {
	f, err := readField(text)
	if err != nil {
		return f, err
	}
	for _, other := range r.Fields {
		if other.Name == f.Name || other.Column() == f.Column() || other.GoName() == f.GoName() {
			return f, fmt.Errorf("the field %q: the field %q has the same name or column", f.Name, other.Name)
		}
	}
	if f.target == "" {
		return f, nil
	}
	to, found := r.resources[f.target]
	if !found {
		return f, fmt.Errorf("the field %q: the project has no resource %q%s", f.Name, f.target, naming.DidYouMean(f.target, r.resourceNames()))
	}
	f.Table, f.maker = to.table, "new"+to.model
	if to.table == "" {
		return f, fmt.Errorf("the field %q: the model %s has no tag with the name of its table, such as bun:\"table:%s\"", f.Name, to.model, f.target)
	}
	if _, found := r.names[f.maker]; !found {
		return f, fmt.Errorf("the field %q: the tests need a function %s(*frameworktest.Client) string, which adds a row of %q and returns its id; write it beside the tests of %s", f.Name, f.maker, f.target, f.target)
	}
	return f, nil
}

// Model is the name of the model in Go, and ViewSet that of the viewset.
func (r resource) Model() string   { return goName(r.Singular) }
func (r resource) ViewSet() string { return goName(r.Plural) }

// Article is the article of the model.
func (r resource) Article() string { return article(r.Model()) }

// Receiver is the name of the receiver of the model's method.
func (r resource) Receiver() string { return r.Singular[:1] }

// Framework is the module path of the framework.
func (r resource) Framework() string { return modulePath() }

// Body is the name of the test's function that returns a body, and Maker of the one that adds
// a row.
func (r resource) Body() string {
	return strings.ToLower(r.Model()[:1]) + r.Model()[1:] + "Body"
}
func (r resource) Maker() string { return "new" + r.Model() }

// Filters reports whether a field has a filter.
func (r resource) Filters() bool {
	return slices.ContainsFunc(r.Fields, func(f field) bool { return f.Filter() != "" })
}

// HasFilterTest reports whether the tests query the list.
func (r resource) HasFilterTest() bool {
	return r.Found() || slices.ContainsFunc(r.Fields, func(f field) bool { return len(f.queries) > 0 })
}

// Found reports whether the sample is found by the search of a word.
func (r resource) Found() bool {
	return slices.ContainsFunc(r.Fields, func(f field) bool { return f.searched })
}

// HasRequired reports whether a field is required.
func (r resource) HasRequired() bool {
	return slices.ContainsFunc(r.Fields, func(f field) bool { return !f.Optional })
}

// Searched are the fields of the search, in Go, or "".
func (r resource) Searched() string {
	return r.list(nil, func(f field) bool { return f.searched })
}

// Ordered are the fields that a list can be ordered by, in Go.
func (r resource) Ordered() string {
	return r.list([]string{"created_at"}, func(f field) bool { return f.sorted && !f.Optional })
}

// list returns the names of fields, and more names, in Go.
func (r resource) list(more []string, of func(field) bool) string {
	var names []string
	for _, f := range r.Fields {
		if of(f) {
			names = append(names, fmt.Sprintf("%q", f.Name))
		}
	}
	for _, name := range more {
		names = append(names, fmt.Sprintf("%q", name))
	}
	return strings.Join(names, ", ")
}

// files returns the files of the resource. id is the number of its migration.
func (r resource) files(id uint64) ([]file, error) {
	migration := fmt.Sprintf("migrations/%04d_%s.tx.", id, r.Plural)
	return renderAll(r,
		[2]string{r.Plural + ".go", "resource.go"}, [2]string{r.Plural + "_test.go", "resource_test.go"},
		[2]string{migration + "up.sql", "up.sql"}, [2]string{migration + "down.sql", "down.sql"})
}
