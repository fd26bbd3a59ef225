package query

import (
	"net/url"

	"trestle.example/framework/internal/counting"
)

// A Pagination is a pagination class: it reads the requested window of a list and builds
// the body of the answer. Implementations must be safe for concurrent use. Package page has
// the usual classes.
//
// frameworktest.TestPagination checks your own implementation.
type Pagination interface {
	// Params lists the query parameters that the class reads.
	Params() []Param
	// Window returns the rows that a request wants. Its error is best made by
	// InvalidParameter or NotFound of package problem.
	Window(v Values) (Window, error)
	// Envelope builds the body of the answer. It may return an error, as for a page past
	// the end. The OpenAPI document is made from its envelopes of sample pages.
	Envelope(p Page) (Envelope, error)
}

// A Window is the part of a list that a request wants.
type Window struct {
	Limit    int64    // the greatest number of rows; at least 1
	Offset   int64    // the number of rows before the window
	Counting Counting // how the total is counted
	Number   int64    // the page's number, for classes that number their pages
	// Keyset makes the page begin at a place in the order instead of after a number of rows; nil for
	// pages by Offset, which is then ignored.
	Keyset *Keyset
}

// A Keyset is the request for a page that begins at a cursor. The framework makes the cursors: they
// are encrypted, and valid for the same list, filters, order and caller alone.
type Keyset struct {
	Param  string // the query parameter of the cursor
	Cursor string // "" for the first page
}

// Counting is the strategy that finds the number of matching rows. On a large table the
// count is nearly the whole cost of a list. If a page has the last row, or the list is empty,
// the total is exact with every strategy.
type Counting = counting.Counting

// ExactCount counts every matching row. The zero Counting is exact.
func ExactCount() Counting { return counting.New(counting.Exact, 0) }

// CappedCount counts up to limit rows. If more rows match, the total is limit and
// [Total.AtLeast] is true.
func CappedCount(limit int64) Counting { return counting.New(counting.Capped, limit) }

// EstimatedCount uses the estimate of PostgreSQL's planner, which is fast and rough. On SQLite
// and in a list that a [Ranker] searches, the count is exact.
func EstimatedCount() Counting { return counting.New(counting.Estimated, 0) }

// NoCount counts nothing. The list still finds out whether more rows follow.
func NoCount() Counting { return counting.New(counting.None, 0) }

// A Total is the number of matching rows, as far as it was counted.
type Total struct {
	Count   int64
	Known   bool // false with NoCount, unless the page has the last row or the list is empty
	AtLeast bool // more rows than the limit of CappedCount match; Count is the limit
	Rough   bool // Count is an estimate
}

// A Page is a window and the rows that were found in it.
type Page struct {
	Window
	Total Total
	Rows  int  // the number of rows in this page
	More  bool // rows follow this page
	// Next and Previous are the cursors of the pages after and before this one, with Keyset; "" for none.
	Next, Previous string
	// Link returns the absolute URL of this list with some parameters replaced. An empty
	// value removes a parameter. All others are kept, sorted by name.
	Link func(replace url.Values) string
}

// An Envelope is the body of a list's answer: the members of a JSON object in order. The
// value of one member is [Items]. If that is the only member and has no name, the body is
// the array of rows.
type Envelope []Member

// A Member is a name and a value of an [Envelope].
type Member struct {
	Name string
	// Value is written as JSON. The OpenAPI document describes the types that it has in
	// sample pages: a page in the middle, the first, the last and an empty one. A nil value
	// is documented as nullable, and a member that some pages lack as optional.
	Value any
	Doc   string
}

// Items stands for the rows in an [Envelope].
type Items struct{}
