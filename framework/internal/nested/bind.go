package nested

import (
	"slices"
	"strings"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
)

// Bind finds the parent of each nested viewset, and calls fault for each mistake. It returns false
// if there is one.
func Bind(a *table.Registry, fault func(r *table.Resource, place string, err error)) (ok bool) {
	ok = true
	for _, r := range a.Resources {
		if r.Declaration.Parent == nil {
			continue
		}
		above, err := bind(r)
		if err != nil {
			fault(r, "parent", err)
			ok = false
			continue
		}
		r.Above = above
	}
	return ok
}

func bind(r *table.Resource) (*table.Nesting, error) {
	d := r.Declaration
	switch {
	case d.Under != "":
		return nil, naming.Sentence("the path of a nested viewset begins with that of its parent; leave Under out")
	case d.Single:
		return nil, naming.Sentence("a single resource is one row of the caller, and a viewset below a parent has several rows; leave Single or Parent out")
	}
	parent, err := r.API.LookUp(d.Parent.Viewset)
	if err != nil {
		return nil, err
	}
	if parent.Declaration.Single {
		return nil, naming.Sentence("%s is a single resource, whose path has no key; a nested viewset needs a parent with keys", parent.Path)
	}
	if len(d.Files) > 0 && (parent.Key != parent.Pk || parent.Declaration.Parent != nil) {
		return nil, naming.Sentence("the URLs of files need the key of the parent in the row: the path of %s must end with its primary key and contain no other key; declare Files in a viewset that is not nested", parent.Path)
	}
	to, err := r.Relations.BelongsTo(d.Parent.Relation)
	switch {
	case err != nil:
		return nil, err
	case to.JoinTable.Type != parent.Model:
		return nil, naming.Sentence("the relation %q leads to %s, but %s serves %s", d.Parent.Relation, to.JoinTable.Type.Name(), parent.Path, parent.Model.Name())
	case to.JoinPKs[0].Name != parent.Pk.Name:
		return nil, naming.Sentence("the relation %q leads to %s of %s; it must lead to the primary key, %s", d.Parent.Relation, to.JoinPKs[0].GoName, parent.Path, parent.Pk.GoName)
	}
	return &table.Nesting{Parent: parent, Column: to.BasePKs[0], ByWriters: d.Parent.ByWriters}, nil
}

// Check reports the mistakes of bound nested viewsets: a path that another endpoint has, Writers of
// the parent that have no effect, and scopes that lead back to themselves. It adds the permission to
// retrieve the parent to that of each endpoint.
func Check(a *table.Registry, fault func(r *table.Resource, place string, err error)) {
	for _, r := range byDepth(a) {
		if r.Above == nil {
			continue
		}
		if what := taken(r); what != "" {
			fault(r, "", naming.Sentence("its path is also that of the %s of %s; choose another name", what, r.Above.Parent.Path))
		}
		if err := checkWriters(r); err != nil {
			fault(r, "parent", err)
		}
		if by := circle(r); by != nil {
			fault(r, "parent", naming.Sentence("the scope of %s leads to %s, which is below it; give %s a scope of its own", by.Path, r.Path, by.Path))
		}
		permit(r)
	}
}

// byDepth lists the resources, each after its parent.
func byDepth(a *table.Registry) []*table.Resource {
	return slices.SortedStableFunc(slices.Values(a.Resources), func(r, other *table.Resource) int { return r.Depth() - other.Depth() })
}

// taken names the action or the file of the parent's rows that has the name of a nested viewset.
// It is empty without one.
func taken(r *table.Resource) string {
	name := r.Declaration.Name
	for _, e := range r.Above.Parent.Endpoints {
		if e.OnObject && e.Route.Name == name {
			return e.Place()
		}
	}
	return ""
}

// checkWriters returns an error for ByWriters that has no effect.
func checkWriters(r *table.Resource) error {
	parent := r.Above.Parent
	switch {
	case !r.Above.ByWriters:
		return nil
	case !parent.HasWriters() && parent.Declaration.Scope.Unless == nil:
		return naming.Sentence("ByWriters has no effect: every caller that sees a row of %s may change it; leave it out, or give %s Writers", parent.Path, parent.Path)
	case !slices.ContainsFunc(r.Endpoints, (*table.Endpoint).IsWrite):
		return naming.Sentence("ByWriters has no effect: the viewset changes no row; leave it out")
	}
	return nil
}

// circle returns the viewset whose Via leads to a nested viewset below it, nil without one.
func circle(r *table.Resource) *table.Resource {
	seen := map[*table.Resource]bool{}
	var leads func(at, by *table.Resource) *table.Resource
	leads = func(at, by *table.Resource) *table.Resource {
		if at == r {
			return by
		}
		if seen[at] {
			return nil
		}
		seen[at] = true
		for _, via := range []*table.Resource{at.Scope.Via, at.Writers.Via} {
			if via == nil {
				continue
			}
			if found := leads(via, at); found != nil {
				return found
			}
		}
		if at.Above == nil {
			return nil
		}
		return leads(at.Above.Parent, by)
	}
	return leads(r.Above.Parent, nil)
}

// Below lists the viewsets directly below a resource.
func Below(r *table.Resource) (all []*table.Resource) {
	for _, other := range r.API.Resources {
		if other.Above != nil && other.Above.Parent == r {
			all = append(all, other)
		}
	}
	return all
}

// Named reports whether a viewset directly below a resource has a name.
func Named(r *table.Resource, name string) bool {
	return slices.ContainsFunc(Below(r), func(other *table.Resource) bool { return other.Declaration.Name == name })
}

// InPath reports whether a path of viewsets has the key of a row in it: "articles/{}/comments".
func InPath(path string) bool { return strings.Contains(path, "{") }
