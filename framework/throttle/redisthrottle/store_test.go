package redisthrottle

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	client "github.com/redis/go-redis/v9"

	"trestle.example/framework/throttle"
	"trestle.example/internal/testserver/redis"
)

func TestTheQuota(t *testing.T) {
	t.Parallel()
	store := opened(t, redis.Server(t), Options{})
	for _, rate := range []throttle.Rate{hourly(3), hourly(150)} {
		for i := range rate.Limit {
			q := taking(t, store, "key", rate)
			if q.Limit != rate.Limit || q.Remaining != rate.Limit-1-i || q.Wait != 0 || q.Reset < 50*time.Minute || q.Reset > rate.Per+rate.Grain() {
				t.Fatalf("%s, request %d: %+v", rate, i+1, q)
			}
		}
		for range 3 {
			q := taking(t, store, "key", rate)
			if q.Remaining != 0 || q.Wait < 50*time.Minute || q.Wait != q.Reset || q.Wait > rate.Per+rate.Grain() {
				t.Errorf("%s, beyond the limit: %+v", rate, q)
			}
		}
		if q := taking(t, store, "another key", rate); q.Remaining != rate.Limit-1 {
			t.Errorf("%s, another key: %+v", rate, q)
		}
	}
	if _, err := store.Take(t.Context(), "key", throttle.Rate{}); err == nil {
		t.Error("an invalid rate is accepted")
	}
}

// shareOf, set in a child process, makes it a second server process. It sends as many
// requests at once as the variable states, and prints how many passed.
const shareOf = "TRESTLE_TEST_SHARE_OF_REDIS"

func TestMain(m *testing.M) {
	if os.Getenv(shareOf) == "" {
		os.Exit(m.Run())
	}
	requests, prefix, _ := strings.Cut(os.Getenv(shareOf), " ")
	store, err := Open(os.Getenv("REDIS_URL"), Options{Prefix: prefix, Timeout: patient})
	n, wrong := strconv.Atoi(requests)
	if err != nil || wrong != nil {
		fmt.Fprintln(os.Stderr, err, wrong)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stdout, atOnce(n, func() bool {
		q, err := store.Take(context.Background(), "key", hourly(50))
		return err == nil && q.Wait == 0
	}))
	os.Exit(0)
}

// TestProcessesShareALimitExactly: four processes send 25 requests each, all at once, at
// a limit of 50, and 50 pass.
func TestProcessesShareALimitExactly(t *testing.T) {
	t.Parallel()
	address, prefix := redis.Server(t), "test:"+uuid.NewString()+":"
	total := 0
	var mu sync.Mutex
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), "REDIS_URL="+address, shareOf+"=25 "+prefix)
			child.Stderr = os.Stderr
			output, err := child.Output()
			passed, wrong := strconv.Atoi(strings.TrimSpace(string(output)))
			if err != nil || wrong != nil {
				t.Error(err, wrong)
			}
			mu.Lock()
			defer mu.Unlock()
			total += passed
		})
	}
	group.Wait()
	if total != 50 {
		t.Errorf("%d of 100 requests passed; want 50", total)
	}
}

func TestStoresShareALimitExactly(t *testing.T) {
	t.Parallel()
	for round := range 10 {
		prefix := "test:" + uuid.NewString() + ":"
		first, second := opened(t, redis.Server(t), Options{Prefix: prefix}), opened(t, redis.Server(t), Options{Prefix: prefix})
		var turn atomic.Int64
		passed := atOnce(100, func() bool {
			store := first
			if turn.Add(1)%2 == 0 {
				store = second
			}
			q, err := store.Take(t.Context(), "key", hourly(50))
			return err == nil && q.Wait == 0
		})
		if passed != 50 {
			t.Errorf("round %d: %d of 100 requests passed; want 50", round+1, passed)
		}
	}
}

func atOnce(n int, try func() bool) int64 {
	var passed atomic.Int64
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			if try() {
				passed.Add(1)
			}
		})
	}
	group.Wait()
	return passed.Load()
}

