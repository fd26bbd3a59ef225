package rowtext

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/stream"
)

// A Sheet writes rows as CSV, with the columns that one caller sees. It is not safe for concurrent use.
type Sheet struct {
	names []string
	top   members
	exact bool     // text that a spreadsheet would run is left as it is
	cells []string // of the row that is written
}

// members are the members of an object, by their names for clients.
type members map[string]place

// A place is the column of a member, or the places of the members below it.
type place struct {
	column int
	below  members
}

// NewSheet returns a sheet without the fields that are hidden. With exact, text that a spreadsheet would run as a formula is not changed.
func NewSheet(fields []Field, exact bool, hidden *fieldrule.Hidden) *Sheet {
	s := &Sheet{exact: exact}
	s.top = s.add(fields, "", hidden)
	s.cells = make([]string, len(s.names))
	return s
}

// add adds the columns of fields that are not hidden. prefix is before their names.
func (s *Sheet) add(fields []Field, prefix string, hidden *fieldrule.Hidden) members {
	all := members{}
	for _, f := range fields {
		switch {
		case hidden.Drops(f.member):
		case f.below != nil:
			all[f.name] = place{below: s.add(f.below, prefix+f.name+".", hidden.Within(f.member))}
		default:
			all[f.name] = place{column: len(s.names)}
			s.names = append(s.names, prefix+f.name)
		}
	}
	return all
}

// Head implements [stream.RowWriter].
func (s *Sheet) Head(b []byte) []byte { return stream.AppendCells(b, s.names) }

// Rows implements [stream.RowWriter].
func (s *Sheet) Rows(b []byte, rows jsontext.Value) ([]byte, error) {
	return b, each(rows, func(d *jsontext.Decoder) error {
		clear(s.cells)
		err := s.object(d, s.top)
		b = stream.AppendCells(b, s.cells)
		return err
	})
}

// object reads an object into the cells of its members. A member that it lacks, and those of null, are empty
// cells.
func (s *Sheet) object(d *jsontext.Decoder, all members) error {
	if kind := d.PeekKind(); kind != jsontext.KindBeginObject {
		if kind == jsontext.KindNull {
			return d.SkipValue()
		}
		return fmt.Errorf("a row of CSV has %s instead of an object", kind)
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != jsontext.KindEndObject {
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		name := token.String() // now: the token is not valid any more after the next call
		at, known := all[name]
		if !known {
			return fmt.Errorf("the member %q of a row has no column", name)
		}
		if err := s.value(d, at); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// value reads a value into its cell. A list, and an object without columns of its own, is JSON in one cell.
func (s *Sheet) value(d *jsontext.Decoder, at place) error {
	kind := d.PeekKind()
	switch {
	case at.below != nil:
		return s.object(d, at.below)
	case kind == jsontext.KindBeginObject || kind == jsontext.KindBeginArray:
		text, err := d.ReadValue()
		s.cells[at.column] = string(text)
		return err
	}
	value, err := d.ReadToken()
	if err == nil {
		s.cells[at.column] = stream.Cell(value, s.exact)
	}
	return err
}
