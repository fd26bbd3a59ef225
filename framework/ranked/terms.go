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
	// heaviest bounds a weight, so that no sum of them reaches exactPoints.
	heaviest = 1000
	// exactPoints is what a row counts more whose name is what was asked for.
	exactPoints = 1_000_000
	// longestName is how many characters of a name and its mark an index of
	// PostgreSQL takes for sure. A search never has so many.
	longestName = 400
)

// A term is what is stored of a word of a row, or of its name.
type term struct {
	text   string
	weight int
	// depth is how long the shortest beginning is that the term stands for. Of
	// each beginning that words of the row have, one of them has a depth that is
	// no greater: the heaviest, of those the shortest, of those the first.
	depth int
	// spelt says that a field has it which is not exact.
	spelt bool
}

// termsOf are the terms of a row, in the order of their texts.
func termsOf(fields []Field) ([]term, error) {
	byWord := map[string]term{}
	var name []term
	for n, f := range fields {
		if f.Weight < 1 || f.Weight > heaviest {
			return nil, fmt.Errorf("ranked: the weight of field %d is %d; it must be 1 to %d", n+1, f.Weight, heaviest)
		}
		list := words(f.Text)
		for _, word := range list {
			had := byWord[word]
			byWord[word] = term{text: word, weight: max(had.weight, f.Weight), spelt: had.spelt || !f.Exact}
		}
		if text := wholeName(list); n == 0 && len(list) > 0 && utf8.RuneCountInString(text) <= longestName {
			name = []term{{text: text, weight: exactPoints, depth: 1}}
		}
	}
	return append(name, deep(byWord)...), nil
}

// deep gives terms their depths.
func deep(byWord map[string]term) []term {
	list := make([]term, 0, len(byWord))
	for _, t := range byWord {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b term) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(len(a.text), len(b.text)), strings.Compare(a.text, b.text))
	})
	taken := map[string]bool{}
	for i, t := range list {
		list[i].depth = 1
		for at := range t.text {
			_, size := utf8.DecodeRuneInString(t.text[at:])
			if start := t.text[:at+size]; taken[start] {
				list[i].depth++
			} else {
				taken[start] = true
			}
		}
	}
	slices.SortFunc(list, func(a, b term) int { return strings.Compare(a.text, b.text) })
	return list
}

// wholeName is the term of a row whose first field has just these words. It
// begins with what no word has.
func wholeName(name []string) string { return "=" + strings.Join(name, " ") }

// coded reports whether a word has a number, as codes and sizes do. Nobody
// misspells those: they are other ones.
func coded(word string) bool { return strings.ContainsFunc(word, unicode.IsNumber) }
