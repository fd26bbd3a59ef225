package connection

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"

	"trestle.example/framework/sqldb/internal/dialect"
	"trestle.example/framework/sqldb/internal/fault"
)

const (
	// busyTimeout is how long SQLite itself waits for the lock of another process.
	// It is short, because that wait ignores the context; see Conn.retried.
	busyTimeout = 50 * time.Millisecond

	// openWait is how long opening a file waits while another connection switches the
	// file to a WAL.
	openWait = 5 * time.Second

	// busyPause is the longest pause before a statement is tried again on a file
	// that is busy.
	busyPause = 10 * time.Millisecond
)

// A File opens connections to a SQLite file, by a driver of its own, so that the SQL functions
// of that driver exist in no other database of the process.
type File struct {
	shared *Shared
	driver *sqlite.Driver
	dsn    string
	waits  time.Duration // see openWait; 0 if nothing waits for a file that is busy

	optimizes bool // each connection refreshes the statistics
}

// Mode is how a SQLite file is opened.
type Mode int

// The modes.
const (
	Writes    Mode = iota // the file is made if it is missing
	ReadOnly              // nothing makes the file or changes its journal
	Immutable             // no process writes the file, and SQLite reads no other file beside it
)

// SQLite returns a connector to the file of a URL, and what its connections share. With the mode
// Writes, it first creates the file if it is missing, and returns an error if it cannot.
func SQLite(u *url.URL, mode Mode, o Options) (*File, *Shared, error) {
	if mode == Writes {
		if err := createFile(u.Path); err != nil {
			return nil, nil, err
		}
	}
	d, err := newSQLiteDriver()
	if err != nil {
		return nil, nil, err
	}
	f := &File{shared: &Shared{options: o}, driver: d, dsn: sqliteDSN(u, mode), waits: openWait, optimizes: mode == Writes}
	return f, f.shared, nil
}

// Exclusive returns a connector to a SQLite file for a caller that locks the file. It neither
// makes the file nor waits for other processes. Each statement needs a context of
// [Unlimited]: without it, the statement times out at once.
func Exclusive(path string) (driver.Connector, error) {
	d, err := newSQLiteDriver()
	if err != nil {
		return nil, err
	}
	q := url.Values{"mode": {"rw"}, "_pragma": {"busy_timeout(0)", "synchronous(full)"}}
	dsn := (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
	return &File{shared: &Shared{options: Options{Kind: dialect.SQLite, Statements: 1}}, driver: d, dsn: dsn}, nil
}

func newSQLiteDriver() (*sqlite.Driver, error) {
	d := new(sqlite.Driver)
	if err := d.RegisterDeterministicScalarFunction("trestle_fold", 1, foldFunction); err != nil {
		return nil, fmt.Errorf("sqldb: registering trestle_fold: %w", err)
	}
	if err := d.RegisterDeterministicScalarFunction("trestle_part", 2, documentPart); err != nil {
		return nil, fmt.Errorf("sqldb: registering trestle_part: %w", err)
	}
	return d, nil
}

// Connect makes a connection.
func (s *File) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := s.Open(ctx)
	if err != nil {
		return nil, err
	}
	if s.optimizes {
		refreshStatistics(ctx, inner)
	}
	c := newConn(s.shared, inner)
	c.handle, c.waits = sqliteHandle(inner), s.waits > 0
	c.watchRollbacks(true)
	return c, nil
}

// Open returns a connection of the driver. It tries again while the file is busy, for at most
// openWait. SQLite itself waits for other connections except in one case: if two connections
// switch a new file to a WAL at the same time, each would wait for the other, so one of them
// fails at once.
func (s *File) Open(ctx context.Context) (driver.Conn, error) {
	end := time.Now().Add(s.waits)
	for attempt := 1; ; attempt++ {
		inner, err := s.driver.Open(s.dsn)
		if err == nil || !fault.Retries(err) || time.Now().After(end) || !fault.Pause(ctx, attempt) {
			return inner, err
		}
	}
}

// refreshStatistics lets SQLite count the rows of tables, and the rows with equal values in
// an index, where these numbers have changed much. Without these statistics SQLite uses
// the index that meets most conditions, even if another index finds far fewer rows. Each
// connection refreshes them when it opens. If that fails, for example because another
// connection writes, this one uses the old statistics.
func refreshStatistics(ctx context.Context, inner driver.Conn) {
	_, _ = inner.(driver.ExecerContext).ExecContext(ctx, "PRAGMA optimize = 0x10002", nil)
}

// Driver returns the driver of the file.
func (s *File) Driver() driver.Driver { return s.driver }

// analysisLimit is how many rows of an index ANALYZE reads for its statistics, about 10 ms of work.
// Indexes with more rows than that for each value look alike to SQLite. With the 1,000 that its
// documentation recommends, it read 120,000 rows of one status where the index of another
// condition had 6,000.
const analysisLimit = 20_000

// sqliteDSN returns a URL in the form of the driver. _dqs=0 makes a misspelt column in double
// quotes an error, where SQLite would take it for a string. With analysis_limit, ANALYZE
// takes no samples of the values of columns. With samples, SQLite would plan a statement
// again each time that a parameter changes.
func sqliteDSN(u *url.URL, mode Mode) string {
	q := url.Values{
		"_pragma":      {fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), "foreign_keys(1)", fmt.Sprintf("analysis_limit(%d)", analysisLimit)},
		"_txlock":      {"immediate"},
		"_time_format": {"sqlite"},
		"_dqs":         {"0"},
	}
	switch mode {
	case Immutable:
		q.Set("mode", "ro")
		q.Set("immutable", "1")
	case ReadOnly:
		q.Set("mode", "ro")
	default:
		q.Add("_pragma", "journal_mode(WAL)")
	}
	synchronous := u.Query().Get("synchronous")
	q.Add("_pragma", "synchronous("+cmp.Or(synchronous, "full")+")")
	return (&url.URL{Scheme: "file", Path: u.Path, RawQuery: q.Encode()}).String()
}

// createFile makes a missing database file and its folder, readable by their owner alone. A
// file that cannot be opened for writing is an error.
func createFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("sqldb: creating the folder of the SQLite database: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("sqldb: opening the SQLite database for writing: %w", err)
	}
	return f.Close()
}

func foldFunction(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
	switch v := args[0].(type) {
	case string:
		return dialect.Fold(v), nil
	case []byte:
		return dialect.Fold(string(v)), nil
	}
	return args[0], nil
}

// documentPart is trestle_part(document, n) in SQLite. It returns the nth part of a document,
// counted from 1, or an empty text if there is none, like split_part of PostgreSQL.
func documentPart(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
	document, ok := args[0].(string)
	n, counted := args[1].(int64)
	if !ok || !counted {
		return nil, fmt.Errorf("trestle_part takes a text and a number, not %T and %T", args[0], args[1])
	}
	parts := strings.Split(document, "\x1f")
	if n < 1 || int(n) > len(parts) {
		return "", nil
	}
	return parts[n-1], nil
}
