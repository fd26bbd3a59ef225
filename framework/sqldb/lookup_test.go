package sqldb

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/share"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// lookups makes a table of rows of two owners, and the lookup of names by id
// that an owner has.
func lookups(t *testing.T, db *DB, idType, keyColumn string) *Lookup {
	t.Helper()
	script(t, db, "CREATE TABLE t (id "+idType+", n {{bigint}} PRIMARY KEY, owner {{text}}, name {{text}})")
	return NewLookup(func(v Values) schema.QueryAppender {
		return db.NewSelect().TableExpr("t").Column("name").Where("owner = ?", v.At(0)).Where("? ?", bun.Ident(keyColumn), v.Key()).
			OrderExpr("n").ColumnExpr("?", bun.Ident(keyColumn))
	})
}

// A lookedFor is the key of a lookup and its expected result.
type lookedFor struct {
	key   any
	most  int64
	owner string
	names string // with commas between them
	fails bool
}

func (c lookedFor) ask(ctx context.Context, s *Session, l *Lookup) string {
	r, err := s.ReadBy(ctx, l, c.key, c.most, c.owner)
	switch {
	case err != nil && c.fails:
		return ""
	case err != nil:
		return fmt.Sprintf("%v of %s is refused: %v", c.key, c.owner, err)
	}
	var names []string
	for i := range r.Len() {
		names = append(names, sqltext.ColumnText(r.Row(i)[0]))
	}
	if got := strings.Join(names, ","); got != c.names || c.fails {
		return fmt.Sprintf("%v of %s, %d at most, is %q; want %q", c.key, c.owner, c.most, got, c.names)
	}
	return ""
}

// busy runs as many lookups as do before others wait, until release.
func busy(t *testing.T, db *DB, group share.Key) (release func()) {
	t.Helper()
	atOnce := 1
	if db.Kind() == SQLite {
		atOnce = runtime.GOMAXPROCS(0)
	}
	end := make(chan struct{})
	var all sync.WaitGroup
	for range atOnce {
		began := make(chan struct{})
		all.Go(func() {
			_, _ = db.lookups.Do(background(t), group, "", func(context.Context, []string) (keyedResults, error) {
				close(began)
				<-end
				return keyedResults{}, nil
			})
		})
		<-began
	}
	return func() {
		close(end)
		all.Wait()
	}
}

// severalText is the statement of a lookup for several keys.
func severalText(db *DB, l *Lookup) string {
	_, several := sqltext.Of(l)
	return db.statements.Template(several).Text
}

// together runs all lookups while one runs, so that those that may share an execution do,
// and reports how many statements were run for them.
func together(t *testing.T, db *DB, l *Lookup, asked []lookedFor) int {
	t.Helper()
	groups := map[share.Key]int{}
	for _, c := range asked {
		if _, single := sqltext.KeyText(c.key); single {
			groups[share.KeyOf(severalText(db, l), []any{c.most, c.owner})]++
		}
	}
	releases := map[share.Key]func(){}
	for group := range groups {
		releases[group] = busy(t, db, group)
	}
	var ran atomic.Int64
	db.Observe(func(context.Context, Event) { ran.Add(1) })
	var all sync.WaitGroup
	for _, c := range asked {
		all.Go(func() {
			if fault := c.ask(background(t), db.Session(), l); fault != "" {
				t.Error(fault)
			}
		})
	}
	for group, n := range groups {
		waiters(t, db.lookups, group, n)
		releases[group]()
	}
	all.Wait()
	return int(ran.Load())
}

