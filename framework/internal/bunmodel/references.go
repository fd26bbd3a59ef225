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
	if isPolymorphic(from, key.Table) {
		return naming.Sentence("%s refers to rows of several models, by a type beside it; it cannot be compared with the key of %s alone", from.GoName, path)
	}
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

// references lists the columns to which relations lead from a column: those of its table that have it as a foreign key, and
// relations of another table to rows with the column.
func references(from Column, other *schema.Table) (all []Column) {
	for _, name := range RelationNames(from.Table) {
		rel := from.Table.Relations[name]
		if rel.Type == schema.BelongsToRelation || rel.Type == schema.HasOneRelation && !from.IsPK {
			all = append(all, paired(from, from.Table, rel.BasePKs, rel.JoinTable, rel.JoinPKs, rel.JoinTable != other)...)
		}
	}
	for _, name := range RelationNames(other) {
		rel := other.Relations[name]
		if rel.Type == schema.HasManyRelation || rel.Type == schema.HasOneRelation {
			all = append(all, paired(from, rel.JoinTable, rel.JoinPKs, other, rel.BasePKs, false)...)
		}
	}
	return all
}

// paired lists the columns of a table that a relation compares with a column. A relation over several columns to a third table
// often has one of the same name in both tables, such as the tenant of the rows, which is no reference from one to the other.
func paired(from Column, at *schema.Table, columns []*schema.Field, table *schema.Table, others []*schema.Field, third bool) (all []Column) {
	for i, column := range columns {
		shared := third && len(columns) > 1 && column.Name == others[i].Name
		if (Column{at, column}).is(from) && !shared {
			all = append(all, Column{table, others[i]})
		}
	}
	return all
}

// isPolymorphic reports whether a relation of a table to rows with the column compares a type too, because the column refers to
// rows of several tables.
func isPolymorphic(from Column, other *schema.Table) bool {
	for _, rel := range other.Relations {
		if rel.PolymorphicField != nil && len(rel.JoinPKs) > 0 && (Column{rel.JoinTable, rel.JoinPKs[0]}).is(from) {
			return true
		}
	}
	return false
}

// is reports whether two columns are the same. A table may have its schema in its name, or not.
func (c Column) is(other Column) bool {
	one, two := c.Table.Name, other.Table.Name
	if !strings.Contains(one, ".") || !strings.Contains(two, ".") {
		one, two = bare(one), bare(two)
	}
	return c.Name == other.Name && strings.EqualFold(one, two)
}

// bare returns the name of a table without its schema.
func bare(table string) string { return table[strings.LastIndex(table, ".")+1:] }
