package framework

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/nested"
)

// A Parent places a viewset below the rows of another one. Make one with [Child].
//
// A viewset below "articles" with the name "comments" is served at
// {prefix}/articles/{id}/comments/ and {prefix}/articles/{id}/comments/{id}/, with all of its verbs,
// actions, filters, orders and pages. The key of the parent in the path is that of its Lookup. Other
// declarations refer to the viewset as "articles/{}/comments". Parents may be nested too:
// "boards/{}/threads" is the parent of "boards/{}/threads/{}/posts".
//
// Rows: a row exists for a caller if the Scope of the viewset has it and the caller may see the row
// above, by the Scope of the parent, whichever way the row is read. By its path, it must also be
// below the row that the path names. Everything else is 404 not_found, as if there were no row,
// also a list or a create below a parent that the caller does not see.
//
// New rows get the foreign key of the path: an input that has it is a mistake, and no request moves
// a row to another parent. While a row is added, its parent cannot be deleted.
//
// The Permission, Authentication, Throttles and Writers are those of the viewset itself. A caller
// also needs the permission to retrieve a row of the parent.
//
// Under and Single are mistakes in a viewset with a Parent. Files are a mistake unless the primary
// key of the parent is the only key in the path before that of the row.
type Parent struct{ declared *declare.Parent }

// Child places a viewset below the rows of another one. relation is the belongs-to relation of the
// model that leads to the parent, by the name of its Go field as in [Relations]: "article". It need
// not be listed there. viewset is the path of the parent: "articles".
func Child(relation, viewset string) Parent {
	return Parent{&declare.Parent{Relation: relation, Viewset: viewset}}
}

// ByWriters lets only callers that may change the parent's row add, change and delete rows below it,
// as for the lines of an order. Its Scope and its Writers decide, as for a PUT of that row. Other
// callers that see it get 403 not_yours, or 401 without credentials. This is for every request that
// is not a GET, except an action of [Action.ByReaders]. By default, every caller that sees the
// parent's row may add rows, and the Writers of the viewset decide about changes.
func (p Parent) ByWriters() Parent { return Parent{p.declared.WithWriters()} }

// ParentKey returns the primary key of the parent's row that the path of the request names, for a
// function of a nested viewset: of an action, of Does or of Fills. K is the type of the key. The
// row is one that the caller may see. In every other function, and for another type, it returns an error.
//
// [Insert] sets the foreign key of a new row of the viewset to this key, unless the function has set
// it.
func ParentKey[K any](c *call.Call) (K, error) { return nested.ParentKey[K](c) }
