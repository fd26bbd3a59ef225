package sqldb

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/sqldb/internal/fault"
)

const faulty = `CREATE TABLE parents ({{id}}, name {{text}} UNIQUE)
--bun:split
CREATE TABLE children (
	id {{bigint}} PRIMARY KEY,
	parent_id {{uuid}} CONSTRAINT children_parent REFERENCES parents (id),
	strict_id {{uuid}} REFERENCES parents (id) ON DELETE RESTRICT,
	a {{text}}, "B c" {{text}}, live {{bool}},
	age {{bigint}} CONSTRAINT age_positive CHECK (age >= 0),
	name {{text}} NOT NULL DEFAULT '',
	UNIQUE (a, "B c")
)
--bun:split
CREATE UNIQUE INDEX live_name ON children (name) WHERE live
--bun:split
CREATE UNIQUE INDEX folded_name ON children (lower(a), age)
--bun:split
INSERT INTO parents (id, name) VALUES ('00000000-0000-7000-8000-000000000001', 'p'), ('00000000-0000-7000-8000-000000000002', 'q'), ('00000000-0000-7000-8000-000000000003', 'r')
--bun:split
INSERT INTO children (id, parent_id, strict_id, a, "B c", live, age, name) VALUES
	(1, '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002', 'a', 'b', true, 1, 'n')`

func TestClassify(t *testing.T) {
	cases := []struct {
		name, statement  string
		sqlite, postgres Fault
	}{
		{"unique column", `INSERT INTO parents (id, name) VALUES ('00000000-0000-7000-8000-000000000009', 'p')`,
			Fault{Kind: Unique, Table: "parents", Columns: []string{"name"}},
			Fault{Kind: Unique, Table: "parents", Columns: []string{"name"}, Constraint: "parents_name_key"}},
		{"primary key", `INSERT INTO children (id) VALUES (1)`,
			Fault{Kind: Unique, Table: "children", Columns: []string{"id"}},
			Fault{Kind: Unique, Table: "children", Columns: []string{"id"}, Constraint: "children_pkey"}},
		{"unique columns, one quoted", `INSERT INTO children (id, a, "B c", age) VALUES (2, 'a', 'b', 99)`,
			Fault{Kind: Unique, Table: "children", Columns: []string{"a", "B c"}},
			Fault{Kind: Unique, Table: "children", Columns: []string{"a", "B c"}, Constraint: "children_a_B c_key"}},
		{"partial unique index", `INSERT INTO children (id, name, live) VALUES (2, 'n', true)`,
			Fault{Kind: Unique, Table: "children", Columns: []string{"name"}},
			Fault{Kind: Unique, Table: "children", Columns: []string{"name"}, Constraint: "live_name"}},
		{"unique index on an expression", `INSERT INTO children (id, a, age) VALUES (2, 'A', 1)`,
			Fault{Kind: Unique, Constraint: "folded_name"},
			Fault{Kind: Unique, Table: "children", Columns: []string{"lower(a)", "age"}, Constraint: "folded_name"}},
		{"parent that is not there", `INSERT INTO children (id, parent_id) VALUES (2, '00000000-0000-7000-8000-000000000009')`,
			Fault{Kind: ForeignKey},
			Fault{Kind: ForeignKey, Table: "children", Columns: []string{"parent_id"}, Constraint: "children_parent"}},
		{"parent that is referenced", `DELETE FROM parents WHERE name = 'p'`,
			Fault{Kind: ForeignKey, Referenced: true},
			Fault{Kind: ForeignKey, Table: "children", Columns: []string{"id"}, Constraint: "children_parent", Referenced: true}},
		{"parent that is referenced and restricted", `DELETE FROM parents WHERE name = 'q'`,
			Fault{Kind: ForeignKey, Referenced: true},
			Fault{Kind: ForeignKey, Table: "children", Columns: []string{"id"}, Constraint: "children_strict_id_fkey", Referenced: true}},
		{"check", `INSERT INTO children (id, age) VALUES (2, -1)`,
			Fault{Kind: Check, Constraint: "age_positive"},
			Fault{Kind: Check, Table: "children", Constraint: "age_positive"}},
		{"not null", `INSERT INTO children (id, name) VALUES (2, NULL)`,
			Fault{Kind: NotNull, Table: "children", Columns: []string{"name"}},
			Fault{Kind: NotNull, Table: "children", Columns: []string{"name"}}},
		{"syntax", `SELEKT`, Fault{Kind: Other}, Fault{Kind: Other}},
		{"no table", `SELECT 1 FROM nowhere`, Fault{Kind: Other}, Fault{Kind: Other}},
	}
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, faulty)
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				want := c.sqlite
				if db.Kind() == PostgreSQL {
					if want = c.postgres; want.Table != "" {
						want.Schema = "public"
					}
				}
				for name, err := range everyWay(t, db, c.statement) {
					got, ok := Classify(fmt.Errorf("wrapped: %w", err))
					if !ok || !reflect.DeepEqual(got, want) {
						t.Errorf("%s: %v\n got %+v\nwant %+v", name, err, got, want)
					}
				}
			})
		}
	})
}

// everyWay returns the error of a statement sent as text, prepared, and as a query of
// rows.
func everyWay(t *testing.T, db *DB, statement string) map[string]error {
	ctx := background(t)
	_, byBun := db.NewRaw(statement).Exec(ctx)
	_, prepared := db.Session().Exec(ctx, db.NewRaw(statement))
	_, queried := db.Session().Query(ctx, db.NewRaw(statement))
	errs := map[string]error{"bun": byBun, "prepared": prepared, "query": queried}
	for name, err := range errs {
		if err == nil {
			t.Fatalf("%s: no error", name)
		}
	}
	return errs
}

