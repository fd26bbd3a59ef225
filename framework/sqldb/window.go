package sqldb

import (
	"strconv"
	"sync"
	"time"

	"github.com/uptrace/bun/schema"
)

// Window is a query with LIMIT and OFFSET, which bun would write as text and which
// are parameters here, but for two cases. SQLite plans a statement anew each time
// that its LIMIT is given a value, so that one is always in the text: let there be
// few of them. PostgreSQL plans one anew for each page whose place is a value, for
// that decides what a plan costs. With other values the plan is worth it; without any
// the place of a page that is often asked for is in the text, and planned once. A DB
// does so for 64 pages a minute at most, whoever asks for whatever.
func Window(q schema.QueryAppender, limit, offset int64, often bool) schema.QueryAppender {
	return window{q, limit, offset, often}
}

type window struct {
	query         schema.QueryAppender
	limit, offset int64
	often         bool
}

// AppendQuery implements [schema.QueryAppender].
func (w window) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	b, err := w.query.AppendQuery(gen, b)
	if err != nil {
		return nil, err
	}
	d, binds := gen.Dialect().(*binder)
	sqlite := kindOf(gen.Dialect()) == SQLite
	number := func(b []byte, name string, n int64, inText bool) []byte {
		b = append(b, name...)
		if inText || !binds {
			return strconv.AppendInt(b, n, 10)
		}
		return d.bind(b, n)
	}
	place := func(inText bool) []byte {
		return number(number(b, " LIMIT ", w.limit, inText || sqlite), " OFFSET ", w.offset, inText)
	}
	if w.often && binds && !sqlite && len(d.args) == 0 {
		if text := place(true); d.pages.take(text) {
			return text, nil
		}
	}
	return place(false), nil
}

const (
	pagesMost = 64          // of the statements that a connection keeps, a quarter as it comes
	pagesKept = time.Minute // how long all of those are the same, when they are so many
)

// pages are statements with the place of a page in their text. They are few: each
// takes the place of another among those that are prepared.
type pages struct {
	mu    sync.Mutex
	known map[string]bool
	since time.Time
}

// take reports whether a statement is one of them, or becomes one.
func (p *pages) take(text []byte) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.known[string(text)]:
		return true
	case p.known == nil, len(p.known) == pagesMost && time.Since(p.since) > pagesKept:
		p.known, p.since = make(map[string]bool, pagesMost), time.Now()
	case len(p.known) == pagesMost:
		return false
	}
	p.known[string(text)] = true
	return true
}
