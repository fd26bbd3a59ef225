package auth

import (
	"context"
	"encoding/base64"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/argon2"

	"trestle.example/framework/internal/fair"
)

// countedHasher counts how often argon2id runs.
func countedHasher() (*hasher, *atomic.Int64) {
	h, count := newHasher(hashQueue), new(atomic.Int64)
	derive := h.derive
	h.derive = func(password, salt []byte, passes, memory uint32, threads uint8, keyLen uint32) []byte {
		count.Add(1)
		return derive(password, salt, passes, memory, threads, keyLen)
	}
	return h, count
}

func TestHashIsSaltedArgon2id(t *testing.T) {
	h := newHasher(hashQueue)
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
	h := newHasher(hashQueue)
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
	old := argonHash{memory: 8 * 1024, passes: 1, threads: 1, salt: make([]byte, 16)}
	old.key = argon2.IDKey([]byte(goodPassword), old.salt, 1, 8*1024, 1, 32)
	h := newHasher(hashQueue)
	if ok, again, err := h.verify(t.Context(), old.String(), goodPassword); !ok || !again || err != nil {
		t.Errorf("right password: %v, again %v, %v", ok, again, err)
	}
	if ok, again, err := h.verify(t.Context(), old.String(), "wrong"); ok || again || err != nil {
		t.Errorf("wrong password: %v, again %v, %v", ok, again, err)
	}
}

func TestAHostileStoredHashIsRejectedBeforeAnyWork(t *testing.T) {
	part := base64.RawStdEncoding.EncodeToString(make([]byte, 32))
	tail := "$" + part + "$" + part
	long := base64.RawStdEncoding.EncodeToString(make([]byte, 65))
	for name, stored := range map[string]string{
		"empty":                      "",
		"plain text":                 "password",
		"another algorithm":          "$argon2i$v=19$m=19456,t=2,p=1" + tail,
		"bcrypt":                     "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
		"another version":            "$argon2id$v=16$m=19456,t=2,p=1" + tail,
		"4 TiB of memory":            "$argon2id$v=19$m=4294967295,t=2,p=1" + tail,
		"just too much memory":       "$argon2id$v=19$m=65537,t=2,p=1" + tail,
		"too little memory":          "$argon2id$v=19$m=7,t=2,p=1" + tail,
		"memory under 8 per thread":  "$argon2id$v=19$m=31,t=2,p=4" + tail,
		"a number over 32 bits":      "$argon2id$v=19$m=4294986752,t=2,p=1" + tail,
		"a negative number":          "$argon2id$v=19$m=19456,t=-1,p=1" + tail,
		"many passes":                "$argon2id$v=19$m=19456,t=1000000,p=1" + tail,
		"no passes":                  "$argon2id$v=19$m=19456,t=0,p=1" + tail,
		"many threads":               "$argon2id$v=19$m=19456,t=2,p=255" + tail,
		"no threads":                 "$argon2id$v=19$m=19456,t=2,p=0" + tail,
		"costs in another order":     "$argon2id$v=19$t=2,m=19456,p=1" + tail,
		"one cost too many":          "$argon2id$v=19$m=19456,t=2,p=1,x=1" + tail,
		"one cost too few":           "$argon2id$v=19$m=19456,t=2" + tail,
		"no key":                     "$argon2id$v=19$m=19456,t=2,p=1$" + part + "$",
		"no salt":                    "$argon2id$v=19$m=19456,t=2,p=1$$" + part,
		"a long key":                 "$argon2id$v=19$m=19456,t=2,p=1$" + part + "$" + long,
		"a very long text":           "$argon2id$v=19$m=19456,t=2,p=1" + tail + strings.Repeat("A", 300),
		"one part too many":          "$argon2id$v=19$m=19456,t=2,p=1" + tail + "$" + part,
		"a salt that is not base64":  "$argon2id$v=19$m=19456,t=2,p=1$!!!$" + part,
		"a key with padding":         "$argon2id$v=19$m=19456,t=2,p=1$" + part + "$" + part + "=",
		"something before the start": "x$argon2id$v=19$m=19456,t=2,p=1" + tail,
	} {
		t.Run(name, func(t *testing.T) {
			h, count := countedHasher()
			ok, _, err := h.verify(t.Context(), stored, goodPassword)
			if ok || !errors.Is(err, errHash) {
				t.Errorf("verify: %v, %v; want an error", ok, err)
			}
			if strings.Contains(stored, "$") && strings.Contains(err.Error(), stored) {
				t.Errorf("the error repeats the hash: %v", err)
			}
			if count.Load() != 0 {
				t.Error("it was hashed")
			}
		})
	}
}

