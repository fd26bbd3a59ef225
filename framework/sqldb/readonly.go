package sqldb

import (
	"context"

	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/framework/sqldb/internal/postgres"
)

// CloseIdle closes the connections that neither a statement nor a transaction holds now, except
// connections to the replica. A new connection has the settings that the database and the role
// have now, such as default_transaction_read_only.
func (db *DB) CloseIdle() { db.pool.CloseIdle() }

// Writable returns nil if the database answers and accepts writes. An error for which
// [IsReadOnly] is true means that PostgreSQL answers but accepts no writes; then the
// connection is closed, so that a new one may lead to the primary. For a SQLite file it
// only checks that the database answers.
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
