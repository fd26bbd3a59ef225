package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/uptrace/bun/schema"
)

// Write runs a statement that changes one row and has a RETURNING clause, and
// reads what it returns. It is [Session.Read] but for this: on PostgreSQL,
// outside a transaction, writes with the same text that wait while others run
// are sent together, as one statement with one commit. Each is answered when
// that is committed. If it fails, nothing of it was done and each is run by
// itself, so that no write fails of another's fault; if nobody can know whether
// it was done, as when the connection breaks, that is the error of each. It waits
// for locks only for a moment before each goes its own way.
//
// row names the row, in any form: two writes of one row are never sent together.
func (s *Session) Write(ctx context.Context, q schema.QueryAppender, row any) (*Result, error) {
	if s.tx != nil || s.db.core.kind != PostgreSQL || s.db.core.options.NoPrepare {
		return s.Read(ctx, q)
	}
	text, args, err := s.db.render(q)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 || len(args) > maxParams/writesMost || s.db.inlined.has(text) || s.db.apart.has(text) {
		return s.Read(ctx, q)
	}
	w := &write{ctx: ctx, text: text, args: args, row: fmt.Sprint(row), over: make(chan struct{})}
	if s.db.writes.enter(w, s.db.writesAtOnce()) {
		defer s.db.leaveWrites(text)
		return s.Read(ctx, q)
	}
	switch err := s.db.wait(ctx, w); {
	case errors.Is(err, errApart):
		return s.Read(ctx, q)
	case err != nil:
		return nil, err
	case w.alone:
		defer s.db.leaveWrites(text)
		return s.Read(ctx, q)
	}
	return w.result, nil
}

// wait is for a write to be sent or to be let go by itself; errApart is for one
// that has no place and need not wait for any.
func (db *DB) wait(ctx context.Context, w *write) error {
	tired := time.NewTimer(writesPatience)
	defer tired.Stop()
	select {
	case <-w.over:
		return w.err
	case <-tired.C:
		if db.writes.withdraw(w) {
			return errApart
		}
	case <-ctx.Done():
	}
	// It was sent, or it will not be.
	select {
	case <-w.over:
		return w.err
	case <-ctx.Done():
	}
	db.writes.withdraw(w)
	if db.writes.given(w) {
		db.leaveWrites(w.text)
	}
	return ctx.Err()
}

const (
	writesMost = 16 // how many are sent together, a power of two
	// writesPatience is how long one waits for others: those that run may be held
	// up by a lock that it does not need.
	writesPatience = 100 * time.Millisecond
)

// writesAtOnce is how many statements with one text run before others wait.
func (db *DB) writesAtOnce() int { return max(1, db.core.options.MaxConns/8) }

// A write is one who waits.
type write struct {
	ctx    context.Context //nolint:containedctx // for its values: the statement outlives who waits
	text   string
	args   []any
	row    string
	over   chan struct{} // closed when it was sent, or may run by itself
	alone  bool          // it may run by itself, in the place of one that is over
	result *Result
	err    error
}

// writes are the statements that run and those that wait for them, by text.
type writes struct {
	mu    sync.Mutex
	lines map[string]*line
}

type line struct {
	running int
	waiting []*write
}

// enter reports whether a write may run at once, where no more than so many run;
// else it waits.
func (s *writes) enter(w *write, most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lines[w.text]
	if l == nil {
		if s.lines == nil {
			s.lines = map[string]*line{}
		}
		l = &line{}
		s.lines[w.text] = l
	}
	if l.running < most {
		l.running++
		return true
	}
	l.waiting = append(l.waiting, w)
	return false
}

// withdraw takes back a write that still waits, and reports whether it did.
func (s *writes) withdraw(w *write) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lines[w.text]
	if l == nil || !slices.Contains(l.waiting, w) {
		return false
	}
	l.waiting = slices.DeleteFunc(l.waiting, func(other *write) bool { return other == w })
	return true
}

// given reports whether a write was let go by itself, and so has a place.
func (s *writes) given(w *write) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return w.alone
}

