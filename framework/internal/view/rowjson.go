package view

import (
	"bytes"
	"database/sql/driver"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/sqldb"
)

// encodeRows writes rows, []Out, as JSON with the names of []Out and without the hidden members. If
// err is not nil, it only returns err.
func encodeRows(hidden *fieldrule.Hidden, names *wire.Names, rows reflect.Value, more bool, err error) (scan.SentRows, error) {
	if err != nil {
		return scan.SentRows{}, err
	}
	text, err := wire.Encode(rows.Interface())
	if err == nil {
		text, err = hidden.Drop(text)
	}
	if err == nil {
		text, err = names.Rename(text)
	}
	return scan.SentRows{Text: text, Rows: rows.Len(), More: more}, err
}

// A rowWriter writes the rows of a flat view as JSON, straight from the values of the driver if
// it knows their types. Its output equals wire.Encode of the view, byte for byte. It is made once
// and is safe for concurrent use.
type rowWriter struct {
	plan    *Plan
	members []rowMember
}

// A rowMember writes one member from one column.
type rowMember struct {
	before []byte // the text before the value: `{"name":` for the first member, `,"name":` for others
	column int
	write  valueWriter
}

// A valueWriter appends a driver's value as JSON. It returns false if the value has to be
// scanned into its Go type first.
type valueWriter func(b []byte, v driver.Value) ([]byte, bool)

// newRowWriter compiles the writer of a flat view that hides no members from some callers. It leaves out the dropped fields. It
// returns nil if the view shows files or makes its own JSON, if a field has an option in its tag json, or if the
// JSON is not one member for each column.
func newRowWriter(p *Plan, dropped [][]int) *rowWriter {
	if len(p.files) > 0 || wire.MakesJSON(p.out) {
		return nil
	}
	byName := map[string]int{}
	for i, l := range p.leaves {
		f := p.out.FieldByIndex(l.index)
		if _, options, _ := strings.Cut(f.Tag.Get("json"), ","); options != "" {
			return nil
		}
		byName[naming.JSONName(f)] = i
	}
	names, ok := memberNames(p.out)
	if !ok {
		return nil
	}
	for f := range naming.ShapeFields(p.out) {
		if isBelow(f.Index, dropped) {
			names = slices.DeleteFunc(names, func(name string) bool { return name == naming.JSONName(f) })
		}
	}
	if len(names) == 0 || len(names) != len(p.leaves) {
		return nil
	}
	w, shown := &rowWriter{plan: p}, wire.CompileNames(p.out, p.api.Config.Case)
	for _, name := range names {
		column, known := byName[name]
		quoted, err := wire.Encode(shown.Name(name))
		if !known || err != nil {
			return nil
		}
		w.members = append(w.members, rowMember{slices.Concat([]byte{','}, quoted, []byte{':'}), column, writerOf(p.leaves[column].column.StructField.Type)})
	}
	w.members[0].before[0] = '{'
	return w
}

// memberNames returns the names of a struct's members in the order of its JSON. It reads
// them from the JSON of the zero value.
func memberNames(t reflect.Type) ([]string, bool) {
	text, err := wire.Encode(reflect.New(t).Interface())
	if err != nil {
		return nil, false
	}
	d := jsontext.NewDecoder(bytes.NewReader(text))
	if open, err := d.ReadToken(); err != nil || open.Kind() != '{' {
		return nil, false
	}
	var names []string
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, false
		}
		names = append(names, name.String()) // a copy: the next token overwrites it
		if d.SkipValue() != nil {
			return nil, false
		}
	}
	return names, true
}

const (
	// firstRoom is the capacity in bytes for the first row. The length of that row gives
	// the capacity for the others.
	firstRoom = 512
	// mostRoom is the greatest capacity in bytes that is added for the others.
	mostRoom = 64 << 10
)

func (w *rowWriter) Rows(found *sqldb.Result, win scan.Window) (scan.SentRows, error) {
	out := scan.SentRows{Rows: found.Len()}
	if out.More = win.Probe && int64(out.Rows) > win.Rows; out.More {
		out.Rows = int(win.Rows)
	}
	if out.Rows == 0 {
		return out, nil
	}
	out.Text = append(make([]byte, 0, firstRoom), '[')
	for i := range out.Rows {
		var err error
		if out.Text, err = w.row(out.Text, found.Row(i)); err != nil {
			return scan.SentRows{}, err
		}
		out.Text = append(out.Text, ',')
		if i == 0 {
			out.Text = slices.Grow(out.Text, min((len(out.Text)+16)*(out.Rows-1), mostRoom))
		}
	}
	out.Text[len(out.Text)-1] = ']'
	return out, nil
}