// TestLookup: however many ask, each is answered as by itself.
func TestLookup(t *testing.T) {
	for name, c := range map[string]struct {
		idType, column string
		rows           []string // of t
		asked          []lookedFor
		statements     int // for all of them; 0 if the case does not check it
	}{
		"integers": {
			idType: "{{bigint}}", column: "id",
			rows: []string{"1, 1, 'ada', 'one'", "2, 2, 'ada', 'two'", "-3, 3, 'ada', 'minus three'", "4, 4, 'bob', 'four'"},
			asked: []lookedFor{
				{int64(1), 2, "ada", "one", false}, {2, 2, "ada", "two", false}, {int64(2), 2, "ada", "two", false}, {int64(-3), 2, "ada", "minus three", false},
				{int64(4), 2, "ada", "", false}, {int64(5), 2, "ada", "", false},
				{int64(4), 2, "bob", "four", false}, {int64(1), 2, "bob", "", false},
			},
			statements: 2, // one for each owner
		},
		"UUIDs": {
			idType: "{{uuid}}", column: "id",
			rows: []string{"'00000000-0000-7000-8000-00000000000a', 1, 'ada', 'a'", "'00000000-0000-7000-8000-00000000000b', 2, 'ada', 'b'"},
			asked: []lookedFor{
				{uuid.MustParse("00000000-0000-7000-8000-00000000000A"), 2, "ada", "a", false}, {uuid.MustParse("00000000-0000-7000-8000-00000000000b"), 2, "ada", "b", false},
				{uuid.Nil, 2, "ada", "", false}, {uuid.MustParse("00000000-0000-7000-8000-00000000000a"), 2, "bob", "", false}, {uuid.Max, 2, "bob", "", false},
			},
			statements: 2,
		},
		"texts, of which two may be one to the database, run by themselves": {
			idType: "{{text}}", column: "id",
			rows: []string{"'a', 1, 'ada', 'small'", "'A', 2, 'ada', 'large'", "'{x,\"y}', 3, 'ada', 'odd'"},
			asked: []lookedFor{
				{"a", 2, "ada", "small", false}, {"A", 2, "ada", "large", false}, {`{x,"y}`, 2, "ada", "odd", false}, {"b", 2, "ada", "", false},
			},
			statements: 4,
		},
		"several rows of a key, in their order": {
			idType: "{{bigint}}", column: "id",
			rows: []string{"1, 5, 'ada', 'e'", "2, 4, 'ada', 'd'", "1, 3, 'ada', 'c'", "2, 2, 'ada', 'b'", "1, 1, 'ada', 'a'", "3, 6, 'ada', 'f'"},
			asked: []lookedFor{
				{int64(1), 9, "ada", "a,c,e", false}, {int64(2), 9, "ada", "b,d", false}, {int64(3), 9, "ada", "f", false}, {int64(4), 9, "ada", "", false},
			},
			statements: 1,
		},
		"more rows than all may have: each runs by itself": {
			idType: "{{bigint}}", column: "id",
			rows: []string{"1, 5, 'ada', 'e'", "2, 4, 'ada', 'd'", "1, 3, 'ada', 'c'", "1, 2, 'ada', 'b'", "1, 1, 'ada', 'a'"},
			asked: []lookedFor{
				{int64(1), 2, "ada", "a,b", false}, {int64(2), 2, "ada", "d", false},
			},
			statements: 3,
		},
		"more rows than one may have, and not all: its own are cut": {
			idType: "{{bigint}}", column: "id",
			rows: []string{"1, 5, 'ada', 'e'", "1, 3, 'ada', 'c'", "1, 2, 'ada', 'b'", "1, 1, 'ada', 'a'"},
			asked: []lookedFor{
				{int64(1), 2, "ada", "a,b", false}, {int64(2), 2, "ada", "", false}, {int64(3), 2, "ada", "", false},
			},
			statements: 1,
		},
		"as many rows as there may be": {
			idType: "{{bigint}}", column: "id",
			rows:       []string{"1, 1, 'ada', 'a'", "2, 2, 'ada', 'b'"},
			asked:      []lookedFor{{int64(1), 1, "ada", "a", false}, {int64(2), 1, "ada", "b", false}},
			statements: 1,
		},
		"a key that cannot be fails alone": {
			idType: "{{integer}}", column: "id",
			rows: []string{"1, 1, 'ada', 'one'", "2, 2, 'ada', 'two'"},
			asked: []lookedFor{
				{int64(1), 2, "ada", "one", false}, {int64(2), 2, "ada", "two", false}, {int64(1) << 40, 2, "ada", "", true},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachDB(t, func(t *testing.T, db *DB) {
				idType := c.idType
				if idType == "{{integer}}" {
					if db.Kind() == SQLite {
						t.Skip("SQLite's integers have one size")
					}
					idType = "integer"
				}
				l := lookups(t, db, idType, c.column)
				for _, row := range c.rows {
					run(t, db.Session(), "INSERT INTO t VALUES ("+row+")")
				}
				for _, asked := range c.asked {
					if fault := asked.ask(background(t), db.Session(), l); fault != "" {
						t.Errorf("by itself: %s", fault)
					}
				}
				if n := together(t, db, l, c.asked); c.statements > 0 && n != c.statements {
					t.Errorf("asked together they are %d statements; want %d", n, c.statements)
				}
				for _, asked := range slices.DeleteFunc(slices.Clone(c.asked), func(c lookedFor) bool { return c.fails }) {
					err := db.InTx(background(t), func(ctx context.Context, s *Session) error {
						if fault := asked.ask(ctx, s, l); fault != "" {
							t.Errorf("in a transaction: %s", fault)
						}
						return nil
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		})
	}
}

// TestLookupOfOneWhoStays: a round that the first of those who waited began to gather,
// and left, answers another with the rows of that one's key, in one statement that does
// not ask for the first's.
func TestLookupOfOneWhoStays(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		l := lookups(t, db, "{{bigint}}", "id")
		run(t, db.Session(), "INSERT INTO t VALUES (1, 1, 'ada', 'one'), (2, 2, 'ada', 'two')")
		group := share.KeyOf(severalText(db, l), []any{int64(2), "ada"})
		release := busy(t, db, group)
		var sent []string
		db.Observe(func(_ context.Context, e Event) { sent = append(sent, fmt.Sprint(e.Args)) })
		ctx, leave := context.WithCancel(background(t))
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := db.Session().ReadBy(ctx, l, int64(1), 2, "ada"); !errors.Is(err, context.Canceled) {
				t.Errorf("who left is told %v", err)
			}
		})
		waiters(t, db.lookups, group, 1)
		all.Go(func() {
			if fault := (lookedFor{int64(2), 2, "ada", "two", false}).ask(background(t), db.Session(), l); fault != "" {
				t.Error(fault)
			}
		})
		waiters(t, db.lookups, group, 2)
		leave()
		waiters(t, db.lookups, group, 1)
		release()
		all.Wait()
		if len(sent) != 1 || strings.Contains(sent[0], "1") {
			t.Errorf("the statements have the values %v; want one, without the key 1", sent)
		}
	})
}

// TestLookupAsText: where values are written into the text, nothing is shared
// but equal statements, and the answers are the same.
func TestLookupAsText(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{NoPrepare: true})
		l := lookups(t, db, "{{bigint}}", "id")
		run(t, db.Session(), "INSERT INTO t VALUES (1, 1, 'ada', 'one'), (2, 2, 'ada', 'two')")
		for _, asked := range []lookedFor{{int64(1), 2, "ada", "one", false}, {int64(2), 1, "ada", "two", false}, {int64(1), 2, "o'hara", "", false}} {
			if fault := asked.ask(background(t), db.Session(), l); fault != "" {
				t.Error(fault)
			}
		}
	})
}