// next are those to send together when a statement is over: as many as a power
// of two, of different rows. One that is alone is let go by itself. With none, the
// place is free.
func (s *writes) next(text string) []*write {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lines[text]
	var some []*write
	for _, w := range l.waiting {
		if len(some) < writesMost && !slices.ContainsFunc(some, func(other *write) bool { return other.row == w.row }) {
			some = append(some, w)
		}
	}
	if len(some) > 0 {
		some = some[:padded(len(some)+1)/2]
		l.waiting = slices.DeleteFunc(l.waiting, func(w *write) bool { return slices.Contains(some, w) })
	}
	switch len(some) {
	case 0:
	case 1:
		some[0].alone = true
		close(some[0].over)
		return nil
	default:
		return some
	}
	if l.running--; l.running == 0 {
		delete(s.lines, text)
	}
	return nil
}

// leaveWrites hands the place of a statement that is over to those who wait.
func (db *DB) leaveWrites(text string) {
	some := db.writes.next(text)
	if len(some) == 0 {
		return
	}
	go func() {
		defer db.leaveWrites(text)
		db.send(some)
	}()
}

// send runs writes together and tells each what came of it.
func (db *DB) send(some []*write) {
	results, err := db.together(some)
	for i, w := range some {
		if w.err = err; err == nil {
			w.result = results[i]
		}
		close(w.over)
	}
}

// together answers each of the writes, or errApart if nothing was done.
func (db *DB) together(some []*write) (results []*Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("sqldb: writes that were sent together panicked: %v", p)
		}
	}()
	text := db.joins.of(joinedKey{some[0].text, len(some)}, joined)
	if text == "" {
		db.apart.add(some[0].text)
		return nil, errApart
	}
	var args []driver.NamedValue
	for _, w := range some {
		for _, v := range w.args {
			args = append(args, driver.NamedValue{Ordinal: len(args) + 1, Value: v})
		}
	}
	all, err := db.read(context.WithoutCancel(some[0].ctx), text, args)
	if err != nil {
		return nil, db.asApart(some[0].text, err)
	}
	results = make([]*Result, len(some))
	for i := range results {
		results[i] = &Result{columns: all.columns - 1}
	}
	for i := range all.Len() {
		if row := all.Row(i); row[0].(int64) >= 0 { //nolint:forcetypeassert // the statement says so
			r := results[row[0].(int64)] //nolint:forcetypeassert // the same
			r.values = append(r.values, row[1:]...)
		}
	}
	return results, nil
}

// asApart is the error of writes that were sent together: errApart if nothing
// was done. A server that takes no such statement is not asked again.
func (db *DB) asApart(text string, err error) error {
	fault, known := Classify(err)
	switch {
	case !known || fault.Kind == Unavailable || fault.Kind == Timeout:
		return err
	case isUntyped(err) || sqlState(err) == "0A000":
		db.apart.add(text)
	}
	return errApart
}

// lockPatience is how long writes that were sent together wait for a lock, which
// only one of them may need.
const lockPatience = "100ms"

type joinedKey struct {
	text string
	n    int
}

// joined is the statement of so many writes with one text, "" if it cannot be
// made. Each is a part of WITH, and the answer has their rows behind their
// numbers. It begins with a row of number -1 that bounds the waits for locks, for
// this statement alone: PostgreSQL runs the parts of a UNION ALL in turn.
func joined(key joinedKey) string {
	tokens, ok := sqlTokens(key.text)
	if !ok || !slices.ContainsFunc(tokens, func(t string) bool { return strings.EqualFold(t, "returning") }) {
		return ""
	}
	switch strings.ToLower(tokens[0]) {
	case "insert", "update", "delete":
	default:
		return ""
	}
	values := 0
	for _, t := range tokens {
		if t[0] == '$' {
			at, _ := strconv.Atoi(t[1:])
			values = max(values, at)
		}
	}
	var with, answers strings.Builder
	for i := range key.n {
		with.WriteString(map[bool]string{true: "WITH w0 AS (", false: "), w" + strconv.Itoa(i) + " AS ("}[i == 0])
		for _, t := range tokens {
			if t[0] == '$' {
				at, _ := strconv.Atoi(t[1:])
				t = "$" + strconv.Itoa(at+i*values)
			}
			with.WriteString(t)
		}
		fmt.Fprintf(&answers, " UNION ALL SELECT %d, w%d.* FROM w%d", i, i, i)
	}
	return with.String() + ") SELECT CASE WHEN waits.most IS NULL THEN -2 ELSE -1 END, w0.*" +
		" FROM (SELECT set_config('lock_timeout', '" + lockPatience + "', true) AS most) AS waits LEFT JOIN w0 ON false" + answers.String()
}
