package sqldb

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun/schema"
	"pgregory.net/rapid"
)

const searched = `CREATE TABLE patients ({{id}}, n {{bigint}}, name {{text}}, phone {{text}}, search {{text}})
--bun:split
{{searchIndex "patients" "search"}}`

func insertPatient(tb testing.TB, s *Session, n int, name, phone string) {
	tb.Helper()
	run(tb, s, "INSERT INTO patients (id, n, name, phone, search) VALUES (?, ?, ?, ?, ?)",
		"00000000-0000-7000-8000-"+pad(n), Param(n), name, phone, Document(name, phone))
}

func pad(n int) string {
	digits := []byte("000000000000")
	for i := len(digits) - 1; n > 0; i-- {
		digits[i] = byte('0' + n%10)
		n /= 10
	}
	return string(digits)
}

func found(ctx context.Context, s *Session, condition schema.QueryAppender) ([]int, error) {
	rows, err := s.Query(ctx, s.DB().NewSelect().TableExpr("patients AS p").ColumnExpr("p.n").Where("?", condition).OrderExpr("p.n"))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := []int{}
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, rows.Err()
}

func TestContains(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		for _, o := range []Options{{}, {NoPrepare: true}} {
			db := open(t, url, o)
			if o.NoPrepare {
				script(t, db, `{{dropSearchIndex "patients" "search"}}`+"\n--bun:split\nDROP TABLE patients")
			}
			script(t, db, searched)
			s := db.Session()
			for i, p := range [][2]string{
				{"Ann Lee", "555-0101"}, {"ANNA Müller", "555-0102"}, {"Zoë Straße", ""}, {"100% _real_", `back\slash`},
				{"O'Neil \"Q\"", "?1 $1"}, {"İpek", "ΟΔΟΣ"}, {"e\u0301", "*"}, {"AND OR NOT", "NEAR(a b)"},
			} {
				insertPatient(t, s, i+1, p[0], p[1])
			}
			for term, want := range map[string][]int{
				"": {1, 2, 3, 4, 5, 6, 7, 8}, "ann": {1, 2}, "NN": {1, 2}, "MÜLL": {2}, "u\u0308l": {2}, "strasse": {3}, "STRAẞE": {3}, "Ë": {3},
				"%": {4}, "_": {4}, "_real_": {4}, "0%": {4}, `\`: {4}, `k\s`: {4}, "'": {5}, `"`: {5}, `"q"`: {5}, "?1": {5}, "$1": {5},
				"i\u0307p": {6}, "ipek": {}, "οδος": {6}, "é": {7}, "*": {7}, "AND OR": {8}, "near(": {8}, "lee 555": {}, "lee\x1f555": {}, "\x1f": {1, 2, 3, 4, 5, 8},
				"nobody": {}, "'; DROP TABLE patients; --": {},
			} {
				checkFound(t, s, "stored", term, want, db.Kind().Contains("patients", "p", "search", term))
				checkFound(t, s, "in the row", term, want, db.Kind().ContainsInRow("p", "search", term))
				checkFound(t, s, "folded by the database", term, want, db.Kind().ContainsFolded("p", []string{"name", "phone"}, term))
			}
			checkFound(t, s, "no columns", "a", []int{}, db.Kind().ContainsFolded("p", nil, "a"))
		}
	})
}

func checkFound(t *testing.T, s *Session, how, term string, want []int, condition schema.QueryAppender) {
	t.Helper()
	got, err := found(background(t), s, condition)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: %q found %v, want %v: %v", how, term, got, want, err)
	}
}

// TestSearchIndexFollowsItsTable changes and deletes rows, and replaces some
// before the index is made.
func TestSearchIndexFollowsItsTable(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, strings.Split(searched, "--bun:split")[0])
		s := db.Session()
		insertPatient(t, s, 1, "early", "")
		script(t, db, `{{searchIndex "patients" "search"}}`)
		insertPatient(t, s, 2, "second", "")
		insertPatient(t, s, 3, "third", "")
		run(t, s, "UPDATE patients SET search = ? WHERE n = 2", Document("renamed"))
		run(t, s, "UPDATE patients SET name = ? WHERE n = 1", "only the name")
		run(t, s, "DELETE FROM patients WHERE n = 3")
		if db.Kind() == SQLite {
			run(t, s, "VACUUM")
			run(t, s, "INSERT INTO patients_search_fts (patients_search_fts, rank) VALUES ('integrity-check', 1)")
		}
		for term, want := range map[string][]int{"early": {1}, "second": {}, "renamed": {2}, "third": {}} {
			checkFound(t, s, "stored", term, want, db.Kind().Contains("patients", "p", "search", term))
		}
	})
}

