package sqldb

import (
	"context"
	"database/sql"

	"trestle.example/framework/sqldb/internal/connection"
)

// LooksPooled reports whether something between this program and PostgreSQL makes the
// connections to the server: the server sees another port than the one from which the
// connection of this program comes. Mostly that is a pooler; a proxy, or a network that
// translates addresses, looks the same. Such a connection gets no limits and no other setting
// but the time zone and those of the URL, which could reach other clients. LooksPooled returns false for SQLite. For a local socket it
// returns true only if the server sees a port.
func (db *DB) LooksPooled(ctx context.Context) (looks bool, err error) {
	if db.Kind() != PostgreSQL {
		return false, nil
	}
	err = db.pool.OnConn(ctx, false, func(c *connection.Conn) error {
		found, err := c.Read(ctx, `SELECT inet_client_port()::bigint`, nil)
		if err != nil {
			return err
		}
		var seen sql.Null[int64]
		if err := found.Scan(0, &seen); err != nil {
			return err
		}
		looks = seen.V != c.LocalPort()
		return nil
	})
	return looks, err
}