func (w *rowWriter) row(b []byte, row []driver.Value) ([]byte, error) {
	for _, m := range w.members {
		b = append(b, m.before...)
		if m.write != nil {
			if longer, ok := m.write(b, row[m.column]); ok {
				b = longer
				continue
			}
		}
		var err error
		if b, err = w.slowly(b, m.column, row[m.column]); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// slowly writes a value as JSON after it scanned the value into its Go type.
func (w *rowWriter) slowly(b []byte, column int, v driver.Value) ([]byte, error) {
	leaf := &w.plan.leaves[column]
	value := reflect.New(leaf.column.StructField.Type)
	if err := (&valueCell{leaf: leaf, value: value.Elem()}).Scan(v); err != nil {
		return nil, err
	}
	text, err := wire.Encode(value.Interface())
	return append(b, text...), err
}

// writerOf returns the writer for values of a type, or nil if every value has to be scanned
// first.
func writerOf(t reflect.Type) valueWriter {
	if t.Kind() == reflect.Pointer {
		return orNull(writerOf(t.Elem()))
	}
	switch {
	case t == naming.TimeType:
		return writeTime
	case t == reflect.TypeFor[uuid.UUID]():
		return writeUUID
	case wire.MakesJSON(t) || scans(t):
		return nil
	}
	switch t.Kind() {
	case reflect.String:
		return writeText
	case reflect.Int, reflect.Int64:
		return writeInt
	case reflect.Bool:
		return writeBool
	}
	return nil
}

// scans reports whether a type implements [sql.Scanner].
func scans(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[interface{ Scan(any) error }]())
}

func orNull(write valueWriter) valueWriter {
	if write == nil {
		return nil
	}
	return func(b []byte, v driver.Value) ([]byte, bool) {
		if v == nil {
			return append(b, "null"...), true
		}
		return write(b, v)
	}
}

func writeTime(b []byte, v driver.Value) ([]byte, bool) {
	t, ok := v.(time.Time)
	if !ok {
		return b, false
	}
	t = t.UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		return b, false
	}
	return append(t.AppendFormat(append(b, '"'), time.RFC3339Nano), '"'), true
}

// writeUUID writes a text if uuid.UUID would write the same text, and returns false for any
// other value.
func writeUUID(b []byte, v driver.Value) ([]byte, bool) {
	switch v := v.(type) {
	case string:
		return appendUUID(b, v)
	case []byte:
		return appendUUID(b, v)
	}
	return b, false
}

func appendUUID[T string | []byte](b []byte, text T) ([]byte, bool) {
	if len(text) != 36 {
		return b, false
	}
	for i := range len(text) {
		c := text[i]
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash && c != '-' || !dash && (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return b, false
		}
	}
	return append(append(append(b, '"'), text...), '"'), true
}

func writeText(b []byte, v driver.Value) ([]byte, bool) {
	switch v := v.(type) {
	case string:
		return appendText(b, v)
	case []byte:
		return appendText(b, string(v))
	}
	return b, false
}

// appendText quotes a text that needs no escapes, and returns false for any other.
func appendText(b []byte, text string) ([]byte, bool) {
	plain := true
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c == '"' || c == '\\' || c == 0x7f {
			return b, false
		}
		plain = plain && c < utf8.RuneSelf
	}
	// JavaScript treats these two separators as line ends, so wire.Encode escapes them.
	if !plain && (!utf8.ValidString(text) || strings.ContainsAny(text, "\u2028\u2029")) {
		return b, false
	}
	return append(append(append(b, '"'), text...), '"'), true
}

func writeInt(b []byte, v driver.Value) ([]byte, bool) {
	n, ok := v.(int64)
	if !ok {
		return b, false
	}
	return strconv.AppendInt(b, n, 10), true
}

func writeBool(b []byte, v driver.Value) ([]byte, bool) {
	t, ok := v.(bool)
	if !ok {
		return b, false
	}
	return strconv.AppendBool(b, t), true
}
