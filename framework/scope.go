package framework

import (
	"reflect"

	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
)

// A Scope declares which rows of a model a caller has. Every statement applies it: a row
// outside the scope cannot be listed, read, changed, deleted, referred to or embedded. It
// is answered like a row that does not exist. Make one with [Own], [Via], [Where] or
// [Public].
type Scope struct{ declared declare.Scope }

// Own gives a caller the rows whose field is the caller's id, and sets that field on the
// rows that the caller creates. An anonymous caller has no rows.
//
// The field has the type of the callers' ids, see [Caller], or is a pointer to it: NULL is
// then a row that nobody owns.
func Own[M any, ID comparable](field func(*M) *ID) Scope {
	s := declare.Scope{Kind: declare.ScopeOwn, Model: reflect.TypeFor[M]()}
	if field != nil {
		s.Owner = func(m any) any { return field(m.(*M)) }
	}
	return Scope{s}
}

// Via gives a caller the rows that refer, by field, to a row of another viewset that the
// caller owns. An appointment then belongs to the owner of its patient. The Unless of that
// viewset does not apply.
func Via(field, viewset string) Scope {
	return Scope{declare.Scope{Kind: declare.ScopeVia, Field: field, Target: viewset}}
}

// Where gives a caller the rows that meet the conditions of fn. Pass values as arguments of
// the query, never as text. Writing a row that does not meet them is the error 403.
func Where(fn func(*call.Call, bun.QueryBuilder) bun.QueryBuilder) Scope {
	return Scope{declare.Scope{Kind: declare.ScopeWhere, Where: fn}}
}

// Public gives every caller every row. Only the permission limits access.
func Public() Scope { return Scope{declare.Scope{Kind: declare.ScopePublic}} }

// Unless gives every row to callers that p permits. With [HoldsModel] this depends on the
// verb. To change, delete or act on every row, p must also permit the caller to list them:
// a row that the caller may not see is 404, and "patients.change" alone has no effect.
func (s Scope) Unless(p call.Permission) Scope { s.declared.Unless = p; return s }

// String describes the scope for listings.
func (s Scope) String() string { return s.declared.String() }
