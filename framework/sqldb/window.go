package sqldb

import (
	"strconv"

	"github.com/uptrace/bun/schema"
)

// Window is a query with LIMIT and OFFSET, which bun would write as text and which
// are parameters here, but for two cases. SQLite plans a statement anew each time
// that its LIMIT is given a value, so that one is always in the text: let there be
// few of them. PostgreSQL plans one anew for each page whose place is a value, for
// that decides what a plan costs. With other values the plan is worth it; without any
// the place of a page that is often asked for is in the text, and planned once.
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
	once := w.often && binds && !sqlite && len(d.args) == 0
	number := func(name string, n int64, asText bool) {
		b = append(b, name...)
		if asText || !binds {
			b = strconv.AppendInt(b, n, 10)
		} else {
			b = d.bind(b, n)
		}
	}
	number(" LIMIT ", w.limit, once || sqlite)
	number(" OFFSET ", w.offset, once)
	return b, nil
}
