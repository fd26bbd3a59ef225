package scan

import (
	"reflect"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/conditional"
	"trestle.example/framework/sqldb"
)

// A Window limits a query to some rows. If Rows is 0, there is no limit, and Offset has no
// effect.
type Window struct {
	Rows, Offset int64
	Probe        bool                 // read one row more, to know whether rows follow
	CutBefore    bool                 // the query has a limit already, in its subquery of keys
	Version      *conditional.Version // to read of the first row; nil for none
}

// Limit limits a query to the rows of the window, and one more if the window probes.
func (w Window) Limit(q schema.QueryAppender) schema.QueryAppender {
	if w.Rows == 0 {
		return q
	}
	if w.Probe {
		w.Rows++
	}
	return sqldb.Window(q, w.Rows, w.Offset)
}

// Cut removes the additional row of a probe, and reports whether there was one.
func (w Window) Cut(rows reflect.Value) (reflect.Value, bool) {
	if !w.Probe || int64(rows.Len()) <= w.Rows {
		return rows, false
	}
	return rows.Slice(0, int(w.Rows)), true
}

// Has reports whether a row of a result, by its index, is in the window: the row by which it probes is not.
func (w Window) Has(row int) bool { return !w.Probe || int64(row) < w.Rows }

// HasLimit reports whether a query has a limit or an offset, and removes both from it. bun shows
// them only in the SQL.
func HasLimit(db *sqldb.DB, q *bun.SelectQuery) (bool, error) {
	gen := db.QueryGen()
	with, err := q.AppendQuery(gen, nil)
	if err != nil {
		return false, err
	}
	without, err := q.Limit(0).Offset(0).AppendQuery(gen, nil)
	return string(with) != string(without), err
}
