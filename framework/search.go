package framework

// Search makes a list searchable. Every term of the parameter must be
// contained in at least one field, whatever its case (Unicode folding); white
// space separates terms, double quotes keep a phrase whole; % and _ are
// ordinary characters.
//
// A search has at most 200 characters and 16 terms, and a term at most 100
// characters; a longer one is 400.
type Search struct {
	// Fields are searched, by their client's names. Defaults to none: no search.
	Fields []string
	// Stored names a text column of the model that the framework fills on
	// every write with the folded fields; an index serves it, and both
	// databases give the same answers. Defaults to none: the database folds
	// the fields for every search.
	Stored string
	// Param is the query parameter. Defaults to "search".
	Param string
}
