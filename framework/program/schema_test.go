package program

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"trestle.example/framework"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/sqldb"
)

// withStock returns a program with a viewset over a table or view "stocks", whose schema is that of the migrations.
func withStock(migrations map[string]string) Program {
	p := usersAlone()
	register, files := p.Register, fstest.MapFS{}
	for name, text := range migrations {
		files[name+".up.sql"] = &fstest.MapFile{Data: []byte(text)}
		files[name+".down.sql"] = &fstest.MapFile{Data: []byte("SELECT 1;")}
	}
	p.Migrations = append(p.Migrations, sqldb.Migrations{Namespace: "shop", FS: files})
	p.Register = func(api *framework.API, site *Site) {
		register(api, site)
		registerStock(api, site)
	}
	return p
}

// registerStock registers the viewset alone.
func registerStock(api *framework.API, _ *Site) {
	type stock struct {
		ID    int64 `bun:",pk,autoincrement"`
		Shelf string
	}
	type view struct {
		Shelf string `json:"shelf"`
	}
	api.Register(framework.ViewSet[stock]{Name: "stock", Verbs: framework.ReadOnly[view](), Scope: framework.Public()})
}

const stockTable = `CREATE TABLE wares ({{id}}, shelf {{text}} NOT NULL);`

// TestCuresOfTheSchema: a missing table or column has what to do about it, also if another version of the program has
// migrated the database. No cure says which migration is at fault, because the text of migrations does not show it.
func TestCuresOfTheSchema(t *testing.T) {
	t.Parallel()
	const cure = ` again; if it is lost, restore the database from a backup; if it never was there, write a migration that adds it (trestle migrate new NAME), or change the model`
	for name, c := range map[string]struct {
		migrations map[string]string // of this version
		later      map[string]string // what another version of the program applies after them
		says       string
	}{
		"a table that no migration creates": {map[string]string{"0001_wares.tx": stockTable}, nil, `the database has no table "stocks" (Stock); if it was renamed, name it stocks` + cure},
		"a column that no migration adds":   {map[string]string{"0001_stock.tx": `CREATE TABLE stocks ({{id}}, depot {{text}});`}, nil, `the table "stocks" has no column "shelf" (Stock.Shelf); if it was renamed, name it stocks.shelf` + cure},
		"a name that PostgreSQL has for a type": {
			map[string]string{"0001_stock.tx": `{{if postgres}}CREATE TYPE stocks AS (id bigint, shelf text);{{else}}SELECT 1;{{end}}`}, nil,
			`the database has no table "stocks" (Stock); if it was renamed`,
		},
		"a column that a newer version drops": {
			map[string]string{"0001_stock.tx": strings.ReplaceAll(stockTable, "wares", "stocks")},
			map[string]string{"0002_gone.tx": `ALTER TABLE stocks DROP COLUMN shelf;`},
			`the table "stocks" has no column "shelf" (Stock.Shelf); another version of the program applied shop/0002_gone: run that version. Otherwise: if it was renamed, name it stocks.shelf` + cure,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBothEmpty(t, func(t *testing.T, database string) {
				all := maps.Clone(c.migrations)
				maps.Copy(all, c.later)
				later := withStock(all)
				if code, said := run(t, later, "migrate up", "DATABASE_URL="+database); code != exit.OK {
					t.Fatalf("migrate up ends with %d: %s", code, said)
				}
				this := withStock(c.migrations)
				if code, said := run(t, this, "check --database "+database, "DATABASE_URL="+database); code != exit.ActionFirst || !strings.Contains(said, c.says) {
					t.Errorf("check ends with %d and says %s; want %s", code, said, c.says)
				}
				if code, said := run(t, this, "doctor", "DATABASE_URL="+database); code != exit.Failure || !strings.Contains(said, c.says[strings.Index(c.says, ");")+3:]) {
					t.Errorf("doctor ends with %d and says %s; want %s", code, said, c.says)
				}
			})
		})
	}
}

// TestAViewsetOverAView needs no index, which a view cannot have. On SQLite, the view may read what is deleted.
func TestAViewsetOverAView(t *testing.T) {
	t.Parallel()
	onBothEmpty(t, func(t *testing.T, database string) {
		migrations := map[string]string{"0001_wares.tx": stockTable, "0002_stock.tx": `CREATE VIEW stocks AS SELECT id, shelf FROM wares;`}
		p := withStock(migrations)
		if code, said := run(t, p, "migrate up", "DATABASE_URL="+database); code != exit.OK {
			t.Fatalf("migrate up ends with %d: %s", code, said)
		}
		if code, said := run(t, p, "check --database "+database, "DATABASE_URL="+database); code != exit.OK {
			t.Errorf("check ends with %d: %s", code, said)
		}
		if _, said := run(t, p, "doctor", "DATABASE_URL="+database); strings.Contains(said, "no index begins") {
			t.Errorf("doctor says %s; want no index of the view", said)
		}
		if !strings.HasPrefix(database, "sqlite") {
			return
		}
		migrations["0003_gone.tx"] = `ALTER TABLE auth_groups RENAME TO crowds; ALTER TABLE wares RENAME TO goods; DROP VIEW stocks; CREATE VIEW stocks AS SELECT id, shelf FROM wares;`
		p = withStock(migrations)
		if code, said := run(t, p, "migrate up", "DATABASE_URL="+database); code != exit.OK {
			t.Fatalf("migrate up ends with %d: %s", code, said)
		}
		const says = `the view "stocks" cannot be read: SQL logic error: no such table: main.wares`
		for command, want := range map[string]int{"check --database " + database: exit.ActionFirst, "serve --addr 127.0.0.1:0": exit.ActionFirst, "doctor": exit.Failure} {
			if code, said := run(t, p, command, "DATABASE_URL="+database); code != want || !strings.Contains(said, says) || !strings.Contains(said, "makes the view again") || !strings.Contains(said, `no table "auth_groups"`) {
				t.Errorf("%s ends with %d and says %s; want %s", command, code, said, says)
			}
		}
	})
}
