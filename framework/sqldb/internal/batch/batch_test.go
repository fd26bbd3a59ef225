package batch

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/sqldb/internal/dialect"
	"trestle.example/framework/sqldb/internal/pool"
)

// TestPlaces checks the order of the writes, and that each slot is released.
func TestPlaces(t *testing.T) {
	var s lines
	waits := func(row string) *write {
		w := &write{row: row, over: make(chan struct{})}
		if s.enter(w, 1) && row != "" {
			t.Fatalf("%s does not wait", row)
		}
		return w
	}
	waits("") // has the only place
	var waiting []*write
	for _, row := range []string{"c", "b", "b", "a", "d", "e"} {
		waiting = append(waiting, waits(row))
	}
	b := s.next("")
	var rows []string
	for _, w := range b.writes {
		rows = append(rows, w.row)
	}
	if got := fmt.Sprint(rows); got != "[a b c d]" {
		t.Errorf("%s are sent together", got)
	}
	for i, w := range []*write{waiting[0], waiting[1], waiting[3], waiting[4]} {
		if b.ctx.Err() != nil {
			t.Errorf("it ends when %d of them are gone", i)
		}
		if s.abandon(w) {
			t.Error("a write of a batch has a place of its own")
		}
	}
	if b.ctx.Err() == nil || len(s.remaining(b)) != 0 {
		t.Error("it goes on though nobody waits")
	}
	if last := s.next(""); len(last.writes) != 2 {
		t.Errorf("%d are sent together", len(last.writes))
	}
	alone := waits("f")
	if s.next("") != nil || !alone.alone || s.withdraw(alone) || !s.abandon(alone) {
		t.Error("one who is let go by itself has no place to give back")
	}
	if s.next(""); len(s.byText) != 0 {
		t.Error("a place is left")
	}
}

// TestChoose: which writes are sent together. A write is its client and, on PostgreSQL,
// its row: "a1" writes row 1 for client a.
func TestChoose(t *testing.T) {
	for name, c := range map[string]struct{ waiting, chosen, left string }{
		"none waits":                                 {"", "", ""},
		"one waits":                                  {"a1", "a1", ""},
		"all of one client, in order":                {"a1 a2 a3 a4", "a1 a2 a3 a4", ""},
		"as many as a power of two":                  {"a1 a2 a3", "a1 a2", "a3"},
		"one of each client first":                   {"a1 a2 a3 a4 b5 c6 d7", "a1 b5 c6 d7", "a2 a3 a4"},
		"then the oldest":                            {"a1 a2 a3 b4", "a1 b4 a2 a3", ""},
		"no row twice":                               {"a1 b1 c2", "a1 c2", "b1"},
		"another row of a client whose row is taken": {"a1 b1 b2", "a1 b2", "b1"},
		"none but one if all write one row":          {"a1 b1 c1 d1", "a1", "b1 c1 d1"},
		"16 at most":                                 {sequence("a", 40), sequence("a", 16), sequenceFrom("a", 17, 40)},
		"a new client is not behind many of another": {sequence("a", 40) + " b41", "a1 b41 " + sequenceFrom("a", 2, 15), sequenceFrom("a", 16, 40)},
		"without rows, several of one client":        {strings.Repeat("a ", 3) + "b", "a b" + strings.Repeat(" a", 2), ""},
		"without rows, one of each client first":     {strings.Repeat("a ", 3) + "b c", "a b c a", "a"},
		"without rows, 64 at most":                   {strings.TrimSpace(strings.Repeat("a ", 100)), strings.TrimSpace(strings.Repeat("a ", 64)), strings.TrimSpace(strings.Repeat("a ", 36))},
	} {
		t.Run(name, func(t *testing.T) {
			l := &line{}
			for w := range strings.FieldsSeq(c.waiting) {
				l.waiting = append(l.waiting, &write{row: w[1:], client: fair.Client{Caller: w[:1]}})
			}
			names := func(writes []*write) string {
				var all []string
				for _, w := range writes {
					all = append(all, w.client.Caller+w.row)
				}
				return strings.Join(all, " ")
			}
			if got := names(l.choose()); got != c.chosen {
				t.Errorf("%s are sent together; want %s", got, c.chosen)
			}
			if got := names(l.waiting); got != c.left {
				t.Errorf("%s are left; want %s", got, c.left)
			}
		})
	}
}

