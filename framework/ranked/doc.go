// Package ranked searches a list by words and puts the best matches first, with
// the same answers in the same order on SQLite and PostgreSQL.
//
//	var Search = ranked.Index{Terms: "product_terms", Grams: "product_grams", Param: "q"}
//
//	var Products = framework.ViewSet[Product]{
//		...
//		Ranked: Search,
//		Ordering: framework.Ordering{
//			Named: []framework.NamedOrder{
//				{Name: "relevance", Relevance: true},
//				{Name: "name_asc", By: "name"},
//			},
//			Default: "name_asc",
//		},
//	}
//
// The application stores the words of a row whenever it writes the row, in the
// same transaction, each field with its weight and the row's name first:
//
//	err := Search.Put(c, c.Session(), p.ID,
//		ranked.Field{Text: p.Name, Weight: 8},
//		ranked.Field{Text: p.Brand, Weight: 4},
//		ranked.Field{Text: p.Description, Weight: 1})
//
// # What matches
//
// Text is folded: case by [sqldb.Fold], compatibility forms and accents by
// NFKD, so that "Crème" is "creme"; the vowel signs of Indic scripts stay,
// their nuktas go. What is neither letter, mark nor number separates words. No
// word is changed beyond that: there is no stemming and no list of words to
// leave out. The first 100 characters of a word count.
//
// Every word of the search must begin some word of the row. A word counts the
// highest weight among the words it begins, twice where it is the whole of one;
// a row's rank is the sum. A row whose first field has just the words of the
// search comes before all others. A search without a letter or a number, "%",
// finds nothing. It has at most 100 characters and 16 words, or is 400.
//
// # Misspelt words
//
// Where the list would be empty, each word of the search that begins no word of
// a row in the caller's scope is replaced by the nearest word of those rows,
// and the search runs once more. If a word has one or two characters, or
// nothing is near it, the list stays empty. So rows that the caller does not
// have neither are found nor decide anything: the answer would be the same
// without them. Filters are the caller's own question, and do not count: a word
// that is right is not replaced because a filter leaves out its rows.
//
// Two words are near by their trigrams, the runs of three characters of a word
// with two spaces before and one after it: the score is how many the two have
// in common, of all that either has. It is taken for the whole known word and
// for each beginning of it that is as long as the misspelt one or longer, and
// the best counts; 0.3 is near enough. Of equals the first by its bytes is
// taken. Up to 100 known words are looked at, those with the most trigrams in
// common.
//
// # Tables
//
// A migration of the application makes two tables. Both belong to one model,
// with the type of its primary key:
//
//	CREATE TABLE product_terms (
//	    "key" {{uuid}} NOT NULL REFERENCES products (id) ON DELETE CASCADE,
//	    term {{text}} NOT NULL,
//	    weight {{bigint}} NOT NULL CHECK (weight > 0),
//	    PRIMARY KEY ("key", term)
//	){{if sqlite}} WITHOUT ROWID{{end}};
//	CREATE INDEX product_terms_term ON product_terms (term, "key", weight);
//
//	CREATE TABLE product_grams (
//	    term {{text}} NOT NULL,
//	    gram {{text}} NOT NULL,
//	    PRIMARY KEY (term, gram)
//	){{if sqlite}} WITHOUT ROWID{{end}};
//	CREATE INDEX product_grams_gram ON product_grams (gram, term);
//
// In the first, key is the primary key of a row of the model, term a folded
// word of it, or "=" and all words of its first field, and weight what the term
// counts. The second has each word that a row ever had, and its trigrams, once;
// a word that no row has any more stays and does no harm. {{text}} is ordered
// by its bytes on both databases, which the search rests on: all words with a
// beginning are one range of product_terms_term.
package ranked
