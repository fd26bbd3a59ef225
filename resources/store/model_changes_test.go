package store_test

import (
	"fmt"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/storetest"
)

// A recordedChange is a change of a product or variant that the framework reported. Its rows
// are written by [writtenRow].
type recordedChange struct {
	bun.BaseModel `bun:"table:recorded_changes"`

	ID            int64 `bun:",pk,autoincrement"`
	Key           string
	Before, After string
}

// recordChanges serves the store with a recorder, which writes each change to a table in the
// transaction of the change: a transaction that runs again is recorded once.
func (x *trial) recordChanges() {
	x.T.Helper()
	key := "INTEGER PRIMARY KEY AUTOINCREMENT"
	if x.DB.Kind() == sqldb.PostgreSQL {
		key = "bigserial PRIMARY KEY"
	}
	x.Exec("CREATE TABLE recorded_changes (id " + key + ", key text NOT NULL, before text NOT NULL, after text NOT NULL)")
	x.ServeAll(frameworktest.RecordChanges(func(c *framework.Call, ch frameworktest.Change) error {
		change := &recordedChange{Key: fmt.Sprint(ch.ViewSet, " ", ch.Key), Before: writtenRow(ch.Before), After: writtenRow(ch.After)}
		_, err := c.DB.NewInsert().Model(change).Exec(c)
		return err
	}))
}

// writtenRow writes the columns of a row that change only by Save of the framework. Functions of
// the store change the others, such as stocks, with statements of their own.
func writtenRow(row any) string {
	switch m := row.(type) {
	case *catalogue.Product:
		return fmt.Sprintf("%s, %s of %v, %v, %v, category %s, published %v, version %d",
			m.Slug, m.Name, nothingOr(m.Brand), nothingOr(m.Description), nothingOr(m.ImageURL), m.CategoryID, m.Published, m.Version)
	case *catalogue.Variant:
		return fmt.Sprintf("%s, %s %s of %s at %d: %d, %v, archived %v",
			m.SKU, m.Label, m.Unit, m.ProductID, m.Position, m.PricePaise, nothingOr(m.MRPPaise), m.Archived)
	}
	return fmt.Sprintf("an unexpected row, %T", row)
}

// compareChanges applies the recorded changes in their order. Each must begin at the row as
// the one before it left the row, and the last must leave it as it is stored. A product has a
// change for each of its versions but the first, which a statement of the store inserts.
func (x *trial) compareChanges() {
	x.T.Helper()
	rows, changes := map[string]string{}, map[string]int64{}
	for _, change := range storetest.StoredRows[recordedChange](x.Site, "id") {
		if before, known := rows[change.Key]; known && before != change.Before {
			x.T.Errorf("the change %d of %s begins at\n%s; want\n%s", change.ID, change.Key, change.Before, before)
		}
		rows[change.Key] = change.After
		changes[change.Key]++
	}
	compare := func(key, stored string) {
		if got, known := rows[key]; known && got != stored {
			x.T.Errorf("the changes of %s end at\n%s; want\n%s", key, got, stored)
		}
		delete(rows, key)
	}
	for _, p := range storetest.StoredRows[catalogue.Product](x.Site, "id") {
		key := fmt.Sprint("admin/products ", p.ID)
		if changes[key] != p.Version-1 {
			x.T.Errorf("%s has %d changes; want %d", key, changes[key], p.Version-1)
		}
		compare(key, writtenRow(&p))
	}
	for _, v := range storetest.StoredRows[catalogue.Variant](x.Site, "id") {
		compare(fmt.Sprint("admin/variants ", v.ID), writtenRow(&v))
	}
	for key, row := range rows {
		x.T.Errorf("%s is not stored, but recorded as %s", key, row)
	}
	if x.T.Failed() {
		x.T.Fatal(x.story())
	}
}
