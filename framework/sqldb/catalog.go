package sqldb

import (
	"context"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/catalog"
)

// A BrokenViewError is an error of [DB.Columns]: a view of SQLite reads a table or a column that is deleted. On PostgreSQL
// there is no such view. View is its name, Err the error of the database.
type BrokenViewError = catalog.BrokenViewError

// Columns lists the columns of a table or a view as the database's catalogue has
// them: those that it declares, then those that the database adds by itself
// (rowid, xmin and so on). A table that does not exist has none. The name may
// begin with a schema: "app.patients". A view that cannot be read is a [BrokenViewError].
func (db *DB) Columns(ctx context.Context, table string) ([]string, error) {
	return db.Session().catalog().Columns(ctx, table)
}

// Tables lists, by name, the tables and views that a statement finds without a schema. It
// omits those that the database keeps for itself, such as pg_class and sqlite_sequence.
func (db *DB) Tables(ctx context.Context) ([]string, error) {
	return db.Session().catalog().Tables(ctx)
}

// TakenNames lists the names that a new index of a table cannot have, because a table, a view, an
// index or a sequence has them. On PostgreSQL these are the names in the schemas of the search path.
func (db *DB) TakenNames(ctx context.Context) ([]string, error) {
	return db.Session().catalog().TakenNames(ctx)
}

// An Index is an index of a table, as the database has it. Columns are the columns that
// order it, the first one first. Unique: no two rows that it contains have the same values
// in all columns, unless one is NULL. Where is the condition of the rows that it contains,
// "" for every row. Search: it is the search index of its one column, and serves only
// [Kind.Contains]. Unfinished: PostgreSQL did not finish building it, and does not use it;
// drop it and create it again.
type Index = catalog.Index

// Indexes lists the indexes of a table, by name, with those of a primary key and of unique
// constraints. It omits kinds that are neither ordered nor a search index, such as
// PostgreSQL's hash. On SQLite a primary key that is the number of the row is listed as the
// unique index rowid. On PostgreSQL the name may begin with a schema: "app.patients". A table that
// does not exist is an error; a table without indexes is not.
func (db *DB) Indexes(ctx context.Context, table string) ([]Index, error) {
	return db.Session().catalog().Indexes(ctx, table)
}

// HasIndexes reports whether a table can have indexes. A view cannot, nor can a foreign or virtual table; a materialized
// view can.
// A table that does not exist cannot. On PostgreSQL the name may begin with a schema: "app.patients".
func (db *DB) HasIndexes(ctx context.Context, table string) (bool, error) {
	return db.Session().catalog().HasIndexes(ctx, table)
}

// Checks lists the names of the constraints that limit the values of a table's rows, by name: those of CHECK, on
// PostgreSQL also those of EXCLUDE and of all domains. A constraint without a name has that of PostgreSQL, and
// none on SQLite. On PostgreSQL the name of the table may begin with a schema: "app.patients". A table that does not
// exist has no constraints of its own.
func (db *DB) Checks(ctx context.Context, table string) ([]string, error) {
	return db.Session().catalog().Checks(ctx, table)
}

// MissingParents returns the columns of a row whose values refer to no row: the columns of
// every foreign key without a parent row. A key with a NULL refers to nothing, and is not
// returned. It is for SQLite, whose error of a foreign key does not name the columns; on
// PostgreSQL it returns nil. value returns the value of a column, or nil for NULL.
func (s *Session) MissingParents(ctx context.Context, table string, value func(column string) schema.QueryAppender) (columns []string, err error) {
	return s.catalog().MissingParents(ctx, table, value)
}

// Referring returns the names of the SQLite tables whose rows refer to a row of the given table
// and prevent the deletion of that row, in order. PostgreSQL reports such a table with the
// error; SQLite does not. The row is the one whose column has the value, or one of several values
// of a [List]. On PostgreSQL there is no name.
func (s *Session) Referring(ctx context.Context, table, column string, value schema.QueryAppender) ([]string, error) {
	return s.catalog().Referring(ctx, table, column, value)
}

// Keeping returns the names of the tables that have a row which refers to one of some rows of a table, by a foreign key
// with which the database would not delete that row. The rows are those whose key has a value of a [List]. marks returns the column of a table
// that is NULL unless a row is marked as deleted, "" for a table whose rows are not marked: a row that is marked keeps no other one, and neither
// does one of the rows themselves. On PostgreSQL the names begin with a schema.
func (s *Session) Keeping(ctx context.Context, table, key string, values schema.QueryAppender, marks func(table string) string) ([]string, error) {
	return s.catalog().Keeping(ctx, table, key, values, marks)
}

// NeedsDeleted reports whether a row refers to a row that is marked as deleted, as for [Session.Keeping], unless the foreign key
// is declared ON DELETE SET NULL or SET DEFAULT. The row is the one of a table whose key has the value. In a transaction the rows to which it refers
// are then locked by [Kind.ForKeyShare].
func (s *Session) NeedsDeleted(ctx context.Context, table, key string, value schema.QueryAppender, marks func(table string) string) (bool, error) {
	return s.catalog().NeedsDeleted(ctx, table, key, value, marks)
}

// Referred lists, for each foreign key that refers to a table, the columns of the table that it refers to. A unique index of these
// columns cannot have a condition.
func (db *DB) Referred(ctx context.Context, table string) ([][]string, error) {
	return db.Session().catalog().Referred(ctx, table)
}

func (s *Session) catalog() catalog.Catalog { return catalog.Catalog{Kind: s.db.Kind(), Read: s.Read} }
