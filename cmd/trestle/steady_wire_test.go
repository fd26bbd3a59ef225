package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A wire is a connection that is kept between requests. It never repeats one.
type wire struct {
	address string
	from    string   // the client's own address, such as 127.0.0.2; "" for the usual one
	conn    net.Conn // nil for none
	in      *bufio.Reader
	used    time.Time
	body    []byte
}

// A reply is what matters of an answer; its body is good until the next one.
type reply struct {
	status     int
	retryAfter bool
	closes     bool // the server ends the connection
	body       []byte
}

// refuses reports whether it turns down a request because there are too many,
// as it should.
func (r reply) refuses() bool {
	return r.retryAfter && (r.status == http.StatusTooManyRequests ||
		r.status == http.StatusServiceUnavailable && bytes.Contains(r.body, []byte(`"overloaded"`)))
}

// keepFor is how long a connection may rest before it is not used again: before
// a server would end it.
const keepFor = 30 * time.Second

// send sends a whole request and reads the answer.
func (w *wire) send(request []byte, limit time.Duration) (reply, error) {
	now := time.Now()
	if w.conn != nil && now.Sub(w.used) > keepFor {
		w.close()
	}
	if w.conn == nil {
		conn, err := w.dial(limit)
		if err != nil {
			return reply{}, err
		}
		w.conn, w.in = conn, bufio.NewReader(conn)
	}
	w.used = now
	got, err := w.exchange(request, now.Add(limit))
	if err != nil || got.closes {
		w.close()
	}
	return got, err
}

func (w *wire) dial(limit time.Duration) (net.Conn, error) {
	dialer := net.Dialer{Timeout: limit}
	if w.from != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(w.from)}
	}
	return dialer.Dial("tcp", w.address)
}

func (w *wire) close() {
	if w.conn != nil {
		_ = w.conn.Close()
		w.conn = nil
	}
}

func (w *wire) exchange(request []byte, end time.Time) (reply, error) {
	if err := w.conn.SetDeadline(end); err != nil {
		return reply{}, err
	}
	if _, err := w.conn.Write(request); err != nil {
		return reply{}, err
	}
	got, length, err := w.head()
	if err != nil {
		return reply{}, err
	}
	w.body = slices.Grow(w.body[:0], length)[:length]
	_, err = io.ReadFull(w.in, w.body)
	got.body = w.body
	return got, err
}

// head reads what comes before the body, and how long that is.
func (w *wire) head() (got reply, length int, err error) {
	line, err := w.line()
	if err != nil {
		return got, 0, err
	}
	_, code, _ := strings.Cut(string(line), " ")
	if got.status, err = strconv.Atoi(code[:min(3, len(code))]); err != nil {
		return got, 0, fmt.Errorf("an answer begins with %q", line)
	}
	length = -1
	if got.status == http.StatusNoContent {
		length = 0
	}
	for {
		if line, err = w.line(); err != nil {
			return got, 0, err
		}
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch value = bytes.TrimSpace(value); {
		case folds(name, "Content-Length"):
			if length, err = strconv.Atoi(string(value)); err != nil {
				return got, 0, err
			}
		case folds(name, "Connection"):
			got.closes = folds(value, "close")
		case folds(name, "Retry-After"):
			_, wrong := strconv.ParseUint(string(value), 10, 31)
			got.retryAfter = wrong == nil
		}
	}
	if length < 0 {
		return got, 0, errors.New("an answer does not say how long it is")
	}
	return got, length, nil
}

// folds reports whether a header's name or value is one.
func folds(text []byte, want string) bool {
	return len(text) == len(want) && strings.EqualFold(string(text), want)
}

// line is the next one, without its end.
func (w *wire) line() ([]byte, error) {
	line, err := w.in.ReadSlice('\n')
	return bytes.TrimRight(line, "\r\n"), err
}

// A spread counts durations, so that quantiles are known to within 1 in 64.
type spread struct {
	n      int
	counts []uint32
}

// spreadSize is enough for more than an hour.
const spreadSize = 64 * 28

// slot is where a duration counts: by the microsecond below 64, and in 64 steps
// from each power of two to the next.
func slot(d time.Duration) int {
	micros := uint64(max(d, 0) / time.Microsecond)
	if micros < 64 {
		return int(micros)
	}
	shift := bits.Len64(micros) - 7
	return min(shift*64+int(micros>>shift), spreadSize-1)
}

// ceiling is the longest duration that counts in a slot.
func ceiling(slot int) time.Duration {
	if slot < 64 {
		return time.Duration(slot) * time.Microsecond
	}
	shift := slot/64 - 1
	return time.Duration((64+slot%64+1)<<shift-1) * time.Microsecond
}

func (s *spread) add(d time.Duration) {
	if s.counts == nil {
		s.counts = make([]uint32, spreadSize)
	}
	s.counts[slot(d)]++
	s.n++
}

func (s *spread) merge(other *spread) {
	if other.n == 0 {
		return
	}
	if s.counts == nil {
		s.counts = make([]uint32, spreadSize)
	}
	for i, n := range other.counts {
		s.counts[i] += n
	}
	s.n += other.n
}

// quantile returns the duration that the part q of all does not exceed; 0 without durations.
func (s *spread) quantile(q float64) time.Duration {
	left := int(math.Ceil(q*float64(s.n) - 1e-9)) // less what rounding adds
	for i, n := range s.counts {
		if left -= int(n); n > 0 && left <= 0 {
			return ceiling(i)
		}
	}
	return 0
}

// within is how many durations do not exceed a limit.
func (s *spread) within(limit time.Duration) (n int) {
	for i, times := range s.counts {
		if ceiling(i) <= limit {
			n += int(times)
		}
	}
	return n
}
