package sqltext

import (
	"sync"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/dialect"
)

// A Builder writes the statements of one database. It is safe for concurrent use.
type Builder struct {
	kind      dialect.Kind
	dialect   schema.Dialect
	inlines   bool     // every value is in the text
	pages     pages    // statements with LIMIT and OFFSET in their text
	templates sync.Map // *Built by *Template
}

// NewBuilder makes a builder. If inlines is true, every value is in the text, quoted by bun.
func NewBuilder(d schema.Dialect, inlines bool) *Builder {
	return &Builder{kind: dialect.Of(d), dialect: d, inlines: inlines}
}

// Render returns a statement as its text and the values beside it. If the builder inlines,
// or if there are more than MaxParams values, all values are in the text. If a text value
// cannot be sent, the error is a [*TextError].
func (w *Builder) Render(q schema.QueryAppender) (string, []any, error) {
	if w.inlines {
		text, err := w.Inline(q)
		return text, nil, err
	}
	if f, ok := q.(filled); ok {
		t := w.Template(f.template)
		if t.Err != nil {
			return "", nil, t.Err
		}
		if args, err := t.args(f.values); err != nil || args != nil {
			return t.Text, args, err
		}
	}
	d := &binder{Dialect: w.dialect, kind: w.kind, pages: &w.pages}
	b, err := q.AppendQuery(schema.NewQueryGen(d), make([]byte, 0, 512))
	if err == nil {
		err = d.err
	}
	if err == nil && len(d.args) > MaxParams {
		text, err := w.Inline(q)
		return text, nil, err
	}
	return string(b), d.args, err
}

// Inline returns a statement with its values in its text, quoted by bun.
func (w *Builder) Inline(q schema.QueryAppender) (string, error) {
	d := &quoter{Dialect: w.dialect}
	b, err := q.AppendQuery(schema.NewQueryGen(d), make([]byte, 0, 512))
	if err == nil {
		err = d.err
	}
	return string(b), err
}
