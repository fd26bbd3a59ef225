package declare

import (
	"net/http"

	"trestle.example/framework/call"
)

// The names of the requests for several rows, which are the ends of their paths.
const (
	BulkName = "bulk"
	EachName = "bulk/each" // each item is done or rejected by itself
)

// Bulk says which requests for several rows a viewset accepts.
type Bulk struct {
	Create bool
	Patch  bool
	Upsert string // the field that finds the rows, "" for no upsert
	Delete bool
	Each   bool // also each item by itself
	Most   int  // items in a body
}

// Actions are the endpoints of the requests for several rows. Each has the rules of its verb.
func (b Bulk) Actions(verbs Verbs) (all []Action) {
	add := func(declared bool, method, verb string) {
		if !declared {
			return
		}
		rules := verbs.Get(verb).Rules
		rules.Status, rules.Doc, rules.Named, rules.Takes = 0, "", "", nil
		all = append(all, Action{Name: BulkName, Method: method, Bulk: verb, Rules: rules})
		if b.Each {
			all = append(all, Action{Name: EachName, Method: method, Bulk: verb, Rules: rules})
		}
	}
	add(b.Create, http.MethodPost, call.VerbCreate)
	add(b.Patch, http.MethodPatch, call.VerbPatch)
	add(b.Upsert != "", http.MethodPut, call.VerbUpdate)
	add(b.Delete, http.MethodDelete, call.VerbDelete)
	return all
}
