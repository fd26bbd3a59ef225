package children

import (
	"strconv"

	"github.com/uptrace/bun/schema"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rowset"
)

// pointerAt is the pointer to a field of an item of a list.
func pointerAt(at string, index int, f *input.Field) string {
	return at + "/" + strconv.Itoa(index) + naming.PointerTo(f.Name)
}

// broken adds the faults of the body to an error of a constraint. It returns any other error
// unchanged.
func (l *rowList) broken(b batch, err error) error {
	of, which := rowset.RowError(l.rows, err)
	if of == nil {
		return err
	}
	if len(b.rows) == 1 {
		which = 0
	}
	of.OneOf = which < 0
	at := naming.PointerTo(l.field.Name)
	if which < 0 {
		return rowset.Blame(of, at, func(*schema.Field) string { return "" })
	}
	return rowset.Blame(of, at+"/"+strconv.Itoa(b.indexes[which]), l.memberOf)
}

// memberOf is the name that clients have for a column that the items write, "" for any other column.
func (l *rowList) memberOf(column *schema.Field) string {
	for _, w := range l.columns {
		if w.column == column {
			return w.field.Name
		}
	}
	return ""
}
