package framework

import (
	"reflect"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
)

// A Scope says which rows of a model a caller has. It is part of every
// statement: a row outside the caller's scope cannot be listed, read, changed,
// deleted, acted on, referred to or embedded, and is answered like a row that
// does not exist. Make one with [Own], [Via], [Where] or [Public].
type Scope struct{ declared declare.Scope }

// Own gives a caller the rows whose field holds the caller's id, and stamps
// that field on the rows the caller creates. An anonymous caller has none.
func Own[M any](field func(*M) *uuid.UUID) Scope {
	s := declare.Scope{Kind: declare.ScopeOwn, Model: reflect.TypeFor[M]()}
	if field != nil {
		s.Owner = func(m any) *uuid.UUID { return field(m.(*M)) }
	}
	return Scope{s}
}

// Via gives a caller the rows whose reference, named by field, leads to a row
// that the caller owns in another viewset: an appointment belongs to whom its
// patient belongs. The target's Unless does not carry over.
func Via(field, viewset string) Scope {
	return Scope{declare.Scope{Kind: declare.ScopeVia, Field: field, Target: viewset}}
}

// Where gives a caller the rows that fn's conditions leave. Values go in as
// arguments of the query, never as text. A row written outside of them is
// refused with 403.
func Where(fn func(*call.Call, bun.QueryBuilder) bun.QueryBuilder) Scope {
	return Scope{declare.Scope{Kind: declare.ScopeWhere, Where: fn}}
}

// Public gives every caller every row; permission alone decides.
func Public() Scope { return Scope{declare.Scope{Kind: declare.ScopePublic}} }

// Unless lifts the scope for callers whom p permits: they have every row.
// With [HoldsModel] that is decided verb by verb. To change, delete or act on
// every row, p must also permit the caller to list them: a row that the caller may
// not view is 404, and "patients.change" alone lifts nothing.
func (s Scope) Unless(p call.Permission) Scope {
	s.declared.Unless = p
	return s
}

// String says what the scope leaves, for listings.
func (s Scope) String() string { return s.declared.String() }
