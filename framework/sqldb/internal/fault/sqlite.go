package fault

import (
	"errors"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteFaults are the extended result codes with a kind of their own;
// sqlitePrimary are the kinds of the rest, by their lowest eight bits.
// https://www.sqlite.org/rescode.html
var sqliteFaults = map[int]Kind{
	sqlite3.SQLITE_CONSTRAINT_UNIQUE:     Unique,
	sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY: Unique,
	sqlite3.SQLITE_CONSTRAINT_ROWID:      Unique,
	sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY: ForeignKey,
	sqlite3.SQLITE_CONSTRAINT_CHECK:      Check,
	sqlite3.SQLITE_CONSTRAINT_NOTNULL:    NotNull,
	sqlite3.SQLITE_CONSTRAINT_DATATYPE:   OutOfRange,
}

var sqlitePrimary = map[int]Kind{
	sqlite3.SQLITE_BUSY:      Retry,
	sqlite3.SQLITE_LOCKED:    Retry,
	sqlite3.SQLITE_INTERRUPT: Timeout,
	sqlite3.SQLITE_FULL:      Full,
	sqlite3.SQLITE_TOOBIG:    OutOfRange,
	sqlite3.SQLITE_MISMATCH:  OutOfRange,
	sqlite3.SQLITE_RANGE:     OutOfRange,
	sqlite3.SQLITE_CANTOPEN:  Unavailable,
	sqlite3.SQLITE_IOERR:     Unavailable,
	sqlite3.SQLITE_READONLY:  Unavailable,
	sqlite3.SQLITE_NOTADB:    Unavailable,
	sqlite3.SQLITE_CORRUPT:   Unavailable,
	sqlite3.SQLITE_PERM:      Unavailable,
}

// IsSQLite reports whether an error comes from SQLite.
func IsSQLite(err error) bool {
	_, ok := errors.AsType[*sqlite.Error](err)
	return ok
}

// sqliteFault reads the code and the message of a SQLite error.
func sqliteFault(err *sqlite.Error) Fault {
	f := Fault{Kind: sqliteKind(err)}
	if f.Kind == ForeignKey {
		f.Referenced = err.Code() == sqlite3.SQLITE_CONSTRAINT_TRIGGER
		return f
	}
	_, subject, ok := strings.Cut(err.Error(), " constraint failed: ")
	if !ok {
		return f
	}
	subject = withoutCode(subject)
	switch name, index := strings.CutPrefix(subject, "index "); {
	case index:
		f.Constraint = strings.Trim(name, "'")
	case f.Kind == Check:
		f.Constraint = subject
	default:
		f.Table, f.Columns = qualified(subject)
	}
	return f
}

func sqliteKind(err *sqlite.Error) Kind {
	code := err.Code()
	// SQLite enforces a RESTRICT key by a trigger of its own.
	if code == sqlite3.SQLITE_CONSTRAINT_TRIGGER && strings.Contains(err.Error(), "FOREIGN KEY constraint failed") {
		return ForeignKey
	}
	// The sum of integers has no code of its own.
	if code == sqlite3.SQLITE_ERROR && strings.Contains(err.Error(), "integer overflow") {
		return OutOfRange
	}
	if kind, ok := sqliteFaults[code]; ok {
		return kind
	}
	if kind, ok := sqlitePrimary[code&0xff]; ok {
		return kind
	}
	return Other
}

// withoutCode cuts the " (2067)" that the driver puts after a message.
func withoutCode(message string) string {
	if i := strings.LastIndex(message, " ("); i >= 0 && strings.HasSuffix(message, ")") {
		return message[:i]
	}
	return message
}

// qualified reads "t.a, t.b" as a table and its columns.
func qualified(list string) (table string, columns []string) {
	for name := range strings.SplitSeq(list, ", ") {
		t, column, ok := strings.Cut(name, ".")
		if !ok {
			continue
		}
		table, columns = t, append(columns, column)
	}
	return table, columns
}

// A DeleteError is the error of a DELETE on SQLite. SQLite has one code for a row whose reference leads
// to nothing and for a row to which others refer; a DELETE can break only the keys of other rows.
type DeleteError struct{ Err error }

// Error implements error.
func (e *DeleteError) Error() string { return e.Err.Error() }

// Unwrap returns the error of SQLite.
func (e *DeleteError) Unwrap() error { return e.Err }

// OfDelete returns a [DeleteError] for the error of a foreign key of SQLite. It returns any other error unchanged.
func OfDelete(err error) error {
	if lite, ok := errors.AsType[*sqlite.Error](err); ok && sqliteKind(lite) == ForeignKey {
		return &DeleteError{Err: err}
	}
	return err
}

// SQLiteCode returns the primary result code of an error of SQLite, 0 for any other error.
func SQLiteCode(err error) int {
	lite, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return 0
	}
	return lite.Code() & 0xff
}
