package quota

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// A Quota limits the rows of each owner in the table of a viewset. Rows that are deleted softly do not count, and neither do rows
// without an owner.
type Quota struct {
	Resource *table.Resource // the viewset that declares it
	Rows     int             // of one owner, at most
	Column   *schema.Field   // with the owner
}

// Owner implements [table.Quota].
func (q *Quota) Owner() *schema.Field { return q.Column }

// Doc implements [table.Quota].
func (q *Quota) Doc() string {
	return fmt.Sprintf("A user owns at most %d %s.", q.Rows, q.noun())
}

// WithRows implements [table.Quota].
func (q *Quota) WithRows(n int) table.Quota {
	changed := *q
	changed.Rows = n
	return &changed
}

// Admit implements [table.Quota]. The owners are locked in one order, so that two requests do not wait for each other.
func (q *Quota) Admit(c *call.Call, r *table.Resource, rows []reflect.Value, stored bool) error {
	for _, o := range q.owners(r, rows) {
		if err := q.admit(c, o, stored); err != nil {
			return err
		}
	}
	return nil
}

// An owned is an owner of given rows.
type owned struct {
	id    any
	value schema.QueryAppender
	text  string
	rows  int
}

// owners lists the owners of rows with their number of rows, in the order of the ids as text.
func (q *Quota) owners(r *table.Resource, rows []reflect.Value) (all []*owned) {
	column := r.Table.FieldMap[q.Column.Name]
	if column == nil { // of another model of the table, which does not write the owner
		return nil
	}
	for _, row := range rows {
		value := reflect.Indirect(column.Value(row.Elem()))
		if !value.IsValid() || column.NullZero && value.IsZero() {
			continue
		}
		text := fmt.Sprint(value.Interface())
		at := slices.IndexFunc(all, func(o *owned) bool { return o.text == text })
		if at < 0 {
			at, all = len(all), append(all, &owned{id: value.Interface(), value: cell.Of(column, row.Elem()), text: text})
		}
		all[at].rows++
	}
	slices.SortFunc(all, func(a, b *owned) int { return strings.Compare(a.text, b.text) })
	return all
}

// admit checks the rows of one owner. The lock is held before the rows are counted, and until the transaction ends, so the count has the rows
// of each request that had the lock before.
func (q *Quota) admit(c *call.Call, o *owned, stored bool) error {
	if err := c.Session().LockName(c, q.Resource.Table.Name+" quota "+o.text); err != nil {
		return err
	}
	count := c.DB.NewSelect().Model(bunmodel.NilModel(q.Resource.Model)).ColumnExpr("count(*)").
		Where("?TableAlias.? = ?", bun.Ident(q.Column.Name), o.value)
	n, err := scan.Number(c, count)
	if err != nil {
		return err
	}
	if stored {
		n -= int64(o.rows)
	}
	if n+int64(o.rows) <= int64(q.Rows) {
		return nil
	}
	return q.exceeded(c, o, n)
}

// exceeded is the error of a request that adds rows of an owner with n rows. Only the owner learns this number.
func (q *Quota) exceeded(c *call.Call, o *owned, n int64) *problem.Error {
	details := problem.QuotaExceededDetails{Limit: q.Rows}
	said := fmt.Sprintf("A user owns at most %d %s, and this request would exceed that.", q.Rows, q.noun())
	if o.id == c.Caller.ID {
		details.Count = &n
		said = fmt.Sprintf("You own %d of at most %d %s, and this request adds %d.", n, q.Rows, q.noun(), o.rows)
	}
	return problem.Conflict(problem.CodeQuotaExceeded, said).With(details)
}

// noun is the name of the viewset in words.
func (q *Quota) noun() string {
	return strings.NewReplacer("-", " ", "_", " ").Replace(q.Resource.Declaration.Name)
}
