package sqldb

import (
	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/fault"
)

// FaultKind is the category of a database error. Its method String returns the kind in
// lower-case words, "none" for the zero FaultKind.
type FaultKind = fault.Kind

// The kinds of fault. The zero FaultKind is not one of them.
const (
	// Other is a fault without a kind of its own, such as a syntax error.
	Other = fault.Other
	// Unique is a second row with a value that must be unique.
	Unique = fault.Unique
	// ForeignKey is a reference to a row that does not exist, or the deletion, or a
	// change of the key, of a row that is referenced.
	ForeignKey = fault.ForeignKey
	// Check is a row that a CHECK or EXCLUDE constraint rejects.
	Check = fault.Check
	// NotNull is a NULL in a column that does not allow it.
	NotNull = fault.NotNull
	// Retry is a transaction to run again: a serialization failure, a
	// deadlock, a busy SQLite file.
	Retry = fault.Retry
	// Timeout is a statement that ran too long, or a context past its deadline.
	Timeout = fault.Timeout
	// Unavailable is a database that does not exist or cannot be reached, is starting or
	// stopping, takes no writes ([IsReadOnly]) or no more connections, lacks memory, or
	// rejects the user; a SQLite file that cannot be opened, read or written, or is
	// damaged; a connection that broke; or a request that got no connection in time
	// ([IsOverloaded]).
	Unavailable = fault.Unavailable
	// Full is a disk without space.
	Full = fault.Full
	// OutOfRange is a value that its column cannot hold: too large, too long,
	// or of another type. On PostgreSQL it is every error of data, such as a division by zero.
	OutOfRange = fault.OutOfRange
	// Locked is a statement of PostgreSQL that waited too long for a lock of another
	// transaction, see [Options.LockTimeout], or that may not wait for one (NOWAIT). If
	// several statements wait for one row, PostgreSQL reports about one in some thousands
	// of them as a Timeout: it loses the cause if the time is up in the moment between two
	// waits for a lock.
	Locked = fault.Locked
)

// Fault is an error of a database in terms that both databases share. A field that the
// database does not report is empty: SQLite names no foreign key, and for a CHECK it
// names only the constraint. Constraint is the name of a constraint or index. Columns are its
// columns. Referenced: for a [ForeignKey], the row is still referenced, and Columns are those of
// the parent. On SQLite that is true for a DELETE, and for an update only if the key is declared RESTRICT.
type Fault = fault.Fault

// Classify returns the fault of an error that the database returned; err may wrap it. It
// returns false for nil, for a cancelled context, and for an error that it does not know.
// It cannot see where an error of the network, io.EOF or a passed deadline comes from, and
// classifies these as errors of the database. A passed deadline is a [Timeout], but
// [Unavailable] while connecting.
func Classify(err error) (Fault, bool) { return fault.Classify(err) }

// IsReadOnly reports whether an error means that PostgreSQL takes no writes now: the server
// is a standby, was demoted to one, or has default_transaction_read_only on. The fault is
// [Unavailable]. The connection is closed, because another one may lead to the primary.
// IsReadOnly is also true for a write in a READ ONLY transaction of this program; then the
// connection stays open.
func IsReadOnly(err error) bool { return fault.IsReadOnly(err) }

// IsDenied reports whether PostgreSQL denied a right to the role of a connection.
func IsDenied(err error) bool { return fault.IsDenied(err) }

// IsSQLite reports whether an error comes from SQLite, which reads and writes a file.
func IsSQLite(err error) bool { return fault.IsSQLite(err) }

// IsOverloaded reports whether a request got no connection, so that its statement did not
// run: it waited too long ([Options.QueueTimeout]), or too many requests waited.
func IsOverloaded(err error) bool { return fault.IsOverloaded(err) }

// ErrPooled is in the chain of the error of a prepared statement that PostgreSQL does not
// have, or whose name another client uses: a pooler before PostgreSQL gives a connection to
// each transaction. To cure it, set [Options.NoPrepare].
var ErrPooled = connection.ErrPooled
