// Package sqltext writes statements: their text, and the values that are sent beside it. It
// also reads the text of statements: what one does, and whether equal ones may share an
// execution.
package sqltext

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	bundialect "github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/dialect"
)

// MaxParams is how many values a statement takes at most beside its text. The drivers'
// own limits are 32766 (SQLite) and 32767 (pgdriver counts in 16 bits); a statement with
// more than MaxParams is sent as text, quoted by bun.
const MaxParams = 32000

// binder is a dialect for one statement. Where the real dialect would quote a
// text, time or binary value into the statement, the binder writes a
// placeholder and keeps the value. bun passes the dialect on wherever it
// renders, so the binder receives each of these values; names are quoted elsewhere.
type binder struct {
	schema.Dialect
	kind  dialect.Kind
	pages *pages // nil for a template, which is built once: its OFFSET is always a value
	paged bool   // one Window of the statement has its page in the text, so any other has too
	args  []any
	err   error
}

func (d *binder) bind(b []byte, v any) []byte {
	d.args = append(d.args, v)
	if d.kind == dialect.SQLite {
		b = append(b, '?')
	} else {
		b = append(b, '$')
	}
	return strconv.AppendInt(b, int64(len(d.args)), 10)
}

func (d *binder) fail(b []byte, err error) []byte {
	if d.err == nil {
		d.err = err
	}
	return bundialect.AppendNull(b)
}

func (d *binder) AppendString(b []byte, s string) []byte {
	if err := checkText(s); err != nil {
		return d.fail(b, err)
	}
	return d.bind(b, s)
}

// AppendTime writes the zero time into a template: rows that are not deleted softly may have it, and it
// is the same for each run.
func (d *binder) AppendTime(b []byte, t time.Time) []byte {
	if d.pages == nil && t.IsZero() {
		return append(append(append(b, '\''), timeText(t)...), '\'')
	}
	return d.bind(b, timeText(t))
}

func (d *binder) AppendBytes(b []byte, v []byte) []byte {
	if v == nil {
		return bundialect.AppendNull(b)
	}
	return d.bind(b, v)
}

func (d *binder) AppendJSON(b []byte, v []byte) []byte { return d.AppendString(b, string(v)) }

// quoter is the real dialect, but keeps the error of a text that cannot be sent. bun
// would write the error into the statement.
type quoter struct {
	schema.Dialect
	err error
}

func (d *quoter) AppendString(b []byte, s string) []byte {
	if err := checkText(s); err != nil {
		d.err = err
		return bundialect.AppendNull(b)
	}
	return d.Dialect.AppendString(b, s)
}

// timeText returns a time as it is stored and compared: in UTC, cut to microseconds, in
// the form that bun writes. The order of these texts is the order of the times.
func timeText(t time.Time) string {
	return t.UTC().Format("2006-01-02 15:04:05.999999-07:00")
}

// checkText returns an error for a text that no text column can store. The drivers would
// drop a NUL and replace an invalid byte without an error.
func checkText(s string) error {
	if strings.IndexByte(s, 0) >= 0 {
		return &TextError{Fault: "a NUL character"}
	}
	if !utf8.ValidString(s) {
		return &TextError{Fault: "bytes that are not UTF-8"}
	}
	return nil
}

// TextError means that a value cannot be sent to a database as text. The
// statement with the value was not sent.
type TextError struct {
	// Fault states what in the text is not allowed.
	Fault string
}

func (e *TextError) Error() string {
	return "sqldb: a text value holds " + e.Fault + ", which no text column can store; the statement was not sent"
}