func TestClassifyPostgresOnly(t *testing.T) {
	db := open(t, postgresURL(t), Options{})
	script(t, db, faulty)
	for _, c := range []struct {
		name, statement string
		want            FaultKind
	}{
		{"integer too large", "SELECT 2147483647::int + 1", OutOfRange},
		{"text too long", "SELECT 1 FROM (VALUES ('ab'::varchar(1))) v; CREATE TEMP TABLE x (v varchar(1)); INSERT INTO x VALUES ('ab')", OutOfRange},
		{"text too long for its index", "CREATE TEMP TABLE y (v text UNIQUE); INSERT INTO y SELECT string_agg(md5(n::text), '') FROM generate_series(1, 300) n", OutOfRange},
		{"not a UUID", "SELECT 'abc'::uuid", OutOfRange},
		{"exclusion", "CREATE TEMP TABLE x (v int4range, EXCLUDE USING gist (v WITH &&)); INSERT INTO x VALUES ('[1,3)'), ('[2,4)')", Check},
		{"serialization failure", raised("40001"), Retry},
		{"deadlock", raised("40P01"), Retry},
		{"lock timeout", raised("55P03"), Locked},
		{"disk full", raised("53100"), Full},
		{"too many connections", raised("53300"), Unavailable},
		{"shutting down", raised("57P01"), Unavailable},
		{"connection exception", raised("08006"), Unavailable},
		{"restrict, as of version 18", raised("23001"), ForeignKey},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := db.DB.DB.ExecContext(background(t), c.statement)
			if got, ok := Classify(err); !ok || got.Kind != c.want {
				t.Errorf("%v is %v, want %v", err, got.Kind, c.want)
			}
		})
	}
	t.Run("database that does not exist", func(t *testing.T) {
		u, err := url.Parse(postgresURL(t))
		if err != nil {
			t.Fatal(err)
		}
		u.Path += "_not"
		db := open(t, u.String(), Options{})
		if got, ok := Classify(db.PingContext(background(t))); !ok || got.Kind != Unavailable {
			t.Errorf("it is %v", got.Kind)
		}
	})
	t.Run("reference in a server that speaks another language", func(t *testing.T) {
		for _, c := range []struct {
			detail string
			want   bool
		}{
			{`auf Schlüssel (id)=(1) wird noch aus Tabelle »children« verwiesen.`, true},
			{`Schlüssel (parent_id)=(1) ist nicht in Tabelle »parents« vorhanden.`, false},
		} {
			_, err := db.DB.DB.ExecContext(background(t), `DO $do$ BEGIN RAISE EXCEPTION 'Meldung' USING ERRCODE = '23503', TABLE = 'children', DETAIL = '`+c.detail+`'; END $do$`)
			if f, _ := Classify(err); f.Referenced != c.want {
				t.Errorf("%s: %+v", c.detail, f)
			}
		}
	})
}

func raised(code string) string {
	return "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '" + code + "'; END $$"
}

func TestClassifySQLiteOnly(t *testing.T) {
	t.Run("full disk", func(t *testing.T) {
		db := open(t, sqliteURL(t), Options{})
		db.SetMaxOpenConns(1)
		script(t, db, "CREATE TABLE t (a TEXT)")
		run(t, db.Session(), "PRAGMA max_page_count = 4")
		_, err := db.Session().Exec(background(t), db.NewRaw("INSERT INTO t VALUES (?)", strings.Repeat("x", 100_000)))
		if f, ok := Classify(err); !ok || f.Kind != Full {
			t.Errorf("%v is %v", err, f.Kind)
		}
	})
	t.Run("strict type", func(t *testing.T) {
		db := open(t, sqliteURL(t), Options{})
		script(t, db, "CREATE TABLE t (a INTEGER) STRICT")
		_, err := db.Session().Exec(background(t), db.NewRaw("INSERT INTO t VALUES (?)", "x"))
		if f, ok := Classify(err); !ok || f.Kind != OutOfRange {
			t.Errorf("%v is %v", err, f.Kind)
		}
	})
	t.Run("sum of integers", func(t *testing.T) {
		db := open(t, sqliteURL(t), Options{})
		_, err := db.DB.DB.ExecContext(background(t), "SELECT sum(column1) FROM (VALUES (9223372036854775807), (1))")
		if f, ok := Classify(err); !ok || f.Kind != OutOfRange {
			t.Errorf("%v is %v", err, f.Kind)
		}
	})
	t.Run("busy file", func(t *testing.T) {
		url := sqliteURL(t)
		db, other := open(t, url, Options{}), open(t, url, Options{})
		tx, err := other.BeginTx(background(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		ctx, cancel := context.WithTimeout(background(t), 100*time.Millisecond)
		defer cancel()
		_, err = db.Session().Exec(ctx, db.NewRaw("CREATE TABLE t (a)"))
		if f, ok := Classify(err); !ok || f.Kind != Timeout {
			t.Errorf("%v is %v", err, f.Kind)
		}
	})
	t.Run("not a database", func(t *testing.T) {
		url := sqliteURL(t)
		writeFile(t, strings.TrimPrefix(url, "sqlite://"), strings.Repeat("no database ", 100))
		db := open(t, url, Options{})
		if f, ok := Classify(db.PingContext(background(t))); !ok || f.Kind != Unavailable {
			t.Errorf("it is %v", f.Kind)
		}
	})
}

func TestUntypedErrorIsNotAFault(t *testing.T) {
	if f, ok := Classify(&fault.UntypedError{Err: errors.New("x")}); ok {
		t.Errorf("got %v", f.Kind)
	}
}
