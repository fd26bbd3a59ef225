package framework

import "trestle.example/framework/internal/declare"

// FilterExpression lets clients filter lists by an expression in one query parameter, beside the parameters of
// [ViewSet.Filters]:
//
//	?filter=status = "booked" AND (fee >= 500 OR NOT patient.city = "Pune")
//
// It is for the verb List and for [Lists]. The language is a strict subset of AIP-160:
//
//   - A comparison is a field, an operator and a value. The operators are = and !=, and also <, <=, > and >= for
//     numbers, times and other types with an order. The comparison of text is that of filter.Exact.
//   - A text is in double quotes, with the escapes of JSON. So are times (RFC 3339), dates and UUIDs. Numbers, true,
//     false and null have no quotes. A type with UnmarshalText, such as a decimal, takes both forms.
//   - AND and OR join comparisons. One beside the other needs parentheses: a AND b OR c is 400 with both meanings.
//   - NOT is the opposite: a row has each expression or its NOT. NULL is not equal to any value, and not less or
//     greater, so x != 1 and NOT x = 1 are true for NULL. x = null finds NULL.
//   - tags.name = "go" means that the row has some tag of this name, and comments(author = "x" AND score > 3) that it
//     has one comment that meets both. NOT before them means that it has none. != and = null with a field of
//     several related rows are 400, because they have two meanings.
//
// Values are parameters of the statement. Related rows are those that the caller may see. A caller who uses a field
// that [Sees] hides from them is answered 403. A wrong expression is 400 invalid_parameter with the place of the fault.
type FilterExpression struct {
	// Fields lists the fields that clients may use, by their names in filters: fields, named [ViewSet.Expressions],
	// and paths over [Relations], such as "patient.city". Defaults to none: no expressions.
	Fields []string
	// Param is the query parameter. Defaults to "filter".
	Param string
	// MaxLength is the greatest number of characters, at most 8,000. Defaults to 1,000.
	MaxLength int
	// MaxDepth is how deep parentheses may be in parentheses, at most 50. Defaults to 5.
	MaxDepth int
	// MaxComparisons is the greatest number of comparisons, at most 200. Defaults to 20.
	MaxComparisons int
	// MaxRelated is the greatest number of subqueries over several related rows, at most 100. There is one for each comparison such
	// as tags.name = "go", for each relation with parentheses, and for each function such as count(comments). Defaults to 3.
	MaxRelated int
}

func (e FilterExpression) declare() declare.FilterExpression { return declare.FilterExpression(e) }
