package stream

import (
	"errors"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"time"

	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/naming"
)

// An Answer is an answer that is sent in parts. Its function has returned without an error.
type Answer struct {
	Status int
	// Translate turns an error of the iterator or of the reader into an error for the client.
	Translate func(error) error
	Hidden    Hider // nil if the caller sees every member
	// Before is called before each element is sent. If it returns an error, the element is not sent, and the error ends the
	// answer. nil means that there is nothing to do.
	Before func() error

	format  *Format
	rows    reflect.Value // the iterator; not valid for bytes
	content *Content      // nil for a stream
	header  http.Header   // more headers of a download, which an error does not have; nil for other answers
}

// Answer makes the answer from what the function of the endpoint returned. The error is of an
// iterator or a reader that is nil, or of a content whose media type is not declared.
func (p *Plan) Answer(status int, f *Format, out any) (*Answer, error) {
	a := &Answer{Status: status, format: f}
	if p.Element != nil {
		if a.rows = reflect.ValueOf(out); a.rows.IsNil() {
			return nil, naming.Sentence("the function returned a nil iterator without an error")
		}
		return a, nil
	}
	content, _ := out.(Content)
	if content.Body == nil {
		return nil, naming.Sentence("the function returned a Content without a Body and without an error")
	}
	a.content = &content
	if content.Media == "" {
		return a, nil
	}
	own, err := parseFormat(content.Media)
	if err == nil {
		for _, declared := range p.formats {
			if declared.media == own.media {
				a.format = own
				return a, nil
			}
		}
	}
	content.close()
	return nil, naming.Sentence("the function returned a Content with the media type %q, which As does not declare", content.Media)
}

// Discard closes the body of a Content that a function returned together with an error.
func (p *Plan) Discard(out any) {
	if content, ok := out.(Content); ok {
		content.close()
	}
}

// Options are what an answer needs to be sent.
type Options struct {
	Writer  http.ResponseWriter
	Request *http.Request
	// Wait limits how long one write waits for the client.
	Wait time.Duration
	// Progress is called for each element, and for each part that was written.
	Progress func()
	// Stop ends the work for the answer: the client does not read it.
	Stop func()
	// Disconnected reports whether the client disconnected.
	Disconnected func() bool
	// Problem returns the body of an error as JSON on one line.
	Problem func(error) []byte
}

func (o *Options) head() bool { return o.Request.Method == http.MethodHead }

func (o *Options) reads() bool { return o.head() || o.Request.Method == http.MethodGet }

// An Outcome is how an answer ended.
type Outcome struct {
	Status int   // that was sent; 0 if nothing was sent, so that Err can be the answer
	Err    error // of the iterator or the reader
	Unread bool  // the client did not read all of it
	Cut    bool  // the connection must be closed, because the answer is not complete
}

// Send sends the answer. It returns when the iterator has ended and the body is closed.
func (a *Answer) Send(o Options) Outcome {
	s := &sender{o: o, format: a.format, status: a.Status, control: http.NewResponseController(o.Writer), before: o.Writer.Header().Clone()}
	maps.Copy(o.Writer.Header(), a.header)
	if a.content == nil {
		s.encoder = a.format.encoder(a.Hidden)
		s.describe() // now, because the goroutine of pulse may send the headers
	}
	if a.content != nil {
		defer a.content.close()
	}
	defer s.release()
	_ = s.control.SetReadDeadline(time.Time{}) // else net/http ends the context of the request then
	_ = s.control.SetWriteDeadline(time.Time{})
	return s.outcome(a.translate(s.run(func() error {
		if a.content != nil {
			return s.sendContent(a.content)
		}
		return s.sendRows(a.rows, a.Before)
	})))
}

// Waits reports whether the answer may have no part for a long time, as an event stream has.
func (a *Answer) Waits() bool { return a.format.events && a.content == nil }

func (a *Answer) translate(err error) error {
	if err == nil || a.Translate == nil {
		return err
	}
	return a.Translate(err)
}

// run runs do, which sends the answer, beside the goroutine of pulse.
func (s *sender) run(do func() error) error {
	defer s.pulse()()
	return fault.Protect(do)
}

// sendRows sends the elements. It returns the error of the iterator or of the encoder.
func (s *sender) sendRows(rows reflect.Value, before func() error) error {
	if s.format.events && s.o.head() { // the first event may take long
		s.begin()
		return nil
	}
	for value, failed := range rows.Seq2() {
		if err, _ := reflect.TypeAssert[error](failed); err != nil {
			return err
		}
		if before != nil {
			if err := before(); err != nil {
				return err
			}
		}
		text, err := s.encoder.element(nil, value.Interface())
		if err != nil {
			return err
		}
		if !s.send(text) {
			return nil
		}
	}
	s.begin()
	return nil
}

// describe sets the headers of a stream.
func (s *sender) describe() {
	h := s.o.Writer.Header()
	h.Set("Content-Type", s.format.contentType())
	if s.format.events {
		h.Set("X-Accel-Buffering", "no") // proxies such as nginx pass each event on at once
	}
}

