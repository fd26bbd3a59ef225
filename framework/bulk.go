package framework

import "trestle.example/framework/internal/declare"

// Bulk declares requests for several rows of a viewset, at {path}/bulk/. A request does all of it or nothing, in one
// transaction, with one statement for all new rows, one for all changed rows, and one for all deleted rows. The
// faults of all items are reported at once, with pointers such as /17/phone. Each method has the input, the view,
// the permission, the throttles and the middleware of its verb, and the same rules for each row: Scope, Writers, Fields,
// references, and functions of [Fills] and [FillsThen], which run for each row. A throttle counts one request.
//
// An input with lists of related rows, by the tag to, and Versions that are Required cannot be used.
type Bulk struct {
	// Create accepts POST with a list of what Create accepts. The answer is the list of the new rows.
	Create bool
	// Patch accepts PATCH with a list of what Patch accepts, each item with the key of its row beside, under the
	// name that the view has for it. The answer is the list of the rows. An item whose row does not exist or is
	// not the caller's is a fault.
	Patch bool
	// Upsert accepts PUT with a list of what Create and Update accept, and replaces the rows with the same value of
	// this field; an item without a row creates one, for callers who may create rows. The field is the one of a [Unique],
	// alone or with the owner, or the primary key. The answer is the list of the rows.
	Upsert string
	// Delete accepts DELETE with the keys of the rows as a parameter, at most 100 of them. If one row does not
	// exist, none is deleted.
	Delete bool
	// Most is the greatest number of items in a body, up to 10,000. Defaults to 1,000.
	Most int
}

func (b Bulk) declare() declare.Bulk { return declare.Bulk(b) }
