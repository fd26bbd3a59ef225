package framework

import (
	"iter"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/rows"
	"trestle.example/framework/query"
)

// Find returns rows of a viewset for a function, as that viewset shows them: those that the
// caller may see and that narrow selects. Out must be a view of that viewset. A nil narrow
// selects every row. A narrow that sets a limit or an offset is an error: the options [OrderBy],
// [Limit] and [PageOf] order and limit the rows. Without OrderBy they are in the viewset's default
// order. Without Limit and PageOf, more rows than [Config.MaxRows] are the error 409 too_many_rows.
func Find[Out any](c *call.Call, viewset string, narrow query.Narrow, options ...FindOption) ([]Out, error) {
	var selected declare.Selection
	for _, option := range options {
		option.set(&selected)
	}
	return rows.FindAs[Out](c, viewset, narrow, selected)
}

// A FindOption orders or limits the rows of [Find]. Make one with [OrderBy], [Limit] or [PageOf].
type FindOption struct{ set func(*declare.Selection) }

// OrderBy orders the rows by fields, each with a leading - for descending: "-created_at",
// "author.name". The names are those of [Ordering]: fields of the viewset in its case, its
// expressions, and fields of to-one relations. Rows without a value come last, and the primary key
// decides between equal rows. Another name is an error of Find. A field need not be one of
// [Ordering.Allowed], so do not pass on the text of a client, which could name a hidden field.
func OrderBy(fields ...string) FindOption {
	return FindOption{func(s *declare.Selection) { s.Order = append(s.Order, fields...) }}
}

// Limit selects the first n rows; rows that follow are no error. n is from 1 to [Config.MaxRows].
func Limit(n int) FindOption { return PageOf(1, n) }

// PageOf selects a page of rows, numbered from 1. A page past the end is empty. rows is from 1 to
// [Config.MaxRows]. To learn whether rows follow, find the next page too.
func PageOf(number, rows int) FindOption {
	return FindOption{func(s *declare.Selection) { s.Limits, s.Page, s.Rows = s.Limits+1, number, rows }}
}

// Each yields the rows of a viewset for a function that streams them, as [Find] returns them, but
// ordered by primary key and without a limit of their number. It reads 1,000 to
// 8,000 rows at a time and holds no connection to the database in between, so a client that reads
// slowly occupies none. If the scope is [Own], an index of the owner's column and the primary key
// spares the database a sort for each part. A row that is inserted, changed or deleted meanwhile is yielded as it is when its part is
// read, or not at all. After an error it yields nothing more.
func Each[Out any](c *call.Call, viewset string, narrow query.Narrow) iter.Seq2[Out, error] {
	return rows.EachAs[Out](c, viewset, narrow)
}

// FindOne returns one row of a viewset by its primary key, as [Find] does. A key of type string is
// read as in a path: a text that cannot be a key is the error [NotFound], and so is a
// row that the caller may not see.
func FindOne[Out any](c *call.Call, viewset string, key any) (Out, error) {
	return rows.FindOneAs[Out](c, viewset, key)
}

// Save stores a row, the time of the change, and the stored search document. For the row that
// the function received it writes the columns that changed. For a row that the function read
// itself it writes every column but the key. It does not check the scope. It needs a
// transaction, which a GET action does not have. A row that does not exist or is soft-deleted
// is the error [NotFound]. A model without a viewset is an error, as is a bun hook that would
// not run, such as BeforeUpdate.
func Save[M any](c *call.Call, m *M) error { return rows.SaveModel(c, m) }

// Insert stores a new row. It sets a UUID key, the times, the caller as owner if the scope is
// [Own], and the stored search document. It keeps a key or an owner that is already set. If it
// would set an anonymous caller as owner, the error is [Unauthenticated]. It does not check the
// scope. It needs a transaction. A model without a viewset is an error, as is a bun hook that
// would not run, such as BeforeInsert.
func Insert[M any](c *call.Call, m *M) error { return rows.InsertModel(c, m) }

// Remove deletes a row by its primary key, or marks it as deleted if the model is deleted softly, and deletes its files
// after the commit. It does not check the scope. It needs a transaction. A row that does not exist is the error [NotFound], and one
// to which other rows refer is the error 409 still_referenced. A model without a viewset is an error.
func Remove[M any](c *call.Call, m *M) error { return rows.RemoveModel(c, m) }