// chunk is how many bytes of a stream are gathered before they are written.
const chunk = 32 << 10

// The times of a stream. A stream that waits is flushed after flushEvery. An event stream
// begins after flushEvery, even without an event, and has a heartbeat after quiet.
const (
	flushEvery = time.Second
	quiet      = 15 * time.Second
)

// A sender sends one answer. The goroutine of the request and that of pulse use it.
type sender struct {
	o       Options
	format  *Format
	encoder encoder // nil for bytes
	control *http.ResponseController
	before  http.Header // the headers before those of the answer

	mu      sync.Mutex
	status  int
	begun   bool
	pending []byte    // elements that are not written yet
	dirty   bool      // something is written and not flushed
	last    time.Time // of the last write
	failed  error     // of a write: the client disconnected or does not read
}

// begin sends the status, the headers, and what comes before the first element.
func (s *sender) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beginLocked()
}

func (s *sender) beginLocked() {
	if s.begun {
		return
	}
	s.begun, s.dirty, s.last = true, true, time.Now()
	s.o.Writer.WriteHeader(s.status)
	if s.encoder != nil && !s.o.head() {
		s.pending = s.encoder.head(s.pending)
	}
}

// send sends an element. It returns false if no more is to be sent.
func (s *sender) send(element []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beginLocked()
	if s.o.head() {
		return false
	}
	s.pending = append(s.pending, element...)
	switch {
	case s.format.events:
		s.flush()
	case len(s.pending) >= chunk:
		_ = s.write()
	}
	s.o.Progress()
	return s.failed == nil && s.o.Request.Context().Err() == nil
}

// write writes the pending elements.
func (s *sender) write() error {
	if len(s.pending) == 0 {
		return s.failed
	}
	_, err := s.put(s.pending)
	s.pending = s.pending[:0]
	return err
}

// put writes bytes in chunks. Each chunk has its own time. After a failed write it writes
// nothing.
func (s *sender) put(p []byte) (n int, err error) {
	for part := range slices.Chunk(p, chunk) {
		if s.failed != nil {
			break
		}
		var sent int
		err = s.inTime(func() (err error) { sent, err = s.o.Writer.Write(part); return err })
		n += sent
		s.dirty, s.last = true, time.Now()
		if err != nil {
			s.fail(err)
			break
		}
		s.o.Progress()
	}
	return n, s.failed
}

// flush writes the pending elements and sends all that is written.
func (s *sender) flush() {
	if s.write() != nil || !s.dirty {
		return
	}
	s.dirty = false
	if err := s.inTime(s.control.Flush); err != nil && !errors.Is(err, http.ErrNotSupported) {
		s.fail(err)
	}
}

func (s *sender) fail(err error) {
	s.failed = err
	s.o.Stop()
}

// inTime gives a write its time. Between two writes there is no deadline: with HTTP/2, net/http
// ends the answer at the deadline even if nothing is written. An error of SetWriteDeadline means
// that the writer has no deadlines.
func (s *sender) inTime(write func() error) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(s.o.Wait))
	err := write()
	_ = s.control.SetWriteDeadline(time.Time{})
	return err
}

// release sets the deadline that net/http would have set for the end of the answer.
func (s *sender) release() {
	var end time.Time
	if server, ok := s.o.Request.Context().Value(http.ServerContextKey).(*http.Server); ok && server.WriteTimeout > 0 {
		end = time.Now().Add(server.WriteTimeout)
	}
	_ = s.control.SetWriteDeadline(end)
}

// pulse flushes what waits, begins an event stream that has no event yet, and sends heartbeats. It
// does so in a goroutine until stop is called; stop waits for its end.
func (s *sender) pulse() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(flushEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if err := fault.Protect(s.beat); err != nil { // the writer panicked
					s.o.Stop()
				}
			case <-done:
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}

func (s *sender) beat() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.format.events && s.encoder != nil {
		s.beginLocked()
		if time.Since(s.last) >= quiet {
			s.pending = append(s.pending, heartbeat...)
		}
	}
	if s.begun {
		s.flush()
	}
	return nil
}

// outcome ends the answer. If it has begun and there is an error, it sends what the format has
// for an error.
func (s *sender) outcome(err error) Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	unread := s.failed != nil || s.o.Disconnected()
	switch {
	case !s.begun:
		s.undescribe()
		return Outcome{Err: err, Unread: unread}
	case unread:
		return Outcome{Status: s.status, Unread: true, Cut: true}
	case err == nil:
		s.flush()
		return Outcome{Status: s.status, Unread: s.failed != nil, Cut: s.failed != nil}
	}
	complete := false
	if s.encoder != nil && !s.o.head() {
		s.pending, complete = s.encoder.failure(s.pending, s.o.Problem(err))
	}
	s.flush()
	return Outcome{Status: s.status, Err: err, Cut: !complete}
}

// undescribe removes the headers of an answer that is not sent.
func (s *sender) undescribe() {
	h := s.o.Writer.Header()
	clear(h)
	maps.Copy(h, s.before)
	for _, name := range contentHeaders {
		h.Del(name)
	}
}
