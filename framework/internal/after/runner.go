package after

import (
	"context"
	"log/slog"
	"sync"

	"trestle.example/framework/internal/fault"
)

// A Function is what a call runs after its commit.
type Function func(ctx context.Context) error

// A Runner runs the functions of one API. It is safe for concurrent use.
type Runner struct {
	log  *slog.Logger
	ctx  context.Context // of all functions; ends with Close
	stop context.CancelFunc

	mu      sync.Mutex
	running int
	idle    chan struct{} // closed while nothing runs
}

// NewRunner makes a runner that logs the errors of functions.
func NewRunner(log *slog.Logger) *Runner {
	r := &Runner{log: log, idle: make(chan struct{})}
	close(r.idle)
	r.ctx, r.stop = context.WithCancel(context.Background())
	return r
}

// Start runs functions in a goroutine of their own, one after another, and returns at once. Their
// context has the values of ctx, and ends when Close returns. Start logs each error and each panic
// with the id of the request. A function that has not begun when Close returns does not run, which
// Start logs too.
func (r *Runner) Start(ctx context.Context, id string, fns ...Function) {
	if len(fns) == 0 {
		return
	}
	r.begin()
	go func() {
		defer r.end()
		lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(r.ctx, cancel)()
		for i, fn := range fns {
			if r.ctx.Err() != nil {
				r.log.ErrorContext(lasting, "functions after a commit did not run, because the server stops", "id", id, "functions", len(fns)-i)
				return
			}
			if err := protect(lasting, fn); err != nil {
				r.log.ErrorContext(lasting, "a function after a commit failed", "id", id, "error", err)
			}
		}
	}()
}

// Close waits until no function runs, or until ctx ends, whose error it returns. Then it ends the
// context of all functions.
func (r *Runner) Close(ctx context.Context) error {
	defer r.stop()
	return r.Wait(ctx)
}

// Wait waits until no function runs, or until ctx ends, whose error it returns.
func (r *Runner) Wait(ctx context.Context) error {
	r.mu.Lock()
	idle := r.idle
	r.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *Runner) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running == 0 {
		r.idle = make(chan struct{})
	}
	r.running++
}

func (r *Runner) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running--; r.running == 0 {
		close(r.idle)
	}
}

// protect runs a function, and returns a panic as an error: it would end the process.
func protect(ctx context.Context, fn Function) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Panicked(p)
		}
	}()
	return fn(ctx)
}
