package own

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
)

// Renderer returns the renderer of a member of a viewset; nil without one.
func (p *Parts) Renderer(viewset, member string) declare.ConsoleRenderer {
	if own, ok := p.renderers[viewset+"."+member]; ok {
		return own
	}
	return p.renderers[member]
}

// checkRenderers returns the mistakes in the names of the renderers.
func (p *Parts) checkRenderers() error {
	if len(p.renderers) == 0 {
		return nil
	}
	members := map[string]bool{}
	for _, e := range p.api.Endpoints {
		own := map[string]bool{}
		if e.Output != nil {
			addMembers(own, e.Output, p.api.Case, map[reflect.Type]bool{})
		}
		for name := range own {
			members[name], members[e.ViewSet+"."+name] = true, true
		}
	}
	var mistakes []error
	for name, renderer := range p.renderers {
		switch {
		case !members[name]:
			mistakes = append(mistakes, fmt.Errorf("the renderer of %q: no answer has this member%s",
				name, naming.DidYouMean(name, slices.Sorted(maps.Keys(members)))))
		case renderer == nil:
			mistakes = append(mistakes, fmt.Errorf("the renderer of %q has no function", name))
		}
	}
	return errors.Join(mistakes...)
}

// addMembers adds the names of all members of the objects of a type.
func addMembers(to map[string]bool, t reflect.Type, c naming.Case, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for f := range c.Fields(t) {
		to[c.JSONName(f)] = true
		addMembers(to, f.Type, c, seen)
	}
}
