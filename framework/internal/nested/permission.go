package nested

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/table"
)

// permit adds the permission to retrieve the parent's rows to that of the viewset and of each of
// its endpoints.
func permit(r *table.Resource) {
	parent := r.Above.Parent
	retrieve := parent.Access.Permission
	for _, e := range parent.Endpoints {
		if e.Route.Name == call.VerbRetrieve {
			retrieve = e.Permission
		}
	}
	if access.PermitsAll(retrieve) {
		return
	}
	retrieve = access.PermitsRetrieval(retrieve, parent.Path)
	r.Access.Permission = access.All(r.Access.Permission, retrieve)
	for _, e := range r.Endpoints {
		e.Permission = access.All(e.Permission, retrieve)
	}
}
