package catalog

import (
	"context"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/dialect"
)

// Marks returns the column of a table that marks rows as deleted: it is NULL for a row that is not deleted. It is "" for a
// table whose rows are not marked.
type Marks func(table string) (column string)

// Keeping returns the names of the tables that have a row which refers to one of some rows of a table, so that the
// database would not delete it. The rows are those whose key has a value of a list. A row that is marked as deleted keeps no
// other one, and neither does one of the rows themselves. On PostgreSQL the names begin with a schema.
//
// It reads the foreign keys each time. They cannot be kept until the next migration of this process: another process, or a person, may add a key
// while the server runs, and then a row would be marked as deleted although a row needs it.
func (c Catalog) Keeping(ctx context.Context, table, key string, values schema.QueryAppender, marks Marks) (tables []string, err error) {
	keys, err := c.foreignKeys(ctx, "", table)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if !k.prevents() || slices.Contains(tables, k.child) {
			continue
		}
		where := bun.SafeQuery("p.? IN (?)", bun.Ident(key), values)
		if column := marks(k.child); column != "" {
			where = bun.SafeQuery("? AND c.? IS NULL", where, bun.Ident(column))
		}
		if k.own() {
			where = bun.SafeQuery("? AND c.? NOT IN (?)", where, bun.Ident(key), values)
		}
		found, err := c.Read(ctx, bun.SafeQuery("SELECT 1 FROM ? WHERE ? LIMIT 1", k.joined(), where))
		if err != nil {
			return nil, err
		}
		if found.Len() > 0 {
			tables = append(tables, k.child)
		}
	}
	return tables, nil
}

// NeedsDeleted reports whether a row refers to a row that is marked as deleted, unless the database would remove the
// reference when it deletes that row. The row is the one of a table whose key has a value. In a transaction on PostgreSQL the
// other rows cannot be deleted until it ends.
func (c Catalog) NeedsDeleted(ctx context.Context, table, key string, value schema.QueryAppender, marks Marks) (bool, error) {
	keys, err := c.foreignKeys(ctx, table, "")
	if err != nil {
		return false, err
	}
	lock := ""
	if c.Kind != dialect.SQLite {
		lock = " FOR KEY SHARE OF p"
	}
	for _, k := range keys {
		column := marks(k.parent)
		if column == "" || !k.needs() {
			continue
		}
		where := bun.SafeQuery("c.? = ?", bun.Ident(key), value)
		if k.own() {
			where = bun.SafeQuery("? AND c.? <> p.?", where, bun.Ident(key), bun.Ident(key))
		}
		found, err := c.Read(ctx, bun.SafeQuery("SELECT CASE WHEN p.? IS NULL THEN 0 ELSE 1 END FROM ? WHERE ??",
			bun.Ident(column), k.joined(), where, bun.Safe(lock)))
		if err != nil {
			return false, err
		}
		deleted := int64(0)
		if found.Len() > 0 {
			err = found.Scan(0, &deleted)
		}
		if err != nil || deleted != 0 {
			return deleted != 0, err
		}
	}
	return false, nil
}

// Referred lists the columns of a table to which foreign keys refer.
func (c Catalog) Referred(ctx context.Context, table string) (columns [][]string, err error) {
	keys, err := c.foreignKeys(ctx, "", table)
	for _, k := range keys {
		columns = append(columns, k.to)
	}
	return columns, err
}

// own reports whether rows of a table refer to rows of the same table.
func (k foreignKey) own() bool { return strings.EqualFold(k.child, k.parent) }

// joined is the join of the child, as c, and the parent, as p.
func (k foreignKey) joined() schema.QueryAppender {
	var same []string
	args := []any{bun.Safe(quotedName(k.child)), bun.Safe(quotedName(k.parent))}
	for i := range k.from {
		same, args = append(same, "c.? = p.?"), append(args, bun.Ident(k.from[i]), bun.Ident(k.to[i]))
	}
	return bun.SafeQuery("? AS c JOIN ? AS p ON "+strings.Join(same, " AND "), args...)
}
