// Package state has what the engine records about a call. Every Call contains a [Sealed]
// state. A program can get it, but cannot read it: a program cannot import this package.
package state

import (
	"maps"
	"net/http"
	"reflect"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/after"
	"trestle.example/framework/internal/origin"
	"trestle.example/framework/sqldb"
)

// A Sealed contains a state, which only [Of] can return.
type Sealed struct{ state State }

// Of returns the state of a call.
func Of(c interface{ State() *Sealed }) *State { return &c.State().state }

// A State is what the engine records about a call. Copies of a call share its Progress.
type State struct {
	Session    *sqldb.Session      // of the framework's own statements
	Origin     *origin.Origin      // of the API; nil for a call that no API made
	Rows       any                 // a table.Rows; nil for a call that no API made
	Header     http.Header         // of the response
	Request    *http.Request       // nil for a call without a request
	Writer     http.ResponseWriter // of the response, for its deadlines; nil for a call without a server
	Progress   *Progress
	Media      string            // of the answer, chosen by Accept; "" for JSON
	Identified List              // the schemes that have identified the caller
	After      *after.Runner     // of the API
	Pending    *[]after.Function // to run after the commit; nil outside of a transaction
}

// A List identifies a slice: two equal Lists are the same slice of the same array.
type List struct {
	First any // a pointer to the first element
	Len   int
}

// A Progress is what the engine records while it runs the call.
type Progress struct {
	Ignored []string               // parts of the request that have no effect, for the header Trestle-Ignored
	Sent    func(name string) bool // reports whether the input has a field; nil without an input
	Given   *GivenRow              // the row that the function received
	Parent  any                    // the primary key of the parent that the path of a nested viewset names; nil without one
	Read    []ReadRow              // the rows that the answer shows, of tables whose reads are recorded
	// OneByOne stores the related rows of a body one after another, so that the error of a constraint
	// names its row.
	OneByOne bool
}

// A ReadRow is a row that an answer shows, by the viewset that declares that its reads are recorded, and its primary key.
type ReadRow struct{ ViewSet, Key string }

// A GivenRow is the row that a function received, its values when it was read, and the
// columns that were saved since.
type GivenRow struct {
	Row    any
	Before reflect.Value
	Saved  []*schema.Field
}

// Rewind records the headers of the response, the lists of ignored parts and of read rows, which row the function
// received, and its list of saved columns. The function that it returns restores them, for a
// transaction that is retried. It does not restore the values of the row.
func (s *State) Rewind() (again func()) {
	p, header := s.Progress, s.Header
	ignored, read, before, given := len(p.Ignored), len(p.Read), header.Clone(), p.Given
	saved := 0
	if given != nil {
		saved = len(given.Saved)
	}
	return func() {
		if p.Given = given; given != nil {
			given.Saved = given.Saved[:saved]
		}
		p.Ignored, p.Read = p.Ignored[:ignored], p.Read[:read]
		clear(header)
		maps.Copy(header, before.Clone())
	}
}

// Rerun returns a function for the beginning of each run of a transaction. The first call does
// nothing. Each later call restores what [State.Rewind] recorded when Rerun was called.
func (s *State) Rerun() func() {
	again, ran := s.Rewind(), false
	return func() {
		if ran {
			again()
		}
		ran = true
	}
}
