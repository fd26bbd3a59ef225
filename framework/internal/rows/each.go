package rows

import (
	"cmp"
	"database/sql"
	"errors"
	"iter"
	"reflect"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/table"
)

// Each reads eachFirst rows at first, and then twice as many as before, up to eachMost: few
// statements for many rows, and little memory.
const (
	eachFirst = 1000
	eachMost  = 8000
)

// Each implements [table.Rows].
func (a Functions) Each(c *call.Call, viewset string, out reflect.Type, narrow func(*bun.SelectQuery) *bun.SelectQuery) iter.Seq2[reflect.Value, error] {
	return func(yield func(reflect.Value, error) bool) {
		r, shown, err := a.Finder(viewset, out)
		if err != nil {
			yield(reflect.Value{}, err)
			return
		}
		parts := &batches{functions: a, resource: r, viewset: viewset, narrow: narrow, rows: eachFirst, more: true}
		for parts.more {
			found, err := parts.next(c, shown)
			if err != nil {
				yield(reflect.Value{}, err)
				return
			}
			for i := range found.Len() {
				if !yield(found.Index(i), nil) {
					return
				}
			}
		}
	}
}

// batches are the rows of a query by primary key, in parts.
type batches struct {
	functions Functions
	resource  *table.Resource
	viewset   string
	narrow    func(*bun.SelectQuery) *bun.SelectQuery
	after     schema.QueryAppender // the key of the last row that was read; nil before the first
	rows      int64                // of the next part
	more      bool
}

// next reads the rows up to the last key of a part. That key is found by a statement of its own,
// because a view need not show it. Without one, these are the last rows.
func (b *batches) next(c *call.Call, shown scan.Representation) (found reflect.Value, err error) {
	r := b.resource
	looking := r.Looking(c)
	q, err := b.within(r.Rows(looking))
	if err != nil {
		return found, err
	}
	keys, err := b.within(r.ScopedKeys(c))
	if err != nil {
		return found, err
	}
	key := reflect.New(r.Model).Elem()
	err = scan.First(c, b.ordered(keys).Limit(1).Offset(b.rows-1), &cell.Scanner{Column: r.Pk, Value: r.Pk.Value(key)})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		b.more = false
	case err != nil:
		return found, err
	default:
		b.after = cell.Of(r.Pk, key)
		q = q.Where("?TableAlias.? <= ?", bun.Ident(r.Pk.Name), b.after)
	}
	b.rows = min(2*b.rows, eachMost)
	found, _, err = shown.Rows(c, b.ordered(q), scan.Window{})
	return found, err
}

// within limits a query to the rows after the last one, and by narrow.
func (b *batches) within(q *bun.SelectQuery) (*bun.SelectQuery, error) {
	if b.after != nil {
		q = q.Where("?TableAlias.? > ?", bun.Ident(b.resource.Pk.Name), b.after)
	}
	if b.narrow == nil {
		return q, nil
	}
	q = q.WhereGroup(" AND ", b.narrow)
	if limits, err := scan.HasLimit(b.functions.DB, q); err != nil || limits {
		return q, cmp.Or(err, naming.Sentence("framework.Each(%q): narrow sets a limit or an offset; let it add conditions alone, and end the loop over Each", b.viewset))
	}
	return q, nil
}

func (b *batches) ordered(q *bun.SelectQuery) *bun.SelectQuery {
	return q.OrderExpr("?TableAlias.? ASC", bun.Ident(b.resource.Pk.Name))
}
