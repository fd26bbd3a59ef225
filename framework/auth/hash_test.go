package auth

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"trestle.example/framework/auth/internal/hashers"
	"trestle.example/framework/internal/fair"
)

// newTestHasher returns a hasher with the default options.
func newTestHasher() *hasher {
	var o HashOptions
	if err := o.complete(); err != nil {
		panic(err)
	}
	return newHasher(hashQueue, o)
}

// countedHasher counts how often passwords are hashed.
func countedHasher() (*hasher, *atomic.Int64) {
	h, count := newTestHasher(), new(atomic.Int64)
	h.run = func(work func()) {
		count.Add(1)
		work()
	}
	return h, count
}

func TestHashIsSaltedArgon2id(t *testing.T) {
	h := newTestHasher()
	first, err := h.hash(t.Context(), goodPassword)
	if err != nil {
		t.Fatal(err)
	}
	second, err := h.hash(t.Context(), goodPassword)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(first, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("the hash begins %.40s", first)
	}
	if first == second {
		t.Error("one password was hashed twice to the same text")
	}
}

func TestVerify(t *testing.T) {
	h := newTestHasher()
	stored, err := h.hash(t.Context(), strings.Repeat("a", 71)+"bc")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, password string
		ok             bool
	}{
		{"the same password", strings.Repeat("a", 71) + "bc", true},
		{"another password", "another", false},
		{"its first 72 bytes", strings.Repeat("a", 71) + "b", false},
		{"another 73rd byte", strings.Repeat("a", 71) + "bd", false},
		{"no password", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			ok, again, err := h.verify(t.Context(), stored, c.password)
			if ok != c.ok || again || err != nil {
				t.Errorf("verify: %v, again %v, error %v; want %v", ok, again, err, c.ok)
			}
		})
	}
}

func TestAnOlderCostAsksToBeHashedAgain(t *testing.T) {
	old, err := hashers.Argon2id{Memory: 8 * 1024, Passes: 1, Threads: 1}.New(goodPassword)
	if err != nil {
		t.Fatal(err)
	}
	h := newTestHasher()
	if ok, again, err := h.verify(t.Context(), old, goodPassword); !ok || !again || err != nil {
		t.Errorf("right password: %v, again %v, %v", ok, again, err)
	}
	if ok, again, err := h.verify(t.Context(), old, "wrong"); ok || again || err != nil {
		t.Errorf("wrong password: %v, again %v, %v", ok, again, err)
	}
}

// TestAHostileStoredHashIsRejectedBeforeAnyWork: package hashers has the bounds of every format.
func TestAHostileStoredHashIsRejectedBeforeAnyWork(t *testing.T) {
	tail := "$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA"
	for name, stored := range map[string]string{
		"plain text":        "password",
		"4 TiB of memory":   "$argon2id$v=19$m=4294967295,t=2,p=1" + tail,
		"many iterations":   "pbkdf2_sha256$100000000$seasalt$gNEqhwUkfy3JK78rxu2u3GY5vAR8j4kJDnqsYvd00r0=",
		"an unknown format": "md5$salt$0123456789abcdef0123456789abcdef",
	} {
		t.Run(name, func(t *testing.T) {
			h, count := countedHasher()
			ok, _, err := h.verify(t.Context(), stored, goodPassword)
			if ok || !errors.Is(err, hashers.ErrHash) || count.Load() != 0 {
				t.Errorf("verify: %v, %v after %d hashes; want an error without work", ok, err, count.Load())
			}
		})
	}
}

func TestNoMoreThanTwoHashesRunAtOnce(t *testing.T) {
	h := newTestHasher()
	var running, most atomic.Int64
	entered, leave := make(chan struct{}, 8), make(chan struct{})
	h.run = func(func()) {
		now := running.Add(1)
		defer running.Add(-1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		entered <- struct{}{}
		<-leave
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { _, _ = h.hash(context.Background(), "x") })
	}
	<-entered
	<-entered // two are inside; the others wait
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := h.hash(gone, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that was cancelled while it waited got %v", err)
	}
	close(leave)
	all.Wait()
	if most.Load() != hashSlots {
		t.Errorf("%d hashes ran at once, want %d", most.Load(), hashSlots)
	}
}

