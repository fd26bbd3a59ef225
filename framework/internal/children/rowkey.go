package children

import (
	"maps"
	"reflect"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
)

// rowKey returns the column that identifies a row among those of one parent: the primary key, or the other
// column of a key of the foreign key and one more column.
func rowKey(related *relation.Relation) *schema.Field {
	keys, foreign := related.Schema.JoinTable.PKs, related.Schema.JoinPKs
	if len(keys) == 2 && related.Schema.Type == schema.HasManyRelation && keys[0] == foreign[0] {
		return keys[1]
	}
	return keys[0]
}

// checkRowKey returns the mistake of a has-many relation whose rows have a key that no list can name.
func checkRowKey(related *relation.Relation) error {
	model, foreign := related.Schema.JoinTable, related.Schema.JoinPKs[0]
	switch keys := model.PKs; {
	case len(keys) == 0:
		return naming.Sentence("%s must have a primary key, tagged `bun:\",pk\"`", model.Type.Name())
	case len(keys) > 2, len(keys) == 2 && keys[0] != foreign && keys[1] != foreign:
		return naming.Sentence("%s has a primary key of %d columns, and a list takes one of two columns if one is %s; give the table a key of its own, such as id, and a unique index of the other columns",
			model.Type.Name(), len(keys), foreign.GoName)
	case len(keys) == 2 && model.SoftDeleteField != nil:
		return naming.Sentence("%s has a primary key of two columns and is deleted softly, so the key of a deleted row could not be used again; give the table a key of its own, such as id", model.Type.Name())
	case len(keys) == 2:
		return checkChosenColumn(model, rowKey(related))
	}
	if key := model.PKs[0]; key.IndirectType != naming.UUIDType && !key.AutoIncrement && (!key.NullZero || key.SQLDefault == "") {
		return naming.Sentence("the key of %s is not generated, so items without one cannot be stored; make it a uuid.UUID or tag it `bun:\",pk,autoincrement\"`", model.Type.Name())
	}
	return nil
}

// checkChosenColumn returns the mistake of a column whose values cannot be chosen as a part of a key.
func checkChosenColumn(model *schema.Table, column *schema.Field) error {
	name, t := model.Type.Name()+"."+column.GoName, column.StructField.Type
	switch {
	case column.IsPtr:
		return naming.Sentence("%s is a part of the key, which is never null; make it %s", name, column.IndirectType)
	case !t.Comparable():
		return naming.Sentence("%s is a part of the key, and values of %s cannot be compared; give the table a key of its own, such as id", name, t)
	case column.NullZero && t.Kind() != reflect.String: // a text that is required is not empty
		return naming.Sentence("%s is a part of the key that clients choose, and its tag stores a zero value as another; leave out autoincrement, nullzero and default", name)
	}
	return nil
}

// bindKey binds the field of the items that has the key of a row.
func (l *rowList) bindKey(f *input.Field, fault func(error)) {
	if l.chosen { // the key is written too, and so its type is checked as that of other columns
		l.key = f
		return
	}
	t := f.Typ
	if f.Value.Optional {
		t = input.OptionalValue(t)
	}
	if naming.Indirect(t) != l.rows.Pk.IndirectType {
		fault(bunmodel.TwoTypes(l.field.Nested.Typ, f.GoName, f.Typ, l.rows.Model.Name(), l.rows.Pk))
		return
	}
	l.key = f
}

// checkChosen reports items that lack the part of the key that the client chooses, or may lack it.
func (l *rowList) checkChosen(fault func(error)) {
	item, name := naming.ShortName(l.field.Nested.Typ, "Item"), l.rows.Pk.GoName
	switch {
	case !l.chosen:
	case l.key == nil:
		fault(naming.Sentence("%s has no field %s, which is a part of the key of %s; add it", item, name, l.rows.Model.Name()))
	case !l.key.Required:
		fault(naming.Sentence("%s.%s is a part of the key of %s, so each item needs it; tag it `validate:\"required\"`", item, name, l.rows.Model.Name()))
	}
}

// describe sets the sentence of the reference.
func (l *rowList) describe() {
	switch {
	case l.key == nil:
		l.field.Sets = "The list is the whole list: it replaces all rows."
	case l.chosen:
		l.field.Sets = "The list is the whole list: an item changes the row with its " + l.key.Name + ", or creates one, and rows that the list lacks are deleted. No two items have the same " + l.key.Name + "."
	default:
		l.field.Sets = "The list is the whole list: an item with " + l.key.Name + " changes this row, an item without it creates a row, and rows that the list lacks are deleted."
	}
}

// keyIn returns the key of an item, nil without one.
func (l *rowList) keyIn(value reflect.Value) any {
	if l.key == nil {
		return nil
	}
	v := reflect.Indirect(l.key.Given(value.FieldByIndex(l.key.Index)))
	if !v.IsValid() || v.IsZero() && !l.chosen {
		return nil
	}
	return v.Interface()
}

// keysIn returns the key of each item, nil for an item without one. If the database compares the text of a
// key as equal to another text that a row has, it returns the text of the row.
func (l *rowList) keysIn(c *call.Call, parent reflect.Value, stored map[any]reflect.Value, s sent) ([]any, error) {
	keys := make([]any, s.value.Len())
	for i := range keys {
		keys[i] = l.keyIn(s.value.Index(i))
	}
	if !l.chosen || !isText(l.rows.Pk) {
		return keys, nil
	}
	same, err := spellings(c, func() *bun.SelectQuery { return l.ofParent(c, parent) }, l.rows.Pk, l.unknown(stored, keys, s))
	for i, key := range keys {
		if of, found := same[key]; found {
			keys[i] = of
		}
	}
	return keys, err
}

// unknown lists the keys of items without a fault that no row has, but for the spelling.
func (l *rowList) unknown(stored map[any]reflect.Value, keys []any, s sent) []any {
	var others []any
	for i, key := range keys {
		if key != nil && !stored[key].IsValid() && !input.Faulty(s.faults, pointerAt(s.at, i, l.key)) {
			others = append(others, key)
		}
	}
	return resembling(others, slices.Collect(maps.Keys(stored)))
}
