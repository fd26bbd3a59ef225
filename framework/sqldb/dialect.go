package sqldb

import "trestle.example/framework/sqldb/internal/dialect"

// Kind is the kind of a database. The zero Kind is neither of the two. Its methods write the
// SQL that differs between the two: [Kind.GroupConcat], [Kind.ForUpdate],
// [Kind.ForNoKeyUpdate], the searches [Kind.Contains], [Kind.ContainsInRow],
// [Kind.ContainsFolded] and [Kind.ColumnContains], and [Kind.Redocument]. [Kind.Sorts] and
// [Kind.HasColumn] compare what the catalogue of the database lists.
type Kind = dialect.Kind

// The two kinds of database.
const (
	SQLite     = dialect.SQLite
	PostgreSQL = dialect.PostgreSQL
)

// Fold is the form in which text is searched: two texts that differ in case
// alone, or in how their accents are encoded, are one. It is Unicode's full
// case folding (ß is ss), composed by NFC, with U+001F made a space. Folding
// twice changes nothing. It is safe for concurrent use.
func Fold(s string) string { return dialect.Fold(s) }

// Document is what a stored search column holds: the folded values, joined by
// U+001F.
func Document(values ...string) string { return dialect.Document(values...) }

// An IndexColumn is one column of an index, or of a required order.
type IndexColumn = dialect.IndexColumn
