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
	// Depth is how many jobs may wait or pause. Defaults to DefaultDepth, 1000.
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
// call Put after the commit. A job that fails runs up to three times; in the pauses between, other
// jobs run. An error that wraps [ErrPermanent] and a panic end it at once. Jobs are in memory:
// those that wait when the process is killed are lost. It is safe for concurrent use.
type Outbox struct {
	options OutboxOptions

	mu      sync.Mutex
	waiting []attempt
	pausing int           // jobs that failed and will run again
	working bool          // a goroutine runs the jobs that wait
	idle    chan struct{} // closed while no job runs, waits or pauses
	ctx     context.Context
	stop    context.CancelFunc
}

// An attempt is a job that has failed a number of times.
type attempt struct {
	job    Job
	failed int
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
	if b.ctx.Err() != nil || len(b.waiting)+b.pausing >= b.options.Depth {
		return false
	}
	if !b.working && b.pausing == 0 {
		b.idle = make(chan struct{})
	}
	b.add(attempt{job: job})
	return true
}

// add lets a job wait for its turn. The caller holds the mutex.
func (b *Outbox) add(a attempt) {
	b.waiting = append(b.waiting, a)
	if !b.working {
		b.working = true
		go b.work()
	}
}

// Wait waits until no job runs, waits or pauses, or until ctx ends, whose error it returns.
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
// and drops those that wait or pause. Report receives how many it dropped.
func (b *Outbox) Close(ctx context.Context) error {
	defer b.stop()
	return b.Wait(ctx)
}

// work runs jobs until none waits or the outbox is closed. Then it drops and reports those that
// wait.
func (b *Outbox) work() {
	for {
		next, ok := b.next()
		if !ok {
			return
		}
		err := b.once(next.job)
		next.failed++
		switch {
		case err == nil:
		case errors.Is(err, ErrPermanent) || next.failed == attempts || b.ctx.Err() != nil:
			b.options.Report(err)
		default:
			b.pause(next)
		}
	}
}

// next returns the first job that waits. If none waits, or the outbox was closed, it ends the work
// and returns false.
func (b *Outbox) next() (first attempt, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) > 0 && b.ctx.Err() == nil {
		first, b.waiting = b.waiting[0], b.waiting[1:]
		return first, true
	}
	if dropped := len(b.waiting); dropped > 0 {
		b.options.Report(fmt.Errorf("mail: %d messages were not sent, because the server stopped", dropped))
	}
	b.waiting, b.working = nil, false
	if b.pausing == 0 {
		close(b.idle)
	}
	return attempt{}, false
}

// pause lets a failed job wait for its turn again after its pause, or when the outbox is closed.
func (b *Outbox) pause(a attempt) {
	b.mu.Lock()
	b.pausing++
	b.mu.Unlock()
	go func() {
		timer := time.NewTimer(b.options.Pause(a.failed))
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-b.ctx.Done():
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.pausing--
		b.add(a)
	}()
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
