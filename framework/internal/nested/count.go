package nested

import (
	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/sqldb"
)

// CountUp makes a write of a row below a parent also count the changes of the parent, in one
// transaction: a body of the parent lists its rows, so a client that has read the parent before would
// undo the write.
func CountUp(e *table.Endpoint) {
	serve, parent := e.Serve, e.Resource.Above.Parent
	e.Serve = func(c *call.Call, r *table.Request) (resp *table.Response, err error) {
		err = c.InTx(func(c *call.Call) error {
			if resp, err = serve(c, r); err != nil {
				return err
			}
			column := bun.Ident(parent.Counts)
			q := c.DB.NewUpdate().Model(bunmodel.NilModel(parent.Model)).Set("? = ? + 1", column, column).
				Where("?TableAlias.? = ?", bun.Ident(parent.Key.Name), sqldb.Param(r.Above[len(r.Above)-1]))
			_, err := c.Session().Exec(c, q)
			return err
		})
		return resp, err
	}
}
