package sqltext

import "testing"

func TestWhatIsShared(t *testing.T) {
	for text, want := range map[string]bool{
		`SELECT 1`: true,
		`SELECT a FROM t WHERE b LIKE $1 ESCAPE '\'`: true,
		"SELECT random/**/()":                        false,
		"SELECT E'\\'', random(), '\\''":             false,
		"SELECT $$'$$, random(), $$'$$":              false,
		"SELECT `a'`, random(), `b'`":                false,
		"SELECT 1 -- '\n, random() -- '":             false,
		"SELECT myschema.trim(1)":                    false,
		"SELECT \"t\".trim(1)":                       false,
		"SELECT a, (SELECT 2) FROM t":                true,
		"SELECT 1; SELECT 2":                         false,
		"":                                           false,
		`SELECT "a"."id" FROM "a" WHERE ("a"."id" = $1) AND ("x" IN (SELECT "id" FROM "b"))`: true,
		`SELECT count(*) FROM (SELECT 1 FROM "t" LIMIT $1) AS capped`:                        true,
		`SELECT COUNT (*) FROM t WHERE lower(name) LIKE $1`:                                  true,
		`WITH matched AS MATERIALIZED (SELECT 1) SELECT * FROM matched`:                      true,
		`SELECT 'random() FOR UPDATE' FROM "for"`:                                            true,
		`SELECT a FROM t ORDER BY CASE WHEN (a = 1) THEN 1 END`:                              true,
		`select trestle_fold("name") from t`:                                                 true,
		`SELECT random()`:                                                                    false,
		`SELECT "random"()`:                                                                  false,
		`SELECT pg_catalog.now()`:                                                            false,
		`SELECT nextval('s')`:                                                                false,
		`SELECT a FROM t FOR UPDATE`:                                                         false,
		`SELECT a FROM t FOR NO KEY UPDATE`:                                                  false,
		`UPDATE t SET a = 1 RETURNING a`:                                                     false,
		`INSERT INTO t VALUES (1) RETURNING a`:                                               false,
		`WITH d AS (DELETE FROM t) SELECT 1`:                                                 false,
		`SELECT a INTO b FROM t`:                                                             false,
		`EXPLAIN SELECT 1`:                                                                   false,
		`SELECT my_own(1)`:                                                                   false,
		`SELECT set_config('a', 'b', false)`:                                                 false,
		`SELECT 'unended`:                                                                    false,
		`(SELECT 1) UNION (SELECT pg_sleep(1))`:                                              false,
		`PRAGMA table_info(t)`:                                                               false,
		`SELECT current_setting ('a')`:                                                       false,
		`SELECT a FROM t WHERE at < CURRENT_TIMESTAMP`:                                       false,
		`SELECT current_user`:                                                                false,
		`SELECT pg_advisory_lock(1) WHERE 1 = $1`:                                            false,
	} {
		if got := Sharable(text); got != want {
			t.Errorf("%s is shared: %v; want %v", text, got, want)
		}
	}
}

func TestJoinedWrites(t *testing.T) {
	for text, want := range map[string]string{
		`UPDATE t SET a = $1 WHERE b = $2 AND c = '$1' RETURNING a`: `WITH trestle_write_0 AS (UPDATE t SET a = $1 WHERE b = $2 AND c = '$1' RETURNING a), ` +
			`trestle_write_1 AS (UPDATE t SET a = $3 WHERE b = $4 AND c = '$1' RETURNING a) ` +
			`SELECT CASE WHEN waits.most IS NULL THEN -1 ELSE -1 END, part.* FROM (SELECT set_config('lock_timeout', '100ms', true) AS most) AS waits LEFT JOIN trestle_write_0 AS part ON false ` +
			`UNION ALL SELECT 0, part.* FROM trestle_write_0 AS part UNION ALL SELECT 1, part.* FROM trestle_write_1 AS part`,
		`UPDATE t SET a = (SELECT 1 FROM "trestle_write_0") WHERE b = $1 RETURNING a`: "",
		`UPDATE t SET a = $1`:                                  "",
		`SELECT $1 AS returning`:                               "",
		`UPDATE t SET a = $1 RETURNING a; DROP TABLE t`:        "",
		`WITH x AS (SELECT $1) UPDATE t SET a = 1 RETURNING a`: "",
		`UPDATE t SET a = E'\'' WHERE b = $1 RETURNING a`:      "",
		"UPDATE t SET a = $1 -- x\n RETURNING a":               "",
		`TRUNCATE t RETURNING $1`:                              "",
		``:                                                     "",
	} {
		if got := Joined(JoinedKey{text, 2}); got != want {
			t.Errorf("%s becomes\n%s\nwant\n%s", text, got, want)
		}
	}
}
