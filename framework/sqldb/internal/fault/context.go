package fault

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"
)

// IsOver reports whether a context has ended or its deadline has passed. A socket has the same
// deadline, and may report it before the context ends.
func IsOver(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return ctx.Err() != nil || limited && !time.Now().Before(deadline)
}

// EndOf returns the error of a context that is over, or [context.DeadlineExceeded] if only
// its deadline has passed.
func EndOf(ctx context.Context) error { return cmp.Or(ctx.Err(), context.DeadlineExceeded) }

// LogPanic recovers from a panic and logs it with its stack. It must be deferred. It is for
// functions of the program that are called in the middle of a statement: a panic there would
// keep a transaction locked.
func LogPanic(ctx context.Context) {
	if p := recover(); p != nil {
		slog.ErrorContext(ctx, "sqldb: a function that observes the database panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	}
}
