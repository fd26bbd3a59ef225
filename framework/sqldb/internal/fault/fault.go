// Package fault classifies the errors of both databases: what a failure means to the
// caller, independent of the driver, pool or network that reported it.
package fault

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"

	"modernc.org/sqlite"

	"trestle.example/framework/internal/fair"
)

// Kind is the category of a database error. Package sqldb documents each kind.
type Kind int

// The kinds of fault. The zero Kind is not one of them.
const (
	Other Kind = iota + 1
	Unique
	ForeignKey
	Check
	NotNull
	Retry
	Timeout
	Unavailable
	Full
	OutOfRange
	Locked
)

var names = [...]string{Other: "other", Unique: "unique", ForeignKey: "foreign key", Check: "check",
	NotNull: "not null", Retry: "retry", Timeout: "timeout", Unavailable: "unavailable", Full: "full", OutOfRange: "out of range", Locked: "locked"}

// String returns the kind in lower-case words, "none" for the zero Kind.
func (k Kind) String() string {
	if k <= 0 || int(k) >= len(names) {
		return "none"
	}
	return names[k]
}

// Fault is an error of a database in terms that both databases share. A field that the
// database does not report is empty: SQLite names no foreign key, and for a CHECK it
// names only the constraint.
type Fault struct {
	Kind       Kind
	Schema     string   // the schema of the table; PostgreSQL only
	Table      string   // without its schema
	Constraint string   // the name of the constraint or index
	Columns    []string // the constraint's columns; if Referenced is true, those of the parent

	// Referenced reports, for a ForeignKey, that the row is still referenced: the
	// statement was a delete or update of the parent. On SQLite it is true for a DELETE, and
	// for an update only if the key is declared ON UPDATE RESTRICT.
	Referenced bool
}

// On reports whether the fault is on a table. The name may have a schema, as in "app.orders"; without
// one, every schema matches. On is false for a fault without a table.
func (f Fault) On(table string) bool {
	schema, name := split(table)
	own, bare := split(f.Table)
	if f.Schema != "" {
		own = f.Schema
	}
	return bare != "" && strings.EqualFold(name, bare) && (schema == "" || own == "" || strings.EqualFold(schema, own))
}

// split returns the schema, "" without one, and the name of a table.
func split(table string) (schema, name string) {
	before, after, qualified := strings.Cut(table, ".")
	if !qualified {
		return "", table
	}
	return before, after
}

// Classify returns the fault of an error that the database returned; err may wrap it. It
// returns false for nil, for a cancelled context, and for an error that it does not know. It
// cannot see where an error of the network, io.EOF or a passed deadline comes from, and
// classifies these as errors of the database. A passed deadline is a Timeout, or Unavailable while
// connecting.
func Classify(err error) (Fault, bool) {
	if err == nil {
		return Fault{}, false
	}
	if _, failed := errors.AsType[*ConnectError](err); failed && !errors.Is(err, context.Canceled) {
		return Fault{Kind: Unavailable}, true // whatever code the server sent
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		f := sqliteFault(lite)
		if _, deleted := errors.AsType[*DeleteError](err); deleted && f.Kind == ForeignKey {
			f.Referenced = true
		}
		return f, true
	}
	if sent, ok := answerOf(err); ok {
		return postgresFault(sent), true
	}
	if errors.Is(err, ErrReadOnly) {
		return Fault{Kind: Unavailable}, true
	}
	kind := kindOfGoError(err)
	return Fault{Kind: kind}, kind != 0
}

// kindOfGoError returns the kind of an error that did not come from a database server, 0 for
// an error that it does not know.
func kindOfGoError(err error) Kind {
	var network net.Error
	switch {
	case errors.Is(err, context.Canceled), isFileError(err):
		return 0
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return Timeout
	case errors.As(err, &network) && network.Timeout():
		return Timeout
	case errors.As(err, &network), isBroken(err), IsOverloaded(err):
		return Unavailable
	}
	return 0
}

// isFileError reports whether the error is one of a file. Its cause, a [syscall.Errno],
// implements [net.Error] too.
func isFileError(err error) bool {
	_, ok := errors.AsType[*fs.PathError](err)
	return ok
}

// isBroken reports whether an error means that the connection is lost.
func isBroken(err error) bool {
	for _, broken := range []error{driver.ErrBadConn, sql.ErrConnDone, net.ErrClosed, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, broken) {
			return true
		}
	}
	return false
}

// IsOverloaded reports whether a request got no connection, because it waited too long or too
// many requests waited. Its statement did not run.
func IsOverloaded(err error) bool { return errors.Is(err, fair.ErrOverloaded) }

// ConnectError marks a failure to connect, which no statement caused.
type ConnectError struct{ Err error }

// Error implements error.
func (e *ConnectError) Error() string { return "sqldb: cannot connect: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ConnectError) Unwrap() error { return e.Err }
