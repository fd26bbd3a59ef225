package framework

// Search makes a list searchable by a query parameter. Each term must be contained in at
// least one field, ignoring case (Unicode folding). White space separates terms, double
// quotes keep a phrase together, and % and _ are ordinary characters.
//
// A search has at most 200 characters and 16 terms, and a term at most 100 characters. A
// longer search is the error 400.
type Search struct {
	// Fields lists the searched fields by their client's names. A path over [Relations], such
	// as "author.name", searches the related rows that the caller may see, without an index.
	// Defaults to none: no search.
	Fields []string
	// Stored names a text column of the model that the framework fills with the folded
	// fields on every write. An index serves it, and both databases give the same answers.
	// Fields must then be columns of the row itself. On SQLite the table needs the column _row, which
	// {{id}} of a migration adds; a table with an integer key cannot have it. See [sqldb.DB.Migrate].
	// Defaults to none: the database folds the fields for every search.
	Stored string
	// Param is the query parameter. Defaults to "search".
	Param string
}
