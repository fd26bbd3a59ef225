package rows

import (
	"iter"
	"reflect"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/query"
)

// FindAs finds rows of a viewset, as framework.Find does.
func FindAs[Out any](c *call.Call, viewset string, narrow query.Narrow, selected declare.Selection) ([]Out, error) {
	rows, err := table.RowsOf(c, "Find")
	if err != nil {
		return nil, err
	}
	found, err := rows.Find(c, viewset, reflect.TypeFor[Out](), narrow, selected)
	if err != nil {
		return nil, err
	}
	return found.Interface().([]Out), nil
}

// EachAs yields rows of a viewset, as framework.Each does.
func EachAs[Out any](c *call.Call, viewset string, narrow query.Narrow) iter.Seq2[Out, error] {
	return func(yield func(Out, error) bool) {
		var none Out
		rows, err := table.RowsOf(c, "Each")
		if err != nil {
			yield(none, err)
			return
		}
		for row, err := range rows.Each(c, viewset, reflect.TypeFor[Out](), narrow) {
			out := none
			if err == nil {
				out = row.Interface().(Out)
			}
			if !yield(out, err) {
				return
			}
		}
	}
}

// FindOneAs finds a row by its key, as framework.FindOne does.
func FindOneAs[Out any](c *call.Call, viewset string, key any) (Out, error) {
	var none Out
	rows, err := table.RowsOf(c, "FindOne")
	if err != nil {
		return none, err
	}
	found, err := rows.FindOne(c, viewset, reflect.TypeFor[Out](), key)
	if err != nil {
		return none, err
	}
	return found.Interface().(Out), nil
}

// SaveModel stores a row, as framework.Save does.
func SaveModel[M any](c *call.Call, m *M) error {
	rows, err := table.RowsOf(c, "Save")
	if err != nil {
		return err
	}
	return rows.Save(c, reflect.ValueOf(m))
}

// InsertModel stores a new row, as framework.Insert does.
func InsertModel[M any](c *call.Call, m *M) error {
	rows, err := table.RowsOf(c, "Insert")
	if err != nil {
		return err
	}
	return rows.Insert(c, reflect.ValueOf(m))
}

// RemoveModel deletes a row, as framework.Remove does.
func RemoveModel[M any](c *call.Call, m *M) error {
	rows, err := table.RowsOf(c, "Remove")
	if err != nil {
		return err
	}
	return rows.Remove(c, reflect.ValueOf(m))
}
