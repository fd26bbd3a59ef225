// Package sheet reads the text of a spreadsheet into the bodies of requests.
package sheet

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/console/internal/control"
	"trestle.example/framework/console/internal/wording"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/wire"
)

// A Sheet is rows with the fields of an input as their columns.
type Sheet struct {
	Columns []control.Control
	Rows    [][]string
	Lines   []int // on which the rows begin, the first line of the text being 1
}

// Read reads text with a line for each row, the first one with the names of the columns: their names in JSON or their labels. Commas,
// semicolons or tabs separate the cells, as RFC 4180 says for commas. It rejects columns that the input does not have, lines with
// too few or too many cells, and more than most rows.
func Read(text string, shape *input.Shape, blank func(*input.Field) control.Control, most int) (*Sheet, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	first, _, _ := strings.Cut(text, "\n")
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.ReuseRecord = separatorOf(first), false
	names, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the text is empty; its first line has the names of the columns")
	}
	if err != nil {
		return nil, fmt.Errorf("the first line cannot be read: %w", err)
	}
	s := &Sheet{}
	for _, name := range names {
		field := find(shape, name)
		if field == nil {
			return nil, fmt.Errorf("no column %q; the columns are %s", name, strings.Join(namesOf(shape), ", "))
		}
		s.Columns = append(s.Columns, blank(field))
	}
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return s, s.bounds(most)
		}
		if err != nil {
			return nil, err
		}
		line, _ := r.FieldPos(0)
		s.Rows, s.Lines = append(s.Rows, cells), append(s.Lines, line)
		if len(s.Rows) > most {
			return nil, s.bounds(most)
		}
	}
}

// bounds rejects a sheet without a row, and one with too many.
func (s *Sheet) bounds(most int) error {
	switch {
	case len(s.Rows) == 0:
		return errors.New("there is no row below the names of the columns")
	case len(s.Rows) > most:
		return fmt.Errorf("there are more than %d rows; this list takes %d at once, so divide them", most, most)
	}
	return nil
}

// separatorOf returns the separator of the names of the columns: the most frequent of the three.
func separatorOf(line string) rune {
	best := ','
	for _, r := range ";\t" {
		if strings.Count(line, string(r)) > strings.Count(line, string(best)) {
			best = r
		}
	}
	return best
}

// find returns the field with a name, or with a label, in any case; nil without one.
func find(shape *input.Shape, name string) *input.Field {
	name = strings.TrimSpace(name)
	for _, f := range shape.Fields {
		if strings.EqualFold(f.Name, name) || strings.EqualFold(wording.Label(f.Name), name) {
			return f
		}
	}
	return nil
}

func namesOf(shape *input.Shape) (names []string) {
	for _, f := range shape.Fields {
		names = append(names, f.Name)
	}
	return names
}

// Body returns the rows as the body of a request: a list of objects. An empty cell is left out.
func (s *Sheet) Body() jsontext.Value {
	list := jsontext.Value{'['}
	for i, cells := range s.Rows {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, s.object(cells)...)
	}
	return append(list, ']')
}

// object returns a row as an object.
func (s *Sheet) object(cells []string) []byte {
	o := wire.Members{}
	for j, cell := range cells {
		c := s.Columns[j]
		if c.Value = plain(cell); strings.TrimSpace(c.Value) == "" {
			continue
		}
		if c.Kind == "bool" {
			c.Value = boolean(c.Value)
		}
		if v, given := c.JSON(false); given {
			o.Add(c.Name, v)
		}
	}
	text, err := wire.Encode(o)
	if err != nil {
		return []byte("{}")
	}
	return text
}

// plain removes the apostrophe that an export puts before a text that a spreadsheet would take for a formula.
func plain(cell string) string {
	if len(cell) > 1 && cell[0] == '\'' && strings.ContainsRune("=+-@\t\r", rune(cell[1])) {
		return cell[1:]
	}
	return cell
}

// boolean reads what spreadsheets write for a boolean.
func boolean(text string) string {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "yes", "1":
		return "true"
	case "false", "no", "0":
		return "false"
	}
	return text
}
