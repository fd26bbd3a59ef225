package framework

import (
	"errors"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
)

// samplePages are pages of a list of thirty rows and of an empty one: what a
// class of pagination answers to them is what it answers.
var samplePages = []Page{
	{Window: Window{Limit: 10, Offset: 10, Number: 2}, Total: Total{Count: 30, Known: true}, Rows: 10, More: true},
	{Window: Window{Limit: 10, Number: 1}, Total: Total{Count: 30, Known: true}, Rows: 10, More: true},
	{Window: Window{Limit: 10, Offset: 20, Number: 3}, Total: Total{Count: 30, Known: true}, Rows: 10},
	{Window: Window{Limit: 10, Number: 1}, Total: Total{Known: true}},
}

// list is a page of rows: the members that a class of pagination answers.
func (w *specWriter) list(e *endpoint) wire.JSONSchema {
	rows := wire.JSONSchema{"type": "array", "items": w.schemas.out(e.out)}
	samples := w.envelopes(e)
	properties, required := wire.Members{}, []any{}
	for _, envelope := range samples {
		for _, m := range envelope {
			if m.Name == "" {
				return rows
			}
			if properties.Member(m.Name) != nil {
				continue
			}
			properties.Add(m.Name, described(w.member(m.Name, samples, rows), m.Doc))
			if !slices.ContainsFunc(samples, func(other Envelope) bool { return !other.has(m.Name) }) {
				required = append(required, m.Name)
			}
		}
	}
	name, _ := w.schemas.allot(pageOf{e.resource}, naming.Title(strings.Join(e.resource.words(), " "))+"Page")
	w.schemas.named[name] = object(properties, required)
	return schemaOf(name)
}

// envelopes are what a list answers to the sample pages. A page that is refused,
// as one past the end may be, tells nothing; that all are, or an error of
// another kind, is a mistake.
func (w *specWriter) envelopes(e *endpoint) (all []Envelope) {
	var last error
	for _, p := range samplePages {
		p.Link = func(url.Values) string { return "/" }
		envelope, err := e.pagination.Envelope(p)
		if err == nil {
			all = append(all, envelope)
			continue
		}
		last = err
		if _, refused := errors.AsType[*problem.Error](err); !refused {
			w.schemas.fault(naming.Sentence("%s: the Envelope of %T: %w", e.resource.path, e.pagination, err))
		}
	}
	if len(all) == 0 {
		w.schemas.fault(naming.Sentence("%s: the Envelope of %T refuses every page: %w", e.resource.path, e.pagination, last))
	}
	return all
}

func (e Envelope) has(name string) bool {
	return slices.ContainsFunc(e, func(m Member) bool { return m.Name == name })
}

// member is the schema of all that a member is in the samples.
func (w *specWriter) member(name string, samples []Envelope, rows wire.JSONSchema) wire.JSONSchema {
	var types []reflect.Type
	var kinds []any
	null := false
	for _, envelope := range samples {
		for _, m := range envelope {
			switch t := reflect.TypeOf(m.Value); {
			case m.Name != name || slices.Contains(types, t):
			case t == nil:
				null = true
			case t == reflect.TypeFor[Items]():
				types, kinds = append(types, t), append(kinds, rows)
			default:
				types, kinds = append(types, t), append(kinds, w.schemas.out(t))
			}
		}
	}
	told := wire.JSONSchema{}
	switch {
	case len(kinds) == 1:
		told = kinds[0].(wire.JSONSchema) //nolint:forcetypeassert // all of them are
	case len(kinds) > 1:
		told = wire.JSONSchema{"anyOf": kinds}
	}
	if null {
		return nullable(told)
	}
	return told
}
