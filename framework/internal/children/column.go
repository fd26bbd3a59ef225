package children

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/query"
)

// Unwritable returns the mistake of an input whose field writes a column that no input writes, or
// that has another type. in is the type of the input. It is nil for any other column.
func Unwritable(r *table.Resource, in reflect.Type, f *input.Field, column *schema.Field) error {
	switch {
	case column.StructField.Type == table.FileType:
		return naming.Sentence("%s.%s is a file, which clients store at a path of its own; declare it in Files, and leave it out", in.Name(), f.GoName)
	case column.StructField.Type != f.Typ:
		return bunmodel.TwoTypes(in, f.GoName, f.Typ, r.Model.Name(), column)
	case column.Name == r.Counts():
		return naming.Sentence("%s.%s writes the column that counts the changes of a row; leave it out", in.Name(), f.GoName)
	case r.DeletesSoftly() && column == r.Table.SoftDeleteField:
		return naming.Sentence("%s.%s writes the time of the deletion, which DELETE and restore set; leave it out", in.Name(), f.GoName)
	case column == r.Created || column == r.Updated:
		return naming.Sentence("%s.%s writes a time that the framework stamps; leave it out", in.Name(), f.GoName)
	case r.Search != nil && r.Search.StoredField != nil && column == r.Search.StoredField.Column:
		return naming.Sentence("%s.%s writes the stored search document, which the framework fills; leave it out", in.Name(), f.GoName)
	case r.Slug != nil && column == r.Slug.Field.Column:
		return naming.Sentence("%s.%s writes the slug, which the framework makes from %s; leave it out", in.Name(), f.GoName, r.Slug.From.GoName)
	case slices.Contains(r.Owners(), column):
		return naming.Sentence("%s.%s writes the owner, which the scope stamps; leave it out, or set it in a function of Fills", in.Name(), f.GoName)
	}
	return nil
}

// LeavesNone returns the mistake of a field that may be absent and then has a value that its type
// does not list. It is nil for any other field.
func LeavesNone(in reflect.Type, f *input.Field) error {
	if !f.LeavesNone() {
		return nil
	}
	absent := "blank"
	if f.Value.Values != nil {
		absent = fmt.Sprintf("%#v", reflect.Zero(f.Typ))
	}
	return naming.Sentence("%s.%s may be absent and would be stored as %s then, which is no %s; make it required or a pointer, or give it a default",
		in.Name(), f.GoName, absent, f.Typ)
}

// CheckReference reports an input's field for a foreign key if it has no tag ref, or if the tag names a viewset to which
// the foreign key does not lead. The tag names the viewset whose rows the client may refer to.
func CheckReference(r *table.Resource, in reflect.Type, f *input.Field, column *schema.Field, fault func(error)) {
	if r.Above != nil && column == r.Above.Column {
		fault(naming.Sentence("%s.%s is the key of the parent, which comes from the path; leave it out", in.Name(), f.GoName))
		return
	}
	if r.Scope.Kind == declare.ScopeVia && column == r.Scope.Column && f.Ref == "" {
		fault(naming.Sentence("%s.%s decides whose the row is; tag it `ref:%q`", in.Name(), f.GoName, r.Scope.Target))
		return
	}
	if f.Ref != "" {
		checkRef(r, in, f, column, fault)
		return
	}
	for _, relation := range r.Table.Relations {
		if relation.Type == schema.BelongsToRelation && relation.BasePKs[0] == column {
			to := relation.JoinTable.Type.Name()
			if !relation.JoinPKs[0].IsPK {
				fault(naming.Sentence("%s.%s refers to %s by %s, which is not its primary key, so no tag ref can check it; leave the field out, and set the column by Fills, or for rows of a list insert them by FillsThen",
					in.Name(), f.GoName, to, relation.JoinPKs[0].GoName))
				continue
			}
			fault(naming.Sentence("%s.%s refers to %s and names no viewset; tag it `ref:\"...\"` with the viewset whose rows may be used",
				in.Name(), f.GoName, to))
		}
	}
}

// checkRef reports the tag ref of an input's field if the viewset is not the one to which the column leads. The compiler of the
// input reports an unknown viewset.
func checkRef(r *table.Resource, in reflect.Type, f *input.Field, column *schema.Field, fault func(error)) {
	target, err := r.API.LookUp(f.Ref)
	if err != nil {
		return
	}
	if err := r.CheckReference(column, target); err != nil {
		fault(naming.Sentence("%s.%s: ref:%q: %w", in.Name(), f.GoName, f.Ref, err))
	}
}

// checkRules returns the mistake of a list or an action that uses a column which only some callers
// see, or write if writes is set. A list cannot keep the stored value of each row, and a key shows
// whether a row has it. target is nil for rows without a viewset, which have no rules.
func checkRules(target *table.Resource, column *schema.Field, writes bool) error {
	if target == nil {
		return nil
	}
	rules := target.Fields.Seeing(query.Field{Column: column})
	if writes {
		rules = append(rules, target.Fields.Writing(column)...)
	}
	if len(rules) == 0 {
		return nil
	}
	return naming.Sentence("%q has a rule in Fields of %s, which applies only to the endpoints of %s; leave the column out here", rules[0].Name, target.Path, target.Path)
}

// checkAbove returns the mistake of a list whose rows are below a parent other than the row of the
// body. Such a list does not name the parent of a new row, or would not check its scope and its
// Writers. target is the viewset whose scope narrows the rows; without one the rows are part of the row
// of the body, which may be served by another viewset than the parent. foreign is the column that the
// list sets; nil without one.
func checkAbove(r, rows, target *table.Resource, foreign *schema.Field) error {
	if rows.Above == nil || rows.Above.Column == foreign && (rows.Above.Parent == r || target == nil) {
		return nil
	}
	above := rows.Above.Parent.Path
	err := naming.Sentence("the rows of %s are below rows of %s, and a list of %s does not name those; create the rows at %s", rows.Path, above, r.Path, rows.Path)
	if rows.Above.Column == foreign {
		err = naming.Sentence("%w, or list the relation as framework.OfRow", err)
	}
	return err
}
