package sqldb

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"trestle.example/framework/sqldb/internal/migrate"
)

// files makes a set of migrations of pairs "name: up | down".
func files(namespace string, changes ...string) Migrations {
	fsys := fstest.MapFS{}
	for _, c := range changes {
		name, body, _ := strings.Cut(c, ":")
		up, down, _ := strings.Cut(body, " | ")
		fsys[name+".tx.up.sql"] = &fstest.MapFile{Data: []byte(up)}
		fsys[name+".tx.down.sql"] = &fstest.MapFile{Data: []byte(down)}
	}
	return Migrations{Namespace: namespace, FS: fsys}
}

// twoSets depend on each other in the order in which they are given.
func twoSets() []Migrations {
	return []Migrations{
		files("framework",
			"20_more: INSERT INTO users VALUES (2) | DELETE FROM users WHERE id = 2",
			"3_users: CREATE TABLE users (id {{bigint}})\n--bun:split\nINSERT INTO users VALUES (1) | DROP TABLE users"),
		files("app", "1_patients: CREATE TABLE patients AS SELECT id FROM users | DROP TABLE patients"),
	}
}

func migrateAll(t *testing.T, db *DB, sets ...Migrations) []string {
	t.Helper()
	var ran []string
	err := db.Migrate(background(t), func(m Migration, took time.Duration) {
		if m.AppliedAt.IsZero() || took <= 0 {
			t.Errorf("%s: applied at %v, took %v", m, m.AppliedAt, took)
		}
		ran = append(ran, m.String())
	}, sets...)
	if err != nil {
		t.Fatal(err)
	}
	return ran
}

func status(t *testing.T, db *DB, sets ...Migrations) []string {
	t.Helper()
	list, err := db.MigrationStatus(background(t), sets...)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, m := range list {
		lines = append(lines, fmt.Sprintf("%s applied=%t changed=%t", m, !m.AppliedAt.IsZero(), m.Changed))
	}
	return lines
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestMigrate(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		same(t, "before anything", status(t, db, twoSets()...), []string{
			"framework/3_users applied=false changed=false", "framework/20_more applied=false changed=false", "app/1_patients applied=false changed=false"})
		if exist, err := migrate.Exist(background(t), db.Kind(), db.DB); exist || err != nil {
			t.Errorf("asking for the status made tables: %v", err)
		}
		same(t, "first run", migrateAll(t, db, twoSets()...), []string{"framework/3_users", "framework/20_more", "app/1_patients"})
		same(t, "second run", migrateAll(t, db, twoSets()...), nil)
		if n := one[int](t, db.Session(), "SELECT count(*) FROM patients"); n != 2 {
			t.Errorf("%d rows", n)
		}

		edited := twoSets()
		edited[1] = files("app", "1_patients: CREATE TABLE patients (other {{bigint}}) | DROP TABLE patients", "2_x: CREATE TABLE x (a {{bigint}}) | DROP TABLE x")
		same(t, "with an edited file and a new one", status(t, db, edited...), []string{
			"framework/3_users applied=true changed=false", "framework/20_more applied=true changed=false",
			"app/1_patients applied=true changed=true", "app/2_x applied=false changed=false"})
		same(t, "one set alone", status(t, db, edited[1]), []string{"app/1_patients applied=true changed=true", "app/2_x applied=false changed=false"})
	})
}

func TestMigrateDown(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		sets := twoSets()
		if m, err := db.MigrateDown(background(t), nil, sets...); err != nil || m != (Migration{}) {
			t.Errorf("with none applied: %v, %v", m, err)
		}
		migrateAll(t, db, sets...)
		late := slices.Concat(sets, []Migrations{files("late", "1_x: CREATE TABLE x (a {{bigint}}) | -- nothing")})
		migrateAll(t, db, late...)
		var undone []string
		for range 5 {
			_, err := db.MigrateDown(background(t), func(m Migration, _ time.Duration) { undone = append(undone, m.String()) }, late...)
			if err != nil {
				t.Fatal(err)
			}
		}
		same(t, "undone", undone, []string{"late/1_x", "app/1_patients", "framework/20_more", "framework/3_users"})
		run(t, db.Session(), "DROP TABLE x")
		same(t, "up again", migrateAll(t, db, late...), []string{"framework/3_users", "framework/20_more", "app/1_patients", "late/1_x"})
	})
}

