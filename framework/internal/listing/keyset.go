package listing

import (
	"database/sql/driver"
	"fmt"
	"maps"
	"math/bits"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/keyset"
	"trestle.example/framework/internal/ordering"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// longestCursor is how many characters a cursor has at most. A request has room for more, beside its
// other parameters.
const longestCursor = 6000

// keyset reads a page that begins at a cursor, by two statements: the first finds the keys of the page
// and the values of its order, the second the rows. It sets the cursors of the pages beside it.
func (l *List) keyset(c *call.Call, parsed *listed, page *query.Page) (table.SentRows, error) {
	k := keysetPage{l, parsed, l.Endpoint.Ordering.Settled(parsed.order.Terms), l.identity(c, parsed), nil}
	if err := k.open(); err != nil {
		return table.SentRows{}, err
	}
	found, more, err := k.find(c)
	if err != nil {
		return table.SentRows{}, err
	}
	if err := k.link(page, found, more); err != nil {
		return table.SentRows{}, err
	}
	rows, err := k.read(c, found)
	if err != nil {
		return table.SentRows{}, err
	}
	page.Rows = rows.Rows
	if k.place == nil && !more {
		page.Total = query.Total{Count: int64(rows.Rows), Known: true}
		return rows, nil
	}
	page.Total, err = l.count(c, parsed)
	return rows, err
}

// identity identifies the query of a list, for its cursors: the caller, the path, the order and the
// parameters, without those of the pagination.
func (l *List) identity(c *call.Call, parsed *listed) []byte {
	values := maps.Clone(parsed.values)
	for _, p := range l.Endpoint.Pagination.Params() {
		delete(values, p.Name)
	}
	var order []string
	for _, t := range l.Endpoint.Ordering.Settled(parsed.order.Terms) {
		order = append(order, t.Field.Alias, t.Field.GoName, t.Direction())
	}
	var params []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		params = append(params, name, values[name])
	}
	return fmt.Appendf(nil, "%q %q %q %q %q", l.Endpoint.Pattern, fmt.Sprint(parsed.above...), c.Caller.IDText(), order, params)
}

// A keysetPage is a page that begins at a cursor.
type keysetPage struct {
	*List

	parsed   *listed
	terms    []ordering.Term
	identity []byte        // of the query
	place    *keyset.Place // nil for the first page
}

// open opens the cursor of the request. A text that is no cursor of this list is the error 400.
func (k *keysetPage) open() error {
	at := k.parsed.window.Keyset
	if at.Cursor == "" {
		return nil
	}
	plain, ok := k.Resource.API.Cursors.Open(at.Cursor, k.identity)
	if ok {
		var place keyset.Place
		if place, ok = keyset.ReadPlace(plain, len(k.terms)); ok {
			k.place = &place
		}
	}
	if !ok {
		return problem.InvalidParameter(at.Param, "is not a cursor of this list with these filters, this order and this caller; leave it out to begin with the first page")
	}
	return nil
}

func (k *keysetPage) back() bool { return k.place != nil && k.place.Back }

// A foundRow is the key of a row, and its values in the order of the list.
type foundRow struct {
	key    any
	values []driver.Value
}

// find finds the rows of the page in the order of the list, and whether more follow in the direction of
// the page.
func (k *keysetPage) find(c *call.Call) (rows []foundRow, more bool, err error) {
	limit := k.parsed.window.Limit
	found, err := c.Session().Read(c, k.statement(c, limit+1))
	if err != nil {
		return nil, false, err
	}
	for i := range found.Len() {
		row, err := k.rowOf(found.Row(i))
		if err != nil {
			return nil, false, err
		}
		rows = append(rows, row)
	}
	rows, more = atMost(limit, rows)
	if k.back() {
		slices.Reverse(rows)
	}
	return rows, more, nil
}

// statement selects the keys and the values of at most some rows. The parts of the list after a place
// are limited each, so that none reads more rows than the page has.
func (k *keysetPage) statement(c *call.Call, limit int64) schema.QueryAppender {
	parts := []keyset.Part{nil}
	if k.place != nil {
		parts = keyset.Parts(c, k.terms, *k.place)
	}
	var selects []any
	for _, part := range parts {
		q, _ := k.keyed(c, part.Narrow(k.matching(c, k.parsed)), k.parsed)
		for _, t := range k.terms {
			q = q.OrderExpr("? ?", t.Field.SQL(c), bun.Safe(keyset.Direction(t, k.back())))
		}
		selects = append(selects, first(q, limit))
	}
	if len(selects) == 1 {
		return selects[0].(schema.QueryAppender) //nolint:forcetypeassert // first returned it
	}
	columns, order := []string{`"key"`}, []string{}
	for n, t := range k.terms {
		if !k.Endpoint.Ordering.IsKey(t) {
			columns = append(columns, k.nameOf(n, t))
		}
		order = append(order, k.nameOf(n, t)+" "+keyset.Direction(t, k.back()))
	}
	selected := "SELECT " + strings.Join(columns, ", ") + " FROM ("
	union := strings.TrimSuffix(strings.Repeat(selected+"?) AS part UNION ALL ", len(selects)), " UNION ALL ")
	return first(bun.SafeQuery(selected+union+") AS parts ORDER BY "+strings.Join(order, ", "), selects...), limit)
}