func TestNoMoreThanTwoHashesRunAtOnce(t *testing.T) {
	h := newHasher(hashQueue)
	var running, most atomic.Int64
	entered, leave := make(chan struct{}, 8), make(chan struct{})
	h.derive = func(_, _ []byte, _, _ uint32, _ uint8, n uint32) []byte {
		now := running.Add(1)
		defer running.Add(-1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
		}
		entered <- struct{}{}
		<-leave
		return make([]byte, n)
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
	h := newHasher(hashQueue)
	entered, leave := make(chan struct{}), make(chan struct{})
	h.derive = func(_, _ []byte, _, _ uint32, _ uint8, n uint32) []byte {
		entered <- struct{}{}
		<-leave
		return make([]byte, n)
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
	u.hasher.derive = func(_, _ []byte, _, _ uint32, _ uint8, n uint32) []byte {
		entered <- struct{}{}
		<-leave
		return make([]byte, n)
	}
	greedy := fair.With(t.Context(), fair.Client{Anonymous: true, Address: "192.0.2.1"})
	polite := fair.With(t.Context(), fair.Client{Anonymous: true, Address: "192.0.2.2"})
	hash := func(ctx context.Context) <-chan error {
		answer := make(chan error, 1)
		go func() { answer <- u.hasher.pretend(ctx, "x") }()
		return answer
	}
	waits := func(n int) {
		for u.hasher.slots.Stats().Waiting != n {
			runtime.Gosched()
		}
	}
	first := hash(greedy)
	<-entered
	if err := u.hasher.checkReady(greedy); err != nil {
		t.Errorf("one more may wait: %v", err)
	}
	second := hash(greedy) // one hash of the client runs at a time
	waits(1)
	if err := u.hasher.checkReady(greedy); !errors.Is(err, errBusy) {
		t.Errorf("the queue is full; ready returns %v", err)
	}
	if err := u.hasher.pretend(greedy, "x"); !errors.Is(err, errBusy) {
		t.Errorf("one more than the queue allows: %v", err)
	}
	if err := u.hasher.checkReady(polite); err != nil {
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

// TestTheCostsAndPartsOfAStoredHash: costs and lengths are accepted up to their bounds.
func TestTheCostsAndPartsOfAStoredHash(t *testing.T) {
	for _, c := range []struct {
		what, costs string
		salt, key   int // bytes
		want        bool
	}{
		{"all maxima", "m=65536,t=4,p=4", 64, 64, true},
		{"all minima", "m=8,t=1,p=1", 8, 16, true},
		{"the minimum memory for two threads", "m=16,t=1,p=2", 8, 16, true},
		{"less memory", "m=15,t=1,p=2", 8, 16, false},
		{"more memory", "m=65537,t=4,p=4", 64, 64, false},
		{"more passes", "m=65536,t=5,p=4", 64, 64, false},
		{"more threads", "m=65536,t=4,p=5", 64, 64, false},
		{"a longer salt", "m=65536,t=4,p=4", 65, 64, false},
		{"a shorter salt", "m=8,t=1,p=1", 7, 16, false},
		{"a longer key", "m=65536,t=4,p=4", 64, 65, false},
		{"a shorter key", "m=8,t=1,p=1", 8, 15, false},
	} {
		part := func(length int) string { return base64.RawStdEncoding.EncodeToString(make([]byte, length)) }
		if _, err := parseHash("$argon2id$v=19$" + c.costs + "$" + part(c.salt) + "$" + part(c.key)); (err == nil) != c.want {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

func FuzzParseHash(f *testing.F) {
	f.Add(currentCost(make([]byte, 16), make([]byte, 32)).String())
	f.Add("$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseHash(text)
		if err != nil {
			return
		}
		if a.memory > maxHashMemory || a.passes > maxHashPasses || a.threads > maxHashThreads || a.threads == 0 || a.passes == 0 {
			t.Errorf("%q was accepted", text)
		}
		b, err := parseHash(a.String())
		if err != nil || a.String() != b.String() {
			t.Errorf("%q is not read back as it is written: %v", text, err)
		}
	})
}
