package pool

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// Slotted lets the queries that bun builds wait for slots, as those of a Session do.
// It implements [bun.ConnResolver] and [bun.IConn].
type Slotted struct{ Pool *Pool }

// ResolveConn implements [bun.ConnResolver].
func (s Slotted) ResolveConn(context.Context, bun.Query) bun.IConn { return s }

// Close implements [bun.ConnResolver].
func (s Slotted) Close() error { return nil }

// QueryContext implements [bun.IConn].
func (s Slotted) QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	return s.Pool.Query(ctx, text, args...)
}

// ExecContext implements [bun.IConn].
func (s Slotted) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	return s.Pool.Exec(ctx, text, args...)
}

// QueryRowContext implements [bun.IConn].
func (s Slotted) QueryRowContext(ctx context.Context, text string, args ...any) (row *sql.Row) {
	turn, err := s.Pool.acquire(ctx, sqltext.IsWrite(text))
	if err != nil {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		return s.Pool.bun.DB.QueryRowContext(failed{ended, err}, text, args...)
	}
	defer func() {
		if row == nil || row.Err() != nil {
			turn.End()
		}
	}()
	return s.Pool.bun.DB.QueryRowContext(connection.WithTurn(ctx, turn), text, args...)
}

// failed is a context that ended with an error. database/sql puts that error into a
// [sql.Row].
type failed struct {
	context.Context

	err error
}

// Err implements [context.Context].
func (f failed) Err() error { return f.err }
