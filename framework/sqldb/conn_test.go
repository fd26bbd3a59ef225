package sqldb

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"
)

// prepared counts the statements that are prepared on a PostgreSQL connection.
const preparedCount = "SELECT count(*) FROM pg_prepared_statements"

func TestStatementCache(t *testing.T) {
	db := open(t, postgresURL(t), Options{MaxConns: 1, Statements: 4})
	s := db.Session()
	t.Run("one text is prepared once", func(t *testing.T) {
		for i := range 10 {
			if got := one[int](t, s, "SELECT ?::int", Param(i)); got != i {
				t.Fatalf("got %d, want %d", got, i)
			}
		}
		if n := one[int](t, s, preparedCount); n != 2 {
			t.Errorf("%d statements are prepared, want 2", n)
		}
	})
	t.Run("many texts stay within the bound", func(t *testing.T) {
		for i := range 20 {
			if got := one[int](t, s, fmt.Sprintf("SELECT ?::int + %d", i), Param(1)); got != i+1 {
				t.Fatalf("got %d", got)
			}
		}
		if n := one[int](t, s, preparedCount); n > 4 {
			t.Errorf("%d statements are prepared, want at most 4", n)
		}
	})
	t.Run("bun's own queries are not prepared", func(t *testing.T) {
		before := one[int](t, s, preparedCount)
		var n int
		if err := db.NewSelect().ColumnExpr("17").Scan(background(t), &n); err != nil {
			t.Fatal(err)
		}
		if after := one[int](t, s, preparedCount); after != before {
			t.Errorf("%d statements, before %d", after, before)
		}
	})
	t.Run("NoPrepare prepares nothing", func(t *testing.T) {
		db := open(t, postgresURL(t), Options{MaxConns: 1, NoPrepare: true})
		for range 3 {
			if got := one[int](t, db.Session(), "SELECT ?::int", Param(5)); got != 5 {
				t.Fatalf("got %d", got)
			}
		}
		if n := one[int](t, db.Session(), preparedCount); n != 0 {
			t.Errorf("%d statements are prepared", n)
		}
	})
}

// TestStatementsUnderEviction runs more texts than the cache holds from many
// goroutines, on the pool and in transactions, and checks every answer.
func TestStatementsUnderEviction(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{MaxConns: 3, Statements: 3})
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(g), 1))
				for range 100 {
					if err := askAtRandom(background(t), db, r); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
	})
}

func askAtRandom(ctx context.Context, db *DB, r *rand.Rand) error {
	ask := func(ctx context.Context, s *Session) error {
		n, add := r.IntN(10), r.IntN(1000)
		got, err := oneOf[int](ctx, s, fmt.Sprintf("SELECT CAST(? AS integer) + %d", n), Param(add))
		if err == nil && got != n+add {
			err = fmt.Errorf("%d + %d is %d", n, add, got)
		}
		return err
	}
	if r.IntN(4) > 0 {
		return ask(ctx, db.Session())
	}
	return db.InTx(ctx, func(ctx context.Context, s *Session) error {
		return errors.Join(ask(ctx, s), ask(ctx, s))
	})
}

// TestANewFileIsOpenedByManyAtOnce: each of the connections finds a file without a
// WAL, as those of several processes on a new database do.
func TestANewFileIsOpenedByManyAtOnce(t *testing.T) {
	for range 50 {
		url := sqliteURL(t)
		begin := make(chan struct{})
		var wg sync.WaitGroup
		for range 8 {
			db := open(t, url, Options{})
			wg.Go(func() {
				<-begin
				if err := db.PingContext(background(t)); err != nil {
					t.Error(err)
				}
			})
		}
		close(begin)
		wg.Wait()
	}
}

// TestStalePlan changes a table under a prepared statement.
func TestStalePlan(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, "CREATE TABLE t (a {{text}})\n--bun:split\nINSERT INTO t VALUES ('x')")
		read := func(ctx context.Context, s *Session) ([]string, error) {
			rows, err := s.Query(ctx, db.NewSelect().TableExpr("t").ColumnExpr("t.*").Where("a = ?", "x"))
			if err != nil {
				return nil, err
			}
			defer rows.Close()
			columns, err := rows.Columns()
			return columns, errors.Join(err, rows.Close())
		}
		inTx := func(ctx context.Context, s *Session) (columns []string, err error) {
			err = db.InTx(ctx, func(ctx context.Context, s *Session) error {
				columns, err = read(ctx, s)
				return err
			})
			return columns, err
		}
		want := []string{"a"}
		for i, read := range []func(context.Context, *Session) ([]string, error){read, read, inTx, inTx} {
			got, err := read(background(t), db.Session())
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%d: columns %v, want %v: %v", i, got, want, err)
			}
			name := fmt.Sprintf("b%d", i)
			script(t, db, "ALTER TABLE t ADD COLUMN "+name+" {{bigint}}")
			want = append(want, name)
		}
	})
}

// endless is a statement that runs until it is stopped.
func endless(k Kind) string {
	if k == PostgreSQL {
		return "SELECT pg_sleep(3600)"
	}
	return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
}

