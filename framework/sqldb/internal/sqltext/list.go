package sqltext

import (
	"iter"
	"math/bits"

	"github.com/uptrace/bun/schema"
)

// List returns the values of an IN condition, `Where("? IN (?)", column,
// sqldb.List(keys))`. Each is a [Param], and the last is repeated, see [Padded]. An empty list
// is NULL, so neither IN nor NOT IN is true.
func List[T any](values []T) schema.QueryAppender { return valueList[T](values) }

type valueList[T any] []T

// AppendQuery implements [schema.QueryAppender].
func (l valueList[T]) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	if len(l) == 0 {
		return append(b, "NULL"...), nil
	}
	for i, value := range Padded(l) {
		if i > 0 {
			b = append(b, ", "...)
		}
		var err error
		if b, err = Param(value).AppendQuery(gen, b); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Padded yields values, and repeats the last until their number is a power of two. It
// yields nothing for no values. It keeps the number of different statements small: without
// it, each number of values would be one more statement to prepare.
func Padded[T any](values []T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range PaddedLen(len(values)) {
			if !yield(i, values[min(i, len(values)-1)]) {
				return
			}
		}
	}
}

// PaddedLen returns the smallest power of two that is at least n, and 0 for 0.
func PaddedLen(n int) int {
	if n == 0 {
		return 0
	}
	return 1 << bits.Len(uint(n-1)) // #nosec G115 -- n is at least 1
}
