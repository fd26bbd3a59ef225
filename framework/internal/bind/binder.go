package bind

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/internal/apicheck"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/verb"
	"trestle.example/framework/internal/view"
)

// A binder turns declarations into resources and collects the mistakes in them.
type binder struct {
	api      *table.Registry
	declared []*declare.Declaration
	mistakes []*mistake
	checks   apicheck.Checker
	after    []func()                                     // run when all resources are bound
	written  map[*table.Resource]map[string]*verb.Writing // of the verbs that accept an input, by the verb

	selections map[viewOf]*view.Selection            // of the views whose members clients choose
	chosen     map[*table.Resource][]*view.Selection // those of endpoints that read
}

func newBinder(a *table.Registry, declared []*declare.Declaration) *binder {
	b := &binder{
		api: a, declared: declared, written: map[*table.Resource]map[string]*verb.Writing{},
		selections: map[viewOf]*view.Selection{}, chosen: map[*table.Resource][]*view.Selection{},
	}
	b.checks = apicheck.Checker{API: a, Declared: declared, Fault: b.fault}
	return b
}

// A viewOf is a type by which a viewset shows its rows.
type viewOf struct {
	resource *table.Resource
	out      reflect.Type
}

// A mistake is one sentence about the declaration of a resource, and lists the places in the
// declaration that have this mistake.
type mistake struct {
	resource string
	places   []string
	text     string
}

// fault records a mistake at a place of a resource's declaration; "" is the declaration as a
// whole. If the same mistake is in several places, the report lists it once with all of them.
func (b *binder) fault(resource, place string, err error) {
	for _, m := range b.mistakes {
		if m.resource == resource && m.text == err.Error() {
			if place != "" && !slices.Contains(m.places, place) {
				m.places = append(m.places, place)
			}
			return
		}
	}
	m := &mistake{resource: resource, text: err.Error()}
	if place != "" {
		m.places = []string{place}
	}
	b.mistakes = append(b.mistakes, m)
}

func (b *binder) faultOf(r *table.Resource, place string, err error) { b.fault(r.Path, place, err) }

// err returns every mistake, one per line, or nil without mistakes.
func (b *binder) err() error {
	var lines []error
	for _, m := range b.mistakes {
		text := m.resource + ": "
		if len(m.places) > 0 {
			text += strings.Join(m.places, ", ") + ": "
		}
		lines = append(lines, errors.New(text+m.text))
	}
	return errors.Join(lines...)
}

// later runs fn when all resources are bound.
func (b *binder) later(fn func()) { b.after = append(b.after, fn) }

// at returns a function that records a mistake at one place of the resource's declaration.
func (b *binder) at(r *table.Resource, place string) func(error) {
	return func(err error) { b.fault(r.Path, place, err) }
}
