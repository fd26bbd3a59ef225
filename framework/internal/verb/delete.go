package verb

import (
	"reflect"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/attachment"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/store"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// A Removal answers DELETE {path}/{id}/.
type Removal struct {
	Resource *table.Resource
	Status   int
}

// Serve answers one request. It deletes the row by the key of the path. If the path has another
// key than the primary key, a recorder or If-Match needs the row, it has files, or the viewset declares SoftDelete, it reads the row first,
// deletes it by its primary key, and records the change, in one transaction. After the commit the
// files of a row that is not deleted softly are deleted. If the row does not exist or is
// out of scope, the error is 404.
func (d Removal) Serve(c *call.Call, r *table.Request) (*table.Response, error) {
	blind := d.Resource.Key == d.Resource.Pk && !d.Resource.Recorded() && r.Match == nil && len(d.Resource.Files) == 0 && !d.Resource.DeletesSoftly()
	var m reflect.Value // the deleted row, if it was read
	err := transact(c, blind && r.IdempotencyKey == "", func(c *call.Call) (err error) {
		switch {
		case !blind:
			m, err = d.readAndRemove(c, r)
			return err
		case r.Key == nil:
			return d.remove(c, r, nil)
		}
		return d.remove(c, r, sqldb.Param(r.Key))
	})
	if err != nil {
		return nil, err
	}
	if m.IsValid() && d.Resource.Table.SoftDeleteField == nil {
		d.discard(c, m.Elem())
	}
	return &table.Response{Status: d.Status}, nil
}

// readAndRemove reads the row of the path, deletes it, checks that no row refers to it that would keep it, and records the change.
func (d Removal) readAndRemove(c *call.Call, r *table.Request) (reflect.Value, error) {
	m, err := d.Resource.ModelOf(c, r)
	if err != nil {
		return m, err
	}
	key := cell.Of(d.Resource.Pk, m.Elem())
	if err := d.remove(c, r, key); err != nil {
		return m, err
	}
	if err := store.Unreferenced(c, d.Resource, key); err != nil {
		return m, err
	}
	return m, store.RecordDeleted(c, d.Resource, m)
}

// discard deletes the files of a deleted row. A request with an Idempotency-Key, and one of several, is in a transaction
// still; its files are deleted after the commit.
func (d Removal) discard(c *call.Call, m reflect.Value) {
	if !c.Session().InTx() {
		attachment.DiscardAll(c, d.Resource, m)
		return
	}
	c.AfterCommit(func(c *call.Call) error {
		attachment.DiscardAll(c, d.Resource, m)
		return nil
	})
}

// remove deletes the row with a primary key, if it is in scope and the caller may change it. If key
// is nil, as for a single resource, it deletes every such row. Without a row, the error is 404.
func (d Removal) remove(c *call.Call, r *table.Request, key schema.QueryAppender) error {
	q := c.DB.NewDelete().Model(bunmodel.NilModel(d.Resource.Model))
	if key != nil {
		q = q.Where("?TableAlias.? = ?", bun.Ident(d.Resource.Pk.Name), key)
	}
	d.Resource.NarrowTo(c, r, q.QueryBuilder())
	result, err := c.Session().Exec(c, q)
	switch {
	case err != nil && key != nil:
		return store.Referred(c, d.Resource, key, err)
	case err != nil:
		return err
	}
	switch gone, err := result.RowsAffected(); {
	case err != nil:
		return err
	case gone == 0:
		return problem.NotFound()
	}
	return nil
}
