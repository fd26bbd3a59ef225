package framework

import (
	"reflect"

	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
)

// A Scope declares which rows of a model a caller has. A row outside the scope cannot be
// listed, read, changed or deleted, nor referred to or embedded by a field with the tag ref
// of its viewset. It is answered like a row that does not exist. [Save], [Insert] and a
// function's own statements do not apply the scope. Make a Scope with [Own], [Via], [Where]
// or [Public].
//
// A Scope as [ViewSet].Writers declares which rows in scope a caller may change. It is applied
// inside the statement that changes or locks the row, to the row as it is before the change. It
// does not limit reading, references in bodies, and who may create a row. An Own there sets the
// owner of new rows too. A Via there leads to the rows that the caller has by the Scope and the
// Writers of the other viewset. An Unless there needs no permission to list.
type Scope struct{ declared declare.Scope }

// Own gives a caller the rows whose field is the caller's id, and sets that field on the
// rows that the caller creates. An anonymous caller has no rows.
//
// The field has the type of the callers' ids, see [Caller], or is a pointer to it: a
// row with NULL then has no owner.
func Own[M any, ID comparable](field func(*M) *ID) Scope {
	s := declare.Scope{Kind: declare.ScopeOwn, Model: reflect.TypeFor[M]()}
	if field != nil {
		s.Owner = func(m any) any { return field(m.(*M)) }
	}
	return Scope{s}
}

// Via gives a caller the rows that refer, by field, to a row that the caller has by the scope
// of another viewset. If patients have the scope [Own], an appointment belongs to the owner of
// its patient. The Unless of that viewset does not apply.
func Via(field, viewset string) Scope {
	return Scope{declare.Scope{Kind: declare.ScopeVia, Field: field, Target: viewset}}
}

// Where gives a caller the rows that meet the conditions of fn. Pass values as arguments of
// the query, never as text. If a verb of [Accepts] or [Fills] would store a row that does not
// meet them, the error is 403.
func Where(fn func(*call.Call, bun.QueryBuilder) bun.QueryBuilder) Scope {
	return Scope{declare.Scope{Kind: declare.ScopeWhere, Where: fn}}
}

// Public gives every caller every row. Only the permission limits access.
func Public() Scope { return Scope{declare.Scope{Kind: declare.ScopePublic}} }

// Unless gives every row to callers that p permits. With [HoldsModel] this depends on the
// verb. To change or delete every row, or to run a writing action on it, p must also permit
// the caller to list the rows: a row that the caller may not list is 404, and
// "patients.change" alone has no effect. An action of [Action.ByReaders] and a [Toggle] need the
// permission to list the rows alone.
func (s Scope) Unless(p call.Permission) Scope { s.declared.Unless = p; return s }

// String describes the scope for listings.
func (s Scope) String() string { return s.declared.String() }
