package sqldb

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const indexed = `CREATE TABLE patients ({{id}}, owner {{uuid}} NOT NULL, name {{text}} NOT NULL, city {{text}}, search {{text}} NOT NULL, at {{timestamp}});
--bun:split
CREATE INDEX patients_owner ON patients (owner, name DESC, id);
--bun:split
CREATE UNIQUE INDEX patients_name ON patients (name) WHERE city IS NOT NULL;
--bun:split
CREATE INDEX patients_lower ON patients (lower(name), city);
--bun:split
CREATE TABLE cities (name {{text}} PRIMARY KEY){{if sqlite}} WITHOUT ROWID{{end}};
--bun:split
CREATE TABLE numbered (n {{if sqlite}}INTEGER{{else}}bigint{{end}} PRIMARY KEY, name {{text}});
--bun:split
CREATE INDEX numbered_name ON numbered (name);
--bun:split
CREATE VIEW seen AS SELECT name FROM patients;
--bun:split
{{searchIndex "patients" "search"}}`

// written is an index as one line.
func written(i Index) string {
	var columns []string
	for _, c := range i.Columns {
		columns = append(columns, columnText(c))
	}
	text := "(" + strings.Join(columns, ", ") + ")"
	for word, is := range map[string]bool{"unique ": i.Unique, "search ": i.Search, "unfinished ": i.Unfinished} {
		if is {
			text = word + text
		}
	}
	if i.Where != "" {
		text += " where " + strings.Trim(i.Where, "()")
	}
	return text
}

func columnText(c IndexColumn) string {
	if c.Name == "" {
		c.Name = "expression"
	}
	if c.Descending {
		return c.Name + " down"
	}
	return c.Name
}

func indexesOf(t *testing.T, db *DB, table string) []string {
	t.Helper()
	list, err := db.Indexes(background(t), table)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, i := range list {
		lines = append(lines, written(i))
	}
	slices.Sort(lines)
	return lines
}

func TestIndexes(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, indexed)
		rows, numbered := []string{"unique (id)"}, []string{"(name)", "unique (n)"}
		if db.Kind() == SQLite { // its rows have a number of their own there
			rows, numbered = []string{"unique (_row)", "unique (id)"}, []string{"(name, n)", "unique (n)"}
			rows[0], rows[1] = rows[1], rows[0]
		}
		for table, want := range map[string][]string{
			"patients": append([]string{
				"(expression, city)", "(owner, name down, id)", "search (search)", "unique (name) where city IS NOT NULL",
			}, rows...),
			"cities":   {"unique (name)"},
			"numbered": numbered,
			"seen":     nil,
		} {
			if db.Kind() == SQLite && table == "patients" {
				want[0], want[1] = "(expression, city, _row)", "(owner, name down, id, _row)"
			}
			slices.Sort(want)
			same(t, table, indexesOf(t, db, table), want)
		}
		for _, table := range []string{"nobody", "patients; DROP TABLE patients", `pa"tients`, ""} {
			if list, err := db.Indexes(background(t), table); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("no table %q", table)) {
				t.Errorf("%q: %v, %v; want an error that names it", table, list, err)
			}
		}
	})
}

func TestIndexesFollowTheSchema(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, indexed)
		s := db.Session()
		run(t, s, "DROP INDEX patients_lower")
		if db.Kind() == SQLite {
			run(t, s, "DROP TRIGGER patients_search_fts_update") // without it the index is soon wrong
		} else {
			script(t, db, `{{dropSearchIndex "patients" "search"}}`)
		}
		for _, line := range indexesOf(t, db, "patients") {
			if strings.Contains(line, "expression") || strings.Contains(line, "search") {
				t.Errorf("%s is listed, and is gone", line)
			}
		}
	})
}

// TestAnUnfinishedIndex is what PostgreSQL leaves where CONCURRENTLY failed.
func TestAnUnfinishedIndex(t *testing.T) {
	db := open(t, postgresURL(t), Options{})
	script(t, db, indexed)
	s := db.Session()
	for _, id := range []int{1, 2} {
		run(t, s, "INSERT INTO patients (id, owner, name, search) VALUES (?, ?, 'twice', '')",
			"00000000-0000-7000-8000-"+pad(id), "00000000-0000-7000-8000-"+pad(9))
	}
	if _, err := db.DB.DB.ExecContext(background(t), "CREATE UNIQUE INDEX CONCURRENTLY patients_twice ON patients (name)"); err == nil {
		t.Fatal("two rows with one name are unique")
	}
	if got := indexesOf(t, db, "patients"); !slices.Contains(got, "unfinished unique (name)") && !slices.Contains(got, "unique unfinished (name)") {
		t.Errorf("%q have none that is unfinished", got)
	}
}

