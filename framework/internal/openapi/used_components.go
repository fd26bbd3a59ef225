package openapi

import (
	"slices"
	"strings"

	"trestle.example/framework/internal/wire"
)

// keepUsed removes the components of a document to which no operation refers, neither directly
// nor through other components. It keeps all security schemes, because operations refer to
// them by name.
func keepUsed(root wire.Members) {
	const prefix = "#/components/"
	components := root.At("components")
	used := map[string]bool{}
	var visit func(value any)
	visit = func(value any) {
		for _, ref := range refsIn(value) {
			kind, name, _ := strings.Cut(strings.TrimPrefix(ref, prefix), "/")
			if !used[kind+"/"+name] {
				used[kind+"/"+name] = true
				visit(components.At(kind).Member(name))
			}
		}
	}
	visit(root.At("paths"))
	for i, kind := range components {
		if all, ok := kind.Value.(wire.Members); ok && kind.Name != "securitySchemes" {
			components[i].Value = slices.DeleteFunc(all, func(one wire.Member) bool { return !used[kind.Name+"/"+one.Name] })
		}
	}
}

// refsIn returns the references at any depth of a value.
func refsIn(value any) (refs []string) {
	switch value := value.(type) {
	case wire.Members:
		for _, one := range value {
			if ref, ok := one.Value.(string); ok && one.Name == "$ref" {
				refs = append(refs, ref)
			}
			refs = append(refs, refsIn(one.Value)...)
		}
	case []any:
		for _, one := range value {
			refs = append(refs, refsIn(one)...)
		}
	}
	return refs
}
