package sqltext

import (
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// Choose returns an expression with a value for each of many rows, so that one UPDATE changes
// them all:
//
//	q.Set("stock = ?", sqldb.Choose("stock", "id", ids, func(id uuid.UUID) any { return stocks[id] })).
//		Where("id IN (?)", sqldb.List(ids))
//
// A row whose key column is one of keys gets what value returns for that key; any
// other row keeps its value. Keys and values are each a [Param]; the last pair is
// repeated as in [List], so that there are few statements to prepare, and value is called
// again for it. Of equal keys the first counts. Without keys the expression is the column.
func Choose[K any](column, key string, keys []K, value func(K) any) schema.QueryAppender {
	return choice[K]{column, key, keys, value}
}

type choice[K any] struct {
	column, key string
	keys        []K
	value       func(K) any
}

// AppendQuery implements [schema.QueryAppender].
func (c choice[K]) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	if len(c.keys) == 0 {
		return bun.Ident(c.column).AppendQuery(gen, b)
	}
	var err error
	write := func(text string, part schema.QueryAppender) {
		if b = append(b, text...); err == nil && part != nil {
			b, err = part.AppendQuery(gen, b)
		}
	}
	write("CASE ", bun.Ident(c.key))
	for i := range PaddedLen(len(c.keys)) {
		k := c.keys[min(i, len(c.keys)-1)]
		write(" WHEN ", Param(k))
		write(" THEN ", Param(c.value(k)))
	}
	write(" ELSE ", bun.Ident(c.column)) // from which PostgreSQL also infers the type of the values
	write(" END", nil)
	return b, err
}
