package mail

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// DefaultDepth is how many jobs of an [Outbox] may wait, unless OutboxOptions.Depth is set.
	DefaultDepth = 1000
	// DefaultTimeout is how long one attempt of a job of an [Outbox] may take, unless
	// OutboxOptions.Timeout is set.
	DefaultTimeout = 30 * time.Second

	attempts = 3
)

// A Job makes and sends messages. It may run again after an error that does not wrap
// [ErrPermanent].
type Job func(ctx context.Context) error

// OutboxOptions are the settings of [NewOutbox].
type OutboxOptions struct {
	// Depth is how many jobs may wait. Defaults to DefaultDepth, 1000.
	Depth int
	// Timeout is how long one attempt may take. Defaults to DefaultTimeout, 30 s.
	Timeout time.Duration
	// Pause returns how long to wait after failed attempts, the first being 1. The wait ends
	// early if the context of the outbox ends. Defaults to 2 s and 20 s.
	Pause func(failed int) time.Duration
	// Report receives the error of the last attempt of a job, the panic of a job as an error, and an
	// error with the number of jobs that [Outbox.Close] dropped. It must not use the Outbox. Defaults
	// to none.
	Report func(error)
}

// An Outbox runs jobs in the order of [Outbox.Put], one at a time, beside the requests. So neither
// the answer nor its time depends on what a job does. A job may begin before its request ends:
// call Put after the commit. A job that fails runs up to three times; an error that wraps
// [ErrPermanent] and a panic end it at once. Jobs are in memory: those that wait when the process
// is killed are lost. It is safe for concurrent use.
type Outbox struct {
	options OutboxOptions

	mu      sync.Mutex
	waiting []Job
	idle    chan struct{} // closed while no job runs or waits
	ctx     context.Context
	stop    context.CancelFunc
}

// NewOutbox returns an outbox with the options o.
func NewOutbox(o OutboxOptions) *Outbox {
	if o.Depth <= 0 {
		o.Depth = DefaultDepth
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Pause == nil {
		o.Pause = func(failed int) time.Duration { return []time.Duration{2 * time.Second, 20 * time.Second}[failed-1] }
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	b := &Outbox{options: o, idle: make(chan struct{})}
	close(b.idle)
	b.ctx, b.stop = context.WithCancel(context.Background())
	return b
}

// Put adds a job and returns at once. It returns false if too many jobs wait or the outbox was
// closed; then the job never runs.
func (b *Outbox) Put(job Job) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx.Err() != nil || len(b.waiting) >= b.options.Depth {
		return false
	}
	b.waiting = append(b.waiting, job)
	select {
	case <-b.idle: // no worker runs
		b.idle = make(chan struct{})
		go b.work()
	default:
	}
	return true
}

// Wait waits until no job runs or waits, or until ctx ends, whose error it returns.
func (b *Outbox) Wait(ctx context.Context) error {
	b.mu.Lock()
	idle := b.idle
	b.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close waits as [Outbox.Wait] does, and returns its error. Then it cancels the job that runs
// and drops those that wait. Report receives how many it dropped.
func (b *Outbox) Close(ctx context.Context) error {
	defer b.stop()
	return b.Wait(ctx)
}

// work runs jobs until none waits or the outbox is closed. Then it drops and reports those that
// wait.
func (b *Outbox) work() {
	for {
		b.mu.Lock()
		if len(b.waiting) == 0 || b.ctx.Err() != nil {
			if dropped := len(b.waiting); dropped > 0 {
				b.options.Report(fmt.Errorf("mail: %d messages were not sent, because the server stopped", dropped))
			}
			b.waiting = nil
			close(b.idle)
			b.mu.Unlock()
			return
		}
		job := b.waiting[0]
		b.waiting = b.waiting[1:]
		b.mu.Unlock()
		if err := b.try(job); err != nil {
			b.options.Report(err)
		}
	}
}

// try runs a job up to three times, and returns the last error.
func (b *Outbox) try(job Job) (err error) {
	for failed := 1; ; failed++ {
		if err = b.once(job); err == nil || errors.Is(err, ErrPermanent) || failed == attempts {
			return err
		}
		timer := time.NewTimer(b.options.Pause(failed))
		select {
		case <-timer.C:
		case <-b.ctx.Done():
			timer.Stop()
			return err
		}
	}
}

// once runs a job, and turns a panic into a permanent error.
func (b *Outbox) once(job Job) (err error) {
	ctx, cancel := context.WithTimeout(b.ctx, b.options.Timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("mail: %w: a job panicked: %v\n%s", ErrPermanent, p, debug.Stack())
		}
	}()
	return job(ctx)
}
