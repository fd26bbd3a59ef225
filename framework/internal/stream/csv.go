package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
)

// A table writes each element as a row of CSV (RFC 4180). A cell is the JSON of a field: text
// without its quotes, and nothing for null.
type table struct {
	columns map[string]int // the index of a column, by the name that wire.Encode writes
	first   []byte         // the header row
	exact   bool           // text that a spreadsheet would run is left as it is
	members []string       // the JSON name of each column
	names   []string       // of the columns, in the header row
	hidden  Hider
}

// without returns the table without the columns that are hidden.
func (t *table) without(hidden Hider) encoder {
	if hidden == nil {
		return t
	}
	shown := &table{columns: map[string]int{}, exact: t.exact, hidden: hidden}
	for i, member := range t.members {
		if !hidden.Drops(member) {
			shown.add(member, t.names[i])
		}
	}
	shown.first = AppendCells(nil, shown.names)
	return shown
}

func (t *table) add(member, name string) {
	t.columns[member] = len(t.members)
	t.members, t.names = append(t.members, member), append(t.names, name)
}

// compileCSV makes the table of an element type: a struct, or a pointer to one, whose fields are
// plain.
func compileCSV(element reflect.Type, exact bool, cased naming.Case) (*table, error) {
	t := naming.Indirect(element)
	if t.Kind() != reflect.Struct || datatype.WrittenForm(t) != datatype.FormParts {
		return nil, fmt.Errorf("a row of CSV is a struct; %s is not one", element)
	}
	rows := &table{columns: map[string]int{}, exact: exact}
	for f := range naming.ShapeFields(t) {
		if !isPlain(naming.Indirect(f.Type)) {
			return nil, fmt.Errorf("%s.%s is %s; a cell of CSV is one plain value: text, a number, a boolean, a time or the like", t.Name(), f.Name, f.Type)
		}
		rows.add(naming.JSONName(f), cased.JSONName(f))
	}
	if len(rows.names) == 0 {
		return nil, fmt.Errorf("%s has no fields, so a row of CSV has no cells", element)
	}
	rows.first = AppendCells(nil, rows.names)
	return rows, nil
}

// isPlain reports whether a type is written as one JSON value that is no object and no array. For
// a type that writes its own JSON, its schema and the zero value decide; element checks each value.
func isPlain(t reflect.Type) bool {
	if t.Kind() == reflect.Interface || datatype.IsJSON(t) {
		return false
	}
	if datatype.WrittenForm(t) == datatype.FormParts || statesNested(t) {
		return false
	}
	text, err := wire.Encode(reflect.Zero(t).Interface())
	return err != nil || !isNested(jsontext.Value(text).Kind())
}

// statesNested reports whether the JSON Schema that a type has by itself permits an object or an
// array.
func statesNested(t reflect.Type) bool {
	own, ok := reflect.TypeAssert[interface{ JSONSchemaBytes() ([]byte, error) }](reflect.New(t))
	if !ok {
		return false
	}
	text, err := own.JSONSchemaBytes()
	var schema struct {
		Type any `json:"type"`
	}
	if err != nil || json.Unmarshal(text, &schema) != nil {
		return false
	}
	kinds, several := schema.Type.([]any)
	if !several {
		kinds = []any{schema.Type}
	}
	return slices.Contains(kinds, any("object")) || slices.Contains(kinds, any("array"))
}

func isNested(kind jsontext.Kind) bool { return kind == '{' || kind == '[' }

func (t *table) head(b []byte) []byte { return append(b, t.first...) }

func (t *table) element(b []byte, value any) ([]byte, error) {
	text, err := encodeShown(value, t.hidden)
	if err != nil {
		return b, err
	}
	cells, err := t.cells(text)
	if err != nil {
		return b, err
	}
	return AppendCells(b, cells), nil
}

func (t *table) failure(b, _ []byte) ([]byte, bool) { return b, false }

// cells returns the cells of a row from the JSON of an element. A member that the JSON leaves out
// is an empty cell.
func (t *table) cells(text []byte) ([]string, error) {
	cells := make([]string, len(t.columns))
	d := jsontext.NewDecoder(bytes.NewReader(text))
	if open, err := d.ReadToken(); err != nil || open.Kind() != '{' {
		return nil, errors.New("a row of CSV cannot be null")
	}
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := token.String() // now: the token is not valid any more after the next call
		at, known := t.columns[name]
		if !known {
			return nil, fmt.Errorf("the member %q of a row has no column", name)
		}
		if isNested(d.PeekKind()) {
			return nil, fmt.Errorf("the member %q of a row is an object or an array", name)
		}
		value, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		cells[at] = Cell(value, t.exact)
	}
	return cells, nil
}

// Cell is the text of a cell with a plain JSON value: a text without its quotes, and nothing for null. Unless
// the text is to be exact, an apostrophe is before one that a spreadsheet would run.
func Cell(value jsontext.Token, exact bool) string {
	text := value.String()
	switch {
	case value.Kind() == 'n':
		return ""
	case value.Kind() == '"' && !exact && isFormula(text):
		return "'" + text
	}
	return text
}

// isFormula reports whether a spreadsheet may run a text as a formula. A number such as -5 is
// not a formula.
func isFormula(text string) bool {
	begin, _ := utf8.DecodeRuneInString(text)
	return strings.ContainsRune("=+-@\t\r\n＝＋－＠", begin) && text != "" &&
		!(begin == '-' && wire.IsNumber(text) && strings.TrimSpace(text) == text)
}

// AppendCells appends a row. encoding/csv with UseCRLF would change the line breaks in the cells.
func AppendCells(b []byte, cells []string) []byte {
	for i, cell := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		if !needsQuotes(cell, len(cells) == 1) {
			b = append(b, cell...)
			continue
		}
		b = append(b, '"')
		b = append(b, strings.ReplaceAll(cell, `"`, `""`)...)
		b = append(b, '"')
	}
	return append(b, "\r\n"...)
}

// needsQuotes reports whether a cell must be quoted. The only cell of a row must be if it is
// empty, because many readers skip an empty line.
func needsQuotes(cell string, only bool) bool {
	if cell == "" {
		return only
	}
	return strings.ContainsAny(cell, "\",\r\n") || cell[0] == ' ' || cell[len(cell)-1] == ' '
}
