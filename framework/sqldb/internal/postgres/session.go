package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"
)

// setSession makes the settings of a new session: the time zone, which is UTC unless the URL
// has one, the other settings of the URL, and time limits for statements and for waits for
// locks. It makes the server check ten times a second whether the client disconnected, if the
// server can. If a pooler is between, or with NoPrepare, it sets only the time zone, which
// poolers keep for each of their clients, and what the URL demands. With SetsLocally it sets
// nothing, but finds out whether the server can do the check.
func (p *Server) setSession(ctx context.Context, conn *pgdriver.Conn) error {
	local := p.options.SetsLocally
	if !local {
		direct, err := p.setOwn(ctx, conn)
		if err != nil || !direct {
			return err
		}
	}
	_, err := set(ctx, conn, noticeLeaving, local, "")
	_, unknown := errors.AsType[pgdriver.Error](err) // compatible databases may not have it
	p.notices.Store(err == nil)
	if unknown {
		return nil
	}
	return err
}

// setOwn makes all settings of a session that no pooler gives to other clients later. For any
// other session it makes those that the URL demands, and returns false.
func (p *Server) setOwn(ctx context.Context, conn *pgdriver.Conn) (direct bool, err error) {
	if !p.options.NoPrepare {
		if direct, err = set(ctx, conn, p.settings, false, onlyDirect(conn)); err != nil || direct {
			return direct, err
		}
	}
	_, err = set(ctx, conn, withZone(p.at.Settings), false, "")
	return false, err
}

// noticeLeaving makes PostgreSQL check every 100 ms whether the client disconnected.
var noticeLeaving = map[string]string{"client_connection_check_interval": "100"}

// ownSettings returns the settings of a session, without the default time zone.
func (p *Server) ownSettings() map[string]string {
	all := map[string]string{
		"statement_timeout": milliseconds(p.options.StatementTimeout), "lock_timeout": milliseconds(p.options.LockTimeout),
	}
	if p.options.Replica {
		all["default_transaction_read_only"] = "on"
	}
	maps.Copy(all, p.at.Settings)
	return all
}

func withZone(settings map[string]string) map[string]string {
	all := map[string]string{"timezone": "UTC"}
	maps.Copy(all, settings)
	return all
}

// onlyDirect is the condition that no pooler is between. A pooler has another port than the
// client, or none, and gives it another process number than PostgreSQL has. It gives the session
// to other clients later.
func onlyDirect(conn *pgdriver.Conn) string {
	return fmt.Sprintf(" WHERE inet_client_port() = %d OR pg_backend_pid() = %d", LocalPort(conn), ProcessID(conn))
}

// set sets settings in one statement, for the session or for the transaction alone. It sets
// nothing and returns false if the condition where is given and does not hold.
func set(ctx context.Context, conn driver.ExecerContext, settings map[string]string, local bool, where string) (made bool, err error) {
	var calls []string
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		value := strings.ReplaceAll(settings[name], "'", "''") // standard_conforming_strings is on
		calls = append(calls, fmt.Sprintf("set_config('%s', '%s', %t)", name, value, local))
	}
	result, err := conn.ExecContext(ctx, "SELECT "+strings.Join(calls, ", ")+where, nil)
	if err != nil {
		return false, err
	}
	rows, err := result.RowsAffected()
	return rows > 0, err
}

// milliseconds returns a limit for PostgreSQL, at least 1, because 0 would mean no limit.
func milliseconds(limit time.Duration) string {
	return strconv.FormatInt(max(limit.Milliseconds(), 1), 10)
}

// SetLocally sets the settings of a session for the transaction of a connection alone.
func (p *Server) SetLocally(ctx context.Context, conn driver.ExecerContext) error {
	settings := maps.Clone(p.settings)
	if p.notices.Load() {
		maps.Copy(settings, noticeLeaving)
	}
	_, err := set(ctx, conn, settings, true, "")
	return err
}
