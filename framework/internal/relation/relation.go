package relation

import (
	"reflect"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/query"
)

// OfRow stands for a viewset in a declaration: the related rows are part of the row and have no
// scope of their own.
const OfRow = "-"

// A Viewset is a registered resource, as relations lead to it.
type Viewset interface {
	query.Source
	// RelationsOf returns the relations of its model.
	RelationsOf() *Set
	// ScopedRows starts a query of the rows that are in scope when the caller lists the viewset.
	ScopedRows(c *call.Call) *bun.SelectQuery
	// MayNarrow reports whether its scope hides rows from any caller.
	MayNarrow() bool
	// Owner is the column with the id of the caller whose row it is. It is nil if the rows have
	// no owner.
	Owner() *schema.Field
	// FieldRules returns the rules about the fields of its rows.
	FieldRules() fieldrule.Set
}

// A Relation is a relation of a model with the viewset whose scope narrows it. It never changes.
type Relation struct {
	// Name is its name in the declaration of its viewset: "author". For rows that are part of
	// another row it is a path: "parts.product".
	Name string
	// Schema is bun's description. It has one column on each side, of the same type.
	Schema *schema.Relation
	// Target is the viewset whose scope narrows it. It is nil if the related rows are part of
	// the row.
	Target Viewset

	base *schema.Table
	set  *Set
}

// ToMany reports whether a row may have several related rows.
func (r *Relation) ToMany() bool {
	return r.Schema.Type == schema.HasManyRelation || r.Schema.Type == schema.ManyToManyRelation
}

// Narrowed reports whether a scope may hide related rows from the caller.
func (r *Relation) Narrowed(c *call.Call) bool { return r.Target != nil && r.Target.Narrowed(c) }

// MayNarrow reports whether a scope hides related rows from any caller.
func (r *Relation) MayNarrow() bool { return r.Target != nil && r.Target.MayNarrow() }

// MayMiss reports whether a row may have no related row that the caller sees, for a to-one
// relation.
func (r *Relation) MayMiss() bool {
	key := r.Schema.BasePKs[0]
	return r.MayNarrow() || key.IsPtr || key.NullZero || r.Schema.Type != schema.BelongsToRelation || r.Schema.JoinTable.SoftDeleteField != nil
}

// Base is the rows that the relation leads to, from which further relations lead on.
func (r *Relation) Base() Base {
	if r.Target != nil {
		return r.Target.RelationsOf().Base()
	}
	return Base{set: r.set, prefix: r.Name + ".", table: r.Schema.JoinTable}
}

// Holder is the table of the rows that have the relation.
func (r *Relation) Holder() *schema.Table { return r.base }

// Between is the table with the references of a to-many relation: that of the related rows, or the join table.
func (r *Relation) Between() *schema.Table {
	if r.Schema.M2MTable != nil {
		return r.Schema.M2MTable
	}
	return r.Schema.JoinTable
}

// Rows starts a query of the related rows of any row: those that the caller may see and that are
// not deleted softly.
func (r *Relation) Rows(c *call.Call) *bun.SelectQuery {
	if r.Target != nil {
		return r.Target.ScopedRows(c)
	}
	return c.DB.NewSelect().Model(r.Schema.JoinTable.ZeroIface)
}

// Has returns the condition that a row has a related row that the caller may see, that is not
// deleted softly, and that satisfies narrow. The statement must name the table of the row by its
// alias in bun. narrow may be nil.
//
// The condition is an IN with a subquery, never a join: a row with several related rows is
// selected once. SQLite evaluates such a subquery once, and PostgreSQL as a semi-join.
func (r *Relation) Has(c *call.Call, narrow query.Narrow) schema.QueryAppender {
	return bun.SafeQuery("?.? IN (?)", bun.Ident(r.base.Alias), bun.Ident(r.Schema.BasePKs[0].Name), r.owners(c, narrow))
}

// narrow is [Relation.Has] as a condition of a query.
func (r *Relation) narrow(c *call.Call, narrow query.Narrow) query.Narrow {
	return func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("?", r.Has(c, narrow)) }
}

// owners is the subquery of the keys of the rows that have a related row which satisfies narrow.
func (r *Relation) owners(c *call.Call, narrow query.Narrow) *bun.SelectQuery {
	related := r.Rows(c).ColumnExpr("?TableAlias.?", bun.Ident(r.Schema.JoinPKs[0].Name))
	if narrow != nil {
		related = related.WhereGroup(" AND ", narrow)
	}
	if r.Schema.Type != schema.ManyToManyRelation {
		return related
	}
	return c.DB.NewSelect().Model(r.Schema.M2MTable.ZeroIface).
		ColumnExpr("?TableAlias.?", bun.Ident(r.Schema.M2MBasePKs[0].Name)).
		Where("?TableAlias.? IN (?)", bun.Ident(r.Schema.M2MJoinPKs[0].Name), related)
}

