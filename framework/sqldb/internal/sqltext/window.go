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
// PostgreSQL plans a statement again for each page whose OFFSET is a parameter, because the
// OFFSET decides the cost of the plan. If the statement has other parameters, that is worth its
// time. If it has none and the OFFSET is below 1,000, LIMIT and OFFSET are in the text, and the
// page is planned once. A DB does so for at most 64 pages a minute, for all requests together.
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
	pagesMost   = 64          // how many statements are pages at most; a quarter of the default of Statements
	pagesKept   = time.Minute // how long these stay the same, once there are pagesMost
)

// pages are statements with LIMIT and OFFSET in their text. They are few, because each
// replaces another statement among those that a connection keeps prepared.
type pages struct {
	mu    sync.Mutex
	known map[string]bool
	full  time.Time // since when they are as many as they may be
}

// take reports whether a statement is one of pages. It adds the statement if there is room; if
// pages are full for pagesKept, it removes all of them first. It returns false for nil pages.
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
