package site

import (
	"strings"
	"testing"
	"testing/fstest"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestCureOfAMissingTable names the migration that created the table, however it writes the schema and the quotes.
func TestCureOfAMissingTable(t *testing.T) {
	for _, c := range []struct {
		table, migration string
		created          bool
	}{
		{"stock", `CREATE TABLE stock (id text)`, true},
		{"stock", `create table if not exists "stock" (id text)`, true},
		{"stock", "CREATE TABLE `stock` (id text)", true},
		{"stock", `CREATE TABLE public.stock (id text)`, true},
		{"main.stock", `CREATE TABLE stock (id text)`, true},
		{"bank.stock", `CREATE TABLE bank.stock (id text)`, true},
		{"bank.stock", `CREATE TABLE IF NOT EXISTS "bank"."stock" (id text)`, true},
		{"bank.stock", `CREATE TABLE bank . stock (id text)`, true},
		{"bank.stock", `CREATE TABLE {{if postgres}}bank.{{end}}stock (id text)`, true},
		{"bank.stock", `CREATE TABLE {{if sqlite}}main.{{else}}bank.{{end}}stock (id text)`, true},
		{"bank.stock", `CREATE TABLE {{if postgres}}bank.{{else}}main.{{end}}stock (id text)`, true},
		{"bank.stock", `CREATE TABLE other (id text); ALTER TABLE "bank"."stock" ADD id text`, false},
		{"bank.stock", `CREATE TABLE shop.stock (id text)`, false},
		{"bank.stock", `CREATE TABLE stock (id text)`, false},
		{"stock", `CREATE TABLE bank.stock (id text)`, false},
		{"stock", `CREATE TABLE stocks (id text)`, false},
	} {
		t.Run(c.table+" of "+c.migration, func(t *testing.T) {
			p := Project{Migrations: []sqldb.Migrations{{Namespace: "shop", FS: fstest.MapFS{"1_first.tx.up.sql": {Data: []byte(c.migration)}}}}}
			cure := p.cureMissing(framework.MissingColumn{Table: c.table})
			if got := strings.HasPrefix(cure, "the migration shop/1_first created it"); got != c.created {
				t.Errorf("the cure is: %s", cure)
			}
		})
	}
}

// TestCureOfWhatAMigrationRemoved: if a later migration drops or renames a table or a column, the model is behind it.
func TestCureOfWhatAMigrationRemoved(t *testing.T) {
	for _, c := range []struct {
		table, column, migration string
		removed                  bool
	}{
		{"stock", "shelf", `ALTER TABLE stock DROP COLUMN shelf`, true},
		{"stock", "shelf", `alter table "stock" drop column if exists "shelf"`, true},
		{"stock", "shelf", `ALTER TABLE stock DROP shelf`, true},
		{"stock", "shelf", `ALTER TABLE ONLY stock DROP COLUMN shelf`, true},
		{"stock", "shelf", "-- ALTER TABLE stock DROP COLUMN shelf was an idea\nSELECT 1", false},
		{"stock", "shelf", `ALTER TABLE /* the old one */ stock DROP COLUMN shelf`, true},
		{"stock", "shelf", `ALTER TABLE stock RENAME COLUMN shelf TO place`, true},
		{"stock", "shelf", `ALTER TABLE stock RENAME shelf TO place`, true},
		{"stock", "shelf", `ALTER TABLE stock DROP COLUMN shelf; ALTER TABLE stock ADD COLUMN shelf text`, false},
		{"stock", "shelf", `ALTER TABLE stock DROP COLUMN shelves`, false},
		{"stock", "shelf", `ALTER TABLE other DROP COLUMN shelf`, false},
		{"stock", "", `DROP TABLE stock`, true},
		{"stock", "", `DROP TABLE IF EXISTS "stock"`, true},
		{"stock", "", `ALTER TABLE stock RENAME TO goods`, true},
		{"stock", "", `ALTER TABLE "stock" RENAME TO goods`, true},
		{"stock", "", `DROP TABLE stock; ALTER TABLE stock_new RENAME TO stock`, false},
		{"stock", "", `DROP TABLE stocks`, false},
		{"stock", "", `ALTER TABLE stock RENAME COLUMN a TO b`, false},
		{"low", "", `DROP VIEW low`, true},
		{"low", "", `CREATE OR REPLACE VIEW low AS SELECT 1`, false},
	} {
		t.Run(c.migration, func(t *testing.T) {
			p := Project{Migrations: []sqldb.Migrations{{Namespace: "shop", FS: fstest.MapFS{
				"1_first.tx.up.sql": {Data: []byte(`CREATE TABLE "stock" (id text, shelf text); CREATE VIEW low AS SELECT id FROM stock`)},
				"2_next.tx.up.sql":  {Data: []byte(c.migration)},
			}}}}
			cure := p.cureMissing(framework.MissingColumn{Table: c.table, Column: c.column})
			if got := strings.HasPrefix(cure, "the migration shop/2_next drops or renames it: change the model"); got != c.removed || !got && !strings.Contains(cure, " created it") {
				t.Errorf("the cure is: %s", cure)
			}
		})
	}
}

// TestCureOfAMissingColumn names the last migration that added the column to a table in a schema.
func TestCureOfAMissingColumn(t *testing.T) {
	p := Project{Migrations: []sqldb.Migrations{{Namespace: "shop", FS: fstest.MapFS{
		"1_first.tx.up.sql": {Data: []byte(`CREATE TABLE "bank"."stock" (id text, shelf text)`)},
		"2_more.tx.up.sql":  {Data: []byte(`ALTER TABLE {{if postgres}}bank.{{end}}"stock" ADD COLUMN "row" text`)},
	}}}}
	for column, want := range map[string]string{"shelf": "the migration shop/1_first created", "row": "the migration shop/2_more created", "door": "write a migration"} {
		if cure := p.cureMissing(framework.MissingColumn{Table: "bank.stock", Column: column}); !strings.HasPrefix(cure, want) {
			t.Errorf("the cure for %s is: %s", column, cure)
		}
	}
}