// The clock may have been set back between two migrations.
func TestTheNewestMigrationIsTheLastApplied(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		sets := twoSets()
		if m, err := db.NewestMigration(background(t), sets...); err != nil || m != (Migration{}) {
			t.Errorf("with none applied: %v, %v", m, err)
		}
		if exist, err := migrate.Exist(background(t), db.Kind(), db.DB); exist || err != nil {
			t.Errorf("asking for the newest made tables: %v", err)
		}
		migrateAll(t, db, sets...)
		run(t, db.Session(), "UPDATE trestle_migrations SET applied_at = ? WHERE id = '3'", time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
		for _, want := range []string{"app/1_patients", "framework/20_more", "framework/3_users"} {
			newest, err := db.NewestMigration(background(t), sets...)
			if err != nil || newest.String() != want || newest.AppliedAt.IsZero() {
				t.Fatalf("the newest is %s, applied %v, %v; want %s", newest, newest.AppliedAt, err, want)
			}
			if err := db.UndoMigration(background(t), newest, sets...); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestUndoMigrationRefusesAnother(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		sets := twoSets()
		migrateAll(t, db, sets...)
		asked, err := db.NewestMigration(background(t), sets...)
		if err != nil {
			t.Fatal(err)
		}
		late := slices.Concat(sets, []Migrations{files("late", "1_x: CREATE TABLE x (a {{bigint}}) | DROP TABLE x")})
		migrateAll(t, db, late...)
		err = db.UndoMigration(background(t), asked, late...)
		if err == nil || !strings.Contains(err.Error(), "app/1_patients is no longer the newest applied migration, late/1_x is") {
			t.Errorf("with another by then: %v", err)
		}
		if n := one[int](t, db.Session(), "SELECT count(*) FROM trestle_migrations"); n != 4 {
			t.Errorf("%d are applied; want all 4", n)
		}
		for range 4 {
			if _, err := db.MigrateDown(background(t), nil, late...); err != nil {
				t.Fatal(err)
			}
		}
		err = db.UndoMigration(background(t), asked, late...)
		if err == nil || !strings.Contains(err.Error(), "app/1_patients is not applied any more") {
			t.Errorf("with none by then: %v", err)
		}
	})
}

func TestMigrateRefuses(t *testing.T) {
	with := func(name, body string) Migrations {
		set := files("app", "1_a: SELECT 1 | SELECT 1")
		set.FS.(fstest.MapFS)[name] = &fstest.MapFile{Data: []byte(body)}
		return set
	}
	for _, c := range []struct {
		name string
		sets []Migrations
		says []string
	}{
		{"an id given twice", []Migrations{files("app", "1_a: SELECT 1 | SELECT 1", "1_b: SELECT 1 | SELECT 1")}, []string{"the id 1 is given to both", "1_a", "1_b"}},
		{"an id given twice with zeros", []Migrations{files("app", "1_a: SELECT 1 | SELECT 1", "001_a: SELECT 1 | SELECT 1")}, []string{"is given to both"}},
		{"a missing down file", []Migrations{with("2_b.tx.up.sql", "SELECT 1")}, []string{"2_b has no file 2_b.tx.down.sql"}},
		{"a missing up file", []Migrations{with("2_b.tx.down.sql", "SELECT 1")}, []string{"2_b has no file 2_b.tx.up.sql"}},
		{"a name without an id", []Migrations{with("b.tx.up.sql", "SELECT 1")}, []string{"b.tx.up.sql is not named as a migration"}},
		{"a migration outside a transaction", []Migrations{with("2_b.up.sql", "SELECT 1")}, []string{"2_b.up.sql is not named as a migration", ".tx.up.sql"}},
		{"an unknown template function", []Migrations{with("2_b.tx.up.sql", "CREATE TABLE t ({{uid}})")}, []string{"template", "2_b.tx.up.sql", "uid", "the words are bigint, bool, bytes, dropSearchIndex, id, json, postgres, searchIndex, sqlite, text, timestamp, uuid"}},
		{"an unknown template field", []Migrations{with("2_b.tx.up.sql", "CREATE TABLE t ({{.uuid}})")}, []string{"template", "2_b.tx.up.sql", "the words are bigint, "}},
		{"a line that means nothing", []Migrations{with("2_b.tx.up.sql", "--trestle:braking\nSELECT 1")}, []string{"2_b.tx.up.sql", "--trestle:braking", "--trestle:breaking"}},
		{"a breaking line in the down file", []Migrations{with("2_b.tx.down.sql", "-- trestle:breaking\nSELECT 1")}, []string{"2_b.tx.down.sql", "belongs into the up file"}},
		{"an unfinished template", []Migrations{with("2_b.tx.up.sql", "{{if sqlite}}")}, []string{"template", "2_b.tx.up.sql"}},
		{"a search index with an odd name", []Migrations{with("2_b.tx.up.sql", `{{searchIndex "a; b" "c"}}`)}, []string{"2_b.tx.up.sql", `"a; b"`}},
		{"a set without a namespace", []Migrations{{FS: fstest.MapFS{}}}, []string{"namespace"}},
		{"a namespace given twice", []Migrations{files("app"), files("app")}, []string{`namespace "app"`, "twice"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := open(t, sqliteURL(t), Options{})
			err := db.Migrate(background(t), nil, c.sets...)
			if err == nil {
				t.Fatal("it ran")
			}
			for _, want := range c.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if offline := CheckMigrations(c.sets...); offline == nil || offline.Error() != err.Error() {
				t.Errorf("without a database: %v; want %v", offline, err)
			}
			if exist, _ := migrate.Exist(background(t), db.Kind(), db.DB); exist {
				t.Error("something ran before the fault was found")
			}
		})
	}
}

func TestMigrationWithoutItsFile(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		migrateAll(t, db, files("app", "1_a: CREATE TABLE a (n {{bigint}}) | DROP TABLE a"), files("gone", "7_g: CREATE TABLE g (n {{bigint}}) | DROP TABLE g"))
		later := []Migrations{files("app", "1_a: CREATE TABLE a (n {{bigint}}) | DROP TABLE a", "2_b: CREATE TABLE b (n {{bigint}}) | DROP TABLE b"), files("gone")}
		list, err := db.MigrationStatus(background(t), later...)
		if err == nil || len(list) != 3 || list[2].String() != "gone/7_g" {
			t.Errorf("status: %v, %v", list, err)
		}
		_, down := db.MigrateDown(background(t), nil, later...)
		_, newest := db.NewestMigration(background(t), later...)
		for name, err := range map[string]error{"up": db.Migrate(background(t), nil, later...), "down": down, "status": err, "newest": newest} {
			if err == nil || !strings.Contains(err.Error(), "gone/7_g was applied to this database, but its files are missing") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := oneOf[int](background(t), db.Session(), "SELECT count(*) FROM b"); err == nil {
			t.Error("a migration ran beside the fault")
		}
	})
}

