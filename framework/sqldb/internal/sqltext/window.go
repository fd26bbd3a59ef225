package sqltext

import (
	"strconv"
	"sync"
	"time"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/dialect"
)

// Window returns a query with LIMIT and OFFSET. bun writes both as text; here they are
// parameters, with two exceptions. SQLite plans a statement again each time that
// its LIMIT gets a value, so the LIMIT is always in the text: use few different limits.
// PostgreSQL plans a statement again for each page whose OFFSET is a value, because it
// decides the cost of the plan. If the statement has other values, that is worth its
// time. Without other values, an OFFSET below 1,000 is in the text, and planned once. A
// DB does so for at most 64 pages a minute, for all requests together.
func Window(q schema.QueryAppender, limit, offset int64) schema.QueryAppender {
	return window{q, limit, offset}
}

type window struct {
	query         schema.QueryAppender
	limit, offset int64
}

// AppendQuery implements [schema.QueryAppender].
func (w window) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	b, err := w.query.AppendQuery(gen, b)
	if err != nil {
		return nil, err
	}
	d, binds := gen.Dialect().(*binder)
	if !binds {
		return w.asText(b), nil
	}
	if d.kind == dialect.PostgreSQL && len(d.args) == 0 && w.offset < pagesBefore {
		if text := w.asText(b); d.paged || d.pages.take(text) {
			d.paged = true
			return text, nil
		}
	}
	b = append(b, " LIMIT "...)
	if d.kind == dialect.SQLite {
		b = strconv.AppendInt(b, w.limit, 10)
	} else {
		b = d.bind(b, w.limit)
	}
	return d.bind(append(b, " OFFSET "...), w.offset), nil
}

func (w window) asText(b []byte) []byte {
	b = strconv.AppendInt(append(b, " LIMIT "...), w.limit, 10)
	return strconv.AppendInt(append(b, " OFFSET "...), w.offset, 10)
}

const (
	pagesBefore = 1000        // offset below which pages are requested often
	pagesMost   = 64          // of the statements that a connection keeps, a quarter as it comes
	pagesKept   = time.Minute // how long all of those are the same, when they are so many
)

// pages are statements with the place of a page in their text. They are few: each
// takes the place of another among those that are prepared.
type pages struct {
	mu    sync.Mutex
	known map[string]bool
	full  time.Time // since when they are as many as they may be
}

// take reports whether a statement is one of them, or becomes one.
func (p *pages) take(text []byte) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known[string(text)] {
		return true
	}
	if len(p.known) == pagesMost {
		if time.Since(p.full) < pagesKept {
			return false
		}
		p.known = nil
	}
	if p.known == nil {
		p.known = make(map[string]bool, pagesMost)
	}
	if p.known[string(text)] = true; len(p.known) == pagesMost {
		p.full = time.Now()
	}
	return true
}
