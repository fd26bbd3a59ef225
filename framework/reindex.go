package framework

import (
	"context"
	"reflect"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/sqldb"
)

// reindexed is how many rows are read at once.
const reindexed = 500

// reindex fills the stored search documents of a viewset's rows.
func (a indexer) reindex(ctx context.Context, viewset string) (read, changed int, err error) {
	r, err := a.searchable(viewset)
	if err != nil {
		return 0, 0, err
	}
	for after := any(nil); ; {
		rows, n, last, err := reindexAfter(ctx, r, after)
		read, changed = read+rows, changed+n
		if err != nil || rows < reindexed {
			return read, changed, err
		}
		after = last
	}
}

// needsReindex reports whether a row lacks its stored search document.
func (a indexer) needsReindex(ctx context.Context, viewset string) (bool, error) {
	r, err := a.searchable(viewset)
	if err != nil {
		return false, err
	}
	q := a.db.NewSelect().ColumnExpr("1").TableExpr("?", bun.Ident(r.table.Name)).Limit(1).
		Where("? = ''", bun.Ident(r.search.storedField.Column.Name)).
		WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
			for _, f := range r.search.searched {
				q = q.WhereOr("? <> ''", bun.Ident(f.Column.Name))
			}
			return q
		})
	found, err := a.db.Session().Read(ctx, q)
	return err == nil && found.Len() > 0, err
}

// searchable finds a viewset that stores a search document.
func (a indexer) searchable(viewset string) (*resource, error) {
	r, err := a.lookUp(viewset)
	if err != nil {
		return nil, err
	}
	if r.search == nil || r.search.storedField == nil {
		return nil, naming.Sentence("viewset %q stores no search document; set Stored in its Search", viewset)
	}
	return r, nil
}

// searched lists the viewsets that store a search document.
func (a indexer) searched() []string {
	var paths []string
	for _, r := range a.resources {
		if r.search != nil && r.search.storedField != nil {
			paths = append(paths, r.path)
		}
	}
	return paths
}

// reindexAfter fills the rows whose keys follow one, locked meanwhile.
func reindexAfter(ctx context.Context, r *resource, after any) (rows, changed int, last any, err error) {
	err = r.api.db.InTx(ctx, func(ctx context.Context, s *sqldb.Session) error {
		rows, changed = 0, 0
		c := inside(ctx, r.api.newCall(ctx, callOptions{Route: Route{ViewSet: r.path, Name: "reindex"}}), s)
		models := reflect.New(reflect.SliceOf(reflect.PointerTo(r.model)))
		q := c.DB.NewSelect().Model(models.Interface()).OrderExpr("?TableAlias.?", bun.Ident(r.pk.Name))
		if after != nil {
			q = q.Where("?TableAlias.? > ?", bun.Ident(r.pk.Name), sqldb.Param(after))
		}
		if _, err := scanModels(c, r.api.db.Kind().ForUpdate(q), window{rows: reindexed}); err != nil {
			return err
		}
		for i := range models.Elem().Len() {
			m := models.Elem().Index(i).Elem()
			rows, last = rows+1, r.pk.Value(m).Interface()
			if r.search.document(m) == r.search.storedField.Column.Value(m).String() {
				continue
			}
			r.document(m)
			changed++
			if err := r.store(c, m, []*schema.Field{r.search.storedField.Column}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		rows, changed = 0, 0 // they were rolled back
	}
	return rows, changed, last, err
}
