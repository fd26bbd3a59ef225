package ranked

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

const (
	// shortest is the length of a word that may be a misspelt one.
	shortest = 3
	// mostNear is how many known words are looked at for a misspelt one.
	mostNear = 100
)

// meant finds what words were meant that no row has.
func (i Index) meant(self framework.Target, asked []string) func(c *framework.Call) (*framework.Ranking, error) {
	if i.Grams == "" || len(asked) == 0 {
		return nil
	}
	return func(c *framework.Call) (*framework.Ranking, error) {
		unknown, err := i.unknown(c, self, asked)
		if err != nil || len(unknown) == 0 || slices.ContainsFunc(unknown, short) {
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

func short(word string) bool { return utf8.RuneCountInString(word) < shortest }

// unknown are the words that begin no word of a row that the caller has.
func (i Index) unknown(c *framework.Call, self framework.Target, asked []string) ([]string, error) {
	unknown := slices.Compact(slices.Sorted(slices.Values(asked)))
	var parts []string
	var args []any
	for n, word := range unknown {
		parts = append(parts, fmt.Sprintf("SELECT %d, '' WHERE ?", n))
		args = append(args, i.had(c, self, begins(column("ranked_term", "term"), word)))
	}
	var found []string
	err := each(c, c.Session(), bun.SafeQuery(strings.Join(parts, " UNION ALL "), args...), func(n int, _ string) {
		found = append(found, unknown[n])
	})
	return slices.DeleteFunc(unknown, func(word string) bool { return slices.Contains(found, word) }), err
}

// had is a condition: among the terms of the caller's rows is one of which that
// is true.
func (i Index) had(c *framework.Call, self framework.Target, term schema.QueryAppender) schema.QueryAppender {
	return bun.SafeQuery("EXISTS (SELECT 1 FROM ? AS ranked_term WHERE ? AND ?)",
		bun.Ident(i.Terms), term, self.Has(c, column("ranked_term", "key")))
}

// nearest maps each word to the nearest word of the rows that the caller has.
// Words that nothing is near are not in it.
func (i Index) nearest(c *framework.Call, self framework.Target, unknown []string) (map[string]string, error) {
	known := column("ranked_gram", "term")
	var parts []string
	var args []any
	for n, word := range unknown {
		grams := slices.Compact(slices.Sorted(slices.Values(trigrams(word))))
		parts = append(parts, fmt.Sprintf("SELECT * FROM (SELECT %d AS word, term FROM ? AS ranked_gram WHERE gram IN (?)"+
			" GROUP BY term HAVING count(*) >= ? AND ? ORDER BY count(*) DESC, term LIMIT %d) AS near_%d", n, mostNear, n))
		has := i.had(c, self, bun.SafeQuery("? = ?", column("ranked_term", "term"), known))
		args = append(args, bun.Ident(i.Grams), sqldb.List(grams), sqldb.Param(fewestCommon(len(grams))), has)
	}
	terms := make([][]string, len(unknown))
	err := each(c, c.Session(), bun.SafeQuery(strings.Join(parts, " UNION ALL "), args...), func(n int, term string) {
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

// column is a column under its table's name in the statement.
func column(table, name string) schema.QueryAppender {
	return bun.SafeQuery("?.?", bun.Ident(table), bun.Ident(name))
}
