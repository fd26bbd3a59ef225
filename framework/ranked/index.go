package ranked

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework"
)

// Limits of one search.
const (
	mostCharacters = 100
	mostWords      = 16
)

// An Index is a search over the words that an application stores with its rows,
// a [framework.Ranker]. The package comment says what matches and which tables
// there must be. It does not change: one serves any number of requests at once.
type Index struct {
	// Terms is the table of words. Required.
	Terms string
	// Grams is the table of trigrams, by which misspelt words are found.
	// Defaults to none: a misspelt word finds nothing.
	Grams string
	// Param is the query parameter. Defaults to "search".
	Param string
}

// Bind implements [framework.Ranker].
func (i Index) Bind(f *framework.Facts) (framework.BoundRanker, error) {
	switch i.Terms {
	case "":
		return framework.BoundRanker{}, errors.New("no table; set Terms to that of the words, such as \"product_terms\"")
	case i.Grams:
		return framework.BoundRanker{}, fmt.Errorf("the table %q is that of Terms and of Grams; trigrams have one of their own", i.Terms)
	}
	p := framework.Param{Name: i.Param, Doc: "Words that must each begin a word of the row; the best matches come first."}
	if p.Name == "" {
		p.Name = "search"
	}
	self := f.Self()
	return framework.BoundRanker{Param: p, Read: func(_ *framework.Call, text string) (*framework.Ranking, error) {
		if utf8.RuneCountInString(text) > mostCharacters {
			return nil, framework.InvalidParameter(p.Name, fmt.Sprintf("must have at most %d characters", mostCharacters))
		}
		asked := words(text)
		if len(asked) > mostWords {
			return nil, framework.InvalidParameter(p.Name, fmt.Sprintf("must have at most %d words", mostWords))
		}
		return &framework.Ranking{Rows: i.matches(asked), Instead: i.meant(self, asked)}, nil
	}}, nil
}

// matches is a subquery of the rows that have a word for each one asked.
func (i Index) matches(asked []string) schema.QueryAppender {
	terms := bun.Ident(i.Terms)
	if len(asked) == 0 {
		return bun.SafeQuery(`SELECT "key", weight AS "rank" FROM ? WHERE 1 = 0`, terms)
	}
	var parts []string
	var args []any
	distinct := slices.Compact(slices.Sorted(slices.Values(asked)))
	for _, word := range distinct {
		parts = append(parts, `SELECT "key", max(CASE WHEN term = ? THEN 2 * weight ELSE weight END) AS points, 1 AS words FROM ? WHERE ? GROUP BY "key"`)
		args = append(args, word, terms, begins(bun.Ident("term"), word))
	}
	parts = append(parts, `SELECT "key", weight, 0 FROM ? WHERE term = ?`)
	args = append(args, terms, wholeName(asked))
	return bun.SafeQuery(fmt.Sprintf(
		`SELECT "key", sum(points) AS "rank" FROM (%s) AS points GROUP BY "key" HAVING sum(words) = %d`,
		strings.Join(parts, " UNION ALL "), len(distinct)), args...)
}

// begins is a condition: the term begins with the word. No term has the last
// character of Unicode, which is none, so all of them come before it, and what
// comes after does not begin so. Both databases compare bytes, and UTF-8 has
// the order of its characters.
func begins(term schema.QueryAppender, word string) schema.QueryAppender {
	return bun.SafeQuery("? >= ? AND ? < ?", term, word, term, word+string(utf8.MaxRune))
}

// wholeName is the term of a row whose first field has just these words. It
// begins with what no word has.
func wholeName(name []string) string { return "=" + strings.Join(name, " ") }
