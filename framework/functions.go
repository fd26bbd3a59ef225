package framework

import (
	"reflect"

	"trestle.example/framework/call"
	"trestle.example/framework/query"
)

// Find reads rows of another viewset for a function: those that the caller
// may see and that narrow leaves, in the viewset's default order, as that
// viewset shows them. Out is one of its read shapes; another is an error, and
// so is a viewset that is not registered. A nil narrow leaves all; one that sets a
// limit or an offset is an error, for Find has a limit of its own: more rows than
// [Config.MaxRows] are refused with 409 too_many_rows.
func Find[Out any](c *call.Call, viewset string, narrow query.Narrow) ([]Out, error) {
	rows, err := call.RowsOf(c, "Find")
	if err != nil {
		return nil, err
	}
	found, err := rows.Find(c, viewset, reflect.TypeFor[Out](), narrow)
	if err != nil {
		return nil, err
	}
	return found.Interface().([]Out), nil
}

// FindOne reads one row of a viewset by its primary key, as [Find] does; one
// that the caller may not see is not found, [NotFound].
func FindOne[Out any](c *call.Call, viewset string, key any) (Out, error) {
	var none Out
	rows, err := call.RowsOf(c, "FindOne")
	if err != nil {
		return none, err
	}
	found, err := rows.FindOne(c, viewset, reflect.TypeFor[Out](), key)
	if err != nil {
		return none, err
	}
	return found.Interface().(Out), nil
}

// Save writes a row back for a function that changed it: the columns that
// changed, the time of change, and the stored search document. The row is the
// one that the function was given, or one that it read within its transaction,
// of which every column is written. Save does not look at the scope. It needs
// a transaction, so a GET action cannot call it; a row that is gone is not
// found; a model that no viewset serves is an error, and so is one with a hook
// of bun that would not run, such as BeforeUpdate.
func Save[M any](c *call.Call, m *M) error {
	rows, err := call.RowsOf(c, "Save")
	if err != nil {
		return err
	}
	return rows.Save(c, reflect.ValueOf(m))
}

// Insert stores a new row for a function, as Create does: with a key, its
// times, the caller as owner where the viewset's scope is Own, and the stored
// search document. A key or an owner that is set already stays. It needs a
// transaction; a model that no viewset serves is an error, and so is one with a
// hook of bun that would not run, such as BeforeInsert.
func Insert[M any](c *call.Call, m *M) error {
	rows, err := call.RowsOf(c, "Insert")
	if err != nil {
		return err
	}
	return rows.Insert(c, reflect.ValueOf(m))
}
