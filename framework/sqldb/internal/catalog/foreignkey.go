package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/dialect"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// A foreignKey is columns of a child that refer to columns of a parent. The names of PostgreSQL begin with a schema.
type foreignKey struct {
	child, parent string
	onDelete      string // what the database does with the child when the parent is deleted, such as "NO ACTION"
	from, to      []string
}

// prevents reports whether the key prevents the deletion of the parent.
func (k foreignKey) prevents() bool { return k.onDelete == "NO ACTION" || k.onDelete == "RESTRICT" }

// needs reports whether the child cannot be without the parent.
func (k foreignKey) needs() bool { return k.prevents() || k.onDelete == "CASCADE" }

// sqliteKeys reads the foreign keys of SQLite, one row for each column of a key. A key that
// names no column of the parent refers to its primary key.
const sqliteKeys = `SELECT m.name, CAST(f.id AS text), f."table", f.on_delete, f."from", coalesce(f."to",
	(SELECT p.name FROM pragma_table_info(f."table") AS p WHERE p.pk = f.seq + 1))
FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f
WHERE m.type = 'table' AND (m.name = ?0 COLLATE NOCASE OR f."table" = ?1 COLLATE NOCASE)
ORDER BY m.name, f.id, f.seq`

// postgresKeys is sqliteKeys of PostgreSQL. It leaves out the keys that PostgreSQL adds for partitions.
const postgresKeys = `SELECT cn.nspname || '.' || c.relname, k.oid::text, pn.nspname || '.' || p.relname,
	CASE k.confdeltype WHEN 'a' THEN 'NO ACTION' WHEN 'r' THEN 'RESTRICT' WHEN 'c' THEN 'CASCADE' ELSE 'SET' END, f.attname, t.attname
FROM pg_catalog.pg_constraint AS k
JOIN pg_catalog.pg_class AS c ON c.oid = k.conrelid JOIN pg_catalog.pg_namespace AS cn ON cn.oid = c.relnamespace
JOIN pg_catalog.pg_class AS p ON p.oid = k.confrelid JOIN pg_catalog.pg_namespace AS pn ON pn.oid = p.relnamespace
CROSS JOIN LATERAL generate_subscripts(k.conkey, 1) AS n
JOIN pg_catalog.pg_attribute AS f ON f.attrelid = k.conrelid AND f.attnum = k.conkey[n]
JOIN pg_catalog.pg_attribute AS t ON t.attrelid = k.confrelid AND t.attnum = k.confkey[n]
WHERE k.contype = 'f' AND k.conparentid = 0 AND (k.conrelid = to_regclass(?) OR k.confrelid = to_regclass(?))
ORDER BY 1, k.oid, n`

// foreignKeys returns the foreign keys of the table child. If child is "", it returns those that refer to the table parent.
func (c Catalog) foreignKeys(ctx context.Context, child, parent string) (all []foreignKey, err error) {
	keys := bun.SafeQuery(sqliteKeys, inMain(child), inMain(parent))
	if c.Kind != dialect.SQLite {
		keys = bun.SafeQuery(postgresKeys, nameOf(child), nameOf(parent))
	}
	found, err := c.Read(ctx, keys)
	if err != nil {
		return nil, err
	}
	last := ""
	for i := range found.Len() {
		var key foreignKey
		var id, from, to string
		if err := found.Scan(i, &key.child, &id, &key.parent, &key.onDelete, &from, &to); err != nil {
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

// nameOf is a parameter with the quoted name of a table, and NULL for "".
func nameOf(table string) schema.QueryAppender {
	if table == "" {
		return bun.SafeQuery("NULL")
	}
	return sqltext.Param(quotedName(table))
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
		if !k.prevents() || slices.Contains(tables, k.child) {
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
