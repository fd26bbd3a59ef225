package sqldb

import (
	"context"
	"database/sql"
	"net"

	"github.com/uptrace/bun/driver/pgdriver"
)

// LooksPooled reports whether something between this program and PostgreSQL makes the
// connections to the server: the server sees another port than the one from which the
// connection of this program comes. Mostly that is a pooler; a proxy, or a network that
// translates addresses, looks the same. Of two local sockets nothing is known, and
// nothing of SQLite: false.
func (db *DB) LooksPooled(ctx context.Context) (looks bool, err error) {
	if db.Kind() != PostgreSQL {
		return false, nil
	}
	err = db.onConn(ctx, false, func(c *conn) error {
		found, err := c.read(ctx, `SELECT inet_client_port()::bigint`, nil)
		if err != nil {
			return err
		}
		var seen sql.Null[int64]
		if err := found.Scan(0, &seen); err != nil {
			return err
		}
		looks = seen.V != localPort(c)
		return nil
	})
	return looks, err
}

// localPort is the port from which a connection comes, 0 for a local socket.
func localPort(c *conn) int64 {
	made, ok := c.inner.(*pgdriver.Conn)
	if !ok {
		return 0
	}
	if from, ok := made.Conn().LocalAddr().(*net.TCPAddr); ok {
		return int64(from.Port)
	}
	return 0
}
