// Package dialect has the SQL that differs between the two databases: locks, text search,
// stored search documents, and the order of an index.
package dialect

import (
	"strings"

	"github.com/uptrace/bun"
	bundialect "github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/schema"
)

// Kind is the kind of a database. The zero Kind is neither of the two.
type Kind int

// The two kinds of database.
const (
	SQLite Kind = iota + 1
	PostgreSQL
)

// Of returns the kind of one of bun's dialects: SQLite, or PostgreSQL for any other.
func Of(d schema.Dialect) Kind {
	if d.Name() == bundialect.SQLite {
		return SQLite
	}
	return PostgreSQL
}

// String is "sqlite" or "postgresql", and "unknown" for any other value.
func (k Kind) String() string {
	switch k {
	case SQLite:
		return "sqlite"
	case PostgreSQL:
		return "postgresql"
	}
	return "unknown"
}

// GroupConcat is the aggregate that joins the text of a group with a
// separator: string_agg or group_concat. Both arguments are constants of the
// program and never text of a request: expr is SQL and goes in unchanged; sep
// is quoted. The order within the group is the database's own.
func (k Kind) GroupConcat(expr, sep string) string {
	name := "group_concat"
	if k == PostgreSQL {
		name = "string_agg"
	}
	return name + "(" + expr + ", '" + strings.ReplaceAll(sep, "'", "''") + "')"
}

// ForUpdate locks the rows that a query selects until the transaction ends, with
// FOR UPDATE: no other transaction can change or delete them, or insert rows that refer
// to them. On SQLite it changes nothing, because a transaction of package sqldb
// is already the only writer. PostgreSQL rejects it for a query with an outer
// join.
func (k Kind) ForUpdate(q *bun.SelectQuery) *bun.SelectQuery {
	return k.lock(q, "UPDATE")
}

// ForNoKeyUpdate is ForUpdate for rows that stay and keep their keys. Meanwhile other
// transactions may insert rows that refer to them, such as the line of a cart that refers
// to a product. A transaction that deletes such a row, or changes a column of a unique
// index, must lock it by [Kind.ForUpdate] first: if it takes the stronger lock later, two
// transactions may wait for each other (a deadlock).
func (k Kind) ForNoKeyUpdate(q *bun.SelectQuery) *bun.SelectQuery {
	return k.lock(q, "NO KEY UPDATE")
}

// ForKeyShare locks the rows that a query selects only against deletion and changes of their keys,
// with FOR KEY SHARE, as PostgreSQL does for a row that refers to them. Several transactions may
// hold this lock together. On SQLite it changes nothing, as [Kind.ForUpdate].
func (k Kind) ForKeyShare(q *bun.SelectQuery) *bun.SelectQuery {
	return k.lock(q, "KEY SHARE")
}

func (k Kind) lock(q *bun.SelectQuery, strength string) *bun.SelectQuery {
	if k == PostgreSQL {
		return q.For(strength)
	}
	return q
}

// HasColumn reports whether a column is among those of a table. SQLite takes a
// name in any case.
func (k Kind) HasColumn(columns []string, name string) bool {
	for _, c := range columns {
		if c == name || k == SQLite && strings.EqualFold(c, name) {
			return true
		}
	}
	return false
}
