package framework

import "trestle.example/framework/internal/declare"

// Bulk declares requests for several rows of a viewset, at {path}/bulk/. A request does all of it or nothing, in one
// transaction; for results of each item see Each. The faults of the values of all items are reported at once, with pointers such as /17/phone. Each method has
// the input, the view, the permission, the throttles and the middleware of its verb, and the same rules for each row:
// Scope, Writers, Fields, references, and functions of [Fills] and [FillsThen], which run for each row. A throttle counts
// one request. Answers are 200 and the list of the rows, in the order of the items.
//
// An input with lists of related rows, by the tag to, and Versions that are Required cannot be used. Items are not
// in the member of Wrap.
type Bulk struct {
	// Create accepts POST with a list of what Create accepts.
	Create bool
	// Patch accepts PATCH with a list of what Patch accepts, each item with the key of its row beside, under the
	// name that the view has for it. An item whose row does not exist, or that the caller does not see, is a fault.
	Patch bool
	// Upsert is a field of the input that Create and Update share. It accepts PUT with a list of inputs, and replaces the
	// rows with the same value of this field. An item without a row creates one, for callers who may create rows. The
	// field is the one of a [Unique], alone or with the owner, or the primary key. With the owner, only rows of the
	// caller are replaced.
	Upsert string
	// Delete accepts DELETE with the keys of the rows in a parameter, which has the name that the view has for the key:
	// at most 100 of them, and at most Most. If one row does not exist, none is deleted.
	Delete bool
	// Each also accepts these requests at {path}/bulk/each/, for at most 100 items, and at most Most. There each item is done
	// or rejected by itself. The answer is 200 and a list with a result for each item, in their order: the status that a
	// request for its row alone would have, and the row or the error. Items see what those before them have written. An
	// error of the server, such as a function's error without a status, undoes the whole request.
	Each bool
	// Most is the greatest number of items in a body, up to 10,000. Defaults to 1,000.
	Most int
}

func (b Bulk) declare() declare.Bulk { return declare.Bulk(b) }
