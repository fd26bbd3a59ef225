package ranked

import (
	"fmt"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb"
)

// matches returns a subquery of the rows that have a term for each word of the search, with
// their rank. It reads at most [Index.candidates] rows. Without words it finds no row.
func (i Index) matches(query []string) schema.QueryAppender {
	list := seek(query)
	switch len(list) {
	case 0:
		return bun.SafeQuery(`SELECT "key", weight AS "rank" FROM ? WHERE 1 = 0`, bun.Ident(i.Terms))
	case 1:
		likely := bun.SafeQuery(`SELECT "key", term, weight FROM ? AS candidate WHERE ? ORDER BY term, "key" LIMIT ?`,
			bun.Ident(i.Terms), list[0].condition("candidate"), i.candidates(list))
		return bun.SafeQuery(`SELECT likely."key", ? + ? AS "rank" FROM (?) AS likely`, i.nameBonus(query), points("likely", list[0]), likely)
	default:
		return i.matchAll(list, i.nameBonus(query))
	}
}

// matchAll is matches for several words: it looks up each word in the rows of the rarest
// word. So it costs as much as the rarest word, however many rows the others have.
func (i Index) matchAll(list []wordRange, named schema.QueryAppender) schema.QueryAppender {
	var counts, tables, conditions []schema.QueryAppender
	sum := []schema.QueryAppender{named}
	for n, s := range list {
		table := fmt.Sprintf("word_%d", n)
		counts = append(counts, i.count(n, list))
		tables = append(tables, bun.SafeQuery("? AS ?", bun.Ident(i.Terms), bun.Ident(table)))
		conditions = append(conditions, bun.SafeQuery(`? = likely."key" AND ?`, column(table, "key"), s.condition(table)))
		sum = append(sum, points(table, s))
	}
	return bun.SafeQuery("WITH rarest AS MATERIALIZED (SELECT low, high, depth FROM (?) AS searched ORDER BY number, place LIMIT 1),"+
		` likely AS (SELECT "key" FROM ? AS candidate WHERE term >= (SELECT low FROM rarest) AND term < (SELECT high FROM rarest)`+
		` AND depth <= (SELECT depth FROM rarest) ORDER BY term, "key" LIMIT ?)`+
		` SELECT likely."key", ? AS "rank" FROM likely CROSS JOIN ? WHERE ?`,
		chain{" UNION ALL ", counts}, bun.Ident(i.Terms), i.candidates(list), chain{" + ", sum}, chain{" CROSS JOIN ", tables}, chain{" AND ", conditions})
}

// count returns a row for the nth word: its range of terms, and how many rows have it, up
// to the limit of candidates.
func (i Index) count(n int, list []wordRange) schema.QueryAppender {
	s := list[n]
	return bun.SafeQuery("SELECT CAST(? AS text) AS low, CAST(? AS text) AS high, CAST(? AS bigint) AS depth, ? AS place,"+
		" (SELECT count(*) FROM (SELECT 1 FROM ? AS counted WHERE ? LIMIT ?) AS few) AS number",
		s.low, s.high, sqldb.Param(s.depth), n, bun.Ident(i.Terms), s.condition("counted"), i.candidates(list))
}

// candidates returns how many rows of a word are read if the search has these words. A
// single character counts twice, because it matches the most rows and selects the least.
// The number is a parameter, so PostgreSQL plans for few rows and uses indexes row by
// row, which is never much slower.
func (i Index) candidates(list []wordRange) schema.QueryAppender {
	shares := len(list)
	for _, s := range list {
		if s.depth == 1 {
			shares++
		}
	}
	return sqldb.Param(max(1, i.candidateLimit()/shares))
}

// points returns the points of a term of a table: its weight, twice if the term is the whole
// word.
func points(table string, s wordRange) schema.QueryAppender {
	weight := column(table, "weight")
	return bun.SafeQuery("CASE WHEN ? = ? THEN 2 * ? ELSE ? END", column(table, "term"), s.low, weight, weight)
}

// nameBonus returns the additional points of a row whose name has exactly the words of the
// search.
func (i Index) nameBonus(query []string) schema.QueryAppender {
	return bun.SafeQuery(`CASE WHEN likely."key" IN (SELECT "key" FROM ? WHERE term = ?) THEN ? ELSE 0 END`,
		bun.Ident(i.Terms), wholeName(query), exactPoints)
}
