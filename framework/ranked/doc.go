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
//		ranked.Field{Text: p.Description, Weight: 1},
//		ranked.Field{Text: p.Code, Weight: 2, Exact: true})
//
// # What matches
//
// Text is folded: case by [sqldb.Fold], compatibility forms and accents by
// NFKD, so that "Crème" is "creme"; the vowel signs of Indic scripts stay,
// their nuktas go. What is neither letter, mark nor number separates words. No
// word is changed beyond that: there is no stemming and no list of words to
// leave out. The first 100 characters of a word count.
//
// Every word of the search must begin some word of the row. It counts the
// weight of the heaviest word that it begins, twice where it is the whole of
// that; a row's rank is the sum. A row whose first field has just the words of
// the search comes before all others. A word that begins another one of the
// search adds nothing.
//
// A search has at most 100 characters and 8 words, or is 400. Without a letter
// or a number, "%", it finds nothing.
//
// # Misspelt words
//
// Where the list would be empty, each word of the search that begins no word of
// a row in the caller's scope is replaced by the nearest word of those rows,
// and the search runs once more. The list stays empty if there are more than
// three such words, if one has but one or two characters or a number in it, as
// codes and sizes have, or if nothing is near it. So rows that the caller does
// not have neither are found nor decide anything: the answer would be the same
// without them, within the limits below. Filters are the caller's own question,
// and do not count: a word that is right is not replaced because a filter
// leaves out its rows.
//
// Two words are near by their trigrams, the runs of three characters of a word
// with two spaces before and one after it: the score is how many the two have
// in common, of all that either has. It is taken for the whole known word and
// for each beginning of it that is as long as the misspelt one or longer, and
// the best counts; 0.3 is near enough. Of equals the first by its bytes is
// taken. Known words have no numbers, and some field that is not exact has
// them.
//
// # What it costs
//
// A list is two statements: the first finds the keys of the page and the total
// together, the second reads the rows of the page. A page past the end costs
// less than the first.
//
// The rows of one word are looked at, at most [Index.Candidates]. Of several
// words it is the one with fewest, the others are looked up in its rows, and
// the rows that are looked at become fewer as the words become more: Candidates
// divided by their number, where a word of one character counts twice. So a
// search finds all that matches, and its total is exact, unless every word of it
// begins words of more rows than that: by default 50,000 for one word, 25,000
// for two or for one of a single character. Then the first of those rows are
// all that is looked at, by word and then by key, and scope and filters leave
// out some of them.
//
// For a misspelt word the 400 known ones are looked at that have the most
// trigrams in common with it, each in some rows for one that the caller has, and
// of those that the caller has the first 100 are compared. All words of a search
// share one number of rows, Candidates: whether they are known is looked for in
// as many, and what is near the unknown ones in as many again, so that neither
// costs more than the search. By default a near word is looked for in 125 rows,
// where 400 are near one misspelt word, and in more where fewer are. What is
// asked for codes alone, Exact, is not stored as trigrams: a great many words
// that nobody shares would make each of those looks long.
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
//	    depth {{bigint}} NOT NULL CHECK (depth > 0),
//	    spelt {{bool}} NOT NULL,
//	    PRIMARY KEY ("key", term){{if postgres}} INCLUDE (weight, depth){{end}}
//	){{if sqlite}} WITHOUT ROWID{{end}};
//	CREATE INDEX product_terms_term ON product_terms (term, "key", weight, depth);
//
//	CREATE TABLE product_grams (
//	    term {{text}} NOT NULL,
//	    gram {{text}} NOT NULL,
//	    PRIMARY KEY (term, gram)
//	){{if sqlite}} WITHOUT ROWID{{end}};
//	CREATE INDEX product_grams_gram ON product_grams (gram, term);
//
// In the first, key is the primary key of a row of the model, term a folded
// word of it, or "=" and all words of its first field; weight is what the term
// counts, and spelt tells whether a field has it that is not exact. Of all
// words of a row with the same beginning one stands for it, the heaviest, of
// those the shortest, of those the first by its bytes; depth is how long the
// shortest beginning is that the term stands for. So a search reads one term of
// a row and need not gather them.
//
// The second has each word that a row ever had, but no codes and none with a
// number, and its trigrams, once; a word that no row has any more stays and
// does no harm. {{text}} is ordered by its bytes on both databases, which the
// search rests on: all words with a beginning are one range of
// product_terms_term. On PostgreSQL both indexes of the first table hold all
// that a search reads of it.
package ranked
