package sqldb

import (
	"context"
	"database/sql"

	"trestle.example/framework/sqldb/internal/connection"
)

// LooksPooled reports whether a pooler is between this program and PostgreSQL: PostgreSQL sees
// another port, or none, and another process number than this end of the connection. A proxy that
// passes connections through keeps the number. Connections of a pooler get no time limits and no
// other setting but the time zone and those of the URL, because other clients could get them.
// LooksPooled returns false for SQLite, and for a DB of [Wrap], whose sessions get no settings.
func (db *DB) LooksPooled(ctx context.Context) (looks bool, err error) {
	if db.Kind() != PostgreSQL || db.acquired {
		return false, nil
	}
	err = db.pool.OnConn(ctx, false, func(c *connection.Conn) error {
		found, err := c.Read(ctx, `SELECT inet_client_port()::bigint, pg_backend_pid()::bigint`, nil)
		if err != nil {
			return err
		}
		var port sql.Null[int64]
		var process int64
		if err := found.Scan(0, &port, &process); err != nil {
			return err
		}
		looks = (!port.Valid || port.V != c.LocalPort()) && process != c.ProcessID()
		return nil
	})
	return looks, err
}
