package lists

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/internal/prove/answers"
	"trestle.example/framework/internal/prove/check"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/sample"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/query"
)

// tryGuesses reads a list, or its totals, by each parameter with a text or a key of a row that the caller may not see, and with a text that
// no row has. The answers must be the same: a number that differs shows that the row exists. It tries rows of the table of the list and
// rows of related tables. It tries values of fields that Sees hides from the caller in the same way.
func (p prover) tryGuesses(e *exchange.Endpoint) {
	if e.Spec.Key != nil || e.Pagination == nil && e.Totals == nil || !e.HandsRows() {
		return
	}
	for _, name := range tablesOf(e) {
		for _, who := range e.Callers {
			if e.Access(who) != spec.AccessRefused && p.guess(e, who, name) {
				break
			}
		}
	}
	p.guessNumbers(e, p.RowsOf(e.Resource), url.Values{})
}

// tablesOf lists the table of an endpoint, and those to which relations of its model lead.
func tablesOf(e *exchange.Endpoint) []string {
	names := []string{e.Resource.Table.Name}
	for _, related := range e.Resource.Table.Relations {
		if name := related.JoinTable.Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names[1:])
	return names
}

// guess sends the requests of one person about the newest row of a table that has a secret value. It reports whether there is one.
func (p prover) guess(e *exchange.Endpoint, who *exchange.Person, name string) bool {
	for _, one := range slices.Backward(p.Made) {
		if one.Table != name || one.By == who || !p.Served(one) || p.Deleted(one) {
			continue
		}
		if secrets := p.secretsOf(e, who, one); len(secrets) > 0 {
			p.guessValues(e, who, rowsBeside(one, secrets), secrets, url.Values{})
			return true
		}
	}
	return false
}

// GuessDeleted does with a deleted row what tryGuesses does with other rows: it reads a list of deleted rows, or its totals, by values of the
// row and by values beside them, as the first person who may read deleted rows, and not this one. A new caller does that with numbers.
func GuessDeleted(c *check.Checker, e *exchange.Endpoint, one *fixture.Row) {
	p := prover{c}
	deleted := url.Values{table.ParamDeleted: {"true"}}
	if p.SeesErased(e, exchange.Request{By: p.People[2], Query: deleted.Encode()}) {
		all := slices.DeleteFunc(slices.Clone(p.Made), func(other *fixture.Row) bool { return other == one || !isErased(e, other) })
		p.guessNumbers(e, append([]*fixture.Row{one}, all...), deleted)
	}
	for _, who := range e.Callers {
		r := exchange.Request{By: who, Query: deleted.Encode()}
		if e.Spec.Key != nil || e.Access(who) == spec.AccessRefused || !p.SeesErased(e, r) || !p.HiddenFrom(who, one) {
			continue
		}
		if secrets := p.secretsOf(e, who, one); len(secrets) > 0 {
			p.guessValues(e, who, rowsBeside(one, secrets), secrets, deleted)
			return
		}
	}
}

// isErased reports whether a row is a deleted one of the table of an endpoint.
func isErased(e *exchange.Endpoint, one *fixture.Row) bool {
	return one.Table == e.Resource.Table.Name && fixture.DeletedFor(e.Resource, one)
}

// secretsOf lists the columns of a row whose values a person may not know: the key and random texts of a row that is hidden from the person
// and that are in no row which the person sees, and those that Sees hides, also numbers.
func (p prover) secretsOf(e *exchange.Endpoint, who *exchange.Person, one *fixture.Row) (columns []string) {
	if p.HiddenFrom(who, one) {
		for _, cell := range p.Telling(one) {
			if !p.meetsValue(who, one, cell.Value) {
				columns = append(columns, cell.Column)
			}
		}
		return columns
	}
	for column, value := range one.Values {
		f := e.Resource.Table.FieldMap[column]
		if one.Table != e.Resource.Table.Name || f == nil || !p.IsUnseen(who, e, e.Resource.FieldOf(column, f)) || !p.Views.Mask(who, one, column) {
			continue
		}
		if sample.Beside(value, 1) != value && (isNumber(value) || !p.meetsValue(who, one, value)) {
			columns = append(columns, column)
		}
	}
	return columns
}