// TestOneHashForEachAddress: authenticated and anonymous callers at one address share one
// slot.
func TestOneHashForEachAddress(t *testing.T) {
	h := newTestHasher()
	entered, leave := make(chan struct{}), make(chan struct{})
	h.run = func(func()) {
		entered <- struct{}{}
		<-leave
	}
	var all sync.WaitGroup
	for _, client := range []fair.Client{
		{Anonymous: true, Address: "192.0.2.1"}, {Caller: "ada", Address: "192.0.2.1"}, {Caller: "ben", Address: "192.0.2.1"},
	} {
		all.Go(func() { _, _ = h.hash(fair.With(context.Background(), client), "x") })
	}
	<-entered
	for s := h.slots.Stats(); s.Used+s.Waiting != 3; s = h.slots.Stats() {
		runtime.Gosched()
	}
	if used := h.slots.Stats().Used; used != 1 {
		t.Errorf("%d hashes of one address run at once; want 1", used)
	}
	close(leave)
	<-entered
	<-entered
	all.Wait()
}

func TestWaitingForASlotEndsWithTheContext(t *testing.T) {
	h, count := countedHasher()
	for range hashSlots {
		defer h.slots.Enter(fair.Client{}).End()
	}
	ctx, cancel := context.WithCancel(t.Context())
	answer := make(chan error)
	go func() { answer <- h.pretend(ctx, "x") }()
	cancel()
	if err := <-answer; !errors.Is(err, context.Canceled) || count.Load() != 0 {
		t.Errorf("error %v after %d hashes", err, count.Load())
	}
}

// TestAFullQueue rejects the client that fills the queue at once, reports it in advance,
// and serves another client.
func TestAFullQueue(t *testing.T) {
	t.Parallel()
	u, err := NewUsers(Options{PasswordQueue: 1})
	if err != nil {
		t.Fatal(err)
	}
	entered, leave := make(chan struct{}), make(chan struct{})
	u.passwords.hasher.run = func(func()) {
		entered <- struct{}{}
		<-leave
	}
	greedy := fair.With(t.Context(), fair.Client{Anonymous: true, Address: "192.0.2.1"})
	polite := fair.With(t.Context(), fair.Client{Anonymous: true, Address: "192.0.2.2"})
	hash := func(ctx context.Context) <-chan error {
		answer := make(chan error, 1)
		go func() { answer <- u.passwords.hasher.pretend(ctx, "x") }()
		return answer
	}
	waits := func(n int) {
		for u.passwords.hasher.slots.Stats().Waiting != n {
			runtime.Gosched()
		}
	}
	first := hash(greedy)
	<-entered
	if err := u.passwords.hasher.checkReady(greedy); err != nil {
		t.Errorf("one more may wait: %v", err)
	}
	second := hash(greedy) // one hash of the client runs at a time
	waits(1)
	if err := u.passwords.hasher.checkReady(greedy); !errors.Is(err, errBusy) {
		t.Errorf("the queue is full; ready returns %v", err)
	}
	if err := u.passwords.hasher.pretend(greedy, "x"); !errors.Is(err, errBusy) {
		t.Errorf("one more than the queue allows: %v", err)
	}
	if err := u.passwords.hasher.checkReady(polite); err != nil {
		t.Errorf("another client may wait: %v", err)
	}
	third := hash(polite)
	<-entered // in the second slot
	close(leave)
	<-entered // the second hash of the greedy client
	for _, answer := range []<-chan error{first, second, third} {
		if err := <-answer; err != nil {
			t.Errorf("a hash: %v", err)
		}
	}
	if _, err := NewUsers(Options{PasswordQueue: -1}); err == nil || !strings.Contains(err.Error(), "PasswordQueue is -1") {
		t.Errorf("a negative queue: %v", err)
	}
}
