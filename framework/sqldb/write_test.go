package sqldb

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/sqltext"
	"trestle.example/internal/testserver/postgres"
)

// waits returns when so many writes of a line wait to be sent.
func waits(t *testing.T, db *DB, line string, want int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d wait", want), func() bool { return db.writes.Waiting(line) == want })
}

// hold takes all places of a line, as if statements ran, until the returned
// function gives them back.
func (db *DB) hold(q schema.QueryAppender) (line string, release func()) {
	line, _, err := db.render(q)
	if err != nil {
		panic(err)
	}
	if db.Kind() == SQLite {
		line = ""
	}
	return line, db.writes.Occupy(line)
}

// statementsOf counts what writes: on PostgreSQL statements, on SQLite
// transactions.
func statementsOf(db *DB) *atomic.Int64 {
	var n atomic.Int64
	db.Observe(func(_ context.Context, e Event) {
		if db.Kind() == SQLite && e.SQL == "COMMIT" || db.Kind() == PostgreSQL && !e.Control && !strings.HasPrefix(e.SQL, "SELECT") {
			n.Add(1)
		}
	})
	return &n
}

// writeOutcome returns the first value of what a write returned, or the kind of its fault.
func writeOutcome(r *Result, err error) string {
	if err != nil {
		fault, _ := Classify(err)
		return fault.Kind.String()
	}
	if r.Len() == 0 {
		return "none"
	}
	return sqltext.ColumnText(r.Row(0)[0])
}

const accounts = `CREATE TABLE t (id {{bigint}} PRIMARY KEY, name {{text}} NOT NULL UNIQUE, n {{bigint}} NOT NULL CHECK (n < 1000))`

func (db *DB) renaming(id int, name string, n int) schema.QueryAppender {
	return db.NewUpdate().TableExpr("t").Set("name = ?", Param(name)).Set("n = n + ?", Param(n)).Where("id = ?", Param(id)).Returning("name")
}

// TestWritesTogether: writes that wait are one statement, and each is answered
// as by itself.
func TestWritesTogether(t *testing.T) {
	for name, c := range map[string]struct {
		write      func(db *DB, i int) schema.QueryAppender
		row        func(i int) any
		answers    []string // what each is answered
		rows       string   // of the table, afterwards
		statements int64    // on PostgreSQL
		commits    int64    // on SQLite, of transactions: a statement by itself has none
	}{
		"updates of different rows": {
			write:   func(db *DB, i int) schema.QueryAppender { return db.renaming(i, fmt.Sprint("new ", i), 1) },
			answers: []string{"new 0", "new 1", "new 2", "new 3", "none", "none", "none", "none"},
			rows:    "0 new 0 1, 1 new 1 1, 2 new 2 1, 3 new 3 1", statements: 1, commits: 1,
		},
		"updates of one row come one after the other": {
			write:   func(db *DB, i int) schema.QueryAppender { return db.renaming(1, "same", 1) },
			row:     func(int) any { return 1 },
			answers: []string{"same", "same", "same", "same"},
			rows:    "0 old 0 0, 1 same 4, 2 old 2 0, 3 old 3 0", statements: 4, commits: 1,
		},
		"one that breaks a rule is refused, the others are not": {
			write: func(db *DB, i int) schema.QueryAppender {
				return db.renaming(i, fmt.Sprint("new ", i), map[int]int{2: 1000}[i])
			},
			answers: []string{"new 0", "new 1", "check", "new 3"},
			rows:    "0 new 0 0, 1 new 1 0, 2 old 2 0, 3 new 3 0", statements: 5, commits: 0,
		},
		"new rows": {
			write: func(db *DB, i int) schema.QueryAppender {
				return db.NewRaw("INSERT INTO t (id, name, n) VALUES (?, ?, 5) RETURNING name", Param(10+i), fmt.Sprintf("it's $1, %d", i))
			},
			answers: []string{"it's $1, 0", "it's $1, 1"},
			rows:    "0 old 0 0, 1 old 1 0, 2 old 2 0, 3 old 3 0, 10 it's $1, 0 5, 11 it's $1, 1 5", statements: 1, commits: 1,
		},
		"what returns nothing is no part of a statement": {
			write: func(db *DB, i int) schema.QueryAppender {
				return db.NewRaw("DELETE FROM t WHERE id = ?", Param(i))
			},
			answers: []string{"none", "none"},
			rows:    "2 old 2 0, 3 old 3 0", statements: 2, commits: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachDB(t, func(t *testing.T, db *DB) {
				script(t, db, accounts)
				for i := range 4 {
					run(t, db.Session(), "INSERT INTO t VALUES (?, ?, 0)", Param(i), fmt.Sprint("old ", i))
				}
				statements := statementsOf(db)
				line, release := db.hold(c.write(db, 0))
				answers := make([]string, len(c.answers))
				var all sync.WaitGroup
				for i := range answers {
					row := any(i)
					if c.row != nil {
						row = c.row(i)
					}
					all.Go(func() { answers[i] = writeOutcome(db.Session().Write(background(t), c.write(db, i), row)) })
				}
				waits(t, db, line, len(answers))
				want := c.statements
				if db.Kind() == SQLite {
					want = c.commits
				}
				release()
				all.Wait()
				if fmt.Sprint(answers) != fmt.Sprint(c.answers) {
					t.Errorf("answered %v; want %v", answers, c.answers)
				}
				if got := statements.Load(); got != want {
					t.Errorf("%d statements; want %d", got, want)
				}
				if rows := rowsOf(t, db); rows != c.rows {
					t.Errorf("the rows are %s; want %s", rows, c.rows)
				}
			})
		})
	}
}

