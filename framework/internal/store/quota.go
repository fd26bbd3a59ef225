package store

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/table"
)

// Admit returns an error if rows that are about to be stored, given as pointers to their models, are more than their owners may have.
func Admit(c *call.Call, r *table.Resource, rows ...reflect.Value) error {
	if r.Quota() == nil {
		return nil
	}
	return r.Quota().Admit(c, r, rows, false)
}

// AdmitStored is Admit for a row that the transaction has stored.
func AdmitStored(c *call.Call, r *table.Resource, row reflect.Value) error {
	if r.Quota() == nil {
		return nil
	}
	return r.Quota().Admit(c, r, []reflect.Value{row}, true)
}

// Moves reports whether a write of some columns may give a row to another owner, who may have a quota.
func Moves(r *table.Resource, columns []*schema.Field) bool {
	q := r.Quota()
	return q != nil && slices.ContainsFunc(columns, func(f *schema.Field) bool { return f.Name == q.Owner().Name })
}

// admitMoved is Admit for a stored row, given as its model, if a write of some columns gives it to another owner.
func admitMoved(c *call.Call, r *table.Resource, m reflect.Value, columns []*schema.Field) error {
	owner := ownerByQuota(r)
	if owner == nil || !Moves(r, columns) {
		return nil
	}
	q := r.Keys(c).Where("?TableAlias.? = ?", bun.Ident(owner.Name), cell.Of(owner, m))
	r.NarrowToKey(q.QueryBuilder(), m)
	if stays, err := r.Any(c, q); err != nil || stays {
		return err
	}
	return Admit(c, r, m.Addr())
}

// ownerByQuota is the column of the model with the owner of a row by the quota of its table, nil without one.
func ownerByQuota(r *table.Resource) *schema.Field {
	if r.Quota() == nil {
		return nil
	}
	return r.Table.FieldMap[r.Quota().Owner().Name]
}
