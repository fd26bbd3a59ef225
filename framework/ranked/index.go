package ranked

import (
	"cmp"
	"errors"
	"fmt"
	"unicode/utf8"

	"trestle.example/framework"
)

// Limits of one search.
const (
	mostCharacters = 100
	mostWords      = 8
	mostCandidates = 50_000
)

// An Index is a search over the words that an application stores with its rows, a
// [framework.Ranker]. The package comment documents the matches, the cost and the tables.
// An Index never changes and is safe for concurrent use.
type Index struct {
	// Terms is the table of words. Required.
	Terms string
	// Grams is the table of trigrams, which finds misspelt words. Defaults to none: a
	// misspelt word finds nothing.
	Grams string
	// Param is the query parameter. Defaults to "search".
	Param string
	// Candidates is how many rows a search reads at most, which bounds its cost. The
	// correction of misspelt words may read twice as many in addition, see the package
	// comment. Defaults to 50,000; API.Check reports a negative number.
	Candidates int
}

// Bind implements [framework.Ranker].
func (i Index) Bind(f *framework.Facts) (framework.BoundRanker, error) {
	if err := i.check(); err != nil {
		return framework.BoundRanker{}, err
	}
	p := framework.Param{
		Name: cmp.Or(i.Param, "search"),
		Doc:  fmt.Sprintf("At most %d words, which must each begin a word of the row; the best matches come first.", mostWords),

		MaxLength: mostCharacters,
	}
	self := f.Self()
	return framework.BoundRanker{Param: p, Tables: i.tables(), Read: func(_ *framework.Call, text string) (*framework.Ranking, error) {
		if utf8.RuneCountInString(text) > mostCharacters {
			return nil, framework.InvalidParameter(p.Name, fmt.Sprintf("must have at most %d characters", mostCharacters))
		}
		query := splitWords(text)
		if len(query) > mostWords {
			return nil, framework.InvalidParameter(p.Name, fmt.Sprintf("must have at most %d words", mostWords))
		}
		return &framework.Ranking{Rows: i.matches(query), Instead: i.corrector(self, query)}, nil
	}}, nil
}

// tables returns the tables of the package comment, the second one only if Grams is set.
func (i Index) tables() []framework.NeededTable {
	needed := []framework.NeededTable{{Name: i.Terms, Columns: []string{"key", "term", "weight", "depth", "spelt"}}}
	if i.Grams != "" {
		needed = append(needed, framework.NeededTable{Name: i.Grams, Columns: []string{"term", "gram"}})
	}
	return needed
}

func (i Index) check() error {
	switch {
	case i.Terms == "":
		return errors.New("no table; set Terms to that of the words, such as \"product_terms\"")
	case i.Terms == i.Grams:
		return fmt.Errorf("the table %q is that of Terms and of Grams; trigrams have one of their own", i.Terms)
	case i.Candidates < 0:
		return fmt.Errorf("its number of Candidates is %d; it must be 1 or more, or absent for %d", i.Candidates, mostCandidates)
	}
	return nil
}

// candidateLimit returns how many rows a search reads at most.
func (i Index) candidateLimit() int { return cmp.Or(i.Candidates, mostCandidates) }
