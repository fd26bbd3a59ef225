package framework

import (
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// A removal answers DELETE {path}/{id}/.
type removal struct {
	resource *resource
	status   int
}

func (d removal) serve(c *Call, r *request) (*response, error) {
	var gone int64
	byKey := d.resource.key == d.resource.pk
	by := sqldb.Param(r.key)
	err := transact(c, byKey, func(c *Call) error {
		q := c.DB.NewDelete().Model(nilModel(d.resource.model))
		switch {
		case !byKey:
			m, err := d.resource.modelOf(c, r) // which sees that it is the only one
			if err != nil {
				return err
			}
			by = column(d.resource.pk, m.Elem())
			q = q.Where("?TableAlias.? = ?", bun.Ident(d.resource.pk.Name), by)
		case r.key != nil:
			q = q.Where("?TableAlias.? = ?", bun.Ident(d.resource.key.Name), sqldb.Param(r.key))
		}
		d.resource.scope.narrow(c, q.QueryBuilder())
		result, err := c.Session().Exec(c, q)
		if err == nil {
			gone, err = result.RowsAffected()
		}
		return d.referred(c, by, err)
	})
	if err != nil {
		return nil, err
	}
	if gone == 0 {
		return nil, problem.NotFound()
	}
	return &response{status: d.status}, nil
}

// referred adds to an error of SQLite which table still refers to the row.
func (d removal) referred(c *Call, key schema.QueryAppender, err error) error {
	fault, ok := sqldb.Classify(err)
	if !ok || fault.Kind != sqldb.ForeignKey || fault.Table != "" {
		return err
	}
	referring, lookErr := c.Session().Referring(c, d.resource.table.Name, d.resource.pk.Name, key)
	if lookErr != nil || referring == "" {
		return err
	}
	fault.Table, fault.Referenced = referring, true
	return &rowError{resource: d.resource, fault: fault, err: err}
}
