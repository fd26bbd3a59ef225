package lists

import (
	"maps"
	"net/url"
	"slices"
	"strconv"

	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
)

// guessNumbers reads a list, or its totals, as a new caller who does not see the rows, by each parameter with a number of the first row, and
// with numbers that no row has. The answers must be the same. The requests have some parameters too.
func (p prover) guessNumbers(e *exchange.Endpoint, rows []*fixture.Row, also url.Values) {
	if e.Resource.Above != nil || len(rows) == 0 {
		return
	}
	columns := numbersOf(rows[0])
	if !slices.ContainsFunc(e.Spec.Params, func(param spec.Param) bool { return isBound(param.Name, columns) }) {
		return
	}
	who := p.Fresh(p.People[2])
	if who == nil || e.Access(who) == spec.AccessRefused || slices.ContainsFunc(rows, func(one *fixture.Row) bool { return p.Views.Meets(who, one) }) {
		return
	}
	others := [3]*fixture.Row{rows[0], beside(rows[0], nil, 0), beside(rows[0], nil, 0)}
	for _, column := range columns {
		value := rows[0].Values[column]
		for i := range 2 {
			value = unused(rows, column, value)
			others[i+1].Values[column] = value
		}
	}
	p.guessValues(e, who, others, columns, also)
}

// numbersOf lists the columns of a row that have a whole number.
func numbersOf(one *fixture.Row) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(one.Values)), func(column string) bool { return !isNumber(one.Values[column]) })
}

// unused returns the least number above a number that no row has in a column.
func unused(rows []*fixture.Row, column, above string) string {
	n, _ := strconv.ParseInt(above, 10, 64) // it is one
	for {
		n++
		text := strconv.FormatInt(n, 10)
		if !slices.ContainsFunc(rows, func(one *fixture.Row) bool { return one.Values[column] == text }) {
			return text
		}
	}
}
