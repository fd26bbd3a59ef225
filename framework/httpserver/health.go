package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// The paths that health answers.
const (
	livePath  = "/livez"
	readyPath = "/readyz"
)

// IsHealthPath reports whether a [Server] answers requests for a path itself, whatever its handler is.
func IsHealthPath(path string) bool { return path == livePath || path == readyPath }

// A Check tests something that the server needs, such as its database.
type Check struct {
	// Name identifies the check in the answer of /readyz: "database". Use each name once.
	Name string
	// Degrades means that the server stays ready if only such checks fail: /readyz is 200
	// with the status "degraded". Defaults to false.
	Degrades bool
	// Run runs the check. After one second its context ends, and the check is late. A late
	// check counts as passed if it passed in time at the last run; otherwise it failed. A
	// check that panics failed. The error is logged when the check begins to fail, and is
	// never sent.
	Run func(context.Context) error
}

const (
	checkLimit = time.Second // the time limit of one check
	checkAge   = time.Second // how long results are reused
)

// The states of a server, and the outcomes of checks.
const (
	stateOK       = "ok"
	stateStarting = "starting"
	stateStopping = "stopping"
	stateDegraded = "degraded"
	stateFailing  = "failing"
)

// health answers /livez and /readyz.
type health struct {
	checks []Check
	log    *slog.Logger
	state  atomic.Pointer[string]

	mu       sync.Mutex
	last     *examination
	failing  map[string]bool
	passed   map[string]bool // checks that passed in time at the last run
	panicked map[string]bool // checks that panicked at the last run
}

// An examination is one run of all checks, which several callers may share.
type examination struct {
	over    chan struct{}
	at      time.Time // when it ended
	state   string
	results map[string]string
}

// A report is the body of an answer.
type report struct {
	Status string            `json:"status"`
	Checks map[string]string `json:"checks,omitempty"`
}

func newHealth(checks []Check, log *slog.Logger) *health {
	h := &health{checks: checks, log: log, failing: map[string]bool{}, passed: map[string]bool{}, panicked: map[string]bool{}}
	h.setState(stateStarting)
	return h
}

func (h *health) setState(state string) { h.state.Store(&state) }

func (h *health) is(state string) bool { return *h.state.Load() == state }

// serve answers /livez and /readyz. It returns false for other paths.
func (h *health) serve(w http.ResponseWriter, r *http.Request) bool {
	if !IsHealthPath(r.URL.Path) {
		return false
	}
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		problem(w, http.StatusMethodNotAllowed, "method_not_allowed", "This path takes GET.")
	case r.URL.Path == livePath:
		answer(w, http.StatusOK, "application/json", report{Status: stateOK})
	default:
		status, said := h.ready()
		answer(w, status, "application/json", said)
	}
	return true
}

// ready returns the status and the body of /readyz. A server that stops runs no check.
func (h *health) ready() (int, report) {
	if h.is(stateStopping) {
		return http.StatusServiceUnavailable, report{Status: stateStopping}
	}
	found := h.examine()
	said := report{Status: found.state, Checks: found.results}
	if state := *h.state.Load(); state != stateOK {
		said.Status = state
	}
	if said.Status == stateOK || said.Status == stateDegraded {
		return http.StatusOK, said
	}
	return http.StatusServiceUnavailable, said
}

// examine returns the examination under way, one that ended less than checkAge ago, or a new
// one. It waits until the examination is over. It does not use the context of a request, so no
// client can end it for others.
func (h *health) examine() *examination {
	h.mu.Lock()
	e := h.last
	if e == nil || e.isOver() && time.Since(e.at) >= checkAge {
		e = &examination{over: make(chan struct{}), state: stateOK, results: map[string]string{}}
		h.last = e
		go h.run(e)
	}
	h.mu.Unlock()
	<-e.over
	return e
}

func (e *examination) isOver() bool {
	select {
	case <-e.over:
		return true
	default:
		return false
	}
}

// run runs all checks at once.
func (h *health) run(e *examination) {
	errs := make([]error, len(h.checks))
	var all sync.WaitGroup
	for i, c := range h.checks {
		all.Go(func() { errs[i] = h.runLimited(c) })
	}
	all.Wait()
	for i, c := range h.checks {
		err := h.judge(c, errs[i])
		e.results[c.Name] = c.outcome(err)
		if e.results[c.Name] == stateFailing || e.state == stateOK {
			e.state = e.results[c.Name]
		}
		h.note(c, err)
	}
	e.at = time.Now()
	close(e.over)
}

// judge returns the error of a check. If the check is late and passed in time at the last run,
// it returns nil, because the service may only be busy. It needs no lock: one examination runs
// at a time.
func (h *health) judge(c Check, err error) error {
	before := h.passed[c.Name]
	h.passed[c.Name] = err == nil
	late := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) // the deadline of a connection
	if before && late {
		return nil
	}
	return err
}

// runLimited runs a check for at most checkLimit. It does not wait for a check that ignores its
// context.
func (h *health) runLimited(c Check) error {
	ctx, cancel := context.WithTimeout(context.Background(), checkLimit)
	defer cancel()
	asked := make(chan error, 1)
	go func() { asked <- h.runProtected(ctx, c) }()
	select {
	case err := <-asked:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// runProtected runs a check and turns a panic, which would end the process, into an error.
// That error never counts as late.
func (h *health) runProtected(ctx context.Context, c Check) (err error) {
	defer func() {
		p := recover()
		if p != nil {
			err = fmt.Errorf("the check panicked: %v", p)
		}
		h.notePanic(c, p)
	}()
	return c.Run(ctx)
}

// notePanic logs a panic with its stack, unless the check panicked at its last run, too. It
// needs the lock, because a late run may end while the next run of the check is under way.
func (h *health) notePanic(c Check, p any) {
	h.mu.Lock()
	news := p != nil && !h.panicked[c.Name]
	h.panicked[c.Name] = p != nil
	h.mu.Unlock()
	if news {
		h.log.Error("a check of the server's health panicked", "check", c.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	}
}

func (c Check) outcome(err error) string {
	switch {
	case err == nil:
		return stateOK
	case c.Degrades:
		return stateDegraded
	}
	return stateFailing
}

// note logs a check that begins to fail or passes again. It needs no lock: one examination runs
// at a time.
func (h *health) note(c Check, err error) {
	if news := (err != nil) != h.failing[c.Name]; !news {
		return
	}
	h.failing[c.Name] = err != nil
	if err != nil {
		h.log.Warn("a check of the server's health fails", "check", c.Name, "error", err)
	} else {
		h.log.Info("a check of the server's health passes again", "check", c.Name)
	}
}
