package nested

import (
	"reflect"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// ReadKeys parses the keys above in a path, given as text. A key that cannot be parsed is the error
// NotFound.
func ReadKeys(r *table.Resource, texts []string) ([]any, error) {
	if r.Above == nil {
		return nil, nil
	}
	keys := make([]any, len(texts))
	for above, i := r.Above, len(texts)-1; above != nil && i >= 0; above, i = above.Parent.Above, i-1 {
		key, ok := datatype.ParseKey(above.Parent.Key.IndirectType, texts[i])
		if !ok {
			return nil, problem.NotFound()
		}
		keys[i] = key
	}
	return keys, nil
}

// Enter finds the parent's row that the path of a request names, for an endpoint that is not on one
// row. It sets Parent of the request, and notes the key for new rows and for functions. It does
// nothing if the viewset is not nested.
//
// If the row does not exist or the caller may not see it, the error is NotFound. If the request
// changes rows, the nesting is ByWriters, and the caller may see the parent but not change it, the
// error is 403 not_yours, or 401 for an anonymous caller. In a transaction on PostgreSQL, Enter locks
// the parent, so that no other request can delete it before the transaction ends.
func Enter(c *call.Call, r *table.Resource, req *table.Request) error {
	if r.Above == nil {
		return nil
	}
	changes := req.Changes && r.Above.ByWriters
	key, err := find(c, r.Above, req.Above, changes)
	if changes && fault.IsNotFound(err) {
		if _, seen := find(c, r.Above, req.Above, false); seen == nil {
			return notYours(c, r.Above.Parent)
		}
	}
	if err != nil {
		return err
	}
	req.Parent, state.Of(c).Progress.Parent = key, key
	return nil
}

// Find returns NotFound if the caller does not see the parent's row that a path names. It returns
// nil if the viewset is not nested.
func Find(c *call.Call, r *table.Resource, above []any) error {
	if r.Above == nil {
		return nil
	}
	_, err := find(c, r.Above, above, false)
	return err
}

func find(c *call.Call, n *table.Nesting, above []any, changes bool) (any, error) {
	q := n.Rows(c, above, changes)
	if c.Session().InTx() {
		q = n.Parent.API.DB.Kind().ForKeyShare(q)
	}
	found, err := c.Session().Read(c, q)
	if err == nil {
		err = scan.Only(found.Len())
	}
	if err != nil {
		return nil, err
	}
	key := reflect.New(n.Parent.Pk.StructField.Type).Elem()
	if err := (&cell.Scanner{Column: n.Parent.Pk, Value: key}).Scan(found.Row(0)[0]); err != nil {
		return nil, err
	}
	return reflect.Indirect(key).Interface(), nil
}

// notYours is the error for a parent's row that the caller may see and may not change.
func notYours(c *call.Call, parent *table.Resource) error {
	if c.Caller.Anonymous() && parent.Writers.Kind != declare.ScopeWhere {
		return problem.Unauthenticated()
	}
	return problem.NotYours()
}
