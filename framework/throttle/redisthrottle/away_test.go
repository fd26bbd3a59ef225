package redisthrottle

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"trestle.example/framework/throttle"
	"trestle.example/internal/testserver/redis"
)

const (
	wentAway = "Redis does not answer"
	cameBack = "Redis is back"
)

// TestRedisKilledMidRun: requests continue without an error, limited in the process,
// until Redis answers again. The log reports each change once.
func TestRedisKilledMidRun(t *testing.T) {
	t.Parallel()
	server, notes := instance(t), &notebook{}
	store := opened(t, server.URL(), Options{Log: notes.log()})
	for range 3 {
		taking(t, store, "key", hourly(5))
	}

	stop, passed := make(chan struct{}), atomic.Int64{}
	var group sync.WaitGroup
	for worker := range 8 { // requests that are under way all the time
		group.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if q, err := store.Take(context.Background(), "busy", hourly(40)); err != nil {
					t.Errorf("worker %d: %v", worker, err)
					return
				} else if q.Wait == 0 {
					passed.Add(1)
				}
			}
		})
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	await(t, "the store to notice", func() bool { return notes.count(wentAway) > 0 })
	for i := range 8 {
		if q := taking(t, store, "key", hourly(5)); (q.Wait == 0) != (i < 5) {
			t.Errorf("without Redis, request %d: %+v", i+1, q)
		}
	}
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	await(t, "Redis to be used again", func() bool {
		taking(t, store, "probe", hourly(1))
		return notes.count(cameBack) > 0
	})
	close(stop)
	group.Wait()
	if q := taking(t, store, "key", hourly(5)); q.Remaining != 4 {
		t.Errorf("in the new Redis, request 1: %+v", q)
	}
	if notes.count(wentAway) != 1 || notes.count(cameBack) != 1 {
		t.Errorf("the log is:\n%s", notes.String())
	}
	if n := passed.Load(); n > 3*40 {
		t.Errorf("%d requests passed; want at most 40 in the old Redis, the process and the new one each", n)
	}
	if password, _, _ := strings.Cut(strings.TrimPrefix(server.URL(), "redis://:"), "@"); notes.count(password) > 0 {
		t.Error("the log contains the password")
	}
}

// TestARedisThatNeverAnswers: one request waits, and the others are counted in the
// process meanwhile.
func TestARedisThatNeverAnswers(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and sends nothing
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	notes := &notebook{}
	store := opened(t, "redis://"+listener.Addr().String(), Options{Log: notes.log(), Timeout: time.Millisecond})
	began := time.Now()
	for i := range 2000 {
		if q := taking(t, store, "key", hourly(5)); (q.Wait == 0) != (i < 5) {
			t.Fatalf("request %d: %+v", i+1, q)
		}
	}
	t.Logf("2000 requests took %s", time.Since(began))
	if notes.count(wentAway) != 1 || notes.count(cameBack) != 0 {
		t.Errorf("the log is:\n%s", notes.String())
	}
}

func TestARedisThatDoesNotRunAtTheStart(t *testing.T) {
	t.Parallel()
	server, notes := instance(t), &notebook{}
	address := server.URL()
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	store := opened(t, address, Options{Log: notes.log()})
	if q := taking(t, store, "key", hourly(1)); q.Wait != 0 || notes.count(wentAway) != 1 {
		t.Errorf("%+v; the log is:\n%s", q, notes.String())
	}
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	await(t, "Redis to be used", func() bool {
		taking(t, store, "probe", hourly(1))
		return notes.count(cameBack) == 1
	})
}

func TestAWrongPasswordCountsAsFailedRedis(t *testing.T) {
	t.Parallel()
	notes := &notebook{}
	address := strings.Replace(instance(t).URL(), "redis://:", "redis://:guess", 1)
	store := opened(t, address, Options{Log: notes.log()})
	if q := taking(t, store, "key", hourly(1)); q.Wait != 0 || notes.count(wentAway) != 1 || notes.count("guess") != 0 {
		t.Errorf("%+v; the log is:\n%s", q, notes.String())
	}
}

// TestAClientThatDisconnects: the request of a client that disconnected counts, and Redis
// does not count as failed.
func TestAClientThatDisconnects(t *testing.T) {
	t.Parallel()
	notes := &notebook{}
	store := opened(t, redis.Server(t), Options{Log: notes.log()})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.Take(gone, "key", hourly(2)); err != nil {
		t.Fatal(err)
	}
	if q := taking(t, store, "key", hourly(2)); q.Remaining != 0 || notes.count(wentAway) != 0 {
		t.Errorf("%+v; the log is:\n%s", q, notes.String())
	}
}

// failing is a fallback that fails.
type failing struct{}

func (failing) Take(context.Context, string, throttle.Rate) (throttle.Quota, error) {
	return throttle.Quota{}, fmt.Errorf("no memory")
}

func TestAFallbackOfYourOwn(t *testing.T) {
	t.Parallel()
	store := opened(t, "unix:///nowhere/redis.sock", Options{Fallback: failing{}, Log: (&notebook{}).log()})
	if _, err := store.Take(t.Context(), "key", hourly(1)); err == nil || err.Error() != "no memory" {
		t.Errorf("the error is %v; want that of the fallback", err)
	}
}

func TestTheBreaker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b breaker
		asks := func(want, wantProbe bool) {
			t.Helper()
			if ask, probe := b.pass(); ask != want || probe != wantProbe {
				t.Errorf("pass returns %t, probe %t; want %t and %t", ask, probe, want, wantProbe)
			}
		}
		news := func(got, want bool) {
			t.Helper()
			if got != want {
				t.Errorf("changed: %t; want %t", got, want)
			}
		}
		asks(true, false)
		news(b.succeed(false), false)
		news(b.fail(false), true)  // the first reports it
		news(b.fail(false), false) // others were under way
		asks(false, false)
		news(b.succeed(false), false) // sent before
		asks(false, false)
		time.Sleep(pause) //nolint:forbidigo // the clock of the bubble, so the test does not wait
		asks(true, true)
		asks(false, false) // one probe per pause
		news(b.fail(true), false)
		asks(false, false)
		time.Sleep(pause) //nolint:forbidigo // as above
		asks(true, true)
		news(b.succeed(true), true)
		asks(true, false)
		news(b.fail(false), true) // again
	})
}
