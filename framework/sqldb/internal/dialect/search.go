package dialect

import (
	"strings"
	"unicode/utf8"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// Contains is a condition: the document in a column of the table (see
// [Document]) contains the folded term. No character of the term is a wildcard. Every
// document contains the empty term.
//
// alias is the table's name in the statement. The search index of a migration (searchIndex)
// serves the condition; on SQLite the index must exist: a term of three characters or more
// is looked up in it, and only a shorter term is looked for in every row.
func (k Kind) Contains(table, alias, column, term string) schema.QueryAppender {
	term = Fold(term)
	switch {
	case k == PostgreSQL:
		return bun.SafeQuery(`?.? LIKE ?`, bun.Ident(alias), bun.Ident(column), likePattern(term))
	case utf8.RuneCountInString(term) >= 3:
		fts := bun.Ident(SearchTable(table, column))
		return bun.SafeQuery(`?._row IN (SELECT rowid FROM ? WHERE ? MATCH ?)`, bun.Ident(alias), fts, fts, ftsPhrase(term))
	}
	return k.foundInRow(alias, column, term)
}

// ContainsInRow is [Kind.Contains] for rows that are found by another condition: it
// uses no search index.
func (k Kind) ContainsInRow(alias, column, term string) schema.QueryAppender {
	return k.foundInRow(alias, column, Fold(term))
}

// foundInRow is [Kind.ContainsInRow] for a term that is folded.
func (k Kind) foundInRow(alias, column, folded string) schema.QueryAppender {
	find := `instr`
	if k == PostgreSQL {
		find = `strpos`
	}
	return bun.SafeQuery(find+`(?.?, ?) > 0`, bun.Ident(alias), bun.Ident(column), folded)
}

// ContainsFolded is Contains without a stored document: the term is looked for in each of
// the columns, folded by the database. The condition is true if one column contains it, and
// false without columns. It reads every row.
//
// SQLite folds exactly as [Fold] does. PostgreSQL lower-cases by ICU, composes
// by NFC and folds the letters ß, ς, ſ and µ, so it differs from Fold in what
// is left of full case folding: ligatures such as ﬁ, the Greek letters with
// iota subscript, Armenian և, Cherokee. A stored document has no such gaps.
func (k Kind) ContainsFolded(alias string, columns []string, term string) schema.QueryAppender {
	if len(columns) == 0 {
		return bun.SafeQuery(`1 = 0`)
	}
	folded := Fold(term)
	parts, args := make([]string, len(columns)), make([]any, len(columns))
	for i, column := range columns {
		parts[i] = "?"
		args[i] = k.foundInColumn(bun.SafeQuery("?.?", bun.Ident(alias), bun.Ident(column)), folded)
	}
	return bun.SafeQuery("("+strings.Join(parts, " OR ")+")", args...)
}

// ColumnContains is [Kind.ContainsFolded] for one column, which is named as the
// statement has it: qualified and quoted.
func (k Kind) ColumnContains(column schema.QueryAppender, term string) schema.QueryAppender {
	return k.foundInColumn(column, Fold(term))
}

// foundInColumn is [Kind.ColumnContains] for a term that is folded.
func (k Kind) foundInColumn(column schema.QueryAppender, folded string) schema.QueryAppender {
	if k == PostgreSQL {
		return bun.SafeQuery(postgresFold+` LIKE ?`, column, likePattern(folded))
	}
	return bun.SafeQuery(`instr(trestle_fold(?), ?) > 0`, column, folded)
}

const postgresFold = `normalize(replace(translate(lower(normalize(?, NFC) COLLATE "und-x-icu"), U&'\03C2\017F\00B5\001F', U&'\03C3s\03BC '), 'ß', 'ss'), NFC)`

// likePattern returns the pattern of LIKE for any text that contains the term.
func likePattern(term string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(term) + "%"
}

// ftsPhrase is a term as one phrase of SQLite's full-text query language.
func ftsPhrase(term string) string {
	return `"` + strings.ReplaceAll(term, `"`, `""`) + `"`
}

// SearchTable returns the name of SQLite's full-text table of a search column.
func SearchTable(table, column string) string { return table + "_" + column + "_fts" }
