package sqldb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
)

func TestOperation(t *testing.T) {
	for name, test := range map[string]struct{ sql, want string }{
		"a select":                             {`SELECT "p"."name" FROM "patients" AS "p"`, "select"},
		"in lower case":                        {"select 1", "select"},
		"behind space and a parenthesis":       {"\n\t (SELECT 1) UNION (SELECT 2)", "select"},
		"of one word":                          {"COMMIT", "commit"},
		"an insert":                            {`INSERT INTO "t" ("update") VALUES ($1)`, "insert"},
		"an update":                            {"UPDATE t SET a = 1", "update"},
		"a delete":                             {"DELETE FROM t", "delete"},
		"the begin of a transaction":           {"BEGIN", "begin"},
		"its end without effect":               {"ROLLBACK", "rollback"},
		"WITH that reads":                      {`WITH x AS (SELECT 1) SELECT * FROM x`, "select"},
		"WITH that locks":                      {`WITH x AS (SELECT 1 FROM t FOR UPDATE) SELECT * FROM x FOR NO KEY UPDATE`, "select"},
		"WITH that writes":                     {`with x as (insert into t values (1) returning 1) select * from x`, "insert"},
		"WITH of several updates":              {`WITH a AS (UPDATE t SET b = $1 RETURNING 1), b AS (UPDATE t SET b = $2 RETURNING 1) SELECT 1`, "update"},
		"WITH before a delete":                 {`WITH x AS (SELECT 1) DELETE FROM t`, "delete"},
		"WITH that names a change in quotes":   {`WITH "delete" AS (SELECT 'update') SELECT * FROM "delete"`, "select"},
		"the definition of a table":            {"CREATE TABLE t (a int)", "other"},
		"a word that begins like another":      {"SELECTED", "other"},
		"a statement of nothing":               {"", "other"},
		"what is no statement":                 {"'; DROP TABLE x", "other"},
		"a comment, which hides what comes":    {"/* x */ SELECT 1", "other"},
		"a pragma":                             {"PRAGMA wal_checkpoint", "other"},
		"letters that only look like a select": {"ſELECT 1", "other"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (Event{SQL: test.sql}).Operation(); got != test.want {
				t.Errorf("%s; want %s", got, test.want)
			}
		})
	}
}

// TestOperationsOfRealStatements, those that are sent together among them.
func TestOperationsOfRealStatements(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, "CREATE TABLE t (a integer PRIMARY KEY)")
		var (
			mu   sync.Mutex
			seen []string
		)
		db.Observe(func(_ context.Context, e Event) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, e.Operation()+" "+e.Failure())
		})
		insert := func(ctx context.Context, s *Session) error {
			_, err := s.Exec(ctx, db.NewRaw("INSERT INTO t (a) VALUES (?)", 1))
			return err
		}
		if err := db.InTx(background(t), insert); err != nil {
			t.Fatal(err)
		}
		if err := db.InTx(background(t), insert); err == nil {
			t.Fatal("a second row with the key is taken")
		}
		if _, err := oneOf[int](background(t), db.Session(), "SELECT nothing FROM nowhere"); err == nil {
			t.Fatal("nowhere is read")
		}
		want := "[begin  insert  commit  begin  insert unique rollback  select other]"
		if got := fmt.Sprint(seen); got != want {
			t.Errorf("%s; want %s", got, want)
		}
	})
}

func TestFailure(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"none":                    {nil, ""},
		"nobody waits any longer": {fmt.Errorf("reading: %w", context.Canceled), "canceled"},
		"too late":                {context.DeadlineExceeded, "timeout"},
		"something else":          {errors.New("it broke"), "other"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (Event{Err: test.err}).Failure(); got != test.want {
				t.Errorf("%q; want %q", got, test.want)
			}
		})
	}
}
