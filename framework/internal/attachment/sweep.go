package attachment

import (
	"context"
	"errors"
	"fmt"
	"path"
	"reflect"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/files"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/sqldb"
)

// A Sweeper deletes contents that no row names, for one API.
type Sweeper struct{ *table.Registry }

// NewSweeper makes the sweeper of a registry.
func NewSweeper(a *table.Registry) Sweeper { return Sweeper{a} }

const (
	// keptFor is the age below which a content is kept: a request may be about to name it.
	keptFor = 24 * time.Hour
	// keysAtOnce is how many keys of contents are in memory at once.
	keysAtOnce = 100_000
	// rowsAtOnce is how many rows one statement reads.
	rowsAtOnce = 1000
	// checkedAtOnce is how many keys one statement looks for.
	checkedAtOnce = 50
)

// Sweep deletes the contents of every storage that no row names and that are older than keptFor,
// and what interrupted uploads have left. It returns how many it deleted, also with an error. An
// error of one column does not keep it from sweeping the others.
func (a Sweeper) Sweep(ctx context.Context) (deleted int, err error) {
	var swept []*table.FileColumn
	var errs []error
	for _, r := range a.Resources {
		for _, f := range r.Files {
			if isSwept(swept, f) {
				continue
			}
			swept = append(swept, f)
			n, err := a.sweepColumn(ctx, f)
			if deleted += n; err != nil {
				errs = append(errs, fmt.Errorf("framework: sweeping the files %q of %s: %w", f.Name, r.Path, err))
			}
		}
	}
	return deleted, errors.Join(errs...)
}

// isSwept reports whether a column with the same keys in the same storage is in the list.
func isSwept(swept []*table.FileColumn, f *table.FileColumn) bool {
	for _, other := range swept {
		if other.Prefix == f.Prefix && sameStorage(other.Storage, f.Storage) {
			return true
		}
	}
	return false
}

// sameStorage compares two storages. Storages of a type that cannot be compared differ.
func sameStorage(a, b files.Storage) bool {
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.TypeOf(a).Comparable() && a == b
}

// sweepColumn sweeps the contents of one column. It turns a panic of a storage into an error: it
// would end the process.
func (a Sweeper) sweepColumn(ctx context.Context, f *table.FileColumn) (deleted int, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Panicked(p)
		}
	}()
	before := a.Config.Now().Add(-keptFor)
	unnamed := map[string]bool{}
	empty := func() error {
		n, err := a.deleteUnnamed(ctx, f, unnamed)
		deleted += n
		clear(unnamed)
		return err
	}
	for object, err := range f.Storage.List(ctx, f.Prefix) {
		if err != nil {
			return deleted, err
		}
		if !object.Modified.Before(before) {
			continue
		}
		if unnamed[object.Key] = true; len(unnamed) == keysAtOnce {
			if err := empty(); err != nil {
				return deleted, err
			}
		}
	}
	if err := empty(); err != nil {
		return deleted, err
	}
	n, err := f.Storage.DeleteUnfinished(ctx, before)
	return deleted + n, err
}

// deleteUnnamed deletes those of some contents that no row names. First it reads the column of
// all rows. Then it looks for each remaining key in one statement before it deletes the content:
// a row may have taken the key from another row while they were read.
func (a Sweeper) deleteUnnamed(ctx context.Context, f *table.FileColumn, keys map[string]bool) (deleted int, err error) {
	if len(keys) == 0 {
		return 0, nil
	}
	if err := a.removeNamed(ctx, f, keys); err != nil {
		return 0, err
	}
	var batch []string
	for key := range keys {
		batch = append(batch, key)
	}
	for len(batch) > 0 {
		some := batch[:min(checkedAtOnce, len(batch))]
		batch = batch[len(some):]
		named, err := a.findNamed(ctx, f, some)
		if err != nil {
			return deleted, err
		}
		for _, key := range some {
			if named[key] {
				continue
			}
			if err := f.Storage.Delete(ctx, key); err != nil {
				return deleted, err
			}
			deleted++
		}
	}
	return deleted, nil
}

// removeNamed removes from a set the keys that rows name, soft-deleted rows included. It reads
// the rows in pages, in the order of their primary keys.
func (a Sweeper) removeNamed(ctx context.Context, f *table.FileColumn, keys map[string]bool) error {
	pk := f.Resource.Pk
	var last any
	for {
		q := a.rows(f).OrderExpr("?", bun.Ident(pk.Name)).Limit(rowsAtOnce)
		if last != nil {
			q = q.Where("? > ?", bun.Ident(pk.Name), sqldb.Param(last))
		}
		n := 0
		err := a.each(ctx, f, q, func(key reflect.Value, file files.File) {
			n++
			last = key.Interface()
			delete(keys, file.Key)
		})
		if err != nil || n < rowsAtOnce {
			return err
		}
	}
}

// findNamed returns which of some keys a row names, by one statement. It compares the text of
// the column, so that a key is found whatever the form of the JSON is.
func (a Sweeper) findNamed(ctx context.Context, f *table.FileColumn, keys []string) (map[string]bool, error) {
	named := map[string]bool{}
	q := a.rows(f).WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
		for _, key := range keys {
			q = q.WhereOr("CAST(? AS TEXT) LIKE ?", bun.Ident(f.Column.Name), "%"+path.Base(key)+"%")
		}
		return q
	})
	err := a.each(ctx, f, q, func(_ reflect.Value, file files.File) { named[file.Key] = true })
	return named, err
}

// rows is the query of the primary keys and the files of all rows that have a file.
func (a Sweeper) rows(f *table.FileColumn) *bun.SelectQuery {
	q := a.DB.Session().IDB().NewSelect().Model(bunmodel.NilModel(f.Resource.Model)).
		ColumnExpr("?, ?", bun.Ident(f.Resource.Pk.Name), bun.Ident(f.Column.Name)).
		Where("? IS NOT NULL", bun.Ident(f.Column.Name))
	if f.Resource.Table.SoftDeleteField != nil {
		q = q.WhereAllWithDeleted()
	}
	return q
}

// each runs a query of [Sweeper.rows], and calls do for each row.
func (a Sweeper) each(ctx context.Context, f *table.FileColumn, q schema.QueryAppender, do func(key reflect.Value, file files.File)) error {
	rows, err := a.DB.Session().Query(ctx, q)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var file files.File
		key := reflect.New(f.Resource.Pk.StructField.Type)
		if err := rows.Scan(&cell.Scanner{Column: f.Resource.Pk, Value: key.Elem()}, &file); err != nil {
			return err
		}
		do(key.Elem(), file)
	}
	return rows.Err()
}