func TestEndlessStatementIsStopped(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{StatementTimeout: 200 * time.Millisecond, MaxConns: 2})
		endlessQuery := func(ctx context.Context, s *Session) error {
			_, err := oneOf[any](ctx, s, endless(db.Kind()))
			return err
		}
		ways := map[string]func(context.Context) error{
			"query": func(ctx context.Context) error { return endlessQuery(ctx, db.Session()) },
			"exec": func(ctx context.Context) error {
				_, err := db.Session().Exec(ctx, db.NewRaw(endless(db.Kind())))
				return err
			},
			"bun": func(ctx context.Context) error {
				_, err := db.NewRaw(endless(db.Kind())).Exec(ctx)
				return err
			},
			"transaction": func(ctx context.Context) error { return db.InTx(ctx, endlessQuery) },
		}
		for name, way := range ways {
			t.Run("by the default deadline, "+name, func(t *testing.T) {
				err := way(context.Background())
				if f, ok := Classify(err); !ok || f.Kind != Timeout {
					t.Errorf("%v is %v", err, f.Kind)
				}
			})
			t.Run("by its own deadline, "+name, func(t *testing.T) {
				run(t, db.Session(), "SELECT 1") // a busy machine takes long to connect
				ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
				defer cancel()
				err := way(ctx)
				if f, ok := Classify(err); !ok || f.Kind != Timeout {
					t.Errorf("%v is %v", err, f.Kind)
				}
			})
			t.Run("by its caller, "+name, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				timer := time.AfterFunc(50*time.Millisecond, cancel)
				defer timer.Stop()
				err := way(ctx)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%v", err)
				}
				if _, ok := Classify(err); ok {
					t.Error("the caller's own end is classified as a fault")
				}
			})
		}
		if got := one[int](t, db.Session(), "SELECT 7"); got != 7 {
			t.Errorf("afterwards: %d", got)
		}
	})
}

// TestServerStopsToo cancels a statement and waits until the server has ended
// it, long before its own timeout.
func TestServerStopsToo(t *testing.T) {
	url := postgresURL(t)
	db, other := open(t, url, Options{StatementTimeout: time.Hour}), open(t, url, Options{})
	ctx, cancel := context.WithCancel(background(t))
	done := make(chan error)
	go func() {
		_, err := oneOf[any](ctx, db.Session(), endless(PostgreSQL))
		done <- err
	}()
	const running = "SELECT count(*), pg_sleep(0.01) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(3600%' AND state = 'active' AND datname = current_database()"
	await := func(want int) {
		for {
			var n int
			var slept any
			if err := other.QueryRowContext(background(t), running).Scan(&n, &slept); err != nil {
				t.Fatal(err)
			}
			if n == want {
				return
			}
		}
	}
	await(1)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	await(0)
}

// TestNoAnswerReachesAnotherStatement ends many statements at odd moments and
// checks that every other one still gets its own answer.
func TestNoAnswerReachesAnotherStatement(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{MaxConns: 2})
		s := db.Session()
		for i := range 200 {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i%20)*50*time.Microsecond)
			_, _ = oneOf[int](ctx, s, "SELECT CAST(? AS integer)", Param(-i))
			cancel()
			if got := one[int](t, s, "SELECT CAST(? AS integer)", Param(i)); got != i {
				t.Fatalf("asked for %d, got %d", i, got)
			}
		}
	})
}

