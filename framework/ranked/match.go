package ranked

import (
	"fmt"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb"
)

// matches is a subquery of the rows that have a term for each word asked.
func (i Index) matches(asked []string) schema.QueryAppender {
	list := seek(asked)
	switch len(list) {
	case 0:
		return bun.SafeQuery(`SELECT "key", weight AS "rank" FROM ? WHERE 1 = 0`, bun.Ident(i.Terms))
	case 1:
		likely := bun.SafeQuery(`SELECT "key", term, weight FROM ? AS candidate WHERE ? ORDER BY term, "key" LIMIT ?`,
			bun.Ident(i.Terms), list[0].in("candidate"), i.candidates(list))
		return bun.SafeQuery(`SELECT likely."key", ? + ? AS "rank" FROM (?) AS likely`, i.named(asked), points("likely", list[0]), likely)
	default:
		return i.matchAll(list, i.named(asked))
	}
}

// matchAll is that subquery for several words: it looks up each of them in the
// rows of the one that has fewest. So it costs as much as that one, however many
// rows the others have.
func (i Index) matchAll(list []sought, named schema.QueryAppender) schema.QueryAppender {
	var counts, tables, conditions []schema.QueryAppender
	sum := []schema.QueryAppender{named}
	for n, s := range list {
		table := fmt.Sprintf("word_%d", n)
		counts = append(counts, i.count(n, list))
		tables = append(tables, bun.SafeQuery("? AS ?", bun.Ident(i.Terms), bun.Ident(table)))
		conditions = append(conditions, bun.SafeQuery(`? = likely."key" AND ?`, column(table, "key"), s.in(table)))
		sum = append(sum, points(table, s))
	}
	return bun.SafeQuery("WITH rarest AS MATERIALIZED (SELECT low, high, depth FROM (?) AS asked ORDER BY number, place LIMIT 1),"+
		` likely AS (SELECT "key" FROM ? AS candidate WHERE term >= (SELECT low FROM rarest) AND term < (SELECT high FROM rarest)`+
		` AND depth <= (SELECT depth FROM rarest) ORDER BY term, "key" LIMIT ?)`+
		` SELECT likely."key", ? AS "rank" FROM likely CROSS JOIN ? WHERE ?`,
		chain{" UNION ALL ", counts}, bun.Ident(i.Terms), i.candidates(list), chain{" + ", sum}, chain{" CROSS JOIN ", tables}, chain{" AND ", conditions})
}

// count is a row of the nth word: what is sought, and how many rows have it, as
// far as that matters.
func (i Index) count(n int, list []sought) schema.QueryAppender {
	s := list[n]
	return bun.SafeQuery("SELECT CAST(? AS text) AS low, CAST(? AS text) AS high, CAST(? AS bigint) AS depth, ? AS place,"+
		" (SELECT count(*) FROM (SELECT 1 FROM ? AS counted WHERE ? LIMIT ?) AS few) AS number",
		s.low, s.high, sqldb.Param(s.depth), n, bun.Ident(i.Terms), s.in("counted"), i.candidates(list))
}

// candidates is how many rows of a word are looked at, where each of some words
// is looked up in them. A single character counts twice: it finds the most and
// says the least. The number is a parameter: where PostgreSQL plans for every
// search at once, it then takes the rows for few, and goes from one to the next
// by indexes, which is never much dearer.
func (i Index) candidates(list []sought) schema.QueryAppender {
	shares := len(list)
	for _, s := range list {
		if s.depth == 1 {
			shares++
		}
	}
	return sqldb.Param(max(1, i.most()/shares))
}

// points are what a term of a table counts.
func points(table string, s sought) schema.QueryAppender {
	weight := column(table, "weight")
	return bun.SafeQuery("CASE WHEN ? = ? THEN 2 * ? ELSE ? END", column(table, "term"), s.low, weight, weight)
}

// named is what a row counts more whose name is what was asked for.
func (i Index) named(asked []string) schema.QueryAppender {
	return bun.SafeQuery(`CASE WHEN likely."key" IN (SELECT "key" FROM ? WHERE term = ?) THEN ? ELSE 0 END`,
		bun.Ident(i.Terms), wholeName(asked), exactPoints)
}
