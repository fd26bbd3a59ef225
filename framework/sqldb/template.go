package sqldb

import (
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun/schema"
)

// A Template is a statement that each database builds once, at its first use,
// and runs many times with other values. It is safe for concurrent use.
type Template struct {
	build func(v Values) schema.QueryAppender
}

// NewTemplate makes a template. build puts the places of values into the
// statement, and names and constants; a value of its own is an error when the
// statement is run. It is called once for each database, and again wherever the
// text has to hold the values, as with [Options.NoPrepare].
func NewTemplate(build func(v Values) schema.QueryAppender) *Template {
	return &Template{build: build}
}

// Values are the places of a template's values.
type Values struct {
	kind    Kind
	several bool // of a lookup: the key is several
	first   int  // the first value that is the program's
	place   func(i int) schema.QueryAppender
}

// Kind is that of the database that builds the statement.
func (v Values) Kind() Kind { return v.kind }

// At stands for one of the values of a run, counted from 0.
func (v Values) At(i int) schema.QueryAppender { return v.place(v.first + i) }

// With is the template's statement with values, which are as for [Param], for any
// method of a [Session].
func (t *Template) With(values ...any) schema.QueryAppender { return filled{t, values} }

// A filled template is a statement to run.
type filled struct {
	template *Template
	values   []any
}

// AppendQuery implements [schema.QueryAppender]. A [Session] has the text already,
// but where the text has to hold the values.
func (f filled) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	v := Values{kind: kindOf(gen.Dialect()), place: func(i int) schema.QueryAppender { return Param(f.values[i]) }}
	return f.template.build(v).AppendQuery(gen, b)
}

// built is a template as one database has it.
type built struct {
	text  string
	order []int // which of the values each parameter takes
	err   error

	sharable bool // see sharable
}

// template builds a template at its first use.
func (db *DB) template(t *Template) *built {
	if known, ok := db.templates.Load(t); ok {
		return known.(*built) //nolint:forcetypeassert // only template stores
	}
	d := &binder{Dialect: db.dialect, kind: db.core.kind}
	v := Values{kind: db.core.kind, place: func(i int) schema.QueryAppender { return place(i) }}
	text, err := t.build(v).AppendQuery(schema.NewQueryGen(d), nil)
	if err == nil {
		err = d.err
	}
	if err == nil {
		err = refuseUnrendered(string(text))
	}
	b := &built{text: string(text), err: err}
	for _, v := range d.args {
		at, ok := v.(place)
		if !ok {
			b.err = errFixedValue
		}
		b.order = append(b.order, int(at))
	}
	b.sharable = sharable(b.text)
	known, _ := db.templates.LoadOrStore(t, b)
	return known.(*built) //nolint:forcetypeassert // only template stores
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

// args are the parameters of a run; nil where a value has no form that
// drivers take.
func (b *built) args(values []any) ([]any, error) {
	forms, err := bound(values)
	if err != nil || forms == nil {
		return nil, err
	}
	args := make([]any, len(b.order))
	for at, i := range b.order {
		if i >= len(forms) {
			return nil, fmt.Errorf("sqldb: a template takes the value %d, counted from 0, and was given %d", i, len(forms))
		}
		args[at] = forms[i]
	}
	return args, nil
}

// bound are values in the form in which they are parameters; nil where one has
// no such form.
func bound(values []any) ([]any, error) {
	forms := make([]any, len(values))
	for i, value := range values {
		v, known, err := driverValue(value)
		if err != nil || !known {
			return nil, err
		}
		switch v := v.(type) {
		case string:
			if err := checkText(v); err != nil {
				return nil, err
			}
			forms[i] = v
		case time.Time:
			forms[i] = timeText(v)
		default:
			forms[i] = v
		}
	}
	return forms, nil
}
