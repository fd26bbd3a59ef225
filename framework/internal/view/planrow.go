package view

import (
	"database/sql/driver"
	"reflect"
	"slices"

	"trestle.example/framework/internal/cell"
)

// A planRow scans one row at a time.
type planRow struct {
	plan  *Plan
	cells []valueCell
	keys  []reflect.Value // pointers to the keys of to-many relations
	null  []bool          // true for each of these keys that is NULL
	found []bool          // true for each join that found a row
}

// A valueCell receives one column of a row.
type valueCell struct {
	*leaf
	value reflect.Value
	found *bool
	null  *bool // of a key of a to-many relation, or of a row whose reads are recorded
	shown bool  // the value is a field of the output
}

func (p *Plan) newRow() *planRow {
	r := &planRow{
		plan: p, cells: make([]valueCell, len(p.leaves), len(p.leaves)+len(p.many)+len(p.computed)),
		found: make([]bool, len(p.joins)), null: make([]bool, len(p.many)),
	}
	for i := range p.leaves {
		r.cells[i] = valueCell{leaf: &p.leaves[i]}
		switch l := p.leaves[i]; {
		case l.key:
			r.cells[i].found = &r.found[l.join-1]
		case l.hidden:
			r.cells[i].value = reflect.New(l.column.StructField.Type).Elem()
		default:
			r.cells[i].shown = true
		}
	}
	for _, t := range p.traces {
		r.cells[t.leaf].null = new(bool)
	}
	for i, m := range p.many {
		key := reflect.New(m.base.StructField.Type)
		r.keys = append(r.keys, key)
		r.cells = append(r.cells, valueCell{leaf: &leaf{column: m.base}, value: key.Elem(), null: &r.null[i]})
	}
	for i := range p.computed {
		r.cells = append(r.cells, valueCell{leaf: &p.computed[i].leaf, shown: true})
	}
	return r
}

// read scans a row into out, which must be zero.
func (r *planRow) read(out reflect.Value, row []driver.Value) error {
	for _, j := range r.plan.joins {
		if j.pointer && !j.unused {
			f := out.FieldByIndex(j.index)
			f.Set(reflect.New(f.Type().Elem()))
		}
	}
	for i := range r.cells {
		if r.cells[i].shown {
			r.cells[i].value = fieldAt(out, r.cells[i].index)
		}
		if err := r.cells[i].Scan(row[i]); err != nil {
			return err
		}
	}
	r.link(out)
	for i, j := range slices.Backward(r.plan.joins) {
		if !r.found[i] && !j.flat && !j.unused {
			out.FieldByIndex(j.index).SetZero()
		}
	}
	return nil
}

// fieldAt is the field of a view at an index. Without an index, it is the value itself: an item of a
// list of one column.
func fieldAt(out reflect.Value, index []int) reflect.Value {
	if len(index) == 0 {
		return out
	}
	return out.FieldByIndex(index)
}

// link sets the URLs of the files of a row. A join that found no row has none.
func (r *planRow) link(out reflect.Value) {
	for _, f := range r.plan.files {
		if f.join == 0 || r.found[f.join-1] {
			f.link(out, func(leaf int) reflect.Value { return r.cells[leaf].value })
		}
	}
}

// key is the key of a to-many relation in the row that was read, or nil.
func (r *planRow) key(i int) any {
	if r.null[i] {
		return nil
	}
	return keyOf(r.keys[i].Elem())
}

// Scan implements [sql.Scanner].
func (c *valueCell) Scan(src any) error {
	if c.null != nil {
		*c.null = src == nil
	}
	if c.key {
		*c.found = src != nil
		return nil
	}
	if src == nil && (c.join > 0 || c.null != nil) {
		return nil
	}
	if err := c.column.ScanWithCheck(c.value, src); err != nil {
		return err
	}
	cell.InUTC(c.value)
	return nil
}
