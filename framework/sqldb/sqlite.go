package sqldb

import (
	"context"
	"database/sql/driver"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
)

const (
	// busyTimeout is how long SQLite itself waits for the lock of another process.
	// It is short, because that wait ignores the context; see conn.retried.
	busyTimeout = 50 * time.Millisecond

	// openWait is how long opening a file waits for another connection to give the
	// file its WAL.
	openWait = 5 * time.Second

	// busyPause is the longest pause before a statement is tried again on a file
	// that is busy.
	busyPause = 10 * time.Millisecond
)

// sqliteConnector opens connections of a driver of its own, so that the
// functions it registers reach no other database of the process.
type sqliteConnector struct {
	core   *core
	driver *sqlite.Driver
	dsn    string
	waits  time.Duration // see openWait; 0 if nothing waits for a file that is busy
}

func newSQLiteConnector(c *core, u *url.URL) (driver.Connector, error) {
	if !c.options.ReadOnly && !c.options.Immutable {
		if err := createFile(u.Path); err != nil {
			return nil, err
		}
	}
	d := new(sqlite.Driver)
	if err := d.RegisterDeterministicScalarFunction("trestle_fold", 1, foldFunction); err != nil {
		return nil, fmt.Errorf("sqldb: registering trestle_fold: %w", err)
	}
	if err := d.RegisterDeterministicScalarFunction("trestle_part", 2, documentPart); err != nil {
		return nil, fmt.Errorf("sqldb: registering trestle_part: %w", err)
	}
	return &sqliteConnector{core: c, driver: d, dsn: sqliteDSN(u, c.options), waits: openWait}, nil
}

func (s *sqliteConnector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	if o := s.core.options; !o.ReadOnly && !o.Immutable {
		refreshStatistics(ctx, inner)
	}
	c := newConn(s.core, inner)
	c.handle, c.waits = sqliteHandle(inner), s.waits > 0
	c.watchRollbacks(true)
	return c, nil
}

// open opens the file, and tries again while it is busy. SQLite itself waits for
// other connections except in one case: if two connections give a new file its WAL at
// the same time, each would wait for the other, so one of them fails at once.
func (s *sqliteConnector) open(ctx context.Context) (driver.Conn, error) {
	end := time.Now().Add(s.waits)
	for attempt := 1; ; attempt++ {
		inner, err := s.driver.Open(s.dsn)
		if err == nil || !retries(err) || time.Now().After(end) || !pause(ctx, attempt) {
			return inner, err
		}
	}
}

// refreshStatistics lets SQLite count the rows of tables, and those that share a
// value of an index, where that has changed much. Without these statistics it takes
// the index that meets most conditions, even if another finds far fewer rows. A
// connection reads them when it opens, so each refreshes them first. If another one
// writes just then, this one goes on with the old statistics.
func refreshStatistics(ctx context.Context, inner driver.Conn) {
	_, _ = inner.(driver.ExecerContext).ExecContext(ctx, "PRAGMA optimize = 0x10002", nil)
}

func (s *sqliteConnector) Driver() driver.Driver { return s.driver }

// sqliteDSN is the driver's own form. _dqs=0 makes a misspelt column an error
// where SQLite would take it for a string. With a limit, ANALYZE takes no samples
// of the values of columns: where there are some, SQLite plans a statement anew
// each time that a parameter changes.
func sqliteDSN(u *url.URL, o Options) string {
	q := url.Values{
		"_pragma":      {fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), "foreign_keys(1)", "analysis_limit(1000)"},
		"_txlock":      {"immediate"},
		"_time_format": {"sqlite"},
		"_dqs":         {"0"},
	}
	switch {
	case o.Immutable:
		q.Set("mode", "ro")
		q.Set("immutable", "1")
	case o.ReadOnly:
		q.Set("mode", "ro")
	default:
		q.Add("_pragma", "journal_mode(WAL)")
	}
	synchronous := u.Query().Get("synchronous")
	q.Add("_pragma", "synchronous("+orDefault(synchronous, "full")+")")
	return (&url.URL{Scheme: "file", Path: u.Path, RawQuery: q.Encode()}).String()
}

// createFile makes a missing database file and its folder, readable by their
// owner alone.
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
		return Fold(v), nil
	case []byte:
		return Fold(string(v)), nil
	}
	return args[0], nil
}
