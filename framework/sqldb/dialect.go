package sqldb

import "trestle.example/framework/sqldb/internal/dialect"

// Kind is the kind of a database. The zero Kind is neither of the two. Its methods write the
// SQL that differs between the two: [Kind.GroupConcat], [Kind.ForUpdate],
// [Kind.ForNoKeyUpdate], [Kind.ForKeyShare], the searches [Kind.Contains], [Kind.ContainsInRow],
// [Kind.ContainsFolded] and [Kind.ColumnContains], and [Kind.Redocument]. [Kind.Sorts] and
// [Kind.HasColumn] compare what the catalogue of the database lists. String returns "sqlite",
// "postgresql" or "unknown".
type Kind = dialect.Kind

// The two kinds of database.
const (
	SQLite     = dialect.SQLite
	PostgreSQL = dialect.PostgreSQL
)

// Fold returns the form in which text is searched. Texts that differ only in case, or in how
// their accents are encoded, have the same form. It is Unicode's full case folding (ß
// becomes ss), composed by NFC, with U+001F replaced by a space. Folding twice changes
// nothing. It is safe for concurrent use.
func Fold(s string) string { return dialect.Fold(s) }

// Document returns what a stored search column contains: the folded values, joined by
// U+001F. Without values it returns "".
func Document(values ...string) string { return dialect.Document(values...) }

// An IndexColumn is one column of an index, or of a required order. Name is "" for an
// expression. Descending and NullsFirst state its order; NullsFirst is always false for an
// index of SQLite.
type IndexColumn = dialect.IndexColumn
