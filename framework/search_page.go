package framework

import (
	"encoding/json"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb"
)

// searched is a page of what a search finds by its index. That is looked for once,
// for its number and the keys of the page alike, where a statement for each would
// look twice; and it is remembered as long as a count is.
func (l *listing) searched(c *Call, asked *listed, page *Page) (sentRows, error) {
	keys, err := l.found(c, asked, page)
	if err != nil || len(keys) == 0 {
		return sentRows{}, err
	}
	// Asked for again with all its conditions: a row may have changed since.
	q := l.matching(c, asked).Where("?TableAlias.? IN (?)", bun.Ident(l.resource.pk.Name), sqldb.List(page.cut(keys)))
	rows, err := l.shown.write(c, l.resource.ordering.apply(q, asked.order.terms), window{})
	page.Rows = rows.rows
	return rows, err
}

// found are the keys of one window, one more if others follow; page has their
// number in all then.
func (l *listing) found(c *Call, asked *listed, page *Page) ([]any, error) {
	matched, order := l.keyed(l.matching(c, asked), asked)
	text, err := c.session.CountText(c, bun.SafeQuery("WITH matched AS MATERIALIZED (?)"+
		" SELECT json_build_array((SELECT count(*) FROM matched), ARRAY(SELECT \"key\"::text AS told FROM matched ORDER BY ? LIMIT ? OFFSET ?))::text",
		matched, bun.Safe(order), sqldb.Param(asked.window.Limit+1), sqldb.Param(asked.window.Offset)))
	if err != nil {
		return nil, err
	}
	page.Total.Known = true
	var texts []string
	if err := json.Unmarshal([]byte(text), &[]any{&page.Total.Count, &texts}); err != nil {
		return nil, err
	}
	keys := make([]any, len(texts))
	for i, text := range texts {
		key, ok := parseKey(l.resource.pk.IndirectType, text)
		if !ok {
			return nil, sentence("the database has the key %q, which is no %s", text, l.resource.pk.IndirectType)
		}
		keys[i] = key
	}
	return keys, nil
}