func TestContainsUsesItsIndex(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, searched)
		s := db.Session()
		condition := db.NewSelect().TableExpr("patients AS p").ColumnExpr("p.n").Where("?", db.Kind().Contains("patients", "p", "search", "needle"))
		explain, index := "EXPLAIN QUERY PLAN ?", "VIRTUAL TABLE INDEX"
		if db.Kind() == PostgreSQL {
			db.SetMaxOpenConns(1)
			run(t, s, "SET enable_seqscan TO off") // the table is too small to bother
			explain, index = "EXPLAIN (FORMAT JSON) ?", "patients_search_trgm"
		}
		if plan := planOf(t, db, explain, condition); !strings.Contains(plan, index) {
			t.Errorf("the plan is\n%s", plan)
		}
	})
}

func planOf(t *testing.T, db *DB, explain string, q schema.QueryAppender) string {
	t.Helper()
	text, err := db.statements.Inline(db.NewRaw(explain, q))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.DB.DB.QueryContext(background(t), text)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, _ := rows.Columns()
	var plan strings.Builder
	for rows.Next() {
		line := make([]any, len(columns))
		for i := range line {
			line[i] = new(any)
		}
		if err := rows.Scan(line...); err != nil {
			t.Fatal(err)
		}
		for _, v := range line {
			switch v := (*v.(*any)).(type) {
			case string:
				plan.WriteString(v)
			case []byte:
				plan.Write(v)
			}
		}
		plan.WriteByte('\n')
	}
	return plan.String()
}

// TestContainsIsGoContains compares both databases with Go on random texts of
// a small, awkward alphabet, so that terms are often found. rapid prints the
// seed of a failure.
func TestContainsIsGoContains(t *testing.T) {
	letters := rapid.SampledFrom([]rune("aAbBéÉeEßẞsSıIiİσΣςµ%_\\'\"*?$ \t-😀\u0301\u0307\u0345\x1f한"))
	words := rapid.StringOf(letters)
	for _, kind := range []Kind{SQLite, PostgreSQL} {
		t.Run(kind.String(), func(t *testing.T) {
			url := sqliteURL(t)
			if kind == PostgreSQL {
				url = postgresURL(t)
			}
			db := open(t, url, Options{})
			script(t, db, searched)
			s := db.Session()
			rapid.Check(t, func(rt *rapid.T) {
				run(t, s, "DELETE FROM patients")
				names := rapid.SliceOfN(rapid.OneOf(words, rapid.String()), 1, 4).Draw(rt, "names")
				term := rapid.OneOf(words, rapid.String()).Draw(rt, "term")
				names = slices.DeleteFunc(names, func(n string) bool { return strings.Contains(n, "\x00") })
				term = strings.ReplaceAll(term, "\x00", "")
				want, folded := []int{}, []int{}
				for i, name := range names {
					insertPatient(t, s, i, name, "x")
					if strings.Contains(Document(name, "x"), Fold(term)) {
						want = append(want, i)
					}
					if strings.Contains(Fold(name), Fold(term)) {
						folded = append(folded, i)
					}
				}
				got, err := found(background(t), s, kind.Contains("patients", "p", "search", term))
				if err != nil || !slices.Equal(got, want) {
					rt.Fatalf("found %v, want %v: %v", got, want, err)
				}
				got, err = found(background(t), s, kind.ContainsInRow("p", "search", term))
				if err != nil || !slices.Equal(got, want) {
					rt.Fatalf("found in the rows %v, want %v: %v", got, want, err)
				}
				if kind != SQLite {
					return
				}
				got, err = found(background(t), s, kind.ContainsFolded("p", []string{"name"}, term))
				if err != nil || !slices.Equal(got, folded) {
					rt.Fatalf("folded by the database: found %v, want %v: %v", got, folded, err)
				}
			})
		})
	}
}

func TestGroupConcat(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		query := "SELECT " + db.Kind().GroupConcat("v", "'-") + " FROM (SELECT 'a' AS v UNION ALL SELECT 'a') AS t"
		if got := one[string](t, db.Session(), query); got != "a'-a" {
			t.Errorf("got %q", got)
		}
	})
}

func TestKindNames(t *testing.T) {
	if SQLite.String() != "sqlite" || PostgreSQL.String() != "postgresql" || Kind(0).String() != "unknown" {
		t.Error(SQLite, PostgreSQL, Kind(0))
	}
}
