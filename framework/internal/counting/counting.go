// Package counting has the strategies that find the number of matching rows of a list.
package counting

// A Counting is a strategy. Its fields are not exported, so a program cannot read it.
type Counting struct {
	kind Kind
	most int64
}

// A Kind is a kind of counting.
type Kind int

// The kinds of counting.
const (
	Exact Kind = iota
	Capped
	Estimated
	None
)

// New returns a strategy. The limit has a meaning only for [Capped].
func New(kind Kind, limit int64) Counting { return Counting{kind, limit} }

// KindOf returns the kind of a strategy.
func KindOf(c Counting) Kind { return c.kind }

// LimitOf returns the greatest number of rows that a strategy counts, for [Capped].
func LimitOf(c Counting) int64 { return c.most }
