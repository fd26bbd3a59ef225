package sqldb

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/sqltext"
)

// noted returns a Next that notes the name which the write returned. For the name "bad" it returns an error, and for "broken" its
// statement fails. For "plain" no statement follows.
func (db *DB) noted(id int) Next {
	return func(done []*Result) (schema.QueryAppender, error) {
		if len(done) > 1 || done[0].Len() == 0 {
			return nil, nil //nolint:nilnil // no statement
		}
		switch name := writeOutcome(done[0], nil); name {
		case "bad":
			return nil, errBad
		case "plain":
			return nil, nil //nolint:nilnil // no statement
		case "broken":
			return db.NewRaw("INSERT INTO notes (id, name) VALUES (?, NULL) RETURNING id", Param(id)), nil
		default:
			return db.NewRaw("INSERT INTO notes (id, name) VALUES (?, ?) RETURNING id", Param(id), Param(name)), nil
		}
	}
}

var errBad = errors.New("a bad name")

// TestWritesWithMoreStatements: writes that wait, and the statements that follow them, are one transaction. If one of them fails, it
// alone does nothing.
func TestWritesWithMoreStatements(t *testing.T) {
	for name, c := range map[string]struct {
		names   [4]string // that the rows 0 to 3 get; there is no row 3
		answers string
		rows    string
		notes   string
	}{
		"all go on":                           {[4]string{"a", "b", "c", "d"}, "[a b c none]", "0 a 1, 1 b 1, 2 c 1", "[0 a 1 b 2 c]"},
		"one has no other statement":          {[4]string{"a", "plain", "c", "d"}, "[a plain c none]", "0 a 1, 1 plain 1, 2 c 1", "[0 a 2 c]"},
		"an error before another statement":   {[4]string{"a", "bad", "c", "d"}, "[a a bad name c none]", "0 a 1, 1 old1 0, 2 c 1", "[0 a 2 c]"},
		"another statement is wrong":          {[4]string{"a", "broken", "c", "d"}, "[a not null c none]", "0 a 1, 1 old1 0, 2 c 1", "[0 a 2 c]"},
		"the first statement of one is wrong": {[4]string{"kept", "b", "plain", "d"}, "[unique b plain none]", "0 old0 0, 1 b 1, 2 plain 1", "[1 b]"},
	} {
		t.Run(name, func(t *testing.T) {
			eachDB(t, func(t *testing.T, db *DB) {
				script(t, db, accounts)
				script(t, db, "CREATE TABLE notes (id {{bigint}} PRIMARY KEY, name {{text}} NOT NULL)")
				run(t, db.Session(), "INSERT INTO t VALUES (0, 'old0', 0), (1, 'old1', 0), (2, 'old2', 0), (9, 'kept', 0)")
				line, release := db.hold(db.renaming(0, "", 1))
				var answers [4]string
				var all sync.WaitGroup
				for i, name := range c.names {
					all.Go(func() {
						var first *Result
						done, err := db.Session().WriteThen(background(t), db.renaming(i, name, 1), i, db.noted(i))
						if err == nil {
							first = done[0]
						}
						if answers[i] = writeOutcome(first, err); errors.Is(err, errBad) {
							answers[i] = err.Error()
						}
					})
				}
				waits(t, db, line, 4)
				release()
				all.Wait()
				if got := fmt.Sprint(answers); got != c.answers {
					t.Errorf("answered %s; want %s", got, c.answers)
				}
				if got := rowsOf(t, db); got != c.rows+", 9 kept 0" {
					t.Errorf("the rows are %s; want %s, 9 kept 0", got, c.rows)
				}
				notes, err := db.Session().Read(background(t), db.NewRaw("SELECT id, name FROM notes ORDER BY id"))
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for i := range notes.Len() {
					got = append(got, fmt.Sprint(notes.Row(i)[0], " ", sqltext.ColumnText(notes.Row(i)[1])))
				}
				if fmt.Sprint(got) != c.notes {
					t.Errorf("the notes are %v; want %s", got, c.notes)
				}
			})
		})
	}
}
