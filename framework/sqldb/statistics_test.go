package sqldb

import (
	"context"
	"strings"
	"testing"
)

// planOfBills is how SQLite finds the open and dear bills of one parent. Their owners
// have 4 bills; half of all 10,000 bills are open.
func planOfBills(t *testing.T, db *DB) string {
	t.Helper()
	rows, err := db.Session().Query(background(t), db.NewRaw(`EXPLAIN QUERY PLAN SELECT id, owner, state, price FROM bills
		WHERE owner IN (SELECT id FROM owners WHERE parent = ?) AND state = ? AND price > ?`, Param(7), Param("open"), Param(10)))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all strings.Builder
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		all.WriteString(detail + "\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// manyBills fills a new database, and returns it with its URL. Its one connection
// opened before there was anything to count.
func manyBills(t *testing.T) (*DB, string) {
	t.Helper()
	url := sqliteURL(t)
	db := open(t, url, Options{MaxConns: 1})
	script(t, db, `CREATE TABLE owners (id {{bigint}} PRIMARY KEY, parent {{bigint}} NOT NULL);
		CREATE INDEX owners_parent ON owners (parent, id);
		CREATE TABLE bills (id {{bigint}} PRIMARY KEY, owner {{bigint}} NOT NULL, state {{text}} NOT NULL, price {{bigint}} NOT NULL);
		CREATE INDEX bills_owner ON bills (owner, id);
		CREATE INDEX bills_state_price ON bills (state, price);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO owners SELECT i, i / 2 FROM n;
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
			INSERT INTO bills SELECT i, i % 5000, CASE i % 2 WHEN 0 THEN 'open' ELSE 'paid' END, i FROM n`)
	if got := planOfBills(t, db); !strings.Contains(got, "bills_state_price") {
		t.Fatalf("without statistics the plan is\n%s, so that this test shows nothing", got)
	}
	return db, url
}

// TestPlansByStatistics: a new connection has the statistics of how many rows share a value
// of an index.
func TestPlansByStatistics(t *testing.T) {
	_, url := manyBills(t)
	if got := planOfBills(t, open(t, url, Options{})); !strings.Contains(got, "bills_owner") {
		t.Errorf("the plan is\n%s; want the index of owners", got)
	}
}

// TestStatisticsAreLeft as they are where the file is only read, and where another
// connection writes.
func TestStatisticsAreLeft(t *testing.T) {
	writer, url := manyBills(t)
	if got := planOfBills(t, open(t, url, Options{ReadOnly: true})); !strings.Contains(got, "bills_state_price") {
		t.Errorf("of a file that is only read the plan is\n%s; want the one without statistics", got)
	}
	err := writer.InTx(background(t), func(ctx context.Context, s *Session) error {
		if _, err := s.Exec(ctx, writer.NewRaw("UPDATE bills SET price = price + ?", Param(1))); err != nil {
			return err
		}
		if got := planOfBills(t, open(t, url, Options{})); !strings.Contains(got, "bills_state_price") {
			t.Errorf("beside a writer the plan is\n%s; want the one without statistics", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestPlansOfLargeGroups: of two conditions, SQLite uses the index of the one that fewer rows meet,
// also if both leave thousands.
func TestPlansOfLargeGroups(t *testing.T) {
	url := sqliteURL(t)
	script(t, open(t, url, Options{MaxConns: 1}), `CREATE TABLE visits (id {{bigint}} PRIMARY KEY, doctor {{text}} NOT NULL, state {{text}} NOT NULL, price {{bigint}} NOT NULL, at {{bigint}});
		CREATE INDEX visits_doctor ON visits (doctor, at, id);
		CREATE INDEX visits_state_price ON visits (state, price);
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 15000)
			INSERT INTO visits SELECT i, 'd' || (i % 5), CASE i % 2 WHEN 0 THEN 'open' ELSE 'paid' END, i / 3, i FROM n`)
	var id, parent, unused int
	var plan string
	err := open(t, url, Options{}).NewRaw("EXPLAIN QUERY PLAN SELECT count(*) FROM visits WHERE doctor = 'd3' AND state = 'open'").
		Scan(background(t), &id, &parent, &unused, &plan)
	if err != nil || !strings.Contains(plan, "visits_doctor") {
		t.Errorf("the plan is %q, %v; want the index of 3,000 rows, and not of 7,500", plan, err)
	}
}