func rowsOf(t *testing.T, db *DB) string {
	t.Helper()
	r, err := db.Session().Read(background(t), db.NewRaw("SELECT id, name, n FROM t ORDER BY id"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for i := range r.Len() {
		var id, n int64
		var name string
		if err := r.Scan(i, &id, &name, &n); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, fmt.Sprint(id, " ", name, " ", n))
	}
	return strings.Join(rows, ", ")
}

// TestWritesThatWait: a write that is held up delays no other for long, and
// a write whose client disconnects before it is sent changes nothing.
func TestWritesThatWait(t *testing.T) {
	setUp := func(t *testing.T) *DB {
		t.Helper()
		// Far longer than a test: none of these is what ends a wait.
		db := open(t, postgres.Database(t), Options{LockTimeout: time.Hour, StatementTimeout: 2 * time.Hour})
		script(t, db, accounts)
		for i := range 4 {
			run(t, db.Session(), "INSERT INTO t VALUES (?, ?, 0)", Param(i), fmt.Sprint("old ", i))
		}
		return db
	}
	t.Run("a lock that one of them needs", func(t *testing.T) {
		db := setUp(t)
		text, release := db.hold(db.renaming(0, "", 0))
		var answers [3]string
		var locked, others sync.WaitGroup
		err := db.InTx(background(t), func(_ context.Context, s *Session) error {
			run(t, s, "UPDATE t SET n = 7 WHERE id = 1")
			for i := range answers {
				wait := &others
				if i == 1 {
					wait = &locked
				}
				wait.Go(func() {
					answers[i] = writeOutcome(db.Session().Write(background(t), db.renaming(i, fmt.Sprint("new ", i), 1), i))
				})
			}
			waits(t, db, text, 3)
			release()
			others.Wait() // though the lock is held, or the test hangs
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		locked.Wait()
		if got, want := rowsOf(t, db), "0 new 0 1, 1 new 1 8, 2 new 2 1, 3 old 3 0"; got != want || answers[1] != "new 1" {
			t.Errorf("the rows are %s; want %s; answered %v", got, want, answers)
		}
	})
	t.Run("places that nobody gives back", func(t *testing.T) {
		db := setUp(t)
		_, release := db.hold(db.renaming(0, "", 0))
		if got := writeOutcome(db.Session().Write(background(t), db.renaming(1, "new", 1), 1)); got != "new" {
			t.Errorf("answered %s", got)
		}
		release()
	})
	t.Run("one who is gone", func(t *testing.T) {
		db := setUp(t)
		text, release := db.hold(db.renaming(0, "", 0))
		ctx, cancel := context.WithCancel(background(t))
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := db.Session().Write(ctx, db.renaming(1, "gone", 1), 1); !errors.Is(err, context.Canceled) {
				t.Errorf("who is gone is told %v", err)
			}
		})
		waits(t, db, text, 1)
		cancel()
		all.Wait()
		release()
		if got := rowsOf(t, db); strings.Contains(got, "gone") {
			t.Errorf("the rows are %s", got)
		}
		if db.writes.Lines() != 0 {
			t.Error("a place is left behind")
		}
	})
}

// TestNoWriteIsLostOrDoubled: 32 clients write at once, some disconnect at any moment, some
// break a rule. A row of an acknowledged write exists once; a row of a rejected write does
// not exist; any other row exists at most once. The test requires that some writes were
// sent together.
func TestNoWriteIsLostOrDoubled(t *testing.T) {
	eachDB(t, lostOrDoubled)
}

func lostOrDoubled(t *testing.T, db *DB) {
	script(t, db, accounts)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	statements := statementsOf(db)
	const each = 60
	var all sync.WaitGroup
	var outcome [32 * each]string
	for writer := range 32 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(writer)))
			for i := range each {
				id := writer*each + i
				n := 1
				if random.IntN(20) == 0 {
					n = 1000
				}
				ctx, cancel := background(t), func() {}
				impatient := random.IntN(5) == 0
				if impatient {
					ctx, cancel = context.WithTimeout(ctx, time.Duration(random.IntN(3000))*time.Microsecond)
				}
				outcome[id] = writeOutcome(db.Session().Write(ctx, db.NewRaw("INSERT INTO t (id, name, n) VALUES (?, ?, ?) RETURNING id", Param(id), strconv.Itoa(id), Param(n)), id))
				if impatient && outcome[id] != strconv.Itoa(id) && outcome[id] != "check" {
					outcome[id] = "gone"
				}
				cancel()
			}
		})
	}
	all.Wait()
	there := map[string]bool{}
	for row := range strings.SplitSeq(rowsOf(t, db), ", ") {
		id, _, _ := strings.Cut(row, " ")
		there[id] = true
	}
	acknowledged := 0
	for id, got := range outcome {
		switch stored := there[strconv.Itoa(id)]; {
		case got == "gone":
		case got == strconv.Itoa(id) && stored:
			acknowledged++
		case got == "check" && !stored:
		default:
			t.Errorf("%d was answered %q, and is stored: %v", id, got, stored)
		}
	}
	if n := int(statements.Load()); n == 0 || n >= len(outcome) {
		t.Errorf("%d writes were %d statements or transactions: none were sent together", len(outcome), n)
	}
	if acknowledged < len(outcome)/2 {
		t.Errorf("%d of %d were acknowledged", acknowledged, len(outcome))
	}
}