func sequence(client string, to int) string { return sequenceFrom(client, 1, to) }

// sequenceFrom are writes of one client of different rows.
func sequenceFrom(client string, from, to int) string {
	var all []string
	for i := from; i <= to; i++ {
		all = append(all, client+strconv.Itoa(i))
	}
	return strings.Join(all, " ")
}

// TestWaitingToWrite: how long a write waits for others, in fake time.
func TestWaitingToWrite(t *testing.T) {
	for name, c := range map[string]struct {
		kind  dialect.Kind
		left  time.Duration // for which the request may still wait; negative for the program
		moves time.Duration // each time, a write of the line is over; zero for never
		ends  time.Duration // when the context ends; zero for never
		want  error
		took  time.Duration
	}{
		"nothing moves: it runs by itself":              {dialect.PostgreSQL, time.Second, 0, 0, errApart, writesWaitLimit},
		"less time is left than that":                   {dialect.PostgreSQL, writesWaitLimit / 4, 0, 0, fair.ErrOverloaded, writesWaitLimit / 4},
		"others are over, until no time is left":        {dialect.PostgreSQL, time.Second, writesWaitLimit / 2, 0, fair.ErrOverloaded, time.Second},
		"others are over, and little more time is left": {dialect.PostgreSQL, writesWaitLimit * 5 / 4, writesWaitLimit / 2, 0, fair.ErrOverloaded, writesWaitLimit * 5 / 4},
		"no time is left":                               {dialect.PostgreSQL, 0, writesWaitLimit / 2, 0, fair.ErrOverloaded, 0},
		"the context ends":                              {dialect.PostgreSQL, time.Second, 0, writesWaitLimit / 2, context.Canceled, writesWaitLimit / 2},
		"the program waits while others are over":       {dialect.PostgreSQL, -1, writesWaitLimit / 2, 3 * time.Second, context.Canceled, 3 * time.Second},
		"the program runs by itself too":                {dialect.PostgreSQL, -1, 0, 0, errApart, writesWaitLimit},
		"on SQLite it waits while nothing moves":        {dialect.SQLite, time.Second, 0, 0, fair.ErrOverloaded, time.Second},
		"on SQLite no time is left":                     {dialect.SQLite, 0, 0, 0, fair.ErrOverloaded, 0},
		"on SQLite the program waits for its context":   {dialect.SQLite, -1, 0, 3 * time.Second, context.Canceled, 3 * time.Second},
		"on SQLite it runs by itself without a context": {dialect.SQLite, -1, 0, 0, errApart, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := New(&pool.Pool{Slots: fair.New(fair.Options{Slots: 1, Timeout: time.Minute})}, Options{Kind: c.kind, StatementTimeout: 10 * time.Second})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.left >= 0 {
					ctx = fair.With(ctx, fair.Client{Caller: "ada"})
					fair.Waited(ctx, time.Minute-c.left)
				}
				if c.ends > 0 {
					time.AfterFunc(c.ends, cancel)
				}
				holder := &write{line: "l"}
				q.lines.enter(holder, 1)
				stop := make(chan struct{})
				defer close(stop)
				if c.moves > 0 {
					go func() {
						for {
							select {
							case <-time.After(c.moves):
								q.lines.mu.Lock()
								if l := q.lines.byText["l"]; l != nil {
									l.moved = time.Now()
								}
								q.lines.mu.Unlock()
							case <-stop:
								return
							}
						}
					}()
				}
				w := &write{line: "l", over: make(chan struct{})}
				q.lines.enter(w, 1)
				began := time.Now()
				err := q.wait(ctx, w)
				if took := time.Since(began); !errors.Is(err, c.want) || took != c.took {
					t.Errorf("it ends with %v after %s; want %v after %s", err, took, c.want, c.took)
				}
				if n := len(q.lines.byText["l"].waiting); n != 0 {
					t.Errorf("%d still wait; want none", n)
				}
				if b := q.lines.next("l"); b != nil || len(q.lines.byText) != 0 {
					t.Error("a place is left")
				}
			})
		})
	}
}