// first limits a query to at least some rows: to the next power of two. It is in the text, because
// databases plan a statement again for each value of a LIMIT, and there are few such texts.
func first(q schema.QueryAppender, rows int64) schema.QueryAppender {
	return bun.SafeQuery("? LIMIT "+strconv.Itoa(1<<bits.Len64(uint64(rows-1))), q) //nolint:gosec // at least 1
}

// rowOf reads one row of the statement: its key, and then the values of the other terms.
func (k *keysetPage) rowOf(row []driver.Value) (found foundRow, err error) {
	pk := k.Resource.Pk
	key := reflect.New(pk.StructField.Type).Elem()
	if err := (&table.ColumnCell{Column: pk, Value: key}).Scan(row[0]); err != nil {
		return found, err
	}
	found.key = reflect.Indirect(key).Interface()
	next := 1
	for _, t := range k.terms {
		value := row[0]
		if !k.Endpoint.Ordering.IsKey(t) {
			value = row[next]
			next++
		}
		found.values = append(found.values, k.valueOf(t, value))
	}
	return found, nil
}

// valueOf copies a value, which the driver may use again. PostgreSQL's driver returns texts of types
// that it does not know as bytes.
func (k *keysetPage) valueOf(t ordering.Term, value driver.Value) driver.Value {
	b, ok := value.([]byte)
	if !ok {
		return value
	}
	if k.Resource.API.DB.Kind() == sqldb.PostgreSQL && t.Field.Type.Kind() != reflect.Slice {
		return string(b)
	}
	return slices.Clone(b)
}

// link sets the cursors of the pages beside this one. An empty page leads to the place where it began,
// with the row there.
func (k *keysetPage) link(page *query.Page, rows []foundRow, more bool) (err error) {
	seal := func(p keyset.Place) string {
		sealed := k.Resource.API.Cursors.Seal(p.Append(nil), k.identity)
		if len(sealed) > longestCursor {
			err = problem.InvalidParameter(k.Endpoint.Ordering.Param, "has values that are too long for a cursor; order by another field")
		}
		return sealed
	}
	page.More = more || k.back()
	if page.More {
		page.Next = seal(k.beside(rows, false))
	}
	if k.place != nil && (more || !k.back()) {
		page.Previous = seal(k.beside(rows, true))
	}
	return err
}

// beside is the place of the page after this one, or before it.
func (k *keysetPage) beside(rows []foundRow, back bool) keyset.Place {
	switch {
	case len(rows) == 0:
		return keyset.Place{Back: back, With: true, Values: k.place.Values}
	case back:
		return keyset.Place{Back: true, Values: rows[0].values}
	}
	return keyset.Place{Values: rows[len(rows)-1].values}
}

// read reads the rows of the page. It checks every condition again: a row may have changed since.
func (k *keysetPage) read(c *call.Call, found []foundRow) (table.SentRows, error) {
	if len(found) == 0 {
		return table.SentRows{}, nil
	}
	keys := make([]any, len(found))
	for i, row := range found {
		keys[i] = row.key
	}
	conditions := append(slices.Clip(k.parsed.narrow), k.parsed.searchInRow)
	q := k.where(c, k.parsed, conditions).Where("?TableAlias.? IN (?)", bun.Ident(k.Resource.Pk.Name), sqldb.List(keys))
	return k.Shown.Write(c, k.Endpoint.Ordering.Apply(c, q, k.parsed.order.Terms), table.Window{})
}

// announce sets the header Link (RFC 8288) to the pages beside a page.
func announce(c *call.Call, page query.Page) {
	var links []string
	for _, one := range []struct{ cursor, relation string }{{page.Next, "next"}, {page.Previous, "prev"}} {
		if one.cursor != "" {
			links = append(links, "<"+page.Link(url.Values{page.Keyset.Param: {one.cursor}})+`>; rel="`+one.relation+`"`)
		}
	}
	if len(links) > 0 {
		c.Header().Set(problem.HeaderLink, strings.Join(links, ", "))
	}
}
