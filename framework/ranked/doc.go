// Package ranked searches a list by words and puts the best matches first, with the same
// results in the same order on SQLite and PostgreSQL.
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
// The application stores the words of a row whenever it writes the row, in the same
// transaction. Each field has a weight, and the name of the row is the first field:
//
//	err := Search.Put(c, c.Session(), p.ID,
//		ranked.Field{Text: p.Name, Weight: 8},
//		ranked.Field{Text: p.Brand, Weight: 4},
//		ranked.Field{Text: p.Description, Weight: 1},
//		ranked.Field{Text: p.Code, Weight: 2, Exact: true})
//
// # What matches
//
// Text is folded: case by [sqldb.Fold], compatibility forms and accents by NFKD, so that
// "Crème" is "creme". The vowel signs of Indic scripts stay; their nuktas are removed.
// Characters that are neither letters, marks nor numbers separate words. There is no
// stemming and no list of stop words. The first 100 characters of a word count.
//
// Every word of the search must be the beginning of a word of the row. It adds the weight
// of the heaviest such word, twice if the whole word is equal. The rank of a row is the
// sum. A row whose first field has exactly the words of the search comes before all
// others. If a word of the search is the beginning of another word of the search, it adds
// nothing.
//
// A search has at most 100 characters and 8 words; otherwise the server answers 400. A
// search without a letter or a number, such as "%", finds nothing.
//
// # Misspelt words
//
// If the result would be empty, the search runs once more with corrected words. A word that
// is not the beginning of any word of a row in the scope of the caller is replaced by the
// nearest word of the rows in that scope. The result stays empty if more than three words
// are unknown, if no known word is near enough to one of them, or if an unknown word has
// only one or two characters or contains a number, as codes and sizes do. Rows outside the
// scope of the caller are not found and have no influence: without them the result would be
// the same, within the limits below. Filters do not affect the correction: a word is not
// replaced because a filter excludes its rows.
//
// The distance between two words is measured by their trigrams. The trigrams are the runs
// of three characters of a word with two spaces before it and one after it. The score is
// the number of common trigrams divided by the number of all trigrams of both words. It
// is computed for the whole known word and for each beginning of it that is at least as
// long as the misspelt word; the best score counts. A word is near enough from 0.3. If
// two words have the same score, the first in byte order wins. Known words contain no
// number and occur in at least one field that is not exact.
//
// # Cost
//
// A list needs two statements: the first finds the keys of the page and the total, and
// the second reads the rows of the page. A page past the end needs only the first statement.
//
// A search with one word reads at most [Index.Candidates] of its rows. A search with
// several words reads the rows of the rarest word and looks up the other words in them. It
// then reads at most Candidates divided by the number of words. A word of one character
// counts twice, also if it is the only word. So a search finds all matching rows, and its
// total is exact, unless every word occurs in more rows than that: by default 50,000 for
// one word, 25,000 for two words or for one word of a single character. Beyond the limit
// the search reads only the first matching rows, ordered by word and then by key, and
// applies scope and filters to them.
//
// For a misspelt word the search takes the 400 known words with the most common trigrams.
// For each it checks some rows for one in the scope of the caller, and it compares the
// first 100 words that have such a row. All words of a search share one number of rows,
// Candidates: the search reads as many to check whether the words are known, and as many
// again to correct the unknown ones. So neither costs more than the search. By default it
// checks 125 rows for each near word if 400 words are near, and more if fewer are near.
// Words of Exact fields only are not stored as trigrams: a great many words that no two
// rows share would make each of these checks slow.
//
// # Tables
//
// A migration of the application creates two tables. Both belong to one model and use the
// type of its primary key:
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
// In the first table, key is the primary key of a row of the model. term is a folded word
// of the row, or "=" and all words of its first field. weight is the weight of the term.
// spelt is true if a field that is not exact has the term. Several words of a row may
// have the same beginning; then one of them represents that beginning: the heaviest, then
// the shortest, then the first in byte order. depth is the length of the shortest
// beginning that the term represents. So a search reads one term per row and needs no
// aggregation.
//
// The second table has the trigrams of each word that a row ever had, except exact words
// and words with a number. A word that no row has any more stays and does no harm.
// {{text}} is ordered by bytes on both databases, and the search relies on that: all
// words with the same beginning are one range of product_terms_term. On PostgreSQL the
// indexes of the first table contain all columns that a search reads.
package ranked
