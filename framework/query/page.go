package query

import (
	"net/url"
)

// A Pagination is a pagination class: it reads which part of a list is asked
// for and shapes the answer. Classes are used by many requests at once.
// Package page has the usual ones.
//
// frameworktest.TestPagination checks an implementation of your own.
type Pagination interface {
	// Params are the query parameters that the class reads.
	Params() []Param
	// Window reads which rows are asked for. Its error is best made by
	// [InvalidParameter] or [NotFound].
	Window(v Values) (Window, error)
	// Envelope shapes the answer. It may refuse by an [Error], as a page past the
	// end does. The reference asks it for pages that nobody asked for.
	Envelope(p Page) (Envelope, error)
}

// A Window is the part of a list that a request asks for.
type Window struct {
	Limit    int64    // at most so many rows; at least 1
	Offset   int64    // after so many rows
	Counting Counting // how the total is found
	Number   int64    // the page's number, for classes that have one
}

// Counting is a strategy for the number of matching rows, nearly the whole
// cost of a list on a large table.
type Counting struct {
	Kind CountKind
	Cap  int64
}

// A CountKind is a strategy for counting.
type CountKind int

// The kinds of counting.
const (
	CountExact CountKind = iota
	CountCapped
	CountEstimated
	CountNone
)

// ExactCount counts every matching row. The zero Counting is exact.
func ExactCount() Counting { return Counting{Kind: CountExact} }

// CappedCount counts up to limit rows; a [Total] that reached it says so.
func CappedCount(limit int64) Counting { return Counting{Kind: CountCapped, Cap: limit} }

// EstimatedCount asks the database's planner, which is fast and rough; where
// it has no estimate (SQLite) the count is exact.
func EstimatedCount() Counting { return Counting{Kind: CountEstimated} }

// NoCount counts nothing; whether there are more rows is still known.
func NoCount() Counting { return Counting{Kind: CountNone} }

// A Total is the number of matching rows, as far as it was counted.
type Total struct {
	Count   int64
	Known   bool // false with NoCount
	AtLeast bool // the cap was reached: there are Count or more
	Rough   bool // an estimate
}

// A Page is a window with what was found in it.
type Page struct {
	Window
	Total Total
	Rows  int  // how many rows are in this page
	More  bool // rows follow this page
	// Link is the absolute URL of this list with some parameters replaced;
	// an empty value removes one. The others are kept, sorted by name.
	Link func(replace url.Values) string
}

// An Envelope is the answer's object, member by member. One member's value is
// [Items]; if it has no name, the answer is the bare array.
type Envelope []Member

// A Member is one name and value of an [Envelope].
type Member struct {
	Name string
	// Value is written as JSON. The reference tells of the types that it has in
	// a page amid others, the first, the last and an empty one: nil in one of
	// them is told as null, a member that is not in all of them as one that may
	// be absent.
	Value any
	Doc   string
}

// Items stands for the rows in an [Envelope].
type Items struct{}
