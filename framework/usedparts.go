package framework

import (
	"slices"
	"strings"
)

// keepUsed removes the components of a document to which no operation refers, by
// itself or by way of other components. Security schemes are referred to by name and
// stay.
func keepUsed(root members) {
	const prefix = "#/components/"
	components := root.at("components")
	used := map[string]bool{}
	var visit func(value any)
	visit = func(value any) {
		for _, ref := range refsIn(value) {
			kind, name, _ := strings.Cut(strings.TrimPrefix(ref, prefix), "/")
			if !used[kind+"/"+name] {
				used[kind+"/"+name] = true
				visit(components.at(kind).member(name))
			}
		}
	}
	visit(root.at("paths"))
	for i, kind := range components {
		if all, ok := kind.value.(members); ok && kind.name != "securitySchemes" {
			components[i].value = slices.DeleteFunc(all, func(one member) bool { return !used[kind.name+"/"+one.name] })
		}
	}
}

// refsIn are the references anywhere in a value.
func refsIn(value any) (refs []string) {
	switch value := value.(type) {
	case members:
		for _, one := range value {
			if ref, ok := one.value.(string); ok && one.name == "$ref" {
				refs = append(refs, ref)
			}
			refs = append(refs, refsIn(one.value)...)
		}
	case []any:
		for _, one := range value {
			refs = append(refs, refsIn(one)...)
		}
	}
	return refs
}
