package bunmodel

import (
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
)

// CheckReference returns the mistake of a column that a declaration takes for a reference to the primary key of a viewset's
// model, if the model of the column says otherwise: its belongs-to relations over the column lead to another column of that
// model, or to the primary key of another model. It is nil for a column without such a relation, and if one of several
// relations leads to the primary key. path is that of the viewset.
func CheckReference(column, key *schema.Field, path string) error {
	var mistake error
	for _, name := range RelationNames(column.Table) {
		rel := column.Table.Relations[name]
		if rel.Type != schema.BelongsToRelation || len(rel.BasePKs) != 1 || rel.BasePKs[0].Name != column.Name {
			continue
		}
		to, model := rel.JoinPKs[0], rel.JoinTable.Type.Name()
		switch same := rel.JoinTable.Name == key.Table.Name; {
		case same && to.Name == key.Name:
			return nil
		case same:
			mistake = naming.Sentence("%s refers to %s.%s by the relation %s; it must refer to the primary key of %s, %s",
				column.GoName, model, to.GoName, name, path, key.GoName)
		case slices.Contains(rel.JoinTable.PKs, to):
			mistake = naming.Sentence("%s refers to %s by the relation %s, but %s serves %s; name a viewset of %s",
				column.GoName, model, name, path, key.Table.Type.Name(), model)
		}
	}
	return mistake
}
