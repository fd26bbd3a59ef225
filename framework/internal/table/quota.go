package table

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
)

// A Quota limits the rows of a table that one owner has.
type Quota interface {
	// Owner is the column with the owner of a row.
	Owner() *schema.Field
	// Doc says in one sentence how many rows an owner may have.
	Doc() string
	// WithRows returns a copy that lets each owner have a number of rows.
	WithRows(n int) Quota
	// Admit returns an error if the owners of rows, given as pointers to models of r, have too many. It counts the stored rows
	// of these owners, and the given ones too if they are not stored yet. Until the transaction ends, other requests that add rows
	// of the same owners wait.
	Admit(c *call.Call, r *Resource, rows []reflect.Value, stored bool) error
}

// Quota is the quota of the table, which one of its viewsets declares; nil without one.
func (r *Resource) Quota() Quota { return r.API.Quotas[r.Table.Name] }

// Admit returns an error if rows that are about to be stored, given as pointers to their models, are more than their owners may have.
func (r *Resource) Admit(c *call.Call, rows ...reflect.Value) error {
	if r.Quota() == nil {
		return nil
	}
	return r.Quota().Admit(c, r, rows, false)
}

// AdmitStored is Admit for a row that the transaction has stored.
func (r *Resource) AdmitStored(c *call.Call, row reflect.Value) error {
	if r.Quota() == nil {
		return nil
	}
	return r.Quota().Admit(c, r, []reflect.Value{row}, true)
}

// Moves reports whether a write of some columns may give a row to another owner, who may have a quota.
func (r *Resource) Moves(columns []*schema.Field) bool {
	q := r.Quota()
	return q != nil && slices.ContainsFunc(columns, func(f *schema.Field) bool { return f.Name == q.Owner().Name })
}

// admitMoved is Admit for a stored row, given as its model, if a write of some columns gives it to another owner.
func (r *Resource) admitMoved(c *call.Call, m reflect.Value, columns []*schema.Field) error {
	owner := r.ownerByQuota()
	if owner == nil || !r.Moves(columns) {
		return nil
	}
	q := r.Keys(c).Where("?TableAlias.? = ?", bun.Ident(owner.Name), Column(owner, m))
	r.narrowToKey(q.QueryBuilder(), m)
	if stays, err := r.Any(c, q); err != nil || stays {
		return err
	}
	return r.Admit(c, m.Addr())
}

// ownerByQuota is the column of the model with the owner of a row by the quota of its table, nil without one.
func (r *Resource) ownerByQuota() *schema.Field {
	if r.Quota() == nil {
		return nil
	}
	return r.Table.FieldMap[r.Quota().Owner().Name]
}
