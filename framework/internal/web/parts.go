package web

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/fair"
	"trestle.example/framework/internal/moving"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/internal/stream"
)

// A progress limits the time in which an answer that is sent in parts makes no progress. The
// end of its context has the cause [context.DeadlineExceeded] if that time has passed.
type progress struct {
	limit time.Duration
	timer *time.Timer
	stop  context.CancelCauseFunc
}

// prolong replaces the deadline of a request by a limit of the time without progress.
func (x *exchange) prolong(r *http.Request, limit time.Duration) *http.Request {
	ctx, stop := context.WithCancelCause(x.lasting)
	x.progress = &progress{limit, time.AfterFunc(limit, func() { stop(context.DeadlineExceeded) }), stop}
	return x.become(withValues(ctx, moving.Now(x.Context)), r)
}

// made records progress.
func (p *progress) made() {
	if p.timer.Stop() { // otherwise the time has passed, or pause was called
		p.timer.Reset(p.limit)
	}
}

// pause removes the limit.
func (p *progress) pause() { p.timer.Stop() }

// end ends the context.
func (p *progress) end() {
	p.pause()
	p.stop(context.Canceled)
}

// sendParts sends an answer in parts, and reports the outcome to the observers and to the log. If
// the answer is not complete, it closes the connection by a panic with [http.ErrAbortHandler]. If
// nothing was sent, it only sets x.failed and returns false, so that the error can be the answer.
func (s *server) sendParts(w http.ResponseWriter, r *http.Request, x *exchange, a *stream.Answer) (sent bool) {
	forbidStoring(w.Header())
	s.api.Vary(w.Header()) // of an error in a part
	fair.Last(x)
	state.Of(x.Call).Header = w.Header().Clone() // the iterator must not change headers that another goroutine may send
	if a.Waits() {
		x.progress.pause()
	}
	before := x.observation.bytes
	out := a.Send(stream.Options{
		Writer: w, Request: r, Wait: x.progress.limit, Progress: x.progress.made,
		Stop: func() { x.progress.stop(context.Canceled) }, Disconnected: x.hungUp,
		Problem: func(err error) []byte {
			_, body := s.api.Shape(x.Call, s.api.Restated(access.AsError(err)))
			return body
		},
	})
	if out.Status == 0 {
		x.failed = cmp.Or(out.Err, context.Canceled)
		return false
	}
	x.written, x.gone = x.observation.bytes-before, out.Unread
	status := out.Status
	if out.Err != nil {
		status = http.StatusInternalServerError // for the log and the observers
	}
	s.finish(x, r, status, out.Err)
	if out.Cut {
		panic(http.ErrAbortHandler)
	}
	return true
}
