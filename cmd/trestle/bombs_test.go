package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"trestle.example/internal/proving"
	"trestle.example/internal/testserver/postgres"
)

const (
	// mostGrowth is how much more memory, in MiB, a server may use for any requests of
	// clients, and mostDelay how many times as long other clients may wait.
	mostGrowth = 64
	mostDelay  = 2
	// goodPause is between two requests of clients who mean well.
	goodPause = 10 * time.Millisecond
)

// TestBombs: requests that are large beyond measure, or never end, cost the
// server little, and those who mean well are served beside those that drip.
func TestBombs(t *testing.T) {
	drips, good, limit := 200, 100, []string{"TRESTLE_MAX_CONNS=100"}
	if proving.On() {
		drips, good, limit = 2000, 2000, nil // the usual one
	}
	b := openTarget(t, limit)
	calm := b.serveWell(good)
	before := b.memory()
	highest := peak(t, b.memory)
	for _, c := range bombs() {
		t.Run(c.name, func(t *testing.T) { b.throw(t, c) })
	}
	end := b.drip(drips)
	during, files := b.serveWell(good), b.files()
	end()
	after := b.serveWell(good)
	grown := highest() - before
	figure(t, grown < mostGrowth && (before > 0 || !proving.On()), "memory grows by %.0f MiB from %.0f (bound: under %d)", grown, before, mostGrowth)
	slow, usual := during.quantile(0.99), calm.quantile(0.99)
	figure(t, slow < mostDelay*usual, "p99 of others, with %d connections dripping, while the server has %.0f files open: %s; without: %s, and afterwards %s (bound: under %d times)",
		drips, files, slow, usual, after.quantile(0.99), mostDelay)
}

// A target is a server that is sent what it should not be.
type target struct {
	*instance

	token string
	seed  uint64
}

func openTarget(t *testing.T, limit []string) *target {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	database := postgres.Database(t)
	r := newRig(t, database)
	r.ok("migrate up")
	r.ok("seed --patients 200 --appointments 200 --products 20")
	b := &target{token: tokenOf(r, triedOut), seed: seed}
	b.instance = newInstance(t, freeAddress(t, rand.New(rand.NewPCG(seed, 0))), nil, append(limit, "DATABASE_URL="+database))
	b.begin()
	return b
}

// A bomb is one request, and how it is answered.
type bomb struct {
	name    string
	headers []string
	body    []byte
	status  int
}

func bombs() []bomb {
	deep := strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000)
	var many strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&many, `"member%d": %d, `, i, i)
	}
	return []bomb{
		{"200 MB that are packed", []string{"Content-Encoding: gzip"}, packed(200), http.StatusRequestEntityTooLarge},
		{"depth 10,000", nil, []byte(deep), http.StatusBadRequest},
		{"arrays to depth 10,000", nil, []byte(strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)), http.StatusBadRequest},
		{"10,000 members", nil, []byte("{" + many.String() + `"name": ""}`), http.StatusBadRequest},
		{"10,000 members that are one", nil, []byte("{" + strings.Repeat(`"name": "a", `, 10_000) + `"name": ""}`), http.StatusBadRequest},
		{"a number of 1 MB", nil, []byte(`{"name": ` + strings.Repeat("9", 1<<20-20) + "}"), http.StatusBadRequest},
		{"2 MB as they are", nil, bytes.Repeat([]byte(" "), 2<<20), http.StatusRequestEntityTooLarge},
		{"a header of 1 MB", []string{"X-Long: " + strings.Repeat("a", 1<<20)}, []byte("{}"), http.StatusRequestHeaderFieldsTooLarge},
		{"10,000 headers", strings.Split(strings.Repeat("X-Many: a\n", 9_999)+"X-Many: a", "\n"), []byte("{}"), http.StatusRequestHeaderFieldsTooLarge},
	}
}

