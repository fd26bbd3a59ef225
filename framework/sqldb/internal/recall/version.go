package recall

import (
	"context"
	"database/sql/driver"
	"errors"
	"strconv"
	"sync"
)

// A FileVersion reads the version of a SQLite file: a number that changes whenever a
// connection of this or another process commits a change. It has a connection of its own,
// because SQLite leaves out the commits of the connection that reads the version. That
// connection never writes. It is opened at the first use, beside the pool.
type FileVersion struct {
	open func(context.Context) (driver.Conn, error)

	mu     sync.Mutex
	conn   driver.Conn // nil if none is open
	read   driver.StmtQueryContext
	opened int // how many connections were opened; versions of different ones cannot be compared
	closed bool
}

// NewFileVersion makes a FileVersion whose connection open makes.
func NewFileVersion(open func(context.Context) (driver.Conn, error)) *FileVersion {
	return &FileVersion{open: open}
}

var errVersionClosed = errors.New("sqldb: the database is closed")

// Now returns the version of this moment. If two versions are equal, nothing was committed
// between them. Now does not end with ctx. It opens the connection if none is open, and
// closes it after an error.
func (f *FileVersion) Now(ctx context.Context) (string, error) {
	ctx = context.WithoutCancel(ctx) // the driver would start a goroutine to interrupt some microseconds of work
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.conn == nil {
		if err := f.connect(ctx); err != nil {
			return "", err
		}
	}
	v, err := f.query(ctx)
	if err != nil {
		_ = f.drop()
		return "", err
	}
	return strconv.Itoa(f.opened) + ":" + strconv.FormatInt(v, 10), nil
}

func (f *FileVersion) connect(ctx context.Context) error {
	if f.closed {
		return errVersionClosed
	}
	conn, err := f.open(ctx)
	if err != nil {
		return err
	}
	s, err := conn.(driver.ConnPrepareContext).PrepareContext(ctx, "PRAGMA data_version")
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	f.conn, f.read = conn, s.(driver.StmtQueryContext)
	f.opened++
	return nil
}

func (f *FileVersion) query(ctx context.Context) (int64, error) {
	rows, err := f.read.QueryContext(ctx, nil)
	if err != nil {
		return 0, err
	}
	var row [1]driver.Value
	err = rows.Next(row[:])
	if err = errors.Join(err, rows.Close()); err != nil {
		return 0, err
	}
	v, ok := row[0].(int64)
	if !ok {
		return 0, ErrNoNumber
	}
	return v, nil
}

// drop closes the connection.
func (f *FileVersion) drop() error {
	if f.conn == nil {
		return nil
	}
	err := errors.Join(f.read.(driver.Stmt).Close(), f.conn.Close())
	f.conn, f.read = nil, nil
	return err
}

// Close closes the connection; later calls of Now fail. It does nothing on a nil
// FileVersion.
func (f *FileVersion) Close() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return f.drop()
}
