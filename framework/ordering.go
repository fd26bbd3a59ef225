package framework

import (
	"trestle.example/framework/internal/declare"
)

// Ordering declares the orders of a list: by fields, or orders with names. Every order ends
// with the primary key, in the direction of the last field, so that pages are stable and one
// index serves an order and its reverse. Rows without a value come last in either direction.
//
// A field may also be an expression of [ViewSet.Expressions], or a path over to-one relations of
// [Relations], such as "author.name". Without a related row that the caller may see, it has no
// value.
type Ordering struct {
	// Allowed lists the fields that a client may order by. The parameter has terms,
	// separated by commas; a leading - means descending. A term that is not allowed is
	// ignored and reported, or rejected by a strict resource. A function with a comma, such as
	// exists(votes,mine), is a mistake: name it in a view. Defaults to none.
	Allowed []string
	// Named lists the orders that a client may choose by name, one at a time. Another name
	// is the error 400 invalid_parameter. Named and Allowed together are a mistake. Defaults
	// to none.
	Named []NamedOrder
	// Default is the order of a request without the parameter: terms as a client would
	// write them, "-starts_at,name", or a name of Named. A list that is searched by
	// [ViewSet.Ranked] is ordered by relevance instead. Defaults to the primary key.
	Default string
	// Param is the query parameter. Defaults to "ordering".
	Param string
}

// A NamedOrder is an order with a name, such as "price_asc".
type NamedOrder struct {
	// Name is the value of the parameter: letters, digits, - and _.
	Name string
	// By is the order in terms: "price" or "-created_at,name". It may use fields that no
	// view shows.
	By string
	// Relevance orders by the rank of [ViewSet.Ranked], the best match first. Rows of equal
	// rank, and a list that is not searched, have the default order. By must be empty.
	Relevance bool
}

func (o Ordering) declare() declare.Ordering {
	declared := declare.Ordering{Allowed: o.Allowed, Default: o.Default, Param: o.Param}
	for _, n := range o.Named {
		declared.Named = append(declared.Named, declare.NamedOrder(n))
	}
	return declared
}
