package scan

import (
	"reflect"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// A Representation turns rows of a model into what a client sees.
type Representation interface {
	// Rows runs a narrowed and ordered query on the model and returns []Out. If the window
	// probes, more reports whether rows follow.
	Rows(c *call.Call, q *bun.SelectQuery, w Window) (out reflect.Value, more bool, err error)
	// Write is like Rows and returns the rows as JSON.
	Write(c *call.Call, q *bun.SelectQuery, w Window) (SentRows, error)
	// ColumnsOf passes columns with their tables to use. For a view, these are the columns that
	// it shows, the keys of its joined rows and the foreign keys of its to-many relations; the
	// base key of a to-many relation only if the view shows it. For a function of Computes,
	// these are all columns of its relations, and no columns of the model.
	ColumnsOf(use func(*schema.Table, ...*schema.Field))
	// Hiding is the mask of Out: Rows and Write hide its members from callers.
	Hiding() *fieldrule.Mask
}

// SentRows are rows as a client sees them, as JSON.
type SentRows struct {
	Text []byte // a JSON array; undefined without rows
	Rows int
	More bool // rows follow; only if the window probes
	// Version is that of the first row, if the window has one.
	Version string
}

// List returns the rows as a JSON array.
func (w SentRows) List() jsontext.Value {
	if w.Rows == 0 {
		return jsontext.Value("[]")
	}
	return w.Text
}

// A SentRow is one row as a client sees it, and its version, "" in a viewset without versions.
type SentRow struct {
	Value   any
	Version string
}

// One returns the only row. Without a row, the error is NotFound. Several rows are an error of
// the declaration.
func (w SentRows) One() (SentRow, error) {
	if err := Only(w.Rows); err != nil {
		return SentRow{}, err
	}
	return SentRow{jsontext.Value(w.Text[1 : len(w.Text)-1]), w.Version}, nil
}

// Only returns nil for one row and NotFound for none. Several rows are an error of the
// declaration: the field of a Lookup, or of an Upsert, is not unique.
func Only(rows int) error {
	switch rows {
	case 0:
		return problem.NotFound()
	case 1:
		return nil
	}
	return naming.Sentence("several rows have one key: the field of a Lookup or of an Upsert needs a unique index")
}
