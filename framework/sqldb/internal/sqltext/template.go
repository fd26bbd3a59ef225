package sqltext

import (
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/dialect"
)

// A Template is a statement that each database builds once, at its first use,
// and runs many times with other values. It is safe for concurrent use.
type Template struct {
	build func(v Values) schema.QueryAppender
}

// NewTemplate makes a template. build puts the places of values into the
// statement, and names and constants; if it puts in a text, a time or a binary value of its own,
// each run of the template is an error. build is called at the first use by each database, and
// for each run whose text has to hold the values, as with Options.NoPrepare of package sqldb.
func NewTemplate(build func(v Values) schema.QueryAppender) *Template {
	return &Template{build: build}
}

// Values are the places of a template's values.
type Values struct {
	kind    dialect.Kind
	several bool // the statement is that of a Lookup for several keys
	first   int  // the first value that is the program's
	place   func(i int) schema.QueryAppender
}

// Kind is that of the database that builds the statement.
func (v Values) Kind() dialect.Kind { return v.kind }

// At returns the place of one of the values of a run, counted from 0.
func (v Values) At(i int) schema.QueryAppender { return v.place(v.first + i) }

// With returns the template's statement with values, which are as for [Param], for any
// method of a Session.
func (t *Template) With(values ...any) schema.QueryAppender { return filled{t, values} }

// A filled template is a statement to run.
type filled struct {
	template *Template
	values   []any
}

// AppendQuery implements [schema.QueryAppender]. A Session calls it only if the text has to
// hold values; otherwise it uses the text of the [Built] template.
func (f filled) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	v := Values{kind: dialect.Of(gen.Dialect()), place: f.place}
	return f.template.build(v).AppendQuery(gen, b)
}

// place is the value at a place of the template.
func (f filled) place(i int) schema.QueryAppender {
	if i >= len(f.values) {
		return missingValueError{i, len(f.values)}
	}
	return Param(f.values[i])
}

// A missingValueError is a place for which no value was given.
type missingValueError struct{ place, given int }

// AppendQuery returns the error.
func (m missingValueError) AppendQuery(schema.QueryGen, []byte) ([]byte, error) { return nil, m }

// Error implements error.
func (m missingValueError) Error() string {
	return fmt.Sprintf("sqldb: a template takes the value %d, counted from 0, and was given %d", m.place, m.given)
}

// A Built template is a template that was built for one database.
type Built struct {
	Text string
	Err  error // why it cannot be run

	// Sharable reports whether equal runs may share an execution.
	Sharable bool

	order []int // which of the values each parameter takes
}

// Template builds a template at its first use, and stores it. If the template is wrong, Err
// of the result states why.
func (w *Builder) Template(t *Template) *Built {
	if known, ok := w.templates.Load(t); ok {
		return known.(*Built) //nolint:forcetypeassert // only Template stores
	}
	d := &binder{Dialect: w.dialect, kind: w.kind}
	v := Values{kind: w.kind, place: func(i int) schema.QueryAppender { return place(i) }}
	text, err := t.build(v).AppendQuery(schema.NewQueryGen(d), nil)
	if err == nil {
		err = d.err
	}
	if err == nil {
		err = CheckRendered(string(text))
	}
	b := &Built{Text: string(text), Err: err}
	for _, v := range d.args {
		at, ok := v.(place)
		if !ok {
			b.Err = ErrFixedValue
		}
		b.order = append(b.order, int(at))
	}
	b.Sharable = Sharable(b.Text)
	known, _ := w.templates.LoadOrStore(t, b)
	return known.(*Built) //nolint:forcetypeassert // only Template stores
}

// ErrFixedValue is the error of a template whose statement holds a value of its own.
var ErrFixedValue = errors.New("sqldb: a template's statement holds a value of its own; give it with each run")

// A place is the place of a value in a template.
type place int

// AppendQuery implements [schema.QueryAppender].
func (p place) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	d, ok := gen.Dialect().(*binder)
	if !ok {
		return nil, ErrFixedValue
	}
	return d.bind(b, p), nil
}

// args returns the parameters of a run, or nil if a value has no form that
// drivers take.
func (b *Built) args(values []any) ([]any, error) {
	forms, err := Bound(values)
	if err != nil || forms == nil {
		return nil, err
	}
	args := make([]any, len(b.order))
	for at, i := range b.order {
		if i >= len(forms) {
			return nil, missingValueError{i, len(forms)}
		}
		args[at] = forms[i]
	}
	return args, nil
}

// Bound returns values in the form in which they are parameters, or nil if one of them has
// no such form. A text that cannot be sent is an error.
func Bound(values []any) ([]any, error) {
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
