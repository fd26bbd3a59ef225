package call

import (
	"net/http"
)

// The names of the six verbs, as in [Route.Name].
const (
	VerbList     = "list"
	VerbRetrieve = "retrieve"
	VerbCreate   = "create"
	VerbUpdate   = "update"
	VerbPatch    = "patch"
	VerbDelete   = "delete"
)

// A Route is the viewset and the verb or action of a request.
type Route struct {
	ViewSet string // "patients"; "" for the API root
	Name    string // of a verb, such as [VerbList], or of an action
	Method  string // GET also for HEAD
}

// Reads reports whether the method is GET or OPTIONS.
func (r Route) Reads() bool {
	return r.Method == http.MethodGet || r.Method == http.MethodOptions
}

// Right returns the model permission that the route requires: "view" to read, "add" to
// create, "delete" to delete, and "change" otherwise.
func (r Route) Right() string {
	switch {
	case r.Reads():
		return "view"
	case r.Name == VerbCreate:
		return "add"
	case r.Name == VerbDelete:
		return "delete"
	}
	return "change"
}