// TestNoLookupMissesACommit: one connection writes, and 32 look up rows by different keys,
// for different owners. Each result includes what was committed before the lookup began,
// and no row of another key or owner. The test requires that some of them shared
// an execution.
func TestNoLookupMissesACommit(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		l := lookups(t, db, "{{bigint}}", "id")
		const keys = 8
		owners := []string{"ada", "bob"}
		for i := range keys {
			for at, owner := range owners {
				run(t, db.Session(), "INSERT INTO t VALUES (?, ?, ?, ?)", Param(i), Param(2*i+at), owner, "0")
			}
		}
		var statements, asked atomic.Int64
		var committed [keys]atomic.Int64
		db.Observe(func(_ context.Context, e Event) {
			if strings.HasPrefix(e.SQL, "SELECT") {
				statements.Add(1)
			}
		})
		ctx, stop := context.WithCancel(background(t))
		defer stop()
		var readers sync.WaitGroup
		for reader := range 32 {
			readers.Go(func() {
				owner := owners[reader%2]
				for i := reader; ctx.Err() == nil; i++ {
					before := committed[i%keys].Load()
					asked.Add(1)
					r, err := db.Session().ReadBy(ctx, l, int64(i%keys), 2, owner)
					if err != nil {
						if ctx.Err() == nil {
							t.Error(err)
						}
						return
					}
					var (
						name string
						key  int64
					)
					if err := r.Scan(0, &name, &key); err != nil || r.Len() != 1 || key != int64(i%keys) {
						t.Errorf("%d of %s is %d rows, the first of key %d: %v", i%keys, owner, r.Len(), key, err)
						return
					}
					whose, n, found := strings.Cut(name, " ")
					if found && whose != owner {
						t.Errorf("%s is shown what is %s's", owner, whose)
						return
					}
					var seen int64
					if _, err := fmt.Sscan(n, &seen); found && (err != nil || seen < before) {
						t.Errorf("a read that began after commit %d sees %q", before, name)
						return
					}
				}
			})
		}
		for n := range 300 {
			key := n % keys
			run(t, db.Session(), "UPDATE t SET name = owner || ' ' || ? WHERE id = ?", strconv.Itoa(n+1), Param(key))
			committed[key].Store(int64(n + 1))
		}
		stop()
		readers.Wait()
		if s, a := statements.Load(), asked.Load(); s >= a {
			t.Errorf("%d reads were %d statements: none shared", a, s)
		}
	})
}