// TestNoWindowEverHasMoreThanTheLimit sends requests in random bursts for some windows of
// a second. A request passes between sending and its answer. So of any limit+1
// consecutive requests that passed, the last answer arrives at least a window after the
// first request was sent, however slow the machine is.
func TestNoWindowEverHasMoreThanTheLimit(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	for _, c := range []struct {
		limit int
		pause time.Duration // the maximum
	}{{3, time.Second / 4}, {20, time.Second / 4}, {130, time.Second / 4}, {130, time.Millisecond}} {
		limit := c.limit
		t.Run(fmt.Sprintf("%d, pauses up to %s, seed %d", limit, c.pause, seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, uint64(limit)))
			store, rate := opened(t, redis.Server(t), Options{}), throttle.Rate{Limit: limit, Per: time.Second}
			type span struct{ sent, answered time.Time }
			var passed []span
			for began := time.Now(); time.Since(began) < 3*rate.Per; {
				for range random.IntN(limit) + 1 {
					sent := time.Now()
					if taking(t, store, "key", rate).Wait == 0 {
						passed = append(passed, span{sent, time.Now()})
					}
				}
				<-time.After(time.Duration(random.Int64N(int64(c.pause)))) // the test needs arrivals at random times
			}
			for i := limit; i < len(passed); i++ {
				if d := passed[i].answered.Sub(passed[i-limit].sent); d < rate.Per {
					t.Fatalf("%d requests passed within %s, at a rate of %s", limit+1, d, rate)
				}
			}
			if len(passed) <= limit {
				t.Errorf("only %d requests passed in three windows, at a rate of %s: the window does not slide", len(passed), rate)
			}
		})
	}
}

func TestDataInRedis(t *testing.T) {
	t.Parallel()
	address, prefix := redis.Server(t), "test:"+uuid.NewString()+":"
	store := opened(t, address, Options{Prefix: prefix})
	for range 300 {
		taking(t, store, "login ada@example.com 198.51.100.7", throttle.Rate{Limit: 200, Per: time.Minute})
	}
	settings, err := client.ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	direct := client.NewClient(settings)
	t.Cleanup(func() { _ = direct.Close() })
	keys, err := direct.Keys(t.Context(), prefix+"*").Result()
	if err != nil || len(keys) != 1 {
		t.Fatalf("the keys are %q, error %v; want one", keys, err)
	}
	t.Run("no address and no e-mail", func(t *testing.T) {
		value, err := direct.Get(t.Context(), keys[0]).Result()
		if err != nil {
			t.Fatal(err)
		}
		for _, plain := range []string{"login ", "ada@", "example.", "198.51", "51.100"} { // long enough that they do not occur by chance
			if strings.Contains(strings.TrimPrefix(keys[0], prefix), plain) || strings.Contains(value, plain) {
				t.Errorf("the key %q or its value has %q in it", keys[0], plain)
			}
		}
		if len(value) > 2<<10 {
			t.Errorf("the value has %d bytes", len(value))
		}
	})
	t.Run("expires with its window", func(t *testing.T) {
		left, err := direct.PTTL(t.Context(), keys[0]).Result()
		if err != nil || left <= 0 || left > 62*time.Second {
			t.Errorf("the key expires in %s, error %v; want at most a window", left, err)
		}
	})
}

// TestAClockSetBack: after the clock is set back, requests that were counted in the
// future stop counting after one window.
func TestAClockSetBack(t *testing.T) {
	t.Parallel()
	address := redis.Server(t)
	store := opened(t, address, Options{})
	settings, err := client.ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	direct := client.NewClient(settings)
	t.Cleanup(func() { _ = direct.Close() })
	rate := hourly(1)
	const later = "redis.call('SET', KEYS[1], cmsgpack.pack({(redis.call('TIME')[1] + 86400) * 1000000, 1}))"
	if err := direct.Eval(t.Context(), later, []string{store.redisKey("key", rate)}).Err(); err != nil && !errors.Is(err, client.Nil) {
		t.Fatal(err)
	}
	if q := taking(t, store, "key", rate); q.Wait <= 0 || q.Wait > rate.Per+rate.Grain() {
		t.Errorf("the wait is %s; want at most a window", q.Wait)
	}
}

func TestOpenRejectsAnInvalidAddressWithoutRepeatingIt(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "localhost:6379", "http://:secret@localhost", "redis://:secret@localhost:port", "redis://:secret@localhost/0?nonsense=1", "redis://:sec%ret@localhost"} {
		_, err := Open(address, Options{})
		if err == nil || strings.Contains(err.Error(), "sec") || !strings.Contains(err.Error(), "redis://:password@localhost") {
			t.Errorf("%q: the error is %v", address, err)
		}
	}
}

func BenchmarkTake(b *testing.B) {
	store, err := Open(redis.Server(b), Options{Prefix: "bench:" + uuid.NewString() + ":", Timeout: patient})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	for _, rate := range []throttle.Rate{hourly(5), hourly(100), hourly(1000)} {
		b.Run(rate.String(), func(b *testing.B) {
			for b.Loop() {
				if _, err := store.Take(b.Context(), "key", rate); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
