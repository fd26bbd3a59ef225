package scaffold

import (
	"slices"
	"strings"
)

// initialisms are words that Go writes in capitals.
var initialisms = map[string]string{"id": "ID", "url": "URL"}

// goName returns an exported name: "ImageURL" for "image_url".
func goName(word string) string {
	var name strings.Builder
	for part := range strings.SplitSeq(word, "_") {
		if capitals, ok := initialisms[part]; ok {
			name.WriteString(capitals)
			continue
		}
		name.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return name.String()
}

// derivedColumn returns the name of the column that bun derives from the name of a field without
// a tag. A capital letter begins a word if a lower-case letter is beside it.
func derivedColumn(goName string) string {
	isSmall := func(at int) bool { return 'a' <= goName[at] && goName[at] <= 'z' }
	var column strings.Builder
	for i, letter := range []byte(goName) {
		if 'A' <= letter && letter <= 'Z' {
			if i > 0 && i+1 < len(goName) && (isSmall(i-1) || isSmall(i+1)) {
				column.WriteByte('_')
			}
			letter += 'a' - 'A'
		}
		column.WriteByte(letter)
	}
	return column.String()
}

// reservedWords are the words that PostgreSQL or SQLite reserves, and that a table or a column
// cannot have as its name without quotation marks.
const reservedWords = `
	abort add all alter always analyse analyze and any array as asc asymmetric authorization autoincrement
	between binary both by case cast check collate collation column commit concurrently conflict constraint
	create cross current_catalog current_date current_role current_schema current_time current_timestamp
	current_user default deferrable deferred delete desc distinct do drop else end escape except exists
	explain false fetch for foreign freeze from full glob grant group having if ilike in index indexed
	initially inner insert intersect into is isnull join lateral leading left like limit localtime
	localtimestamp natural not nothing notnull null offset on only or order outer over overlaps placing
	pragma primary raise references regexp returning right rollback row rowid select session_user set similar
	some symmetric system_user table tablesample then to trailing transaction true union unique update user
	using values variadic vacuum verbose view when where window with`

// isReserved reports whether a name is a reserved word.
func isReserved(name string) bool { return slices.Contains(strings.Fields(reservedWords), name) }

// isOfFramework reports whether a plural is the name of a table of the framework or of a page of
// the API.
func isOfFramework(plural string) bool {
	return strings.HasPrefix(plural, "auth_") || slices.Contains([]string{"idempotency_keys", "docs", "errors"}, plural)
}
