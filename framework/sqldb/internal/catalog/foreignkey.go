package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/dialect"
)

// A foreignKey is one of SQLite's: columns of a child that refer to columns of a parent.
type foreignKey struct {
	child, parent string
	from, to      []string
}

// sqliteKeys reads the foreign keys of SQLite, one row for each column of a key. A key that
// names no column of the parent refers to its primary key.
const sqliteKeys = `SELECT m.name, f.id, f."table", f."from", coalesce(f."to",
	(SELECT p.name FROM pragma_table_info(f."table") AS p WHERE p.pk = f.seq + 1))
FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f
WHERE m.type = 'table' AND (m.name = ?0 COLLATE NOCASE OR f."table" = ?1 COLLATE NOCASE) AND (?1 = '' OR f.on_delete IN ('NO ACTION', 'RESTRICT'))
ORDER BY m.name, f.id, f.seq`

// foreignKeys returns the foreign keys of the table child. If child is "", it returns those
// that refer to the table parent and prevent the deletion of its rows.
func (c Catalog) foreignKeys(ctx context.Context, child, parent string) (all []foreignKey, err error) {
	found, err := c.Read(ctx, bun.SafeQuery(sqliteKeys, inMain(child), inMain(parent)))
	if err != nil {
		return nil, err
	}
	last := ""
	for i := range found.Len() {
		var key foreignKey
		var id int64
		var from, to string
		if err := found.Scan(i, &key.child, &id, &key.parent, &from, &to); err != nil {
			return nil, err
		}
		if at := fmt.Sprint(key.child, " ", id); at != last {
			last, all = at, append(all, key)
		}
		k := &all[len(all)-1]
		k.from, k.to = append(k.from, from), append(k.to, to)
	}
	return all, nil
}

// MissingParents returns the columns of a row whose values refer to no row: the columns of
// every foreign key without a parent row. A key with a NULL refers to nothing, and is not
// returned. It is for SQLite, whose error of a foreign key does not name the columns; on
// PostgreSQL it returns nil. value returns the value of a column, or nil for NULL.
func (c Catalog) MissingParents(ctx context.Context, table string, value func(column string) schema.QueryAppender) (columns []string, err error) {
	if c.Kind != dialect.SQLite {
		return nil, nil
	}
	keys, err := c.foreignKeys(ctx, table, "")
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		there, err := c.hasParent(ctx, k, value)
		if err != nil {
			return nil, err
		}
		if !there {
			columns = append(columns, k.from...)
		}
	}
	return columns, nil
}

// hasParent reports whether the row that a key refers to is there, or a part of the key
// is NULL.
func (c Catalog) hasParent(ctx context.Context, k foreignKey, value func(column string) schema.QueryAppender) (bool, error) {
	var where []string
	args := []any{bun.Ident(k.parent)}
	for i, column := range k.from {
		v := value(column)
		if v == nil {
			return true, nil
		}
		where, args = append(where, "? = ?"), append(args, bun.Ident(k.to[i]), v)
	}
	found, err := c.Read(ctx, bun.SafeQuery("SELECT 1 FROM ? WHERE "+strings.Join(where, " AND ")+" LIMIT 1", args...))
	return err != nil || found.Len() > 0, err
}

// Referring returns the names of the SQLite tables whose rows refer to a row of the given table
// and prevent the deletion of that row, in order. PostgreSQL reports such a table with the
// error; SQLite does not. The row is the one whose column has the value, or one of several values
// of a list. On PostgreSQL there is no name.
func (c Catalog) Referring(ctx context.Context, table, column string, value schema.QueryAppender) (tables []string, err error) {
	if c.Kind != dialect.SQLite {
		return nil, nil
	}
	keys, err := c.foreignKeys(ctx, "", table)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if slices.Contains(tables, k.child) {
			continue
		}
		var same []string
		args := []any{bun.Ident(k.child), bun.Ident(table)}
		for i := range k.from {
			same, args = append(same, "c.? = p.?"), append(args, bun.Ident(k.from[i]), bun.Ident(k.to[i]))
		}
		args = append(args, bun.Ident(column), value)
		found, err := c.Read(ctx, bun.SafeQuery("SELECT 1 FROM ? AS c JOIN ? AS p ON "+strings.Join(same, " AND ")+" WHERE p.? IN (?) LIMIT 1", args...))
		if err != nil {
			return nil, err
		}
		if found.Len() > 0 {
			tables = append(tables, k.child)
		}
	}
	return tables, nil
}
