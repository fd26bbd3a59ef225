package console

import (
	"encoding/json"
	"io"
	"text/tabwriter"
)

// NewTable returns a writer that aligns cells. Tabs separate the cells of a line.
func NewTable(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

// WriteJSON writes a value as indented JSON.
func WriteJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(value)
}

// Map returns the rows as a command prints them in JSON. Without rows it returns an
// empty array.
func Map[Row, Line any](rows []Row, line func(Row) Line) []Line {
	lines := make([]Line, len(rows))
	for i, row := range rows {
		lines[i] = line(row)
	}
	return lines
}

// An ArrayWriter writes a JSON array of any length, one element per line.
type ArrayWriter struct {
	out   io.Writer
	begun bool
}

// NewArray returns a writer of an array.
func NewArray(out io.Writer) *ArrayWriter { return &ArrayWriter{out: out} }

// Add writes one more element.
func (a *ArrayWriter) Add(value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	before := ",\n  "
	if !a.begun {
		a.begun, before = true, "[\n  "
	}
	_, err = io.WriteString(a.out, before+string(text))
	return err
}

// End closes the array.
func (a *ArrayWriter) End() error {
	closing := "\n]\n"
	if !a.begun {
		closing = "[]\n"
	}
	_, err := io.WriteString(a.out, closing)
	return err
}
