package scan

import (
	"database/sql"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
)

// Number runs a query whose result is one number. NULL is 0. If the query has no row, the error
// is [sql.ErrNoRows].
func Number(c *call.Call, q schema.QueryAppender) (int64, error) {
	var n sql.Null[int64]
	err := First(c, q, &n)
	return n.V, err
}

// First reads the first column of the first row. If the query has no row, the error is
// [sql.ErrNoRows].
func First(c *call.Call, q schema.QueryAppender, dest sql.Scanner) error {
	found, err := c.Session().Read(c, q)
	switch {
	case err != nil:
		return err
	case found.Len() == 0:
		return sql.ErrNoRows
	}
	return dest.Scan(found.Row(0)[0])
}

// Models runs a query, limited to the window, and scans the rows into the query's model. It
// calls the scan hooks of the model. found is the number of rows, including the row of a probe.
func Models(c *call.Call, q *bun.SelectQuery, w Window) (found int, err error) {
	rows, err := c.Session().Query(c, w.Limit(q))
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	found, err = q.GetModel().ScanRows(c, rows)
	if err != nil {
		return 0, err
	}
	return found, rows.Err()
}
