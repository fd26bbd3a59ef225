package sqldb

import (
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/schema"
)

// Kind tells the two SQL dialects apart. The zero Kind is neither.
type Kind int

// The two kinds of database.
const (
	SQLite Kind = iota + 1
	PostgreSQL
)

func kindOf(d schema.Dialect) Kind {
	if d.Name() == dialect.SQLite {
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

// conns is the default of [Options.MaxConns] for a process that has so many processors.
func (k Kind) conns(processors int) int {
	const most = 16
	if k == SQLite { // more would only compete with the requests for the processors
		return min(max(4, 2*processors), most)
	}
	return most
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

// ForUpdate locks the rows a query selects until the transaction ends, with
// FOR UPDATE: nobody else may change or delete them, nor insert rows that refer
// to them. On SQLite it changes nothing, because a transaction of [DB.InTx]
// already is the only writer. PostgreSQL refuses it on a query with an outer
// join.
func (k Kind) ForUpdate(q *bun.SelectQuery) *bun.SelectQuery {
	return k.lock(q, "UPDATE")
}

// ForNoKeyUpdate is ForUpdate for rows that stay and keep their keys: those
// that refer to them, such as a line of a cart to what it asks for, may be
// inserted meanwhile. A transaction that deletes such a row, or changes a column
// of a unique index, locks it by [Kind.ForUpdate] from the start: getting the
// stronger lock later may mean to wait in a circle.
func (k Kind) ForNoKeyUpdate(q *bun.SelectQuery) *bun.SelectQuery {
	return k.lock(q, "NO KEY UPDATE")
}

func (k Kind) lock(q *bun.SelectQuery, strength string) *bun.SelectQuery {
	if k == PostgreSQL {
		return q.For(strength)
	}
	return q
}
