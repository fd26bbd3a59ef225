package ranked

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb"
)

// A sought word is what a search looks for: of each row the one term from low to
// before high that stands for a beginning of depth characters.
type sought struct {
	low, high string
	depth     int
}

// seek tells what to look for: each word once, and none that begins another one,
// which finds no row that it does not. The longest comes first, for it probably
// leaves fewest.
func seek(asked []string) []sought {
	var list []sought
	for n, word := range asked {
		begins := func(other string) bool { return other != word && strings.HasPrefix(other, word) }
		if !slices.Contains(asked[:n], word) && !slices.ContainsFunc(asked, begins) {
			list = append(list, beginning(word))
		}
	}
	slices.SortStableFunc(list, func(a, b sought) int { return b.depth - a.depth })
	return list
}

// beginning seeks the terms that begin with a word. No term has the last
// character of Unicode, which is none, so all of them come before it, and what
// comes after does not begin so. Both databases compare bytes, and UTF-8 has the
// order of its characters.
func beginning(word string) sought {
	return sought{word, word + string(utf8.MaxRune), utf8.RuneCountInString(word)}
}

// in is a condition: the term of a table is what is sought.
func (s sought) in(table string) schema.QueryAppender {
	term := column(table, "term")
	return bun.SafeQuery("? >= ? AND ? < ? AND ? <= ?", term, s.low, term, s.high, column(table, "depth"), sqldb.Param(s.depth))
}

// column is a column under its table's name in the statement.
func column(table, name string) schema.QueryAppender {
	return bun.SafeQuery("?.?", bun.Ident(table), bun.Ident(name))
}
