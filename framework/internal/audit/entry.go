package audit

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/history"
	"trestle.example/framework/sqldb"
)

// An Entry is one read of a row, as the endpoint of its reads shows it.
type Entry struct {
	ID     uuid.UUID `json:"id"     doc:"Identifies the entry: it is the id of the request, which its answer has in the header X-Request-Id."`
	At     time.Time `json:"at"     doc:"The time of the request."`
	Caller *string   `json:"caller" doc:"The id of the caller who was shown the row; null for a caller without one."`
	Action string    `json:"action" doc:"The viewset and the name of the endpoint that showed the row." example:"patients.list"`
	Method string    `json:"method" doc:"The method of the request." example:"GET"`
	Path   *string   `json:"path"   doc:"The path of the request with its parameters; null if it has been removed." example:"/api/patients/?page=2"`
}

// read reads entries of one row, from a condition of the statement on.
func read(ctx context.Context, s *sqldb.Session, viewset, key string, end schema.QueryAppender) (entries []Entry, err error) {
	rows, err := s.Query(ctx, bun.SafeQuery("SELECT r.request, r.at, r.caller, r.route, r.method, r.path FROM row_read_keys AS k"+
		" JOIN row_reads AS r ON r.request = k.request WHERE k.viewset = ? AND k.row_key = ? ?", sqldb.Param(viewset), sqldb.Param(key), end))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var e Entry
		var caller string
		if err := rows.Scan(&e.ID, &e.At, &caller, &e.Action, &e.Method, &e.Path); err != nil {
			return nil, err
		}
		if e.At = e.At.UTC(); caller != "" {
			e.Caller = &caller
		}
		entries = append(entries, e)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return entries, rows.Close()
}

// Forget removes the paths from the entries about a row, and keeps who read it and when: a parameter may have values of the row. It returns
// how many entries had a path.
func Forget(ctx context.Context, db *sqldb.DB, viewset, key string) (n int64, err error) {
	err = db.Retry(ctx, func() error {
		result, err := db.Session().Exec(ctx, bun.SafeQuery("UPDATE row_reads SET path = NULL WHERE path IS NOT NULL AND request IN"+
			" (SELECT request FROM row_read_keys WHERE viewset = ? AND row_key = ?)", sqldb.Param(viewset), sqldb.Param(key)))
		if err != nil {
			return err
		}
		n, err = result.RowsAffected()
		return err
	})
	return n, err
}

// ForgetRow removes the values from the entries of the changes of a row, and the paths from those of its reads. It returns how many
// entries had values or a path.
func ForgetRow(ctx context.Context, db *sqldb.DB, viewset, key string) (n int64, err error) {
	values, err := history.Forget(ctx, db, viewset, key)
	if err != nil {
		return values, err
	}
	paths, err := Forget(ctx, db, viewset, key)
	return values + paths, err
}