// TestSorts reads from the database's plan whether it must sort.
func TestSorts(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		db.SetMaxOpenConns(1)
		script(t, db, indexed)
		if db.Kind() == PostgreSQL {
			for _, way := range []string{"seqscan", "bitmapscan", "sort"} { // the table is too small to bother
				run(t, db.Session(), "SET enable_"+way+" TO off")
			}
		}
		ways := []IndexColumn{{}, {Descending: true, NullsFirst: true}, {Descending: true}, {NullsFirst: true}}
		for _, first := range ways {
			for _, second := range ways {
				index := []IndexColumn{named("city", first), named("at", second)}
				if db.Kind() == SQLite && (!sqliteHas(first) || !sqliteHas(second)) {
					continue
				}
				script(t, db, "CREATE INDEX tried ON patients ("+clause(index[0])+", "+clause(index[1])+")")
				for i := range len(ways) * len(ways) {
					sorts(t, db, index, []IndexColumn{named("city", ways[i%len(ways)]), named("at", ways[i/len(ways)])})
				}
				script(t, db, "DROP INDEX tried")
			}
		}
	})
}

func named(name string, way IndexColumn) IndexColumn {
	way.Name = name
	return way
}

// sqliteHas reports whether SQLite can have an index of such a column.
func sqliteHas(c IndexColumn) bool { return c.Descending == c.NullsFirst }

func clause(c IndexColumn) string {
	text := c.Name
	if c.Descending {
		text += " DESC"
	}
	switch {
	case c.Descending == c.NullsFirst:
		return text
	case c.NullsFirst:
		return text + " NULLS FIRST"
	}
	return text + " NULLS LAST"
}

// sorts compares the method's result with the planner's plan.
func sorts(t *testing.T, db *DB, index, asked []IndexColumn) {
	t.Helper()
	order := clause(asked[0]) + ", " + clause(asked[1])
	query := "SELECT city, at FROM patients ORDER BY " + order
	explain := "EXPLAIN QUERY PLAN ?"
	if db.Kind() == PostgreSQL {
		explain = "EXPLAIN (FORMAT JSON) ?"
	}
	plan := planOf(t, db, explain, db.NewRaw(query))
	sorted := !strings.Contains(plan, "B-TREE FOR") && !strings.Contains(plan, "Sort")
	if got := db.Kind().Sorts(index, asked); got != sorted {
		t.Errorf("%+v sorts by %s: %t, but the plan is %s", index, order, got, plan)
	}
}

// TestTheRestOfASearchIndex: SQLite drops the triggers of a search index with their table, as in a rebuild of the table, and
// leaves the full-text table. A migration makes a new index, whatever is left of the old one.
func TestTheRestOfASearchIndex(t *testing.T) {
	for name, drops := range map[string]string{
		"the full-text table": "DROP TRIGGER animals_name_fts_insert; DROP TRIGGER animals_name_fts_delete; DROP TRIGGER animals_name_fts_update",
		"two triggers":        "DROP TRIGGER animals_name_fts_insert; DROP TABLE animals_name_fts",
		"all of it":           "",
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t, sqliteURL(t), Options{})
			const index = `{{searchIndex "animals" "name"}}`
			script(t, db, "CREATE TABLE animals ({{id}}, name {{text}} NOT NULL);\n--bun:split\n"+index)
			if drops != "" {
				script(t, db, drops)
			}
			script(t, db, index)
			indexes, err := db.Indexes(background(t), "animals")
			if err != nil || !slices.ContainsFunc(indexes, func(i Index) bool { return i.Search }) {
				t.Errorf("the indexes are %+v, %v; want the search index", indexes, err)
			}
			script(t, db, "INSERT INTO animals (id, name) VALUES ('1', 'zebra')")
		})
	}
}
