package verb

import (
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
	"trestle.example/framework/call"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// A Removal answers DELETE {path}/{id}/.
type Removal struct {
	Resource *table.Resource
	Status   int
}

// Serve answers one request.
func (d Removal) Serve(c *call.Call, r *table.Request) (*table.Response, error) {
	var gone int64
	byKey := d.Resource.Key == d.Resource.Pk
	by := sqldb.Param(r.Key)
	err := call.Transact(c, byKey, func(c *call.Call) error {
		q := c.DB.NewDelete().Model(table.NilModel(d.Resource.Model))
		switch {
		case !byKey:
			m, err := d.Resource.ModelOf(c, r) // which sees that it is the only one
			if err != nil {
				return err
			}
			by = table.Column(d.Resource.Pk, m.Elem())
			q = q.Where("?TableAlias.? = ?", bun.Ident(d.Resource.Pk.Name), by)
		case r.Key != nil:
			q = q.Where("?TableAlias.? = ?", bun.Ident(d.Resource.Key.Name), sqldb.Param(r.Key))
		}
		d.Resource.Scope.Narrow(c, q.QueryBuilder())
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
	return &table.Response{Status: d.Status}, nil
}

// referred adds to an error of SQLite which table still refers to the row.
func (d Removal) referred(c *call.Call, key schema.QueryAppender, err error) error {
	fault, ok := sqldb.Classify(err)
	if !ok || fault.Kind != sqldb.ForeignKey || fault.Table != "" {
		return err
	}
	referring, lookErr := c.Session().Referring(c, d.Resource.Table.Name, d.Resource.Pk.Name, key)
	if lookErr != nil || referring == "" {
		return err
	}
	fault.Table, fault.Referenced = referring, true
	return &table.RowError{Resource: d.Resource, Fault: fault, Err: err}
}
