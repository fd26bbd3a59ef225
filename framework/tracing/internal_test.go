package tracing

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"trestle.example/framework/sqldb"
)

// broken is a collector that fails.
type broken struct{}

func (broken) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error {
	return errors.New("it is away\nlevel=ERROR")
}
func (broken) Shutdown(context.Context) error { return nil }

// TestLostSpansAreLoggedOnceAMinute: the log counts all lost spans, in at most one line a minute.
func TestLostSpansAreLoggedOnceAMinute(t *testing.T) {
	var log strings.Builder
	s := newSender(broken{}, slog.New(slog.NewTextHandler(&log, nil)))
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	s.now = func() time.Time { return now }
	for _, step := range []struct {
		after time.Duration
		lines int
		last  string
	}{
		{0, 1, "spans=2"}, {time.Second, 1, ""}, {58 * time.Second, 1, ""}, {time.Second, 2, "spans=6"}, {59 * time.Second, 2, ""}, {time.Hour, 3, "spans=4"},
	} {
		now = now.Add(step.after)
		if err := s.ExportSpans(t.Context(), make([]sdktrace.ReadOnlySpan, 2)); err != nil {
			t.Errorf("ExportSpans returns %v", err)
		}
		if said := log.String(); strings.Count(said, "\n") != step.lines || !strings.Contains(said, step.last) {
			t.Errorf("at %s the log is %s; want %d lines, %s", now, said, step.lines, step.last)
		}
	}
}

func TestTextsOfStatements(t *testing.T) {
	some := []any{"value"}
	for name, test := range map[string]struct {
		sql  string
		args []any
		want string
	}{
		"parameters of PostgreSQL":    {`SELECT "a" FROM "t" WHERE "b" = $1 AND c = $12`, some, `SELECT "a" FROM "t" WHERE "b" = $1 AND c = $12`},
		"parameters of SQLite":        {`UPDATE t SET a = ?1 WHERE b = ?`, some, `UPDATE t SET a = ?1 WHERE b = ?`},
		"no parameters":               {`SELECT 1 FROM t`, nil, ``},
		"a number":                    {`SELECT a FROM t2 WHERE b = 4711 LIMIT 20`, some, `SELECT a FROM t2 WHERE b = ? LIMIT ?`},
		"numbers of other forms":      {`VALUES (1.5, -2, 3e10, 0xFF, .5)`, some, `VALUES (?.?, -?, ?, ?, .?)`},
		"a text":                      {`SELECT 'canary', $1`, some, `SELECT ?, $1`},
		"a text with quotes in it":    {`SELECT 'it''s "canary"', $1`, some, `SELECT ??, $1`},
		"an empty text":               {`SELECT '' || $1`, some, `SELECT ? || $1`},
		"a name with a quote in it":   {`SELECT "it's" FROM t WHERE a = $1`, some, `SELECT "it's" FROM t WHERE a = $1`},
		"a name with digits":          {`SELECT a1, _2, "3" FROM t`, some, `SELECT a1, _2, "3" FROM t`},
		"letters that are not ASCII":  {`SELECT größe FROM t WHERE a = 5`, some, `SELECT größe FROM t WHERE a = ?`},
		"quotes that do not end":      {`SELECT 'canary`, some, ``},
		"a text with escapes":         {`SELECT E'it\'s canary', $1`, some, ``},
		"a text in dollars":           {`SELECT $$canary$$, $1`, some, ``},
		"a text in dollars and a tag": {`SELECT $a$canary$a$, $1`, some, ``},
		"a comment":                   {`SELECT $1 -- canary`, some, ``},
		"a comment in the middle":     {`SELECT /* canary */ $1`, some, ``},
		"a long statement":            {strings.Repeat("a ", 5000), some, strings.Repeat("a ", textMost/2)},
	} {
		t.Run(name, func(t *testing.T) {
			if got := withoutValues(sqldb.Event{SQL: test.sql, Args: test.args}); got != test.want {
				t.Errorf("%s; want %s", got, test.want)
			}
		})
	}
}

// TestAnUntrustedClientDoesNotChooseTheRatio: for an untrusted client, the ids that a ratio always keeps
// and never keeps are both kept sometimes.
func TestAnUntrustedClientDoesNotChooseTheRatio(t *testing.T) {
	inner, err := samplerOf("traceidratio", "0.5")
	if err != nil {
		t.Fatal(err)
	}
	sampler := newRequestSampler(inner)
	for _, half := range []uint64{0, 1<<64 - 1} {
		id := trace.TraceID{1}
		binary.BigEndian.PutUint64(id[8:], half)
		parent := trace.NewSpanContext(trace.SpanContextConfig{TraceID: id, SpanID: trace.SpanID{1}, Remote: true})
		theirs := trace.ContextWithSpanContext(t.Context(), parent)
		decisions := func(ctx context.Context) map[sdktrace.SamplingDecision]int {
			made := map[sdktrace.SamplingDecision]int{}
			for range 1000 {
				made[sampler.ShouldSample(sdktrace.SamplingParameters{ParentContext: ctx, TraceID: id}).Decision]++
			}
			return made
		}
		if got := decisions(context.WithValue(theirs, untrustedKey{}, true)); len(got) != 2 { // one in 2^999 fails by chance
			t.Errorf("a trace %s of an untrusted client has the decisions %v", id, got)
		}
		if got := decisions(theirs); len(got) != 1 {
			t.Errorf("a trace %s of a trusted proxy has the decisions %v", id, got)
		}
	}
}
