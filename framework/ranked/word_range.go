package ranked

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb"
)

// A wordRange is the range of terms for a word of a search. In each row it matches the
// one term from low (inclusive) to high (exclusive) that represents a beginning of depth
// characters.
type wordRange struct {
	low, high string
	depth     int
}

// seek returns the ranges to search: each word once. It leaves out a word that is the
// beginning of another one, because that adds no condition. The longest word comes first,
// because it probably has the fewest rows.
func seek(query []string) []wordRange {
	var list []wordRange
	for n, word := range query {
		begins := func(other string) bool { return other != word && strings.HasPrefix(other, word) }
		if !slices.Contains(query[:n], word) && !slices.ContainsFunc(query, begins) {
			list = append(list, prefixRange(word))
		}
	}
	slices.SortStableFunc(list, func(a, b wordRange) int { return b.depth - a.depth })
	return list
}

// prefixRange returns the range of the terms that begin with a word. The upper bound is the
// word and the highest code point of Unicode, which is not a character, so no term
// contains it. Both databases compare bytes, and the byte order of UTF-8 is the order of
// the code points.
func prefixRange(word string) wordRange {
	return wordRange{word, word + string(utf8.MaxRune), utf8.RuneCountInString(word)}
}

// condition returns the condition that a row of the table of terms matches the word: its
// term is in the range, and its depth is not greater. table is the name of that table in
// the statement.
func (s wordRange) condition(table string) schema.QueryAppender {
	term := column(table, "term")
	return bun.SafeQuery("? >= ? AND ? < ? AND ? <= ?", term, s.low, term, s.high, column(table, "depth"), sqldb.Param(s.depth))
}

// column is a column, qualified with the name of its table in the statement.
func column(table, name string) schema.QueryAppender {
	return bun.SafeQuery("?.?", bun.Ident(table), bun.Ident(name))
}
