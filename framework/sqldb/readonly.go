package sqldb

import (
	"context"

	"trestle.example/framework/sqldb/internal/fault"
)

// onlyReads reports whether PostgreSQL is to refuse what writes, see
// [Options.ReadOnly].
func (c *core) onlyReads() bool { return c.kind == PostgreSQL && c.options.ReadOnly }

// Writable is nil if the database answers and takes writes. An error for which
// [IsReadOnly] is true says that PostgreSQL answers and takes none; the next call makes
// a new connection. A SQLite file is not asked for more than an answer.
func (db *DB) Writable(ctx context.Context) error {
	if db.Kind() != PostgreSQL {
		return db.PingContext(ctx)
	}
	return db.onConn(ctx, false, func(c *conn) error {
		found, err := c.read(ctx, whatServerIs, nil)
		if err != nil {
			return err
		}
		var standby, readOnly bool
		if err := found.Scan(0, &standby, &readOnly); err != nil || !standby && !readOnly {
			return err
		}
		_ = c.inner.Close()
		return fault.ErrReadOnly
	})
}
