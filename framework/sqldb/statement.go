package sqldb

import (
	"iter"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/sqltext"
)

// Param is a value that stays a parameter: a [Session] writes $n (PostgreSQL)
// or ?n (SQLite) and sends the value beside the text; bun itself, or a
// database with NoPrepare, quotes it as bun quotes.
//
// Text, numbers, booleans, times, []byte, nil, pointers to them and
// driver.Valuer (uuid.UUID, as text) are parameters. Anything else is rendered
// as bun renders it, where its texts and times are parameters still. Text,
// times and []byte that reach bun without Param are parameters in a Session
// too; Param adds the numbers and booleans, so that statements that differ in
// those alone are one prepared statement. On PostgreSQL a parameter takes the
// type of what it is compared with or stored in: the server rejects 1.5 where it expects
// an integer.
func Param(v any) schema.QueryAppender { return sqltext.Param(v) }

// List is the values of an IN condition, `Where("? IN (?)", column, sqldb.List(keys))`,
// each a [Param]. The list is [Padded]. An empty list is NULL, so neither IN nor NOT IN is
// true.
func List[T any](values []T) schema.QueryAppender { return sqltext.List(values) }

// Padded yields values, and repeats the last until their number is a power of two. It
// yields nothing for no values. It keeps the number of different statements small: each
// other number of values would be one more statement to prepare.
func Padded[T any](values []T) iter.Seq2[int, T] { return sqltext.Padded(values) }

// Choose is a value for each of many rows, so that one UPDATE changes them all:
//
//	q.Set("stock = ?", sqldb.Choose("stock", "id", ids, func(id uuid.UUID) any { return stocks[id] })).
//		Where("id IN (?)", sqldb.List(ids))
//
// A row whose key column is one of keys gets what value returns for it, any
// other keeps its column. Keys and values are each a [Param]; the last pair is
// repeated as in [List], so that there are few statements to prepare, and value is called
// again for it. Of equal keys the first counts. Without keys it is the column itself.
func Choose[K any](column, key string, keys []K, value func(K) any) schema.QueryAppender {
	return sqltext.Choose(column, key, keys, value)
}

// Window returns a query with LIMIT and OFFSET. bun writes both as text; here they are
// parameters, with two exceptions. On SQLite the LIMIT is always in the text, because
// SQLite plans a statement again each time that its LIMIT gets a value: use few different
// limits. PostgreSQL plans a statement again for each page whose OFFSET is a value, because
// the OFFSET decides the cost of the plan. If the statement has no other values and the
// OFFSET is below 1,000, both are in the text, and the statement is planned once. A DB does
// so for at most 64 pages a minute, for all requests together.
func Window(q schema.QueryAppender, limit, offset int64) schema.QueryAppender {
	return sqltext.Window(q, limit, offset)
}

// Among returns the condition that a column has one of the values that a query finds,
// `Where("?", sqldb.Among(column, query))`. It is for few values: the database finds them
// first. With IN and a LIMIT in a parameter, PostgreSQL would not know that they are few,
// and would plan for a tenth of the table.
func Among(column, query schema.QueryAppender) schema.QueryAppender {
	return sqltext.Among(column, query)
}

// Texts returns a table of values for a JOIN, which are sent as texts. Its columns are value, and n, its index. Comparisons
// of value are those of a column of a table: a column may take texts for equal that differ in case, in
// accents or in spaces at the end.
func Texts[T any](table, column string, values []T) schema.QueryAppender {
	return sqltext.Texts(table, column, values)
}

// A Template is a statement that each database builds at its first use and then runs with
// other values. If the text has to hold the values, as with [Options.NoPrepare], it is built
// for each run. Its method With returns the statement with values, for any method of a
// [Session]; a value is of a kind that [Param] takes. It is safe for concurrent use.
type Template = sqltext.Template

// NewTemplate makes a template. build puts the places of values into the statement, and
// names and constants; a value of its own is an error when the statement is run. It is
// called at the first use for each database. If the text has to hold the values, as with
// [Options.NoPrepare], it is called for each run.
func NewTemplate(build func(v Values) schema.QueryAppender) *Template {
	return sqltext.NewTemplate(build)
}

// Values are the places of a template's values. Its method At returns one of the values
// of a run, counted from 0, and Kind is that of the database that builds the statement. In a
// [Lookup], Key compares the expression before it with the lookup's key, or with each of its
// keys: Where("?TableAlias.? ?", bun.Ident("id"), v.Key()). Hash is Key for a key that is a
// hash of 32 bytes.
type Values = sqltext.Values

// A Lookup is a [Template] of the rows that have a key. Reads by different keys that wait
// at the same time share one execution, as equal ones do in [Session.Read], and each
// returns the rows of its own key. It is safe for concurrent use.
type Lookup = sqltext.Lookup

// NewLookup makes a lookup. build writes its statement, as for [NewTemplate],
// with the condition of [Values.Key], with the key as the last of its columns and
// without a LIMIT. It is called for one key and for several.
func NewLookup(build func(v Values) schema.QueryAppender) *Lookup {
	return sqltext.NewLookup(build)
}

// TextError means that a value cannot be sent to a database as text. The
// statement with the value was not sent. Its field Fault
// states what in the text is not allowed.
type TextError = sqltext.TextError
