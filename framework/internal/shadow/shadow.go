// Package shadow finds paths that hide others: a viewset or an action at the path of an object of
// another viewset.
package shadow

import (
	"fmt"
	"slices"
	"strings"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/nested"
	"trestle.example/framework/internal/table"
)

// Collides reports whether the path of an action, which has no id, is also the path of a
// resource, or of an action of another resource.
func Collides(r *table.Resource, act declare.Action) bool {
	path := r.Path + "/" + act.Name
	return slices.ContainsFunc(r.API.Resources, func(other *table.Resource) bool {
		return other.Path == path || other != r && slices.ContainsFunc(other.Declaration.Actions, func(theirs declare.Action) bool {
			return (!theirs.OnObject || other.Declaration.Single) && other.Path+"/"+theirs.Name == path
		})
	})
}

// Report is called with each mistake: the path of the viewset and the place in its declaration.
type Report func(path, place string, err error)

// Check reports each viewset whose path is at or below the path of an object of another
// viewset that has a verb on its objects, and each action on the collection whose path is also
// that of an object or of its action. It reports nothing if the word where the key would be cannot be a key, or is a
// reserved value.
func Check(resources []*table.Resource, report Report) {
	for _, r := range resources {
		report.actions(r)
		for _, other := range resources {
			rest, ok := strings.CutPrefix(other.Path, r.Path+"/")
			word, below, _ := strings.Cut(rest, "/")
			if ok && !nested.InPath(word) && (itemAt(r, "") || itemAt(r, below)) {
				report.shadow(other, "", r, word)
			}
		}
	}
}

func (report Report) actions(r *table.Resource) {
	for _, a := range r.Declaration.Actions {
		word, rest, _ := strings.Cut(a.Name, "/")
		if !a.OnObject && itemAt(r, rest) {
			report.shadow(r, fmt.Sprintf("action %q", a.Name), r, word)
		}
	}
}

// itemAt reports whether the viewset has an endpoint on an object with this name after the
// key: the name of an action or of a nested viewset, or "" for the verbs.
func itemAt(r *table.Resource, name string) bool {
	return !r.Declaration.Single && (nested.Named(r, name) || slices.ContainsFunc(r.Endpoints, func(e *table.Endpoint) bool {
		if declare.IsVerb(e.Route.Name) {
			return e.OnObject && name == ""
		}
		return e.OnObject && e.Route.Name == name
	}))
}

// shadow reports the path of a resource, or of one of its actions: at this path, or at its
// beginning, r has its object with the key word. The caller has compared the paths. It reports
// nothing if word cannot be a key of r, or if r reserves it.
func (report Report) shadow(of *table.Resource, place string, r *table.Resource, word string) {
	if _, ok := datatype.ParseKey(r.Key.IndirectType, word); !ok || slices.Contains(r.Reserved.Of(r.Key), word) {
		return
	}
	report(of.Path, place, naming.Sentence("its path is also that of the object of %s whose %s is %q, which could not be reached; reserve the value: Reserved: []string{%q} in %s",
		r.Path, r.Key.GoName, word, word, r.Path))
}
