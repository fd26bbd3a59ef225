package framework

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
)

// A FieldRule says which callers see or write one field of a viewset. Make one with [Sees] or
// [Writes], for [ViewSet.Fields].
type FieldRule struct{ declared declare.FieldRule }

// Sees lets only the callers with a permission see a field of the viewset: a column, or an
// expression or a function under its name. In answers for other callers, its member is absent: of
// every view of the viewset, of the views of other viewsets that show the field by
// [ViewSet.Relations], and of answers, streams and CSV columns of functions whose type is such a
// view.
// [Find], [FindOne] and [Each] return the zero value for it.
//
//	Fields: []framework.FieldRule{framework.Sees("phone", framework.Holds("patients.contact"))}
//
// A request of such a caller that filters, searches or orders by the field, also over a relation or
// in a function such as min(patients.age), is the error 403 forbidden, or 401 for an anonymous
// caller; the parameters of one filter, such as filter.Together, count as one. A foreign key includes
// its relation. The permission decides as for a request that lists the viewset: it is about the
// caller, never about the row.
//
// A caller who does not see a field may write it, unless [Writes] says otherwise. If the body of a
// PUT lacks it, the stored value stays. Not covered are an expression that reads the column, a slug
// that is made from it, the conflict of a unique value, filters and scopes that are functions, and what functions of
// the program answer in types of their own.
func Sees(field string, p call.Permission) FieldRule {
	return FieldRule{declare.FieldRule{Field: field, Permission: p}}
}

// Writes lets only the callers with a permission write a field, by the verbs that accept an input.
// If the body of another caller has another value than the stored one, or in a create than the
// default, the error is 403 forbidden with a fault at the member, or 401 for an anonymous caller. If
// the caller does not see the field, any value is this error. If the body lacks the field, the
// stored value stays, also for PUT; a new row has the default. OPTIONS marks the field as readOnly
// for the other callers. The permission is about the caller, never about the row.
//
//	Fields: []framework.FieldRule{framework.Writes("status", framework.Holds("patients.manage"))}
//
// Functions decide themselves what they write. A field may have one rule of Sees and one of Writes.
func Writes(field string, p call.Permission) FieldRule {
	return FieldRule{declare.FieldRule{Field: field, Permission: p, Writes: true}}
}
