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
	// shortest is the length of a word that may be a misspelt one.
	shortest = 3
	// mostMisspelt is how many words of a search may be.
	mostMisspelt = 3
	// mostNear is how many known words are looked at for a misspelt one.
	mostNear = 100
	// mostShared is among how many words the caller's are looked for: those with
	// the most trigrams in common.
	mostShared = 400
)

// meant finds what words were meant that no row has.
func (i Index) meant(self framework.Target, asked []string) func(c *framework.Call) (*framework.Ranking, error) {
	if i.Grams == "" || !slices.ContainsFunc(asked, doubtful) {
		return nil
	}
	return func(c *framework.Call) (*framework.Ranking, error) {
		unknown, err := i.unknown(c, self, asked)
		if err != nil || len(unknown) == 0 || len(unknown) > mostMisspelt || slices.ContainsFunc(unknown, certain) {
			return nil, err
		}
		near, err := i.nearest(c, self, unknown)
		if err != nil || len(near) < len(unknown) {
			return nil, err
		}
		meant := slices.Clone(asked)
		for n, word := range meant {
			if known, ok := near[word]; ok {
				meant[n] = known
			}
		}
		return &framework.Ranking{Rows: i.matches(meant)}, nil
	}
}

// doubtful reports whether a word may be misspelt.
func doubtful(word string) bool { return !certain(word) }

// certain reports whether a word is none that anybody misspells.
func certain(word string) bool { return utf8.RuneCountInString(word) < shortest || coded(word) }

// unknown are the words that begin no word of a row that the caller has. All of
// them together are looked for in as many rows as a search looks at.
func (i Index) unknown(c *framework.Call, self framework.Target, asked []string) ([]string, error) {
	unknown := slices.Compact(slices.Sorted(slices.Values(asked)))
	share := sqldb.Param(max(1, i.most()/max(1, len(unknown))))
	var parts []schema.QueryAppender
	for n, word := range unknown {
		known := bun.SafeQuery(`SELECT "key" FROM ? AS known WHERE ? ORDER BY term, "key" LIMIT ?`,
			bun.Ident(i.Terms), beginning(word).in("known"), share)
		parts = append(parts, bun.SafeQuery("SELECT ?, '' WHERE ?", n, had(c, self, known)))
	}
	var found []string
	err := each(c, c.Session(), chain{" UNION ALL ", parts}, func(n int, _ string) {
		found = append(found, unknown[n])
	})
	return slices.DeleteFunc(unknown, func(word string) bool { return slices.Contains(found, word) }), err
}

// had is a condition: the caller has one of the rows whose keys a query finds.
func had(c *framework.Call, self framework.Target, keys schema.QueryAppender) schema.QueryAppender {
	return bun.SafeQuery("EXISTS (SELECT 1 FROM (?) AS ranked_row WHERE ?)", keys, self.Has(c, column("ranked_row", "key")))
}

// nearest maps each word to the nearest word of the rows that the caller has.
// Words that nothing is near are not in it.
func (i Index) nearest(c *framework.Call, self framework.Target, unknown []string) (map[string]string, error) {
	var parts []schema.QueryAppender
	for n, word := range unknown {
		parts = append(parts, i.near(c, self, n, word, i.most()/len(unknown)))
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

// near is a query of the nth word and of those known words that share most with
// it and that the caller has. So many rows are looked at for that, an equal
// share for each of the known words: were it the same number for each, a search
// would cost the more the more words are near.
func (i Index) near(c *framework.Call, self framework.Target, n int, word string, rows int) schema.QueryAppender {
	grams := slices.Compact(slices.Sorted(slices.Values(trigrams(word))))
	shared := bun.SafeQuery("SELECT term, count(*) AS common FROM ? WHERE gram IN (?) GROUP BY term HAVING count(*) >= ? ORDER BY count(*) DESC, term LIMIT ?",
		bun.Ident(i.Grams), sqldb.List(grams), sqldb.Param(fewestCommon(len(grams))), mostShared)
	having := bun.SafeQuery(`SELECT "key" FROM ? AS holder WHERE term = shared.term AND spelt ORDER BY "key" LIMIT (SELECT 1 + ? / (1 + count(*)) FROM shared)`,
		bun.Ident(i.Terms), sqldb.Param(rows))
	return bun.SafeQuery("SELECT word, term FROM (WITH shared AS MATERIALIZED (?) SELECT ? AS word, term FROM shared WHERE ? ORDER BY common DESC, term LIMIT ?) AS ?",
		shared, n, had(c, self, having), mostNear, bun.Ident(fmt.Sprintf("near_%d", n)))
}
