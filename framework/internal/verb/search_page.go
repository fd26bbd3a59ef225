package verb

import (
	"encoding/json"
	"slices"

	"github.com/uptrace/bun"
	"trestle.example/framework/call"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// foundOnce is how many rows a search may find to be looked for once: they are all
// kept for a moment.
const foundOnce = 100_000

// searched is a page of what a search finds by its index. That is looked for once,
// for its number and the keys of the page alike, where a statement for each would
// look twice; and it is remembered as long as a count is, if the keys are not too many
// for that.
func (l *Listing) searched(c *call.Call, asked *listed, page *query.Page) (table.SentRows, error) {
	found, keys, err := l.found(c, asked)
	switch {
	case err != nil:
		return table.SentRows{}, err
	case found > foundOnce:
		return l.page(c, asked, page)
	}
	page.Total = query.Total{Count: found, Known: true}
	if keys, page.More = upTo(page.Window.Limit, keys); len(keys) == 0 {
		return table.SentRows{}, nil
	}
	// Every condition is checked again: a row may have changed since. That of the search
	// must not look its index up, which finds all rows and not those of the page. The
	// database knows of what type the keys are.
	q := l.where(c, append(slices.Clip(asked.narrow), asked.searchInRow)).Where("?TableAlias.? IN (?)", bun.Ident(l.Resource.Pk.Name), sqldb.List(keys))
	rows, err := l.Shown.Write(c, l.Resource.Ordering.Apply(q, asked.order.Terms), table.Window{})
	page.Rows = rows.Rows
	return rows, err
}

// found is how many rows a search finds, where those are not too many, and the keys
// of one window as text, one more if others follow. A WITH that is used twice is made
// once.
func (l *Listing) found(c *call.Call, asked *listed) (found int64, keys []string, err error) {
	matched, order := l.keyed(l.matching(c, asked), asked)
	statement := `WITH matched AS (?)` +
		` SELECT json_build_array((SELECT count(*) FROM matched), ARRAY(SELECT "key"::text AS told FROM matched ORDER BY ? LIMIT ? OFFSET ?))::text`
	if l.Resource.API.DB.Kind() == sqldb.SQLite {
		statement = `WITH matched AS MATERIALIZED (?)` +
			` SELECT json_array((SELECT count(*) FROM matched), (SELECT json_group_array(cast("key" AS text))` +
			` FROM (SELECT "key" FROM matched ORDER BY ? LIMIT ? OFFSET ?)))`
	}
	text, err := c.Session().CountText(c, bun.SafeQuery(statement,
		matched.Limit(foundOnce+1), bun.Safe(order), sqldb.Param(asked.window.Limit+1), sqldb.Param(asked.window.Offset)))
	if err != nil {
		return 0, nil, err
	}
	err = json.Unmarshal([]byte(text), &[]any{&found, &keys})
	return found, keys, err
}