func TestFailingMigrationLeavesNothing(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		set := func(last string) Migrations {
			return files("app", "1_a: CREATE TABLE a (n {{bigint}}) | DROP TABLE a",
				"2_b: CREATE TABLE b (n {{bigint}})\n--bun:split\nINSERT INTO b VALUES (1)\n--bun:split\n"+last+" | DROP TABLE b")
		}
		err := db.Migrate(background(t), nil, set("INSERT INTO nowhere VALUES (1)"))
		if err == nil || !strings.Contains(err.Error(), "app/2_b") || !strings.Contains(err.Error(), "statement 3 of 3") {
			t.Errorf("got %v", err)
		}
		same(t, "after the failure", status(t, db, set("")), []string{"app/1_a applied=true changed=false", "app/2_b applied=false changed=false"})
		same(t, "repaired", migrateAll(t, db, set("INSERT INTO b VALUES (2)")), []string{"app/2_b"})
		if n := one[int](t, db.Session(), "SELECT count(*) FROM b"); n != 2 {
			t.Errorf("%d rows", n)
		}
	})
}

// TestMigrateWithoutTheRowOfTheLock: a migration inserts the row of the lock if it was deleted.
func TestMigrateWithoutTheRowOfTheLock(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		migrateAll(t, db, twoSets()[:1]...)
		run(t, db.Session(), "DELETE FROM trestle_migration_lock")
		same(t, "up", migrateAll(t, db, twoSets()...), []string{"app/1_patients"})
		run(t, db.Session(), "DELETE FROM trestle_migration_lock")
		if m, err := db.MigrateDown(background(t), nil, twoSets()...); m.ID != "1" || err != nil {
			t.Errorf("down: %v, %v; want app/1_patients", m, err)
		}
		if n := one[int](t, db.Session(), "SELECT count(*) FROM trestle_migration_lock WHERE id = 1"); n != 1 {
			t.Errorf("%d rows of the lock; want 1", n)
		}
	})
}

// TestManyProcessesMigrateAtOnce has eight handles, as eight processes would,
// start on an empty database.
func TestManyProcessesMigrateAtOnce(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		var changes []string
		for i := range 10 {
			changes = append(changes, fmt.Sprintf("%d_m: CREATE TABLE t%d (n {{bigint}})\n--bun:split\nINSERT INTO t%d VALUES (1) | DROP TABLE t%d", i+1, i, i, i))
		}
		var mu sync.Mutex
		ran := map[string]int{}
		var wg sync.WaitGroup
		start := make(chan struct{})
		for range 8 {
			db := open(t, url, Options{MaxConns: 2})
			wg.Go(func() {
				<-start
				err := db.Migrate(background(t), func(m Migration, _ time.Duration) {
					mu.Lock()
					defer mu.Unlock()
					ran[m.ID]++
				}, files("app", changes...))
				if err != nil {
					t.Error(err)
				}
			})
		}
		close(start)
		wg.Wait()
		for i := range 10 {
			if n := ran[strconv.Itoa(i+1)]; n != 1 {
				t.Errorf("migration %d ran %d times", i+1, n)
			}
		}
	})
}

