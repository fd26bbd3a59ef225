package apicheck

import (
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/nested"
	"trestle.example/framework/internal/origin"
)

func (k Checker) checkGuards(fault func(place, format string, args ...any)) {
	for _, g := range k.API.Config.Guards {
		access.CheckPermission(g.Permission, func(err error) { fault("Guards", "%w", err) })
		switch {
		case g.Permission == nil:
			fault("Guards", "the guard of %q has no permission", g.Under)
		case nested.InPath(g.Under):
			fault("Guards", "%q has the key of a row in it, and a guard is for a prefix of paths; give the viewset a Permission", g.Under)
		case !k.guardsSomething(g) && k.misspelt(g.Under):
			fault("Guards", "nothing is registered below %q%s", g.Under, naming.DidYouMean(g.Under, k.prefixes()))
		}
	}
}

func (k Checker) guardsSomething(g call.Guard) bool {
	under := strings.Trim(g.Under, "/")
	return under == "" || slices.ContainsFunc(k.Declared, func(d *declare.Declaration) bool { return origin.Below(under, d.Path()) })
}

// misspelt reports whether the prefix of a guard is probably a mistake: it is near the path or
// the prefix of a viewset, or it begins with the API's own prefix. Any other prefix may be of a
// viewset that is not registered yet.
func (k Checker) misspelt(under string) bool {
	own := strings.Trim(k.API.Config.Prefix, "/")
	return naming.Nearest(under, k.prefixes()) != "" || own != "" && origin.Below(own, strings.Trim(under, "/"))
}

// prefixes lists the paths of the viewsets, and the prefixes that they are registered under.
func (k Checker) prefixes() []string {
	var list []string
	for _, d := range k.Declared {
		list = append(list, d.Path())
		if d.Under != "" {
			list = append(list, d.Under)
		}
	}
	return list
}
