package bunmodel

import (
	"slices"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
)

// A Column is a column of a table. Its field alone does not say the table: that of an embedded struct belongs to the struct.
type Column struct {
	Table *schema.Table
	*schema.Field
}

// CheckReference returns the mistake of a column that a declaration takes for a reference to a key, although the relations of
// the models say otherwise. It is nil if a chain of relations leads from both to one column, as from a profile's key and a
// reference to the user whose key it is, and for a column without relations. path is the viewset of the key.
func CheckReference(from, key Column, path string) error {
	said := references(from, key.Table)
	if len(said) == 0 {
		return nil
	}
	reached, keys := reach(from, key.Table), reach(key, key.Table)
	if slices.ContainsFunc(reached, func(c Column) bool { return slices.ContainsFunc(keys, c.is) }) {
		return nil
	}
	to := said[0]
	return naming.Sentence("%s refers to %s.%s by a relation, and not to the key of %s, %s.%s; name another viewset, or give %s a belongs-to relation that leads from %s to that key",
		from.GoName, to.Table.Type.Name(), to.GoName, path, key.Table.Type.Name(), key.GoName, from.Table.Type.Name(), from.GoName)
}

// reach lists a column and the columns to which relations lead from it, over any number of them.
func reach(from Column, other *schema.Table) []Column {
	all := []Column{from}
	for i := 0; i < len(all); i++ {
		for _, to := range references(all[i], other) {
			if !slices.ContainsFunc(all, to.is) {
				all = append(all, to)
			}
		}
	}
	return all
}

// references lists the columns to which relations lead from a column: belongs-to relations of its table, and relations of
// another table to rows with the column.
func references(from Column, other *schema.Table) (all []Column) {
	for _, name := range RelationNames(from.Table) {
		rel := from.Table.Relations[name]
		if rel.Type == schema.BelongsToRelation && len(rel.BasePKs) == 1 && rel.BasePKs[0].Name == from.Name {
			all = append(all, Column{rel.JoinTable, rel.JoinPKs[0]})
		}
	}
	for _, name := range RelationNames(other) {
		rel := other.Relations[name]
		toMany := rel.Type == schema.HasOneRelation || rel.Type == schema.HasManyRelation
		if toMany && len(rel.JoinPKs) == 1 && (Column{rel.JoinTable, rel.JoinPKs[0]}).is(from) {
			all = append(all, Column{other, rel.BasePKs[0]})
		}
	}
	return all
}

// is reports whether two columns are the same, whatever the schema in the name of their table.
func (c Column) is(other Column) bool {
	return c.Name == other.Name && bare(c.Table.Name) == bare(other.Table.Name)
}

// bare returns the name of a table without its schema.
func bare(table string) string { return table[strings.LastIndex(table, ".")+1:] }
