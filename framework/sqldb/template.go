package sqldb

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/uptrace/bun/schema"
)

// A Template is a statement that is built once and run many times, each time
// with other values. It is safe for concurrent use.
type Template struct {
	build func(value func(i int) schema.QueryAppender) schema.QueryAppender
	key   string // tells its reads from those of others
	text  string
	order []int // which of the values each parameter takes
}

// Template makes a template. build is given a function that stands for the
// values of a run, counted from 0, and puts them into its statement; other
// values it must not put in, but may write names and constants. It is called
// once, and again wherever the text has to hold the values, as with
// [Options.NoPrepare]. An error is that of building the statement.
func (db *DB) Template(build func(value func(i int) schema.QueryAppender) schema.QueryAppender) (*Template, error) {
	t := &Template{build: build, key: "\x00" + strconv.FormatUint(db.templates.Add(1), 36)}
	d := &binder{Dialect: db.dialect, kind: db.core.kind}
	b, err := build(func(i int) schema.QueryAppender { return place(i) }).AppendQuery(schema.NewQueryGen(d), nil)
	if err == nil {
		err = d.err
	}
	if err == nil {
		err = refuseUnrendered(string(b))
	}
	t.text = string(b)
	for _, v := range d.args {
		at, ok := v.(place)
		if !ok {
			return nil, errFixedValue
		}
		t.order = append(t.order, int(at))
	}
	return t, err
}

var errFixedValue = errors.New("sqldb: a template's statement holds a value of its own; give it with each run")

// A place stands for a value in a template.
type place int

// AppendQuery implements [schema.QueryAppender].
func (p place) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	d, ok := gen.Dialect().(*binder)
	if !ok {
		return nil, errFixedValue
	}
	return d.bind(b, p), nil
}

// ReadAs is [Session.Read] of a template with values, which are as for [Param].
func (s *Session) ReadAs(ctx context.Context, t *Template, values ...any) (*Result, error) {
	if s.tx == nil && !s.db.core.options.NoPrepare && !s.db.inlined.has(t.text) {
		args, err := t.args(values)
		if err != nil {
			return nil, err
		}
		if args != nil {
			res, err := s.db.shared(ctx, t.key, t.text, args)
			if !isUntyped(err) {
				return res, err
			}
		}
	}
	return s.Read(ctx, t.build(func(i int) schema.QueryAppender { return Param(values[i]) }))
}

// args are the parameters of a run; nil where a value has no form that
// drivers take.
func (t *Template) args(values []any) ([]any, error) {
	args := make([]any, len(t.order))
	for at, i := range t.order {
		v, known, err := driverValue(values[i])
		if err != nil || !known {
			return nil, err
		}
		switch v := v.(type) {
		case string:
			if err := checkText(v); err != nil {
				return nil, err
			}
			args[at] = v
		case time.Time:
			args[at] = timeText(v)
		default:
			args[at] = v
		}
	}
	return args, nil
}
