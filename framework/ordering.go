package framework

import (
	"trestle.example/framework/internal/declare"
)

// Ordering says what a list may be ordered by: fields, or orders that have
// names. The primary key always comes last, so pages are stable; rows without
// a value come last in either direction.
type Ordering struct {
	// Allowed are the fields that a client may order by. It writes terms,
	// separated by commas, each with a leading - for descending; a term that
	// is not allowed is ignored and told. Defaults to none.
	Allowed []string
	// Named are the orders that a client may ask for by name, one at a time;
	// another name is 400 invalid_parameter. It takes the place of Allowed.
	// Defaults to none.
	Named []NamedOrder
	// Default applies when the request asks for no order: terms as a client
	// would write them, "-starts_at,name", or the name of one of Named.
	// Defaults to the primary key. A list that is searched by
	// [ViewSet.Ranked] and asked for no order comes by relevance instead.
	Default string
	// Param is the query parameter. Defaults to "ordering".
	Param string
}

// A NamedOrder is an order under a name of its own: "price_asc".
type NamedOrder struct {
	// Name is what a client asks for: letters, digits, - and _.
	Name string
	// By are the terms that it stands for, "price" or "-created_at,name".
	// They may be fields that no shape shows.
	By string
	// Relevance puts the rows first that match a search by [ViewSet.Ranked]
	// best. Those that match equally come in the default order, as does a list
	// that is not searched. By is then empty.
	Relevance bool
}

func (o Ordering) declare() declare.Ordering {
	declared := declare.Ordering{Allowed: o.Allowed, Default: o.Default, Param: o.Param}
	for _, n := range o.Named {
		declared.Named = append(declared.Named, declare.NamedOrder(n))
	}
	return declared
}
