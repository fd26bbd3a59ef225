package attachment

import (
	"fmt"
	"strings"

	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
)

// NewColumn finds the column of a declared file. It returns an error if the function does
// not return the address of a column.
func NewColumn(r *table.Resource, d declare.FileField) (*table.FileColumn, error) {
	model := bunmodel.New(r.Table)
	address := bunmodel.AddressIn(model, func(m any) any { return d.Field(m) })
	for _, f := range r.Table.Fields {
		if f.StructField.Type == table.FileType && address == f.Value(model.Elem()).Addr().Interface() {
			return &table.FileColumn{FileField: d, Resource: r, Column: f, Prefix: keyPart(r.Table.Name) + "/" + keyPart(f.Name) + "/"}, nil
		}
	}
	return nil, naming.Sentence("Field must return the address of a column of %s of type files.File", r.Model.Name())
}

// keyPart writes the name of a table or a column as a part of a key. Characters that a key must
// not have are written as their code.
func keyPart(name string) string {
	var b strings.Builder
	for _, ch := range name {
		if ch >= 'a' && ch <= 'z' || ch >= '0' && ch <= '9' || ch == '_' {
			b.WriteRune(ch)
			continue
		}
		fmt.Fprintf(&b, "-%x-", ch)
	}
	return b.String()
}
