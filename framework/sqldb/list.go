package sqldb

import (
	"math/bits"

	"github.com/uptrace/bun/schema"
)

// List is the values of an IN condition, `Where("? IN (?)", column,
// sqldb.List(keys))`, each a [Param]. The last value is repeated until their
// number is a power of two: every number of values is a statement of its own
// to prepare, and so there are few. An empty list is NULL, which nothing is in.
func List[T any](values []T) schema.QueryAppender { return valueList[T](values) }

type valueList[T any] []T

// AppendQuery implements [schema.QueryAppender].
func (l valueList[T]) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	if len(l) == 0 {
		return append(b, "NULL"...), nil
	}
	for i := range padded(len(l)) {
		if i > 0 {
			b = append(b, ", "...)
		}
		var err error
		if b, err = Param(l[min(i, len(l)-1)]).AppendQuery(gen, b); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// padded is the power of two that n values are filled up to.
func padded(n int) int { return 1 << bits.Len(uint(n-1)) }
