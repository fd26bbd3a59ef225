package tracing

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"sync"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// A sender sends spans. If that fails, the spans are lost, and the log reports it at most
// once a minute.
type sender struct {
	sdktrace.SpanExporter

	stopped context.Context // ends all sends when it ends
	stop    context.CancelFunc
	over    chan struct{} // closed when no more spans will be sent
	once    sync.Once
	log     *slog.Logger
	now     func() time.Time

	mu     sync.Mutex
	logged time.Time // when the last log line was written
	lost   int       // spans lost since then
}

// logInterval is the minimum time between two log lines.
const logInterval = time.Minute

func newSender(to sdktrace.SpanExporter, log *slog.Logger) *sender {
	s := &sender{SpanExporter: to, over: make(chan struct{}), log: log, now: time.Now}
	s.stopped, s.stop = context.WithCancel(context.Background())
	return s
}

// ExportSpans implements [sdktrace.SpanExporter]. It always returns nil: spans that cannot
// be sent are counted as lost.
func (s *sender) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := s.stopped.Err(); err != nil {
		s.countLost(len(spans), err)
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.stopped, cancel)()
	if err := s.SpanExporter.ExportSpans(ctx, spans); err != nil {
		s.countLost(len(spans), err)
	}
	return nil
}

// Shutdown implements [sdktrace.SpanExporter]. It is called when no more spans will be
// sent.
func (s *sender) Shutdown(ctx context.Context) error {
	defer s.once.Do(func() { close(s.over) })
	return s.SpanExporter.Shutdown(ctx)
}

// giveUp cancels all sends and waits for the call of Shutdown, after which no more spans are
// sent.
func (s *sender) giveUp() {
	s.stop()
	<-s.over
}

// countLost counts lost spans. It logs them, together with earlier ones that were not logged
// yet, unless the last line is newer than logInterval.
func (s *sender) countLost(spans int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost += spans
	if now := s.now(); now.Sub(s.logged) >= logInterval {
		s.log.Warn("spans were lost: the collector of traces cannot be reached or rejects them", "spans", s.lost, "error", shorten(err))
		s.logged, s.lost = now, 0
	}
}

// shorten returns the text of an error for the log. If a request failed, it is the cause without
// the URL. Any other text is cut to 200 characters: it may be a long page from a server that is
// not a collector.
func shorten(err error) string {
	if wrong, ok := errors.AsType[*url.Error](err); ok {
		return wrong.Err.Error()
	}
	const most = 200
	if text := []rune(err.Error()); len(text) > most {
		return string(text[:most]) + "..."
	}
	return err.Error()
}
