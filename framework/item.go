package framework

import (
	"reflect"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb"
)

// An item answers GET {path}/{id}/.
type item struct {
	resource *resource
	shown    representation
	status   int
}

func (i item) serve(c *Call, r *request) (*response, error) {
	rows, _, err := i.shown.rows(c, i.resource.object(c, r), window{rows: 1})
	if err != nil {
		return nil, err
	}
	if rows.Len() == 0 {
		return nil, NotFound()
	}
	return &response{status: i.status, value: rows.Index(0).Interface()}, nil
}

// object is the query of the one row that the path names, in scope.
func (r *resource) object(c *Call, req *request) *bun.SelectQuery {
	q := r.rows(c)
	if req.key != nil {
		q = q.Where("?TableAlias.? = ?", bun.Ident(r.key.Name), sqldb.Param(req.key))
	}
	return q
}

// modelOf reads the row that the path names, whole; to change it, locked.
func (r *resource) modelOf(c *Call, req *request) (reflect.Value, error) {
	model := reflect.New(r.model)
	q := r.object(c, req).Model(model.Interface())
	if c.session.InTx() {
		q = r.api.db.Kind().ForUpdate(q)
	}
	found, err := scanModels(c, q, window{})
	if err == nil && found == 0 {
		err = NotFound()
	}
	return model, err
}

// shownByKey reads one row again, by its primary key and past its scope:
// the caller just wrote it.
func (r *resource) shownByKey(c *Call, shown representation, key any) (any, error) {
	q := c.DB.NewSelect().Model(nilModel(r.model)).Where("?TableAlias.? = ?", bun.Ident(r.pk.Name), sqldb.Param(key))
	rows, _, err := shown.rows(c, q, window{rows: 1})
	if err != nil {
		return nil, err
	}
	if rows.Len() == 0 {
		return nil, NotFound()
	}
	return rows.Index(0).Interface(), nil
}
