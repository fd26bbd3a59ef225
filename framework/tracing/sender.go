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

// A sender sends spans and takes it calmly where that fails: they are lost, and
// the log says so now and then.
type sender struct {
	sdktrace.SpanExporter

	stopped context.Context // its end is that of all that is being sent
	stop    context.CancelFunc
	over    chan struct{} // closed when nothing more will be sent
	once    sync.Once
	log     *slog.Logger
	now     func() time.Time

	mu   sync.Mutex
	told time.Time // when the log was
	lost int       // since then
}

// quiet is how long the log is spared after it was told.
const quiet = time.Minute

func newSender(to sdktrace.SpanExporter, log *slog.Logger) *sender {
	s := &sender{SpanExporter: to, over: make(chan struct{}), log: log, now: time.Now}
	s.stopped, s.stop = context.WithCancel(context.Background())
	return s
}

// ExportSpans implements [sdktrace.SpanExporter].
func (s *sender) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := s.stopped.Err(); err != nil {
		s.loses(len(spans), err)
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.stopped, cancel)()
	if err := s.SpanExporter.ExportSpans(ctx, spans); err != nil {
		s.loses(len(spans), err)
	}
	return nil
}

// Shutdown implements [sdktrace.SpanExporter]; it is called when nothing more
// will be sent.
func (s *sender) Shutdown(ctx context.Context) error {
	defer s.once.Do(func() { close(s.over) })
	return s.SpanExporter.Shutdown(ctx)
}

// giveUp ends what is still being sent, and returns when that is over.
func (s *sender) giveUp() {
	s.stop()
	<-s.over
}

// loses tells the log of spans that are lost, with those of which it was not
// told.
func (s *sender) loses(spans int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost += spans
	if now := s.now(); now.Sub(s.told) >= quiet {
		s.log.Warn("spans are lost: the collector of traces cannot be reached or refuses them", "spans", s.lost, "error", brief(err))
		s.told, s.lost = now, 0
	}
}

// brief is what an error says, in so many words that a page which some server
// answers instead of a collector does not fill the log.
func brief(err error) string {
	if wrong, ok := errors.AsType[*url.Error](err); ok {
		return wrong.Err.Error()
	}
	const most = 200
	if text := []rune(err.Error()); len(text) > most {
		return string(text[:most]) + "..."
	}
	return err.Error()
}
