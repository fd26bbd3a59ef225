package sqldb

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun/driver/pgdriver"
)

// targetParameter is the parameter of a URL that says which of several servers to use,
// as libpq has it.
const targetParameter = "target_session_attrs"

// target is which servers a connection may lead to. "" is any.
type target string

const (
	readWrite     target = "read-write"
	readOnly      target = "read-only"
	primaryOnly   target = "primary"
	standbyOnly   target = "standby"
	preferStandby target = "prefer-standby"
)

func targetOf(text string) (target, error) {
	targets := []string{"any", string(readWrite), string(readOnly), string(primaryOnly), string(standbyOnly), string(preferStandby)}
	switch {
	case text == "", text == "any":
		return "", nil
	case slices.Contains(targets, text):
		return target(text), nil
	}
	return "", fmt.Errorf("%s is not one of %s", targetParameter, strings.Join(targets, ", "))
}

// LeadsAnywhere reports whether the URL names several servers and does not say which of
// them to use, so that a connection may lead to a standby.
func (db *DB) LeadsAnywhere() bool { return db.core.anywhere }

// single reports whether at most one server fits at a time. If another server fits, the
// earlier one fits no longer.
func (t target) single() bool { return t == readWrite || t == primaryOnly }

// passes are what is looked for, one after the other.
func (t target) passes() []target {
	if t == preferStandby {
		return []target{standbyOnly, ""}
	}
	return []target{t}
}

// check is an error if the server of a new connection is not one to use.
func (t target) check(ctx context.Context, conn *pgdriver.Conn) error {
	if t == "" {
		return nil
	}
	standby, reads, err := roleOf(ctx, conn)
	if err != nil {
		return err
	}
	fits := map[target]bool{readWrite: !standby && !reads, readOnly: standby || reads, primaryOnly: !standby, standbyOnly: standby}
	if fits[t] {
		return nil
	}
	is := "a primary"
	switch {
	case standby:
		is = "a standby"
	case reads:
		is = "a primary with default_transaction_read_only on"
	}
	return fmt.Errorf("sqldb: the server is %s, and %s wants %s", is, targetParameter, t)
}

// roleOf asks a server whether it is a standby, and whether its transactions only read.
func roleOf(ctx context.Context, conn *pgdriver.Conn) (standby, reads bool, err error) {
	rows, err := conn.QueryContext(ctx, whatServerIs, nil)
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
