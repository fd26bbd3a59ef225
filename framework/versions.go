package framework

import "trestle.example/framework/internal/declare"

// Versions makes requests about the rows of a viewset conditional, so that no client overwrites a
// change that it has not seen.
//
// The answer with one row, of a verb that the framework serves, has the header ETag: the version of
// the row, a dot, and a hash of the body, such as "7.5d41402a..." with its quotes. A PUT, PATCH or
// DELETE, or an action on the row, with the header If-Match compares the part before the dot under
// the lock of the row: if the row has another version, the answer is 412 precondition_failed with the
// ETag that the row has now, and nothing changes. A read of a row or of a list with the header
// If-None-Match compares the whole tag: if it is that of the answer, the answer is 304 without a body.
// The ETag of a list is a hash of its page; its 304 saves bytes, not statements.
//
// RFC 9110 wants the strong comparison for If-Match. The framework accepts weak tags too, because a
// proxy that compresses an answer makes its tag weak, and it does not compare the hash of the body,
// which also depends on other rows and on the caller.
//
// Update, Patch, [Save], uploads of files, and lists of related rows in a body change the version; so
// do actions of [Links] that change something. Statements of functions, of the database and of other programs
// change a hash, but must count the column up themselves. Writes of related rows by endpoints of their
// own do not change the version, but the hash of the body: a PUT or PATCH whose body sets lists of
// related rows compares the whole tag, because it would undo such writes.
//
// A function that reads If-Match itself names the header in Takes. Paths of files, and functions that
// are Untransacted, accept no version.
type Versions struct {
	// Column is a field of the model with an int64 that is not null, a bigint in the database. It counts
	// the changes of a row in every viewset of the table. A new row has its time in microseconds, so that
	// it has no version of a deleted row with its key. No input may have the field. Either Column or Hash
	// is required for versions.
	Column string
	// Hash makes the version a hash of the columns that each view of one row shows to every caller,
	// for tables that cannot have a Column. Changes of other columns have no effect on it. Verbs that
	// Computes or a list of related rows in an input need a Column.
	Hash bool
	// Required rejects an Update, Patch or Delete without If-Match with 428 precondition_required. Clients
	// may send If-Match: * to overwrite any version. Defaults to false.
	Required bool
}

func (v Versions) declare() declare.Versions { return declare.Versions(v) }
