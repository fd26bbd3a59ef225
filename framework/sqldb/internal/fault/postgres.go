package fault

import (
	"errors"
	"strings"
)

// postgresFaults are the codes with a kind of their own; postgresClasses are
// the kinds of the rest of a class, the first two characters of a code.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
var postgresFaults = map[string]Kind{
	"23505":       Unique,
	"23503":       ForeignKey,
	"23001":       ForeignKey,
	"23514":       Check,
	"23P01":       Check,
	"23502":       NotNull,
	"40001":       Retry,
	"40P01":       Retry,
	"57014":       Timeout,
	"55P03":       Locked,  // lock_timeout, or NOWAIT
	"25P03":       Timeout, // idle_in_transaction_session_timeout
	"25P04":       Timeout, // transaction_timeout
	"53100":       Full,
	"54000":       OutOfRange, // a row of an index or a table is too large
	"53300":       Unavailable,
	StateReadOnly: Unavailable,
	"57P01":       Unavailable,
	"57P02":       Unavailable,
	"57P03":       Unavailable,
	"57P05":       Unavailable,
	"55000":       Other,
}

var postgresClasses = map[string]Kind{
	"08": Unavailable, // connection exceptions
	"22": OutOfRange,  // data exceptions
	"53": Unavailable, // insufficient resources
	"28": Unavailable, // the server rejects the user
	"3D": Unavailable, // the database does not exist
}

// postgresFault reads the fields of a PostgreSQL error.
func postgresFault(err answer) Fault {
	f := Fault{Kind: postgresKind(err.Field('C')), Schema: err.Field('s'), Table: err.Field('t'), Constraint: err.Field('n')}
	switch f.Kind {
	case NotNull:
		f.Columns = []string{err.Field('c')}
	case Unique:
		f.Columns = keyColumns(err.Field('D'))
	case ForeignKey:
		f.Columns = keyColumns(err.Field('D'))
		f.Referenced = isReferenced(err)
	}
	return f
}

func postgresKind(code string) Kind {
	if kind, ok := postgresFaults[code]; ok {
		return kind
	}
	if len(code) == 5 {
		if kind, ok := postgresClasses[code[:2]]; ok {
			return kind
		}
	}
	return Other
}

// isReferenced reports whether the statement was a delete or update of the parent and
// not an insert or update of the child. The server's message may be in any language. The
// fault's table is always the child's, and the detail names it only if the parent changed:
// "Key (id)=(1) is still referenced from table "children"".
func isReferenced(err answer) bool {
	switch message := err.Field('M'); {
	case err.Field('C') == "23001", strings.HasPrefix(message, "update or delete "):
		return true
	case strings.HasPrefix(message, "insert or update "):
		return false
	}
	detail := err.Field('D')
	end := strings.LastIndex(detail, ")")
	return end >= 0 && strings.Contains(detail[end:], err.Field('t'))
}

// keyColumns reads the columns of a detail such as "Key (a, b)=(1, 2) already
// exists." An index on an expression names its expression.
func keyColumns(detail string) []string {
	_, rest, ok := strings.Cut(detail, "(")
	if !ok {
		return nil
	}
	list, _, ok := strings.Cut(rest, ")=(")
	if !ok {
		return nil
	}
	return splitColumns(list)
}

// splitColumns splits at the commas outside parentheses and unquotes names.
func splitColumns(list string) []string {
	var columns []string
	depth, start := 0, 0
	for i, c := range list + "," {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			columns = append(columns, unquote(strings.TrimSpace(list[start:i])))
			start = i + 1
		}
	}
	return columns
}

func unquote(name string) string {
	if len(name) > 1 && name[0] == '"' && name[len(name)-1] == '"' {
		return strings.ReplaceAll(name[1:len(name)-1], `""`, `"`)
	}
	return name
}

// ErrReadOnly is the error of a PostgreSQL server that takes no writes.
var ErrReadOnly = errors.New("sqldb: the database takes no writes: the server is a standby, or was demoted, or default_transaction_read_only is on")

// StateReadOnly is PostgreSQL's code (SQLSTATE) for a write in a transaction that only reads.
const StateReadOnly = "25006"

// IsReadOnly reports whether an error means that PostgreSQL takes no writes. A write in a
// transaction that was begun as read only has the same error.
func IsReadOnly(err error) bool {
	return errors.Is(err, ErrReadOnly) || State(err) == StateReadOnly
}

// IsDenied reports whether PostgreSQL denied a right to the role: insufficient_privilege.
func IsDenied(err error) bool { return State(err) == "42501" }

// State returns PostgreSQL's code of an error (SQLSTATE), "" for any other error.
func State(err error) string {
	if sent, ok := answerOf(err); ok {
		return sent.Field('C')
	}
	return ""
}

// EndsConnection reports whether a connection is unusable after an error, which must not be
// nil: the error is not the server's answer to one statement, or it is the server's last
// answer.
func EndsConnection(err error) bool {
	sent, ok := answerOf(err)
	return !ok || sent.Field('V') == "FATAL" || sent.Field('V') == "PANIC"
}
