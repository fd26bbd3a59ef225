package bunmodel

import (
	"reflect"

	"github.com/uptrace/bun/schema"
)

// New returns a pointer to a new row. It has every struct that the model embeds, also by a pointer.
func New(table *schema.Table) reflect.Value {
	row := reflect.New(table.Type)
	Complete(table, row.Elem())
	return row
}

// Complete makes the structs that a row lacks.
func Complete(table *schema.Table, row reflect.Value) {
	for _, f := range table.Fields {
		if len(f.Index) > 1 {
			f.Value(row)
		}
	}
	for _, r := range table.Relations {
		if len(r.Field.Index) > 1 {
			r.Field.Value(row)
		}
	}
}

// AddressIn returns what an accessor of a declaration, such as that of Own, returns for a new row. It is nil if the accessor
// panics, because the row lacks a struct that bun does not embed.
func AddressIn(row reflect.Value, accessor func(model any) any) (address any) {
	defer func() { _ = recover() }()
	return accessor(row.Interface())
}

// Copy returns a pointer to a copy of a row. The copy has its own embedded structs. It shares what its columns
// point to.
func Copy(table *schema.Table, row reflect.Value) reflect.Value {
	to := reflect.New(table.Type)
	to.Elem().Set(row)
	done := map[reflect.Value]bool{}
	for _, f := range table.Fields {
		at := to.Elem()
		for _, i := range f.Index[:len(f.Index)-1] {
			if at = at.Field(i); at.Kind() != reflect.Pointer {
				continue
			}
			if at.IsNil() {
				break
			}
			if !done[at] {
				own := reflect.New(at.Type().Elem())
				own.Elem().Set(at.Elem())
				at.Set(own)
				done[at] = true
			}
			at = at.Elem()
		}
	}
	return to
}
