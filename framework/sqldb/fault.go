package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io/fs"
	"net"
	"os"

	"github.com/uptrace/bun/driver/pgdriver"
	"modernc.org/sqlite"
)

// FaultKind is what an error of a database comes down to.
type FaultKind int

// The kinds of fault. The zero FaultKind is none of them.
const (
	// Other is a fault without a kind of its own, such as a syntax error.
	Other FaultKind = iota + 1
	// Unique is a second row with a value that must be unique.
	Unique
	// ForeignKey is a reference to a row that is not there, or the removal of
	// one that is referenced.
	ForeignKey
	// Check is a row that a CHECK or EXCLUDE constraint refuses.
	Check
	// NotNull is a NULL where none may be.
	NotNull
	// Retry is a transaction to run again: a serialization failure, a
	// deadlock, a busy SQLite file.
	Retry
	// Timeout is a statement that ran too long, or a context past its deadline.
	Timeout
	// Unavailable is a database that cannot be reached, is starting or
	// stopping, takes no writes ([IsReadOnly]) or no more connections; a connection that broke; or a wait for
	// one that took too long, see [IsOverloaded].
	Unavailable
	// Full is a disk without space.
	Full
	// OutOfRange is a value that its column cannot hold: too large, too long,
	// or not of its type.
	OutOfRange
	// Locked is a statement that waited too long for a lock that another
	// transaction holds, see [Options.LockTimeout]. Of several that wait for one row
	// PostgreSQL cancels one in some thousands without saying why, which is a Timeout: it
	// forgets the cause if the time is up in the moment in which one lock is given and the
	// wait for the next begins.
	Locked
)

var faultNames = [...]string{Other: "other", Unique: "unique", ForeignKey: "foreign key", Check: "check",
	NotNull: "not null", Retry: "retry", Timeout: "timeout", Unavailable: "unavailable", Full: "full", OutOfRange: "out of range", Locked: "locked"}

// String is the kind in lower-case words, "none" for the zero FaultKind.
func (k FaultKind) String() string {
	if k <= 0 || int(k) >= len(faultNames) {
		return "none"
	}
	return faultNames[k]
}

// Fault is an error of a database in terms both databases share. What a
// database does not tell is empty: SQLite names no foreign key, and only the
// constraint of a CHECK.
type Fault struct {
	Kind       FaultKind
	Table      string
	Constraint string   // the name of the constraint or index
	Columns    []string // the constraint's columns; of a Referenced key the parent's

	// Referenced tells, of a ForeignKey, that the row is still referenced: the
	// statement was a delete or update of the parent. On SQLite it is known
	// only of keys declared ON DELETE or ON UPDATE RESTRICT.
	Referenced bool
}

// Classify tells what an error of a database, however wrapped, comes down to.
// It is false when err is nil or none of a database; a context's end is a
// Timeout only where its deadline passed.
func Classify(err error) (Fault, bool) {
	if err == nil {
		return Fault{}, false
	}
	if _, refused := errors.AsType[*connectError](err); refused && !errors.Is(err, context.Canceled) {
		return Fault{Kind: Unavailable}, true // whatever code the server gave with it
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		return sqliteFault(lite), true
	}
	if postgres, ok := errors.AsType[pgdriver.Error](err); ok {
		return postgresFault(postgres), true
	}
	if errors.Is(err, errReadOnly) {
		return Fault{Kind: Unavailable}, true
	}
	kind := plainFault(err)
	return Fault{Kind: kind}, kind != 0
}

// plainFault is the kind of an error that is no database's answer.
func plainFault(err error) FaultKind {
	var network net.Error
	switch {
	case errors.Is(err, context.Canceled), isOfFile(err):
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

// isOfFile tells an error of a file, whose cause passes for one of the network.
func isOfFile(err error) bool {
	_, ok := errors.AsType[*fs.PathError](err)
	return ok
}

func isBroken(err error) bool {
	for _, broken := range []error{driver.ErrBadConn, sql.ErrConnDone, net.ErrClosed} {
		if errors.Is(err, broken) {
			return true
		}
	}
	return isBrokenRead(err)
}
