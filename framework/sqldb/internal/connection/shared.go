package connection

import (
	"context"
	"database/sql/driver"
	"sync/atomic"
	"time"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/sqldb/internal/dialect"
	"trestle.example/framework/sqldb/internal/postgres"
)

// Options are what the connections of one pool have in common.
type Options struct {
	Kind             dialect.Kind
	StatementTimeout time.Duration // ends a statement that runs for longer
	Statements       int           // how many prepared statements a connection keeps
	NoPrepare        bool          // on PostgreSQL, statements are sent as text
	SetsLocally      bool          // on PostgreSQL, each transaction makes the settings of its session
	ReadOnly         bool          // on PostgreSQL, each transaction is READ ONLY; needs SetsLocally

	// Report is called after each statement, BEGIN, COMMIT and ROLLBACK. If rows are read one
	// by one, it is called after the first row. It may be nil.
	Report func(ctx context.Context, s Statement)
	// Runs records the connections to a replica. It is nil for the primary.
	Runs Runs
}

// A Statement is what Options.Report gets about a statement.
type Statement struct {
	Text    string
	Args    []driver.NamedValue
	Start   time.Time
	Err     error
	Control bool // it is BEGIN, COMMIT or ROLLBACK
}

// Runs stores to which run of a server the latest connection leads. A restart begins a new
// run: after it, a server may for a short time lack data that it had before. Runs is safe for
// concurrent use.
type Runs interface {
	// Connected records that a connection was made, and to which run.
	Connected(run string)
	// IsLatest reports whether the latest connection leads to this run.
	IsLatest(run string) bool
}

// Shared is what the connections of one pool share. It is safe for concurrent use.
type Shared struct {
	options    Options
	server     *postgres.Server // nil for SQLite, and for acquired connections
	acquires   bool             // the connections belong to a pool of the program
	generation atomic.Uint64    // raised when prepared statements went stale
}

// Renew makes each connection prepare its statements again, because the schema has changed.
func (s *Shared) Renew() { s.generation.Add(1) }

func (s *Shared) report(ctx context.Context, text string, args []driver.NamedValue, start time.Time, err error, control bool) {
	if s.options.Report != nil {
		s.options.Report(ctx, Statement{text, args, start, err, control})
	}
}

// Deadline gives a context without a deadline one after StatementTimeout, unless the context
// is [Unlimited]. On PostgreSQL it adds a second: the server then ends the statement first,
// and the connection stays open.
func (s *Shared) Deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok || ctx.Value(unlimitedKey{}) != nil {
		return ctx, func() {}
	}
	limit := s.options.StatementTimeout
	if s.options.Kind == dialect.PostgreSQL {
		limit += time.Second
	}
	return context.WithTimeout(ctx, limit)
}

// limited ends a context after StatementTimeout, or at its own deadline if that is
// sooner. An [Unlimited] context has only its own deadline. limited is for SQLite, which has
// no statement_timeout.
func (s *Shared) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := s.options.StatementTimeout
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= limit || ctx.Value(unlimitedKey{}) != nil {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, limit)
}

// unlimitedKey marks the context of [Unlimited].
type unlimitedKey struct{}

// Unlimited returns a context whose statements this program does not limit. The deadline of
// ctx still holds, and so does the statement_timeout of PostgreSQL.
func Unlimited(ctx context.Context) context.Context {
	return context.WithValue(ctx, unlimitedKey{}, true)
}

// preparedKey marks the context of a statement that is to be prepared though it has no
// arguments.
type preparedKey struct{}

// Prepare returns a context whose statements are prepared, also those without arguments. It
// has no effect on PostgreSQL with NoPrepare.
func Prepare(ctx context.Context) context.Context {
	return context.WithValue(ctx, preparedKey{}, true)
}

// Unprepare undoes [Prepare].
func Unprepare(ctx context.Context) context.Context {
	return context.WithValue(ctx, preparedKey{}, nil)
}

// turnKey finds the turn of a query in its context.
type turnKey struct{}

// WithTurn returns the context of a query that ends a turn when its rows are closed.
func WithTurn(ctx context.Context, turn *fair.Turn) context.Context {
	return context.WithValue(ctx, turnKey{}, turn)
}
