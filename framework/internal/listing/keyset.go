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
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/keyset"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/ordering"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// mostKeyset is the largest limit of a page, far beyond what a database sends.
const mostKeyset = 1 << 32

// keyset reads a page that begins at a cursor. One or two statements find the keys of the page and the values of its order, and
// one more reads the rows. It sets the cursors of the pages beside it.
func (l *List) keyset(c *call.Call, parsed *listed, page *query.Page) (scan.SentRows, error) {
	if l.Resource.API.Cursors == nil {
		return scan.SentRows{}, naming.Sentence("%s: %T has cursors for some requests, which need CursorKeys in framework.Config", l.Resource.Path, l.Endpoint.Pagination)
	}
	k := keysetPage{l, parsed, l.Endpoint.Ordering.Settled(parsed.order.Terms), l.identity(c, parsed), nil}
	if err := k.open(c); err != nil {
		return scan.SentRows{}, err
	}
	found, more, err := k.find(c)
	if err != nil {
		return scan.SentRows{}, err
	}
	k.link(page, found, more)
	rows, err := k.read(c, found)
	if err != nil {
		return scan.SentRows{}, err
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
// parameters, without those of the pagination and those that choose members.
func (l *List) identity(c *call.Call, parsed *listed) []byte {
	values := maps.Clone(parsed.values)
	for _, p := range l.Endpoint.Pagination.Params() {
		delete(values, p.Name)
	}
	if l.Selection != nil {
		for _, p := range l.Selection.Params() {
			delete(values, p.Name)
		}
	}
	var order []string
	for _, t := range l.Endpoint.Ordering.Settled(parsed.order.Terms) {
		order = append(order, t.Field.Alias, t.Field.GoName, t.Field.Type.String(), t.Direction())
	}
	var params, above []string
	for _, key := range parsed.above {
		above = append(above, fmt.Sprint(key))
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		params = append(params, name, values[name])
	}
	return fmt.Appendf(nil, "%q %q %q %q %q", l.Endpoint.Pattern, above, c.Caller.IDText(), order, params)
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
func (k *keysetPage) open(c *call.Call) error {
	at := k.parsed.window.Keyset
	if at.Cursor == "" {
		return nil
	}
	var place keyset.Place
	plain, ok := k.Resource.API.Cursors.Open(at.Cursor, k.identity)
	if ok {
		place, ok = keyset.ReadPlace(plain, len(k.terms))
	}
	if !ok {
		return problem.InvalidParameter(at.Param, "is not a cursor of this list with these filters, this order and this caller; leave it out to begin with the first page")
	}
	k.place = &place
	if place.IsShort() {
		return k.complete(c)
	}
	return nil
}

// complete reads the values of the place that are too long for a cursor from its row. If the row has
// other values, the error is 400.
func (k *keysetPage) complete(c *call.Call) error {
	q := c.DB.NewSelect().Model(bunmodel.NilModel(k.Resource.Model)).Where("?TableAlias.? = ?", bun.Ident(k.Resource.Pk.Name), sqldb.Param(k.place.Values[k.keyAt()]))
	if k.Resource.Table.SoftDeleteField != nil {
		q = q.WhereAllWithDeleted()
	}
	found, err := c.Session().Read(c, k.selected(c, q))
	if err != nil {
		return err
	}
	for i := range found.Len() {
		row, err := k.rowOf(found.Row(i))
		if err != nil {
			return err
		}
		if whole, ok := k.place.Complete(row.values, k.keyAt()); ok {
			k.place = &whole
			return nil
		}
	}
	return problem.InvalidParameter(k.parsed.window.Keyset.Param, "begins at a row with a long text, and this row has changed; leave it out to begin with the first page")
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
	limit := min(k.parsed.window.Limit, mostKeyset)
	for _, parts := range k.steps(c) {
		if rows, err = k.add(c, rows, parts, limit+1-int64(len(rows))); err != nil {
			return nil, false, err
		}
		if int64(len(rows)) > limit {
			break
		}
	}
	rows, more = atMost(limit, rows)
	if k.back() {
		slices.Reverse(rows)
	}
	return rows, more, nil
}

// steps lists the parts of the list that may have rows of the page. One statement reads the parts of a step, if the steps before do
// not fill the page. Rows with NULL in the first term are a step of their own where they can be: within one statement, the database
// plans them even for a page that does not need them.
func (k *keysetPage) steps(c *call.Call) [][]keyset.Part {
	if k.place == nil {
		return [][]keyset.Part{{nil}}
	}
	parts := keyset.Parts(c, k.terms, *k.place)
	if keyset.NullsApart(k.terms, *k.place) {
		return slices.Collect(slices.Chunk(parts, 1))
	}
	return [][]keyset.Part{parts}
}

// add adds at most some rows of parts of the list to those that were read.
func (k *keysetPage) add(c *call.Call, rows []foundRow, parts []keyset.Part, limit int64) ([]foundRow, error) {
	found, err := c.Session().Read(c, k.statement(c, parts, limit))
	if err != nil {
		return nil, err
	}
	for i := range found.Len() {
		row, err := k.rowOf(found.Row(i))
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// statement selects the keys and the values of at most some rows. The parts of the list after a place
// are limited each, so that none reads more rows than the page has.
func (k *keysetPage) statement(c *call.Call, parts []keyset.Part, limit int64) schema.QueryAppender {
	var selects []any
	for _, part := range parts {
		q := k.selected(c, part.Narrow(k.matching(c, k.parsed)))
		for n, t := range k.terms {
			direction := bun.Safe(keyset.Direction(t, k.back()))
			if q = q.OrderExpr("? ?", t.Field.SQL(c), direction); len(parts) > 1 {
				q = q.ColumnExpr("? AS ?", t.Field.SQL(c), bun.Safe(k.sorted(n)))
			}
		}
		selects = append(selects, first(q, limit))
	}
	if len(selects) == 1 {
		return selects[0].(schema.QueryAppender) //nolint:forcetypeassert // first returned it
	}
	columns, by, order := []string{`"key"`}, []string{}, []string{}
	for n, t := range k.terms {
		columns, by = append(columns, k.nameOf(n)), append(by, k.sorted(n))
		order = append(order, k.sorted(n)+" "+keyset.Direction(t, k.back()))
	}
	selected, sorted := strings.Join(columns, ", "), strings.Join(append(columns, by...), ", ")
	union := strings.TrimSuffix(strings.Repeat("SELECT "+sorted+" FROM (?) AS part UNION ALL ", len(selects)), " UNION ALL ")
	return first(bun.SafeQuery("SELECT "+selected+" FROM ("+union+") AS parts ORDER BY "+strings.Join(order, ", "), selects...), limit)
}

// keyAt is the place of the primary key among the terms.
func (k *keysetPage) keyAt() int { return slices.IndexFunc(k.terms, k.Endpoint.Ordering.IsKey) }

// selected selects the key of each row, and the values of the order as the database has them: on
// PostgreSQL as text, on SQLite by an expression, because its driver converts columns that are declared as times.
func (k *keysetPage) selected(c *call.Call, q *bun.SelectQuery) *bun.SelectQuery {
	value := "(?)::text AS ?"
	if k.Resource.API.DB.Kind() == sqldb.SQLite {
		value = "+(?) AS ?"
	}
	q = k.Endpoint.Ordering.Join(c, q, k.parsed.order.Terms).ColumnExpr(`?TableAlias.? AS "key"`, bun.Ident(k.Resource.Pk.Name))
	for n, t := range k.terms {
		q = q.ColumnExpr(value, t.Field.SQL(c), bun.Safe(k.nameOf(n)))
	}
	return q
}

// nameOf is the name of the column with the value of a term, and sorted that of the column by which the
// parts of a list are sorted.
func (k *keysetPage) nameOf(term int) string { return fmt.Sprintf(`"value_%d"`, term) }

func (k *keysetPage) sorted(term int) string { return fmt.Sprintf(`"order_%d"`, term) }

// first limits a query to at least some rows: to the next power of two. It is in the text, because
// databases plan a statement again for each value of a LIMIT, and there are few such texts.
func first(q schema.QueryAppender, rows int64) schema.QueryAppender {
	return bun.SafeQuery("? LIMIT "+strconv.Itoa(1<<bits.Len64(uint64(rows-1))), q) //nolint:gosec // at least 1
}

// rowOf reads one row of the statement: its key, and then its values.
func (k *keysetPage) rowOf(row []driver.Value) (found foundRow, err error) {
	pk := k.Resource.Pk
	key := reflect.New(pk.StructField.Type).Elem()
	if err := (&cell.Scanner{Column: pk, Value: key}).Scan(row[0]); err != nil {
		return found, err
	}
	found.key = reflect.Indirect(key).Interface()
	for _, value := range row[1 : 1+len(k.terms)] {
		if b, ok := value.([]byte); ok { // the driver may use it again, and nil would be NULL
			if value = append([]byte{}, b...); k.Resource.API.DB.Kind() == sqldb.PostgreSQL {
				value = string(b)
			}
		}
		found.values = append(found.values, value)
	}
	return found, nil
}

// link sets the cursors of the pages beside this one. An empty page leads to the place where it began,
// with the row there.
func (k *keysetPage) link(page *query.Page, rows []foundRow, more bool) {
	seal := func(p keyset.Place) string {
		p.Values = keyset.Shorten(p.Values, k.keyAt())
		return k.Resource.API.Cursors.Seal(p.Append(nil), k.identity)
	}
	page.More = more || k.back()
	if page.More {
		page.Next = seal(k.beside(rows, false))
	}
	if k.place != nil && (more || !k.back()) {
		page.Previous = seal(k.beside(rows, true))
	}
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
func (k *keysetPage) read(c *call.Call, found []foundRow) (scan.SentRows, error) {
	if len(found) == 0 {
		return scan.SentRows{}, nil
	}
	keys := make([]any, len(found))
	for i, row := range found {
		keys[i] = row.key
	}
	conditions := append(slices.Clip(k.parsed.narrow), k.parsed.searchInRow)
	q := k.where(c, k.parsed, conditions).Where("?TableAlias.? IN (?)", bun.Ident(k.Resource.Pk.Name), sqldb.List(keys))
	return k.parsed.shown.Write(c, k.Endpoint.Ordering.Apply(c, q, k.parsed.order.Terms), scan.Window{})
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