// meetsValue reports whether another row that a person sees has a value.
func (p prover) meetsValue(who *exchange.Person, of *fixture.Row, value string) bool {
	return p.Moved(who, value) || slices.ContainsFunc(p.Made, func(one *fixture.Row) bool {
		return one != of && one.RefersTo(value) && p.Views.Meets(who, one)
	})
}

// isNumber reports whether a value is a whole number, as a parameter with an order takes it.
func isNumber(value string) bool {
	_, err := strconv.ParseInt(value, 10, 64)
	return err == nil
}

// isBound reports whether a parameter has the name of a column, or one for its least or its greatest value. Any other parameter may have the
// number of something else.
func isBound(param string, columns []string) bool {
	plain := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
	name := strings.TrimPrefix(strings.TrimPrefix(plain(param), "min"), "max")
	return slices.ContainsFunc(columns, func(column string) bool { return plain(column) == name })
}

// isOfPages reports whether a parameter chooses the page of a list, such as a limit.
func isOfPages(e *exchange.Endpoint, name string) bool {
	return e.Pagination != nil && slices.ContainsFunc(e.Pagination.Params(), func(param query.Param) bool { return param.Name == name })
}

// guessValues compares the answers for the values of the first of some rows with those for values of the others, which do not exist. The
// requests have some parameters too.
func (p prover) guessValues(e *exchange.Endpoint, who *exchange.Person, rows [3]*fixture.Row, secrets []string, also url.Values) {
	path, ok := p.PathOf(e, who, p.seenBy(who, e, rows[0]))
	if !ok {
		return
	}
	for _, param := range e.Spec.Params {
		var values [3][]string
		for i, row := range rows {
			values[i] = valuesFor(e, param, row, p.KeysOf(row.Table))
		}
		for n, value := range values[0] {
			if len(values[1]) != len(values[0]) || len(values[2]) != len(values[0]) || values[1][n] == value {
				continue
			}
			if isNumber(value) && (!isBound(param.Name, secrets) || isOfPages(e, param.Name)) {
				continue
			}
			p.compareGuesses(e, value, func(i int) (*exchange.Answer, string) {
				by := maps.Clone(also)
				by.Set(param.Name, values[i][n])
				got := p.Send(e, exchange.Request{Method: http.MethodGet, Path: path, By: who, Query: by.Encode()})
				return got, without(got, rows[i], secrets)
			})
		}
	}
}

// compareGuesses compares the answers for a value of a row and for the first one beside it. If the two values that no row has get different
// answers, or the value of the row gets another answer the second time, they differ by something else, such as a cursor or the time.
func (p prover) compareGuesses(e *exchange.Endpoint, value string, send func(i int) (*exchange.Answer, string)) {
	got, text := send(0)
	none, other := send(1)
	if text == other {
		return
	}
	_, last := send(2)
	_, again := send(0)
	if again == text && (last == other || isNumber(value) && !e.HasCursors()) { // other rows have numbers between these
		p.Find(e, got.By, got.Curl(), "with %q, which is of a row or a field that is not theirs, it is answered otherwise than with a value of no row:\n%s",
			value, answers.Difference(text, "for "+none.Query, other))
	}
}

// rowsBeside are a row, and two with values beside those in some columns.
func rowsBeside(one *fixture.Row, columns []string) [3]*fixture.Row {
	return [3]*fixture.Row{one, beside(one, columns, 1), beside(one, columns, 2)}
}

// beside is a row with other values in some columns.
func beside(one *fixture.Row, columns []string, by int) *fixture.Row {
	other := &fixture.Row{Table: one.Table, By: one.By, Values: maps.Clone(one.Values)}
	for _, column := range columns {
		other.Values[column] = sample.Beside(one.Values[column], by)
	}
	return other
}

// without is an answer without its hash, and without the values of a row that the request may have.
func without(got *exchange.Answer, one *fixture.Row, columns []string) string {
	plain := *got
	plain.Header = got.Header.Clone()
	plain.Header.Del("ETag")
	text := plain.Plain()
	for _, column := range columns {
		if value := strings.TrimSuffix(one.Values[column], fixture.MailDomain); len(value) >= fixture.Telling {
			text = strings.ReplaceAll(text, value, "<value>")
		} else {
			text = sample.Mask(text, value, "<value>")
		}
	}
	return text
}
