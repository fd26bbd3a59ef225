package postgres

import (
	"context"
	"database/sql/driver"

	"github.com/uptrace/bun/driver/pgdriver"

	"trestle.example/framework/sqldb/internal/address"
)

// Role reads the role of a server. It does not call pg_is_in_recovery, because
// compatible databases may not have this function.
const Role = `SELECT coalesce(current_setting('in_hot_standby', true), 'off') = 'on', current_setting('default_transaction_read_only') = 'on'`

// checkRole returns an error if the server of a new connection is not one that the URL
// accepts.
func checkRole(ctx context.Context, conn *pgdriver.Conn, want address.Target) error {
	if want == address.Any {
		return nil
	}
	standby, reads, err := roleOf(ctx, conn)
	if err != nil {
		return err
	}
	return want.Check(standby, reads)
}

// roleOf reads whether a server is a standby, and whether default_transaction_read_only is on.
func roleOf(ctx context.Context, conn *pgdriver.Conn) (standby, reads bool, err error) {
	rows, err := conn.QueryContext(ctx, Role, nil)
	if err != nil {
		return false, false, err
	}
	row := make([]driver.Value, 2)
	if err = rows.Next(row); err == nil {
		standby, _ = row[0].(bool)
		reads, _ = row[1].(bool)
	}
	if closed := rows.Close(); err == nil {
		err = closed
	}
	return standby, reads, err
}
