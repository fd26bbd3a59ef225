package sqldb

import (
	"slices"
	"testing"
)

// TestChecks lists the constraints that limit values, whatever the quotes of their names, and no others.
func TestChecks(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, `CREATE TABLE cities (id {{bigint}} CONSTRAINT cities_key PRIMARY KEY);
			CREATE TABLE patients (id {{bigint}} PRIMARY KEY, age {{bigint}} constraint Patients_age check(age >= 0),
				city {{bigint}} CONSTRAINT patients_city REFERENCES cities (id), name {{text}} CONSTRAINT patients_name UNIQUE,
				CONSTRAINT "no ""dead"" row" CHECK (age < 200))`)
		age := "patients_age"
		if db.Kind() == SQLite { // it keeps capital letters
			age = "Patients_age"
		}
		for table, want := range map[string][]string{
			"patients": {age, `no "dead" row`}, "cities": nil, "nobody": nil, `pa"tients`: nil, "": nil,
		} {
			got, err := db.Checks(background(t), table)
			if err != nil {
				t.Fatal(err)
			}
			same(t, table, append([]string{}, got...), append([]string{}, slices.Sorted(slices.Values(want))...))
		}
	})
}

// TestTablesOfASearch: SQLite's own tables of a full-text index are not listed.
func TestTablesOfASearch(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		if db.Kind() != SQLite {
			return
		}
		script(t, db, `CREATE TABLE notes (text TEXT); CREATE VIRTUAL TABLE words USING fts5(text)`)
		got, err := db.Tables(background(t))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "tables", got, []string{"notes", "words"})
	})
}
