package dialect

// An IndexColumn is one column of an index, or of a required order.
type IndexColumn struct {
	// Name is "" for an expression.
	Name string
	// Descending reverses the order.
	Descending bool
	// NullsFirst puts rows without a value first. It is PostgreSQL's default for a
	// descending order. It is always false for an index of SQLite.
	NullsFirst bool
}

// Sorts reports whether the columns of an index, read from its beginning or from its end,
// have the wanted order. Both slices must have the same length. On SQLite NullsFirst is
// ignored.
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
