package httpserver

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestSlowConnections: two thousand clients that send their requests byte by byte do
// not keep other clients out, and do not exceed the limit of connections.
func TestSlowConnections(t *testing.T) {
	const limit, drippers = 200, 2000
	s := serving(t, said("good"), Options{Limits: Limits{Conns: limit, Header: waitLimit}})
	dripping := make([]net.Conn, drippers)
	for i := range dripping {
		c, err := net.Dial("tcp", s.at)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, _ = fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: x\r\n")
		dripping[i] = c
	}
	stop := make(chan struct{})
	var drips sync.WaitGroup
	drips.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				_, _ = fmt.Fprint(dripping[i%drippers], "x")
			}
		}
	})
	kept := client(t)
	for i := range 200 {
		s.get(kept, "GET /").is(t, http.StatusOK, "good")
		once := s.dial().says("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		if got := once.next(); got.status != http.StatusOK {
			t.Fatalf("good request %d: %d %s", i, got.status, got.body)
		}
	}
	close(stop)
	drips.Wait()
	if stats := s.Stats(); stats.Conns > limit || stats.Evicted < drippers-limit {
		t.Errorf("%+v; want at most %d connections, and at least %d closed", stats, limit, drippers-limit)
	}
}

// TestWhichConnectionIsClosed checks the order.
func TestWhichConnectionIsClosed(t *testing.T) {
	t.Parallel()
	// Events of connections, one second apart, and the connection that is then closed: ""
	// for none.
	type event struct {
		on   string
		what func(*conn)
	}
	request := func(c *conn) { c.of.change(c, (*conn).begin) }
	enters, leaves := func(c *conn) { c.enter() }, func(c *conn) { c.leave(true) }
	rest := func(c *conn) { c.leave(true); c.of.change(c, (*conn).end) }
	asks := func(c *conn) { c.of.begin(&stream{conn: c}) } // by HTTP/2
	answers := func(c *conn) { c.streams[0].end() }
	pauses := (*conn).pause
	ends := func(c *conn) { c.of.change(c, (*conn).end) }
	wrote := func(c *conn) { _, _ = c.Write(nil) }
	writes := func(c *conn) { c.of.change(c, func(c *conn) { c.writes++ }) }
	for name, test := range map[string]struct {
		happens []event
		want    string
	}{
		"the first without a request":                                 {nil, "a"},
		"an idle one before those without a request":                  {[]event{{"c", request}, {"c", enters}, {"c", rest}}, "c"},
		"the one that is idle for longest":                            {[]event{{"c", enters}, {"c", rest}, {"b", enters}, {"b", rest}}, "c"},
		"the second, if the handler of the first works":               {[]event{{"a", request}, {"a", enters}}, "b"},
		"the first, if its handler waits for the body":                {[]event{{"a", request}, {"a", enters}, {"a", pauses}}, "a"},
		"not the first, if its body arrived":                          {[]event{{"a", request}, {"a", enters}, {"a", pauses}, {"a", (*conn).resume}}, "b"},
		"one that sends after it was idle is the last":                {[]event{{"a", enters}, {"a", rest}, {"a", request}}, "b"},
		"none whose handler works":                                    {[]event{{"a", enters}, {"b", enters}, {"c", enters}}, ""},
		"the one that reads its answer too slowly":                    {[]event{{"a", enters}, {"b", enters}, {"c", enters}, {"b", writes}, {"c", writes}}, "b"},
		"the one that does not read the end of its answer":            {[]event{{"a", enters}, {"b", enters}, {"c", enters}, {"c", leaves}}, "c"},
		"the first, if it was answered before its body arrived":       {[]event{{"a", enters}, {"a", func(c *conn) { c.leave(false) }}, {"b", enters}, {"b", leaves}}, "a"},
		"the first, if another of its requests is answered meanwhile": {[]event{{"a", asks}, {"a", pauses}, {"b", enters}, {"c", enters}, {"a", asks}, {"a", answers}}, "a"},
		"not the first, if its first request was answered":            {[]event{{"a", asks}, {"b", asks}, {"b", pauses}, {"a", asks}, {"a", pauses}, {"a", answers}, {"c", enters}}, "b"},
		"not the first, if its answer is about to end":                {[]event{{"a", asks}, {"a", answers}}, "b"},
		"not the first, if the end is about to be written":            {[]event{{"a", asks}, {"a", answers}, {"a", ends}}, "b"},
		"the first, when the end is written":                          {[]event{{"a", asks}, {"a", answers}, {"a", ends}, {"a", wrote}}, "a"},
		"the first, if the end was written before its handler ended":  {[]event{{"a", asks}, {"a", ends}, {"a", answers}}, "a"},
		"one that sends, before one that reads":                       {[]event{{"a", enters}, {"b", enters}, {"b", writes}}, "c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := time.Unix(1e9, 0)
			cs := newConns(3)
			cs.now = func() time.Time { clock = clock.Add(time.Second); return clock }
			all := map[string]*conn{}
			for _, name := range []string{"a", "b", "c"} {
				near, far := net.Pipe()
				go func() { _, _ = io.Copy(io.Discard, far) }()
				t.Cleanup(func() { _ = near.Close() })
				all[name] = &conn{Conn: near, of: cs}
				if admitted, _ := cs.enter(all[name]); !admitted {
					t.Fatalf("there is no room for %s", name)
				}
			}
			for _, e := range test.happens {
				e.what(all[e.on])
			}
			got := ""
			admitted, victim := cs.enter(&conn{of: cs})
			for name, c := range all {
				if c == victim {
					got = name
				}
			}
			if got != test.want || admitted != (test.want != "") {
				t.Errorf("it closes %q and admits the new connection: %t; want %q", got, admitted, test.want)
			}
		})
	}
}

