package sqldb

import (
	"context"

	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/framework/sqldb/internal/postgres"
)

// Writable is nil if the database answers and takes writes. An error for which
// [IsReadOnly] is true says that PostgreSQL answers and takes none; the next call makes
// a new connection. A SQLite file is not asked for more than an answer.
func (db *DB) Writable(ctx context.Context) error {
	if db.Kind() != PostgreSQL {
		return db.PingContext(ctx)
	}
	return db.pool.OnConn(ctx, false, func(c *connection.Conn) error {
		found, err := c.Read(ctx, postgres.Role, nil)
		if err != nil {
			return err
		}
		var standby, readOnly bool
		if err := found.Scan(0, &standby, &readOnly); err != nil || !standby && !readOnly {
			return err
		}
		c.Break()
		return fault.ErrReadOnly
	})
}
