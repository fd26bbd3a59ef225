package table

import (
	"reflect"

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
