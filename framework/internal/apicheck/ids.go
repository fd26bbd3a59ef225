package apicheck

import (
	"regexp"
	"strings"

	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/naming"
)

var operationID = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)

// CheckIDs reports each id in a declaration that cannot be the name of a method in a generated
// client, and each operation whose id an earlier operation has.
func (k Checker) CheckIDs() {
	first := map[string]describe.Operation{}
	for _, e := range describe.NewCatalog(k.API).Operations() {
		other, taken := first[e.ID()]
		switch {
		case e.Named != "" && !operationID.MatchString(e.Named):
			k.Fault(e.Resource.Path, e.Place(), naming.Sentence("ID(%q): an id has letters and digits only and begins with a small one, such as \"setStock\"", e.Named))
		case taken:
			k.Fault(e.Resource.Path, e.Place(), naming.Sentence("its id in the reference is %q, which is that of %s %s; give one of them another, as in .ID(%q)",
				e.ID(), other.Route.Method, e.Catalog().PathOf(other.Endpoint),
				naming.Camel(strings.ToLower(e.Route.Method), append(describe.Words(e.Resource), e.Route.Name)...)))
		default:
			first[e.ID()] = e
		}
	}
}