// TestKilledMigrationLeavesNoLock ends one handle in the middle of a
// migration, while another waits for it.
func TestKilledMigrationLeavesNoLock(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		killed, heir := open(t, url, Options{}), open(t, url, Options{})
		migrateAll(t, heir, files("app"))
		ctx, kill := context.WithCancel(background(t))
		begun := make(chan struct{})
		killed.Observe(func(_ context.Context, e Event) {
			if strings.Contains(e.SQL, "CREATE TABLE half") {
				close(begun)
			}
		})
		set := files("app", "1_long: CREATE TABLE half (n {{bigint}})\n--bun:split\n"+endless(killed.Kind())+" | DROP TABLE half")
		done := make(chan error, 1)
		go func() { done <- killed.Migrate(ctx, nil, set) }()
		<-begun
		waiting := make(chan error, 1)
		go func() {
			waiting <- heir.Migrate(background(t), nil, files("app", "1_long: CREATE TABLE half (n {{bigint}}) | DROP TABLE half"))
		}()
		kill()
		if err := <-done; err == nil {
			t.Error("the killed migration succeeded")
		}
		if err := <-waiting; err != nil {
			t.Error(err)
		}
		same(t, "afterwards", status(t, heir, set), []string{"app/1_long applied=true changed=true"})
	})
}

// TestMigrationOutlastsTheStatementTimeout also has a second handle wait for
// longer than that.
func TestMigrationOutlastsTheStatementTimeout(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		o := Options{StatementTimeout: 50 * time.Millisecond}
		db, other := open(t, url, o), open(t, url, o)
		slow := "SELECT pg_sleep(1.5)"
		if db.Kind() == SQLite {
			slow = "SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT i FROM n)"
		}
		set := files("app", "1_slow: CREATE TABLE a (n {{bigint}})\n--bun:split\n"+slow+" | DROP TABLE a")
		var wg sync.WaitGroup
		for _, db := range []*DB{db, other} {
			wg.Go(func() {
				if err := db.Migrate(background(t), nil, set); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
}

func TestTemplateWords(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		migrateAll(t, db, files("app", `1_all:
			{{if postgres}}CREATE TABLE only_postgres (a int);{{end}}
			{{if sqlite}}CREATE TABLE only_sqlite (a int);{{end}}
			CREATE TABLE words ({{id}}, u {{uuid}}, t {{text}}, at {{timestamp}}, b {{bool}}, n {{bigint}}, raw {{bytes}}, j {{json}});
			{{searchIndex "words" "t"}} | {{dropSearchIndex "words" "t"}} DROP TABLE words;`))
		s := db.Session()
		run(t, s, "SELECT a FROM only_"+map[Kind]string{SQLite: "sqlite", PostgreSQL: "postgres"}[db.Kind()])
		at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
		for i, text := range []string{"b", "A", "é", "a", "Z"} {
			run(t, s, "INSERT INTO words (id, u, t, at, b, n, raw, j) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
				"00000000-0000-7000-8000-"+pad(i), "00000000-0000-7000-8000-"+pad(i), text, at, Param(true), Param(i), []byte{0, 1}, `["x"]`)
		}
		rows, err := s.Query(background(t), db.NewSelect().TableExpr("words").ColumnExpr("t, at, b, n, raw").OrderExpr("t"))
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var order []string
		for rows.Next() {
			var (
				text string
				when any
				yes  bool
				n    int64
				raw  []byte
			)
			if err := rows.Scan(&text, &when, &yes, &n, &raw); err != nil {
				t.Fatal(err)
			}
			if when, ok := when.(time.Time); !ok || !when.Equal(at) || !yes || len(raw) != 2 {
				t.Errorf("read %v (%T), %v, %v", when, when, yes, raw)
			}
			order = append(order, text)
		}
		same(t, "text by its bytes", order, []string{"A", "Z", "a", "b", "é"})
		rows.Close()
		if _, err := db.MigrateDown(background(t), nil, files("app", "1_all: SELECT 1 | {{dropSearchIndex \"words\" \"t\"}} DROP TABLE words;")); err != nil {
			t.Error(err)
		}
	})
}
