package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"trestle.example/internal/journal"
)

func passes(context.Context) error { return nil }

func panics(context.Context) error { panic("the password is secret") }

func fails(context.Context) error { return errors.New("dial tcp 10.0.0.1: password=secret") }

func TestHealth(t *testing.T) {
	t.Parallel()
	never := func(context.Context) error { <-t.Context().Done(); return nil } // even after its context ends
	for name, test := range map[string]struct {
		starting bool
		checks   []Check
		status   int
		says     string
	}{
		"without checks":           {false, nil, 200, `{"status":"ok"}`},
		"all checks pass":          {false, []Check{{Name: "database", Run: passes}}, 200, `{"status":"ok","checks":{"database":"ok"}}`},
		"a check fails":            {false, []Check{{Name: "database", Run: fails}, {Name: "disk", Run: passes}}, 503, `{"status":"failing","checks":{"database":"failing","disk":"ok"}}`},
		"a degrading check fails":  {false, []Check{{Name: "redis", Degrades: true, Run: fails}, {Name: "database", Run: passes}}, 200, `{"status":"degraded","checks":{"database":"ok","redis":"degraded"}}`},
		"both":                     {false, []Check{{Name: "redis", Degrades: true, Run: fails}, {Name: "database", Run: fails}}, 503, `{"status":"failing","checks":{"database":"failing","redis":"degraded"}}`},
		"a check panics":           {false, []Check{{Name: "database", Run: panics}, {Name: "disk", Run: passes}}, 503, `{"status":"failing","checks":{"database":"failing","disk":"ok"}}`},
		"a degrading check panics": {false, []Check{{Name: "redis", Degrades: true, Run: panics}}, 200, `{"status":"degraded","checks":{"redis":"degraded"}}`},
		"a check never ends":       {false, []Check{{Name: "database", Run: never}}, 503, `{"status":"failing","checks":{"database":"failing"}}`},
		"while it starts":          {true, []Check{{Name: "database", Run: fails}}, 503, `{"status":"starting","checks":{"database":"failing"}}`},
		"nearly started":           {true, []Check{{Name: "database", Run: passes}}, 503, `{"status":"starting","checks":{"database":"ok"}}`},
		"a start without checks":   {true, nil, 503, `{"status":"starting"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Options{Checks: test.checks}
			if test.starting {
				o.Starting = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
			}
			s := serving(t, said("good"), o)
			with := client(t)
			s.get(with, "GET /livez").is(t, http.StatusOK, `{"status":"ok"}`)
			got := s.get(with, "GET /readyz").is(t, test.status)
			if got.body != test.says || got.header.Get("Content-Type") != "application/json" || got.header.Get("Cache-Control") != "no-store" {
				t.Errorf("the answer is %s %v; want %s", got.body, got.header, test.says)
			}
			if head := s.get(with, "HEAD /readyz"); head.status != test.status || head.body != "" || head.header.Get("Content-Length") == "" {
				t.Errorf("HEAD is answered %d %q %v", head.status, head.body, head.header)
			}
			if test.starting {
				s.get(with, "GET /").is(t, http.StatusServiceUnavailable)
				s.Ready()
				s.Ready()
				s.get(with, "GET /").is(t, http.StatusOK, "good")
				if n := strings.Count(s.log.String(), "msg=serving"); n != 1 {
					t.Errorf("the log has %d lines with serving: %s", n, s.log)
				}
			}
		})
	}
}

func TestHealthAnswersOnlyGET(t *testing.T) {
	t.Parallel()
	s := serving(t, said("handler"), Options{})
	for _, path := range []string{"/livez", "/readyz"} {
		for _, method := range []string{"POST", "DELETE", "OPTIONS"} {
			if got := s.get(client(t), method+" "+path).is(t, http.StatusMethodNotAllowed); got.header.Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: Allow is %q", method, path, got.header.Get("Allow"))
			}
		}
	}
	for _, path := range []string{"/livez/", "/readyz/x", "/LIVEZ", "/api/livez"} {
		s.get(client(t), "GET "+path).is(t, http.StatusOK, "handler")
	}
}

// TestChecksAreShared: many requests, at once and one after the other, run a check once.
// The log reports each change, and only the log has the reason.
func TestChecksAreShared(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	let := make(chan struct{})
	s := serving(t, said(""), Options{Checks: []Check{{Name: "database", Run: func(ctx context.Context) error {
		asked.Add(1)
		<-let
		return fails(ctx)
	}}}})
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if got := s.get(client(t), "GET /readyz").is(t, http.StatusServiceUnavailable); strings.Contains(got.body, "secret") {
				t.Errorf("the answer has the reason: %s", got.body)
			}
		})
	}
	await(t, "the check", func() bool { return asked.Load() > 0 })
	close(let)
	all.Wait()
	if n := asked.Load(); n > 2 { // two, if a request arrived later than a second
		t.Errorf("it runs %d times", n)
	}
	if n := strings.Count(s.log.String(), "health fails"); n != 1 {
		t.Errorf("the log reports it %d times: %s", n, s.log)
	}
}

// TestALateCheck fails when it is late a second time in turn; any other error fails at
// once.
func TestALateCheck(t *testing.T) {
	t.Parallel()
	late, cut, away := context.DeadlineExceeded, fmt.Errorf("reading: %w", os.ErrDeadlineExceeded), errors.New("refused")
	for name, test := range map[string]struct {
		errs []error
		want string
	}{
		"once":               {[]error{nil, late, nil, late, nil}, "+++++"},
		"by its connection":  {[]error{nil, cut, nil}, "+++"},
		"twice":              {[]error{nil, late, cut, nil}, "++-+"},
		"from the beginning": {[]error{late, late, nil}, "--+"},
		"after a fault":      {[]error{nil, away, late}, "+--"},
		"a fault":            {[]error{nil, away, nil}, "+-+"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var next error
			h := newHealth([]Check{{Name: "database", Run: func(context.Context) error { return next }}}, slog.New(slog.DiscardHandler))
			var got strings.Builder
			for _, next = range test.errs {
				e := &examination{over: make(chan struct{}), state: stateOK, results: map[string]string{}}
				h.run(e)
				got.WriteString(map[string]string{stateOK: "+", stateFailing: "-"}[e.state])
			}
			if got.String() != test.want {
				t.Errorf("it is %s; want %s", got.String(), test.want)
			}
		})
	}
}

// TestAPanicInACheck is a failure. The log reports it once with its stack, until the
// check ends in another way.
func TestAPanicInACheck(t *testing.T) {
	t.Parallel()
	late := func(context.Context) error { panic(context.DeadlineExceeded) }
	for name, test := range map[string]struct {
		runs   []func(context.Context) error
		want   string
		stacks int
	}{
		"once":                      {[]func(context.Context) error{panics, passes}, "-+", 1},
		"again and again":           {[]func(context.Context) error{panics, panics, panics}, "---", 1},
		"and passes in between":     {[]func(context.Context) error{passes, panics, passes, panics}, "+-+-", 2},
		"and fails in between":      {[]func(context.Context) error{fails, panics, fails, panics}, "----", 2},
		"with a value that is late": {[]func(context.Context) error{passes, late}, "+-", 1},
		"because Run is nil":        {[]func(context.Context) error{nil}, "-", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, next := &journal.Journal{}, 0
			h := newHealth([]Check{{Name: "database", Run: func(ctx context.Context) error {
				next++
				return test.runs[next-1](ctx)
			}}}, slog.New(slog.NewTextHandler(log, nil)))
			var got strings.Builder
			for range test.runs {
				e := &examination{over: make(chan struct{}), state: stateOK, results: map[string]string{}}
				h.run(e)
				got.WriteString(map[string]string{stateOK: "+", stateFailing: "-"}[e.state])
			}
			if got.String() != test.want {
				t.Errorf("it is %s; want %s", got.String(), test.want)
			}
			told := strings.Count(log.String(), "level=ERROR msg=\"a check of the server's health panicked\" check=database")
			stacks := strings.Count(log.String(), "stack=\"goroutine ")
			if told != test.stacks || stacks != test.stacks || !strings.Contains(log.String(), "health_test.go:") {
				t.Errorf("the log reports it %d times, and the stack %d times; want %d: %s", told, stacks, test.stacks, log)
			}
		})
	}
}

// TestAPanicOfALateCheck, whose result is no longer awaited, ends nothing.
func TestAPanicOfALateCheck(t *testing.T) {
	t.Parallel()
	let := make(chan struct{})
	s := serving(t, said("good"), Options{Checks: []Check{{Name: "database", Run: func(ctx context.Context) error {
		<-let
		return panics(ctx)
	}}}})
	s.get(client(t), "GET /readyz").is(t, http.StatusServiceUnavailable, `{"status":"failing","checks":{"database":"failing"}}`)
	close(let)
	await(t, "the log", func() bool { return strings.Contains(s.log.String(), "health panicked") })
	s.get(client(t), "GET /").is(t, http.StatusOK, "good")
}
