package index

import (
	"context"
	"reflect"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/store"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/sqldb"
)

// reindexed is the number of rows that one transaction reads at most.
const reindexed = 500

// Reindex fills the stored search documents of a viewset's rows, at most 500 in a transaction. It
// returns the number of rows that it read, and the number of documents that it changed. With an
// error, these are the numbers of the finished transactions. A viewset that is unknown or stores
// no documents is an error.
//
// Each progress is called after each transaction, with the number of rows that were read, and the
// number of all rows: those that there were at first, or more if more were read.
func (a Indexer) Reindex(ctx context.Context, viewset string, progress ...func(done, total int)) (read, changed int, err error) {
	r, err := a.searchable(viewset)
	if err != nil {
		return 0, 0, err
	}
	total := a.countRows(ctx, r, len(progress) > 0)
	for after := any(nil); ; {
		rows, n, last, err := reindexAfter(ctx, r, after)
		read, changed = read+rows, changed+n
		for _, report := range progress {
			if total > 0 {
				report(read, max(read, total))
			}
		}
		if err != nil || rows < reindexed {
			return read, changed, err
		}
		after = last
	}
}

// countRows counts the rows of a viewset if they are needed. It returns 0 if it cannot, for
// example because counting takes longer than a statement may.
func (a Indexer) countRows(ctx context.Context, r *table.Resource, needed bool) int {
	if !needed {
		return 0
	}
	n, err := a.DB.Session().Count(ctx, a.DB.NewSelect().Model(bunmodel.NilModel(r.Model)).ColumnExpr("count(*)"))
	if err != nil {
		return 0
	}
	return int(n)
}

// NeedsReindex reports whether a row with text in a searched field has an empty search document. A
// viewset that is unknown or stores no documents is an error.
func (a Indexer) NeedsReindex(ctx context.Context, viewset string) (bool, error) {
	r, err := a.searchable(viewset)
	if err != nil {
		return false, err
	}
	q := a.DB.NewSelect().Model(bunmodel.NilModel(r.Model)).ColumnExpr("1").Limit(1).
		Where("?TableAlias.? = ''", bun.Ident(r.Search.StoredField.Column.Name)).
		WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
			for _, f := range r.Search.Searched {
				q = q.WhereOr("?TableAlias.? <> ''", bun.Ident(f.Column.Name))
			}
			return q
		})
	found, err := a.DB.Session().Read(ctx, q)
	return err == nil && found.Len() > 0, err
}

// searchable finds a viewset by its path. It is an error if the viewset stores no search
// document.
func (a Indexer) searchable(viewset string) (*table.Resource, error) {
	r, err := a.LookUp(viewset)
	if err != nil {
		return nil, err
	}
	if r.Search == nil || r.Search.StoredField == nil {
		return nil, naming.Sentence("viewset %q stores no search document; set Stored in its Search", viewset)
	}
	return r, nil
}

// Searched lists the viewsets that store a search document.
func (a Indexer) Searched() []string {
	var paths []string
	for _, r := range a.Resources {
		if r.Search != nil && r.Search.StoredField != nil {
			paths = append(paths, r.Path)
		}
	}
	return paths
}

// reindexAfter fills the search documents of the next rows after a key, nil for the first
// rows, in one transaction. On PostgreSQL it locks the rows; on SQLite it is the only writer. last
// is the key of the last row.
func reindexAfter(ctx context.Context, r *table.Resource, after any) (rows, changed int, last any, err error) {
	whole := r.API.NewCall(ctx, table.CallOptions{Route: call.Route{ViewSet: r.Path, Name: "reindex"}})
	err = whole.InTx(func(c *call.Call) error {
		rows, changed = 0, 0
		models := reflect.New(reflect.SliceOf(reflect.PointerTo(r.Model)))
		q := c.DB.NewSelect().Model(models.Interface()).OrderExpr("?TableAlias.?", bun.Ident(r.Pk.Name))
		if after != nil {
			q = q.Where("?TableAlias.? > ?", bun.Ident(r.Pk.Name), sqldb.Param(after))
		}
		if _, err := scan.Models(c, r.API.DB.Kind().ForUpdate(q), scan.Window{Rows: reindexed}); err != nil {
			return err
		}
		var stale []reflect.Value
		for i := range models.Elem().Len() {
			m := models.Elem().Index(i).Elem()
			rows, last = rows+1, r.Pk.Value(m).Interface()
			if r.Search.Document(m) != r.Search.StoredField.Column.Value(m).String() {
				store.Document(r, m)
				stale = append(stale, m)
			}
		}
		changed = len(stale)
		return storeDocuments(c, r, stale)
	})
	if err != nil {
		rows, changed = 0, 0 // they were rolled back
	}
	return rows, changed, last, err
}

// storeDocuments writes the search documents of rows by one statement. After each statement
// SQLite's search index writes a segment and merges it with others, so a statement for each
// row takes minutes for 50,000 rows. A recorder records each row, so with a recorder
// there is a statement for each.
func storeDocuments(c *call.Call, r *table.Resource, rows []reflect.Value) error {
	document := r.Search.StoredField.Column
	if r.Recorded() {
		for _, m := range rows {
			if err := store.Update(c, r, m, []*schema.Field{document}); err != nil {
				return err
			}
		}
		return nil
	}
	if len(rows) == 0 {
		return nil
	}
	key := bun.Ident(r.Pk.Name)
	cases, keys := []any{bun.Ident(document.Name), key}, []any{key}
	for _, m := range rows {
		keys = append(keys, cell.Of(r.Pk, m))
		cases = append(cases, cell.Of(r.Pk, m), cell.Of(document, m))
	}
	_, err := c.Session().Exec(c, c.DB.NewUpdate().Model(bunmodel.NilModel(r.Model)).
		Set("? = CASE ?TableAlias.?"+strings.Repeat(" WHEN ? THEN ?", len(rows))+" END", cases...).
		Where("?TableAlias.? IN (?"+strings.Repeat(", ?", len(rows)-1)+")", keys...))
	return err
}
