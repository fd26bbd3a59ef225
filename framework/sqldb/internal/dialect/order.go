package dialect

// An IndexColumn is one column of an index, or of a required order.
type IndexColumn struct {
	// Name is "" for an expression.
	Name string
	// Descending turns the order round.
	Descending bool
	// NullsFirst puts rows without a value first. It is PostgreSQL's default for a
	// descending order. Indexes of SQLite never have it.
	NullsFirst bool
}

// Sorts reports whether the columns of an index, read from its beginning or from
// its end, have the wanted order. Both slices must have the same length.
// SQLite reads the rows without a value from either end.
func (k Kind) Sorts(index, wanted []IndexColumn) bool {
	same, turned := true, true
	for i, a := range wanted {
		has := index[i]
		if k == SQLite {
			a.NullsFirst, has.NullsFirst = false, false
		}
		same = same && has == a
		if k == PostgreSQL {
			a.NullsFirst = !a.NullsFirst
		}
		a.Descending = !a.Descending
		turned = turned && has == a
	}
	return same || turned
}