func TestStatementWhileRowsAreOpen(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		err := db.InTx(background(t), func(ctx context.Context, s *Session) error {
			rows, err := s.Query(ctx, db.NewRaw("SELECT 1 UNION SELECT 2"))
			if err != nil {
				return err
			}
			_, err = s.Exec(ctx, db.NewRaw("SELECT 3"))
			if err == nil || !strings.Contains(err.Error(), "still open") {
				t.Errorf("got %v", err)
			}
			rows.Close()
			_, err = s.Exec(ctx, db.NewRaw("SELECT 3"))
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func TestObserve(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, "CREATE TABLE t (a {{text}} UNIQUE)")
		var events []Event
		db.Observe(func(_ context.Context, e Event) { events = append(events, e) })
		ctx := background(t)
		run(t, db.Session(), "INSERT INTO t VALUES (?)", "session")
		_, _ = db.NewRaw("INSERT INTO t VALUES (?)", "bun").Exec(ctx)
		_, _ = db.DB.DB.ExecContext(ctx, "INSERT INTO t VALUES ($1)", "database/sql")
		_ = db.InTx(ctx, func(ctx context.Context, s *Session) error {
			run(t, s, "INSERT INTO t VALUES (?)", "transaction")
			return nil
		})
		_ = db.InTx(ctx, func(ctx context.Context, s *Session) error {
			_, err := s.Exec(ctx, db.NewRaw("INSERT INTO t VALUES (?)", "bun"))
			return err
		})
		_, _ = oneOf[string](ctx, db.Session(), "INSERT INTO t VALUES (?) RETURNING a", "bun")

		var got []string
		for _, e := range events {
			text := e.SQL
			if len(e.Args) > 0 {
				text = fmt.Sprint("with ", e.Args[0])
			}
			got = append(got, fmt.Sprintf("%s control=%t failed=%t", text, e.Control, e.Err != nil))
		}
		want := []string{
			"with session control=false failed=false",
			"INSERT INTO t VALUES ('bun') control=false failed=false",
			"with database/sql control=false failed=false",
			"BEGIN control=true failed=false",
			"with transaction control=false failed=false",
			"COMMIT control=true failed=false",
			"BEGIN control=true failed=false",
			"with bun control=false failed=true",
			"ROLLBACK control=true failed=false",
			"with bun control=false failed=true",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// TestPoolHeals breaks every idle connection from the server's side.
func TestPoolHeals(t *testing.T) {
	url := postgresURL(t)
	db, other := open(t, url, Options{MaxConns: 4}), open(t, url, Options{MaxConns: 1})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { run(t, db.Session(), "SELECT pg_sleep(0.05)") })
	}
	wg.Wait()
	n := one[int](t, other.Session(), "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	if n == 0 {
		t.Fatal("there was no connection to end")
	}
	for range 8 {
		if _, err := oneOf[int](background(t), db.Session(), "SELECT 1"); err != nil {
			t.Errorf("after the server ended %d connections: %v", n, err)
		}
	}
}

// TestBrokenConnection cuts the wire in the middle of a statement.
func TestBrokenConnection(t *testing.T) {
	u, err := url.Parse(postgresURL(t))
	if err != nil {
		t.Fatal(err)
	}
	wire := newWire(t, u.Host)
	u.Host = wire.address
	u.RawQuery = "sslmode=disable"
	db := open(t, u.String(), Options{MaxConns: 1})
	run(t, db.Session(), "SELECT 1")
	cut := time.AfterFunc(50*time.Millisecond, wire.cut)
	defer cut.Stop()
	_, err = oneOf[any](background(t), db.Session(), endless(PostgreSQL))
	if f, ok := Classify(err); !ok || f.Kind != Unavailable {
		t.Errorf("%v is %v", err, f.Kind)
	}
	if got, err := oneOf[int](background(t), db.Session(), "SELECT 2"); got != 2 {
		t.Errorf("afterwards: %v", err)
	}
}

// wire passes bytes on to a server and can be cut.
type wire struct {
	address string
	mu      sync.Mutex
	ends    []net.Conn
}

func newWire(t *testing.T, server string) *wire {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{address: l.Addr().String()}
	t.Cleanup(func() { l.Close(); w.cut() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", server)
			if err != nil {
				near.Close()
				continue
			}
			w.join(near, far)
		}
	}()
	return w
}

func (w *wire) join(near, far net.Conn) {
	w.mu.Lock()
	w.ends = append(w.ends, near, far)
	w.mu.Unlock()
	pass := func(to, from net.Conn) {
		buf := make([]byte, 4096)
		for {
			n, err := from.Read(buf)
			if _, werr := to.Write(buf[:n]); err != nil || werr != nil {
				to.Close()
				return
			}
		}
	}
	go pass(near, far)
	go pass(far, near)
}

func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.ends {
		c.Close()
	}
	w.ends = nil
}

func TestPreparedByHand(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		stmt, err := db.DB.DB.PrepareContext(background(t), "SELECT CAST($1 AS integer) + 1")
		if err != nil {
			t.Fatal(err)
		}
		defer stmt.Close()
		for i := range 3 {
			var got int
			if err := stmt.QueryRowContext(background(t), i).Scan(&got); err != nil || got != i+1 {
				t.Errorf("%d + 1 is %d: %v", i, got, err)
			}
		}
	})
}

func TestSession(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		s := db.Session()
		if s.InTx() || s.DB() != db || s.IDB() != bun.IDB(db.DB) {
			t.Error("the pool's session is not the pool's")
		}
		err := db.InTx(background(t), func(ctx context.Context, s *Session) error {
			if _, ok := s.IDB().(bun.Tx); !s.InTx() || s.DB() != db || !ok {
				t.Error("the transaction's session is not the transaction's")
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestAnalyzeTakesNoSamples: with samples of values, every change of a parameter
// would have SQLite plan the statement again.
func TestAnalyzeTakesNoSamples(t *testing.T) {
	db := open(t, sqliteURL(t), Options{})
	script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY, name {{text}}); CREATE INDEX t_name ON t (name)")
	for i := range 100 {
		run(t, db.Session(), "INSERT INTO t VALUES (?, ?)", Param(i), strconv.Itoa(i%7))
	}
	run(t, db.Session(), "ANALYZE")
	for table, want := range map[string]bool{"sqlite_stat1": true, "sqlite_stat4": false} {
		r, err := db.Session().Read(background(t), db.NewRaw("SELECT count(*) FROM ?", bun.Ident(table)))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Row(0)[0] != int64(0); got != want {
			t.Errorf("%s has rows: %v; want %v", table, got, want)
		}
	}
}
