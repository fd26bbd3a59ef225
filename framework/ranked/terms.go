package ranked

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxWeight is the maximum weight, so that no sum of weights reaches exactPoints.
	maxWeight = 1000
	// exactPoints are the additional points of a row whose name has exactly the words of
	// the search.
	exactPoints = 1_000_000
	// longestName is how many characters of a name with its mark always fit into an index
	// of PostgreSQL. A search never has so many.
	longestName = 400
)

// A term is the stored form of a word of a row, or of its name.
type term struct {
	text   string
	weight int
	// depth is the length of the shortest beginning that the term represents. Of the words
	// of a row that have the same beginning, exactly one represents it and has a depth of at
	// most its length: the heaviest, then the shortest, then the first in byte order.
	depth int
	// spelt is true if a field that is not exact has the word.
	spelt bool
}

// termsOf returns the terms of a row: first the name, then the words in the order of their
// texts. The name is missing if the first field has no word or the name exceeds longestName. A
// weight that is not 1 to maxWeight is an error.
func termsOf(fields []Field) ([]term, error) {
	byWord := map[string]term{}
	var name []term
	for n, f := range fields {
		if f.Weight < 1 || f.Weight > maxWeight {
			return nil, fmt.Errorf("ranked: the weight of field %d is %d; it must be 1 to %d", n+1, f.Weight, maxWeight)
		}
		list := splitWords(f.Text)
		for _, word := range list {
			had := byWord[word]
			byWord[word] = term{text: word, weight: max(had.weight, f.Weight), spelt: had.spelt || !f.Exact}
		}
		if text := wholeName(list); n == 0 && len(list) > 0 && utf8.RuneCountInString(text) <= longestName {
			name = []term{{text: text, weight: exactPoints, depth: 1}}
		}
	}
	return append(name, setDepths(byWord)...), nil
}

// setDepths returns the terms with their depths, in the order of their texts. See term.depth.
func setDepths(byWord map[string]term) []term {
	list := make([]term, 0, len(byWord))
	for _, t := range byWord {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b term) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(len(a.text), len(b.text)), strings.Compare(a.text, b.text))
	})
	represented := map[string]bool{}
	for i, t := range list {
		list[i].depth = 1
		for at := range t.text {
			_, size := utf8.DecodeRuneInString(t.text[at:])
			if start := t.text[:at+size]; represented[start] {
				list[i].depth++
			} else {
				represented[start] = true
			}
		}
	}
	slices.SortFunc(list, func(a, b term) int { return strings.Compare(a.text, b.text) })
	return list
}

// wholeName returns the term of a row whose first field has exactly these words. It
// begins with a character that no word contains.
func wholeName(name []string) string { return "=" + strings.Join(name, " ") }

// hasNumber reports whether a word contains a number, as codes and sizes do. Such words are
// not corrected: a similar code is another code.
func hasNumber(word string) bool { return strings.ContainsFunc(word, unicode.IsNumber) }
