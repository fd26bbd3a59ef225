package bunmodel

import (
	"reflect"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/naming"
)

// CheckEmbedded returns the mistake of a struct that a model embeds by a pointer and does not export: reflection cannot make
// it, so no row can be read or stored.
func CheckEmbedded(table *schema.Table) error {
	for _, f := range table.Fields {
		if err := checkPath(table.Type, f.Index); err != nil {
			return err
		}
	}
	for _, r := range table.Relations {
		if err := checkPath(table.Type, r.Field.Index); err != nil {
			return err
		}
	}
	return nil
}

// checkPath is [CheckEmbedded] for the structs around one field.
func checkPath(model reflect.Type, index []int) error {
	t := model
	for _, i := range index[:len(index)-1] {
		f := naming.Indirect(t).Field(i)
		if f.Type.Kind() == reflect.Pointer && !f.IsExported() {
			return naming.Sentence("%s embeds *%s, which is not exported, so that no row can have one; export it, or embed it without a pointer", model.Name(), f.Name)
		}
		t = f.Type
	}
	return nil
}

// GuardScans turns a panic of a method that reads the value of a column, such as Scan of a type of the program, into an error. A
// panic inside of [database/sql.Rows.Scan] would leave its lock held, so that the rows could not be closed, and the
// request would never end.
func GuardScans(table *schema.Table) {
	for _, f := range table.Fields {
		scan := f.Scan
		if scan == nil || !mayPanic(f.IndirectType) {
			continue
		}
		f.Scan = func(to reflect.Value, value any) (err error) {
			defer func() {
				if p := recover(); p != nil {
					err = fault.Panicked(p)
				}
			}()
			return scan(to, value)
		}
	}
}

// mayPanic reports whether methods of the program may read values of a type: its own, or those of types that it contains.
func mayPanic(t reflect.Type) bool {
	if t == naming.TimeType || t == naming.UUIDType {
		return false
	}
	return t.PkgPath() != "" || t.Kind() > reflect.Complex128 && t.Kind() != reflect.String
}