// TestWhileAllHandlersWork a new connection waits, and closes none of them.
func TestWhileAllHandlersWork(t *testing.T) {
	b := newBlocker()
	s := serving(t, b, Options{Limits: Limits{Conns: 2}})
	replies := make(chan reply, 3)
	for i := range 3 {
		go func() { replies <- s.get(client(t), "GET /") }()
		if i < 2 {
			<-b.entered
		}
	}
	await(t, "the third to wait for room", func() bool {
		s.conns.mu.Lock()
		defer s.conns.mu.Unlock()
		return s.conns.waiting
	})
	for range 3 {
		b.let <- struct{}{}
		(<-replies).is(t, http.StatusOK)
	}
	<-b.entered
}

// scarce is a listener that first fails for lack of files.
type scarce struct {
	net.Listener

	lack chan error
}

func (s *scarce) Accept() (net.Conn, error) {
	select {
	case err := <-s.lack:
		return nil, err
	default:
		return s.Listener.Accept()
	}
}

// TestWithoutFiles an idle connection is closed, and the next one served.
func TestWithoutFiles(t *testing.T) {
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	lacking := &scarce{on, make(chan error, 1)}
	s := servingOn(t, lacking, said("good"), Options{})
	rests := s.dial().says("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	rests.next().is(t, http.StatusOK)
	await(t, "it to rest", func() bool {
		s.conns.mu.Lock()
		defer s.conns.mu.Unlock()
		return len(s.conns.waits) == 1 && s.conns.waits[0].phase == idle
	})
	lacking.lack <- &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	s.get(client(t), "GET /").is(t, http.StatusOK) // accepted by the call under way
	s.get(client(t), "GET /").is(t, http.StatusOK)
	if !rests.isClosed() {
		t.Error("the idle connection is open")
	}
}

func TestRoomWithinFiles(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ conns, spare, files, want int }{
		"enough":            {4096, 128, 65536, 4096},
		"an unknown number": {4096, 128, 0, 4096},
		"fewer":             {4096, 128, 1024, 896},
		"few":               {4096, 128, 160, 40},
		"none to spare":     {4096, 128, 100, 25},
		"three":             {4096, 128, 3, 1},
	} {
		if got := (Limits{Conns: test.conns, SpareFiles: test.spare}).within(test.files); got != test.want {
			t.Errorf("%s: room for %d; want %d", name, got, test.want)
		}
	}
}

// TestAClosedListenerEndsTheWaitForRoom, so that a server can stop.
func TestAClosedListenerEndsTheWaitForRoom(t *testing.T) {
	t.Parallel()
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cs := newConns(1)
	l := cs.listen(on)
	dial := func() {
		c, err := net.Dial("tcp", on.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
	}
	dial()
	first, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	first.(*conn).enter()
	dial()
	ended := make(chan error, 1)
	go func() { _, err := l.Accept(); ended <- err }()
	await(t, "the wait for room", func() bool { cs.mu.Lock(); defer cs.mu.Unlock(); return cs.waiting })
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("the wait ends with %v", err)
	}
}

// TestARequestAfterIdleTime: a request begins with its first byte.
func TestARequestAfterIdleTime(t *testing.T) {
	t.Parallel()
	s := serving(t, said("good"), Options{})
	w := s.dial().says("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	w.next().is(t, http.StatusOK)
	is := func(want phase) func() bool {
		return func() bool {
			s.conns.mu.Lock()
			defer s.conns.mu.Unlock()
			return len(s.conns.waits) == 1 && s.conns.waits[0].phase == want
		}
	}
	await(t, "the rest", is(idle))
	w.says("GET / HT")
	await(t, "the request", is(reading))
	w.says("TP/1.1\r\nHost: x\r\n\r\n").next().is(t, http.StatusOK)
	await(t, "the rest", is(idle))
}

// TestAClientHasTimeToReadAnAnswer before its connection is closed to make room.
func TestAClientHasTimeToReadAnAnswer(t *testing.T) {
	t.Parallel()
	clock := time.Unix(1e9, 0)
	cs := newConns(1)
	cs.now = func() time.Time { return clock }
	near, _ := net.Pipe()
	first := &conn{Conn: near, of: cs}
	cs.enter(first)
	first.enter()
	first.leave(true)
	if admitted, victim := cs.enter(&conn{of: cs}); admitted || victim != nil {
		t.Error("it is closed at once")
	}
	clock = clock.Add(stuckAfter)
	if admitted, victim := cs.enter(&conn{of: cs}); !admitted || victim != first {
		t.Error("it is never closed")
	}
}
