package framework

import (
	"reflect"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/relation"
)

// Relations names the relations of a model, each with the path of the viewset whose scope narrows
// it, or with [OfRow]:
//
//	Relations: framework.Relations{"author": "authors", "tags": "tags", "parts": framework.OfRow}
//
// The name of a relation is that of its Go field, in the case that the viewset's clients see:
// CheapestVariant is "cheapestVariant" or "cheapest_variant". Everything else in the declaration
// uses this name, and paths that begin with it: "author.name" is the name of the related author.
// The relations of an author are those that the viewset authors lists. For rows that are part of
// the row, a relation is listed with its path: "parts.product".
//
// The tag `to:"tags.name"` of an input sets the rows of a relation: see docs/how-to/relations.md.
//
// A related row that the caller may not see, or that is deleted softly, counts as missing. Views,
// filters, searches and orders all treat it so. A relation that is used and not listed is a
// mistake. A relation has one column on each side. Belongs-to, has-one, has-many and many-to-many
// are known; the model of the join table of a many-to-many relation belongs into
// [ViewSet.Models].
type Relations map[string]string

// OfRow stands for a viewset in [Relations]: the related rows are part of the row, and have no
// scope of their own.
const OfRow = relation.OfRow

// An Expression is a SQL expression with the type of its result. Make one with [SQL].
type Expression struct{ declared declare.Expression }

// SQL makes an expression of SQL, for [ViewSet.Expressions]. T is the type of its result, which
// decides how a filter reads its parameter. ?TableAlias stands for the table of the row, and each
// ? for one of values:
//
//	Expressions: map[string]framework.Expression{
//		"total": framework.SQL[int64]("?TableAlias.price * ?TableAlias.quantity"),
//	}
//
// The text is part of the statement, so it must not contain anything that a client sent. It must
// be valid on the databases that the program supports. Its result may be NULL. If T is a decimal of
// a numeric column, the result is rounded to its places. If T is float64, the result is converted to it.
// A value of the type float64 is a fraction, also 100.0.
func SQL[T any](text string, values ...any) Expression {
	return Expression{declare.Expression{Result: reflect.TypeFor[T](), Text: text, Values: values}}
}