// JoinOwners joins the join table of a many-to-many relation to a query of [Relation.Rows]. Each
// related row is then in the result once for each row that it belongs to. It changes no query of
// another relation, whose related rows have the key of their owner.
func (r *Relation) JoinOwners(q *bun.SelectQuery) *bun.SelectQuery {
	if r.Schema.Type != schema.ManyToManyRelation {
		return q
	}
	between := r.Schema.M2MTable
	q = q.Join("JOIN ? AS ?", bun.Ident(between.Name), bun.Ident(between.Alias)).
		JoinOn("?.? = ?TableAlias.?", bun.Ident(between.Alias), bun.Ident(r.Schema.M2MJoinPKs[0].Name), bun.Ident(r.Schema.JoinPKs[0].Name))
	if stays := notDeleted(between, between.Alias); stays != nil {
		q = q.JoinOn("?", stays)
	}
	return q
}

// Join joins the related row of a to-one relation to a query, under an alias. base is the alias
// of the table that has the relation. The columns are NULL if there is no related row, if it is
// deleted softly, or if the caller may not see it.
func (r *Relation) Join(c *call.Call, q *bun.SelectQuery, base, alias string) *bun.SelectQuery {
	joined := r.Schema.JoinTable
	q = q.Join("LEFT JOIN ? AS ?", bun.Ident(joined.Name), bun.Ident(alias)).
		JoinOn("?.? = ?.?", bun.Ident(alias), bun.Ident(r.Schema.JoinPKs[0].Name), bun.Ident(base), bun.Ident(r.Schema.BasePKs[0].Name))
	if r.Narrowed(c) {
		q = q.JoinOn("?.? IN (?)", bun.Ident(alias), bun.Ident(r.Target.PrimaryKey().Column.Name), r.Target.ScopedKeys(c))
	}
	if stays := notDeleted(joined, alias); stays != nil {
		q = q.JoinOn("?", stays)
	}
	return q
}

// notDeleted is the condition that the row of a table with an alias is not deleted softly, as bun
// writes it: a column that cannot be NULL has the zero time. It is nil without soft deletion.
func notDeleted(table *schema.Table, alias string) schema.QueryAppender {
	deleted := table.SoftDeleteField
	switch {
	case deleted == nil:
		return nil
	case deleted.IsPtr || deleted.NullZero:
		return bun.SafeQuery("?.? IS NULL", bun.Ident(alias), bun.Ident(deleted.Name))
	}
	return bun.SafeQuery("?.? = ?", bun.Ident(alias), bun.Ident(deleted.Name), time.Time{})
}

// checkKeys returns an error for a relation with conditions, for one that does not match exactly one
// column to one column of the same type, and for related rows without a primary key.
func checkKeys(base *schema.Table, r *schema.Relation) error {
	if r.PolymorphicField != nil || len(r.Condition) > 0 {
		return naming.Sentence("relations with conditions are not supported")
	}
	pairs := [][2][]*schema.Field{{r.BasePKs, r.JoinPKs}}
	if r.Type == schema.ManyToManyRelation {
		pairs = [][2][]*schema.Field{{r.BasePKs, r.M2MBasePKs}, {r.M2MJoinPKs, r.JoinPKs}}
	}
	for _, pair := range pairs {
		if len(pair[0]) != 1 || len(pair[1]) != 1 {
			return naming.Sentence("relations over several columns are not supported")
		}
		a, b := pair[0][0], pair[1][0]
		switch {
		case joinsKeys(r, a, b):
			join, of := "COLUMN="+b.Name, base
			if r.Type != schema.BelongsToRelation { // the other table has the foreign key
				join, of = a.Name+"=COLUMN", r.JoinTable
			}
			return naming.Sentence("bun finds no foreign key, and would join the primary keys %q of both; tag it `join:%s` with the column of %s that refers to the other row, or `join:%s=%s` if that is right",
				a.Name, join, of.Type.Name(), a.Name, b.Name)
		case a.IndirectType != b.IndirectType:
			return naming.Sentence("%s is %s, but %s is %s", a.Name, a.IndirectType, b.Name, b.IndirectType)
		case !a.IndirectType.Comparable():
			return naming.Sentence("relations over a column of the type %s are not supported", a.IndirectType)
		}
	}
	if len(r.JoinTable.PKs) == 0 {
		return naming.Sentence("%s has no primary key; tag a column with `bun:\",pk\"`", r.JoinTable.Type.Name())
	}
	return nil
}

// joinsKeys reports whether bun joins the primary keys of two models although no tag says so. It does so if it finds no foreign key.
func joinsKeys(r *schema.Relation, base, join *schema.Field) bool {
	return r.Type != schema.ManyToManyRelation && !r.Field.Tag.HasOption("join") && base.IsPK && join.IsPK && base.Name == join.Name
}

// Values reads columns of all rows of a query, in the types of their fields without pointers. NULL is
// nil, and times are in UTC, so that equal values are equal keys of a map.
func Values(c *call.Call, q *bun.SelectQuery, columns ...*schema.Field) (rows [][]any, err error) {
	found, err := c.Session().Read(c, q)
	if err != nil {
		return nil, err
	}
	for i := range found.Len() {
		row := make([]any, len(columns))
		for j, column := range columns {
			v := reflect.New(column.StructField.Type).Elem()
			if err := column.ScanWithCheck(v, found.Row(i)[j]); err != nil {
				return nil, err
			}
			if v = reflect.Indirect(v); v.IsValid() {
				row[j] = v.Interface()
			}
			if t, is := row[j].(time.Time); is {
				row[j] = t.UTC()
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}