// packed is a JSON text of so many MB of one letter, by gzip.
func packed(megabytes int) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, `{"name": "`)
	piece := bytes.Repeat([]byte("a"), 1_000_000)
	for range megabytes {
		_, _ = z.Write(piece)
	}
	_, _ = io.WriteString(z, `"}`)
	_ = z.Close()
	return b.Bytes()
}

// throw sends one bomb from several clients at once.
func (b *target) throw(t *testing.T, one bomb) {
	t.Helper()
	headers := append([]string{"Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(one.body)), "Connection: close"}, one.headers...)
	sent := append(request("POST", "/api/patients/", b.token, "", headers...), one.body...)
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if status, err := b.hurl(sent); err != nil || status != one.status {
				t.Errorf("it is answered %d, %v; want %d", status, err, one.status)
			}
		})
	}
	all.Wait()
}

// hurl sends a request while it reads the answer, which may come before all is
// sent.
func (b *target) hurl(sent []byte) (status int, err error) {
	conn, err := net.Dial("tcp", b.address)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(waitLimit))
	go func() { _, _ = conn.Write(sent) }()
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return 0, err
	}
	_, err = fmt.Sscanf(line, "HTTP/1.1 %d", &status)
	return status, err
}

// serveWell sends what clients who mean well send, each by a connection of its
// own, and checks that all are served.
func (b *target) serveWell(times int) *spread {
	b.t.Helper()
	var took spread
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range times {
		all.Go(func() {
			w := wire{address: b.address}
			defer w.close()
			began := time.Now()
			asked := request("GET", fmt.Sprintf("/api/patients/?page=%d", 1+i%5), b.token, "", "Connection: close")
			got, err := w.send(asked, waitLimit)
			for !proving.On() && err == nil && got.refuses() { // the machine is busy with other tests
				got, err = w.send(asked, waitLimit)
			}
			if err != nil || got.status != http.StatusOK {
				b.t.Errorf("somebody who means well is answered %d %s, %v", got.status, got.body, err)
			}
			mu.Lock()
			defer mu.Unlock()
			took.add(time.Since(began))
		})
		_ = pause(b.t.Context(), goodPause)
	}
	all.Wait()
	return &took
}

// dripping is the time between two bytes of a connection that drips, and the longest
// time until a closed connection is made again.
const dripping = 500 * time.Millisecond

// drip keeps connections whose requests never end, some in their head and some
// in their body, until the returned function is called. A connection that is closed
// is made again. Each begins at its own time.
func (b *target) drip(conns int) (end func()) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.t.Context())
	beginnings := [][]byte{
		[]byte("GET /api/products HTTP/1.1\r\nHost: localhost\r\nX-Drip: "),
		request("POST", "/api/patients/", b.token, "", "Content-Type: application/json", "Content-Length: 1000000"),
		nil,
	}
	var all, begun sync.WaitGroup
	begun.Add(conns)
	for i := range conns {
		all.Go(func() {
			first, dice := sync.OnceFunc(begun.Done), rand.New(rand.NewPCG(b.seed, uint64(i)))
			defer first()
			for pause(ctx, time.Duration(dice.Int64N(int64(dripping)))) == nil {
				b.dripOnce(ctx, beginnings[i%len(beginnings)], first)
			}
		})
	}
	begun.Wait()
	return func() { cancel(); all.Wait() }
}

// dripOnce sends the beginning of a request and then a byte at a time, until the
// server has enough of it.
func (b *target) dripOnce(ctx context.Context, beginning []byte, begun func()) {
	conn, err := net.Dial("tcp", b.address)
	if err != nil {
		return
	}
	defer conn.Close()
	_, err = conn.Write(beginning)
	for begun(); err == nil && pause(ctx, dripping) == nil; {
		if beginning != nil { // the others say nothing at all
			_, err = conn.Write([]byte("a"))
			continue
		}
		_ = conn.SetReadDeadline(time.Now().Add(time.Millisecond))
		if _, ended := conn.Read(make([]byte, 1)); ended == io.EOF { //nolint:errorlint // a connection returns it as it is
			return
		}
	}
}
