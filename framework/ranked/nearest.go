package ranked

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

const (
	// minMisspelt is the minimum length of a word that may be misspelt.
	minMisspelt = 3
	// mostMisspelt is how many words of a search may be misspelt.
	mostMisspelt = 3
	// mostNear is how many known words are compared with a misspelt word.
	mostNear = 100
	// mostShared is how many known words are checked for the scope of the caller: those
	// with the most common trigrams.
	mostShared = 400
)

// corrector returns a function that searches with corrected words. It returns nil if the index
// has no trigrams or no word may be misspelt. The function returns nil if no word is unknown
// in the scope of the caller, if more than mostMisspelt are, if an unknown word is never
// corrected, or if one has no near word.
func (i Index) corrector(self framework.Target, query []string) func(c *framework.Call) (*framework.Ranking, error) {
	if i.Grams == "" || !slices.ContainsFunc(query, mayBeMisspelt) {
		return nil
	}
	return func(c *framework.Call) (*framework.Ranking, error) {
		unknown, err := i.findUnknown(c, self, query)
		if err != nil || len(unknown) == 0 || len(unknown) > mostMisspelt || slices.ContainsFunc(unknown, isNeverMisspelt) {
			return nil, err
		}
		near, err := i.findNearest(c, self, unknown)
		if err != nil || len(near) < len(unknown) {
			return nil, err
		}
		meant := slices.Clone(query)
		for n, word := range meant {
			if known, ok := near[word]; ok {
				meant[n] = known
			}
		}
		return &framework.Ranking{Rows: i.matches(meant)}, nil
	}
}

// mayBeMisspelt reports whether a word may be misspelt.
func mayBeMisspelt(word string) bool { return !isNeverMisspelt(word) }

// isNeverMisspelt reports whether a word is never corrected.
func isNeverMisspelt(word string) bool {
	return utf8.RuneCountInString(word) < minMisspelt || hasNumber(word)
}

// findUnknown returns the words, each once and sorted, that are not the beginning of a word of
// a row in the scope of the caller. All words share the number of rows that a search may read:
// a word that has only later rows in the scope counts as unknown.
func (i Index) findUnknown(c *framework.Call, self framework.Target, query []string) ([]string, error) {
	unknown := slices.Compact(slices.Sorted(slices.Values(query)))
	share := sqldb.Param(max(1, i.candidateLimit()/max(1, len(unknown))))
	var parts []schema.QueryAppender
	for n, word := range unknown {
		known := bun.SafeQuery(`SELECT "key" FROM ? AS known WHERE ? ORDER BY term, "key" LIMIT ?`,
			bun.Ident(i.Terms), prefixRange(word).condition("known"), share)
		parts = append(parts, bun.SafeQuery("SELECT ?, '' WHERE ?", n, callerHas(c, self, known)))
	}
	var found []string
	err := each(c, c.Session(), chain{" UNION ALL ", parts}, func(n int, _ string) {
		found = append(found, unknown[n])
	})
	return slices.DeleteFunc(unknown, func(word string) bool { return slices.Contains(found, word) }), err
}

// callerHas is the condition that the caller may see one of the rows whose keys a query finds.
func callerHas(c *framework.Call, self framework.Target, keys schema.QueryAppender) schema.QueryAppender {
	return bun.SafeQuery("EXISTS (SELECT 1 FROM (?) AS ranked_row WHERE ?)", keys, self.Has(c, column("ranked_row", "key")))
}

// findNearest maps each word to the nearest word of the rows in the scope of the caller. A
// word without a near word is not in the map.
func (i Index) findNearest(c *framework.Call, self framework.Target, unknown []string) (map[string]string, error) {
	var parts []schema.QueryAppender
	for n, word := range unknown {
		parts = append(parts, i.nearQuery(c, self, n, word, i.candidateLimit()/len(unknown)))
	}
	terms := make([][]string, len(unknown))
	err := each(c, c.Session(), chain{" UNION ALL ", parts}, func(n int, term string) {
		terms[n] = append(terms[n], term)
	})
	near := map[string]string{}
	for n, word := range unknown {
		if term, ok := nearestOf(word, terms[n]); ok {
			near[word] = term
		}
	}
	return near, err
}

// nearQuery is a query for the known words that share most trigrams with the nth word and
// occur in a row of the caller. The known words share the number of rows to check. With a
// fixed number for each, a search would become slower the more words are near.
func (i Index) nearQuery(c *framework.Call, self framework.Target, n int, word string, rows int) schema.QueryAppender {
	grams := slices.Compact(slices.Sorted(slices.Values(trigrams(word))))
	shared := bun.SafeQuery("SELECT term, count(*) AS common FROM ? WHERE gram IN (?) GROUP BY term HAVING count(*) >= ? ORDER BY count(*) DESC, term LIMIT ?",
		bun.Ident(i.Grams), sqldb.List(grams), sqldb.Param(fewestCommon(len(grams))), mostShared)
	having := bun.SafeQuery(`SELECT "key" FROM ? AS holder WHERE term = shared.term AND spelt ORDER BY "key" LIMIT (SELECT 1 + ? / (1 + count(*)) FROM shared)`,
		bun.Ident(i.Terms), sqldb.Param(rows))
	return bun.SafeQuery("SELECT word, term FROM (WITH shared AS MATERIALIZED (?) SELECT ? AS word, term FROM shared WHERE ? ORDER BY common DESC, term LIMIT ?) AS ?",
		shared, n, callerHas(c, self, having), mostNear, bun.Ident(fmt.Sprintf("near_%d", n)))
}
