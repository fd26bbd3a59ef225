package call

import (
	"net/http"
)

// The names of the six verbs, as [Route.Name] has them.
const (
	VerbList     = "list"
	VerbRetrieve = "retrieve"
	VerbCreate   = "create"
	VerbUpdate   = "update"
	VerbPatch    = "patch"
	VerbDelete   = "delete"
)

// A Route names what a request asks a viewset to do.
type Route struct {
	ViewSet string // "patients"; "" for the API root
	Name    string // a verb's name, "list", "retrieve", "create", "update", "patch", "delete", or an action's own
	Method  string // GET, also for HEAD
}

// Reads reports whether it only reads.
func (r Route) Reads() bool {
	return r.Method == http.MethodGet || r.Method == http.MethodOptions
}

// Right is the model permission that it needs: "view" to read, "add"
// to create, "delete" to delete, "change" for everything else.
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
