package describe

import (
	"slices"
	"strings"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// above lists the parents of a resource, the outermost first.
func above(r *table.Resource) (all []*table.Resource) {
	for ; r.Above != nil; r = r.Above.Parent {
		all = append(all, r.Above.Parent)
	}
	slices.Reverse(all)
	return all
}

// keyNames lists the names of the keys above in the paths of a nested viewset, in order. The name is
// that of the parent's key. If a key further down has this name too, the name of the parent is in
// front: "board_id".
func keyNames(r *table.Resource) []string {
	parents := above(r)
	names := make([]string, len(parents))
	for i, parent := range parents {
		names[i] = parent.KeyName()
		if slices.ContainsFunc(append(parents[i+1:], r), func(below *table.Resource) bool { return below.KeyName() == parent.KeyName() }) {
			names[i] = r.API.Config.Case.Join(paramNoun(r.API.Config.Case, parent), parent.KeyName())
		}
	}
	return names
}

// paramNoun is the name of one row of a resource in the case of the API: "order_line".
func paramNoun(c naming.Case, r *table.Resource) string {
	words := strings.Fields(nounOf(r))
	if c == naming.CamelCase {
		return naming.Camel(words[0], words[1:]...)
	}
	return strings.Join(words, "_")
}

// specAbove describes the keys above in the path of the endpoint.
func (e Operation) specAbove() (keys []spec.Key) {
	parents, names := above(e.Resource), keyNames(e.Resource)
	for i, parent := range parents {
		keys = append(keys, spec.Key{Name: names[i], Doc: "The " + nounOf(parent) + "'s " + parent.KeyName() + ".", Type: parent.Key.IndirectType})
	}
	return keys
}

// belowWhat describes which rows of the parent the endpoint of a nested viewset may be used below.
// It is empty if that is each of them.
func (e Operation) belowWhat() string {
	n := e.Resource.Above
	switch {
	case n == nil:
		return ""
	case e.ByWriters && n.ByWriters:
		return " It must be below " + articled(n.Parent.Declaration, nounOf(n.Parent)) + " that the caller may change."
	case n.Parent.MayNarrow():
		return " It must be below " + articled(n.Parent.Declaration, nounOf(n.Parent)) + " that the caller may see."
	}
	return ""
}
