package sqldb

import (
	"errors"
	"io"
	"strings"

	"github.com/uptrace/bun/driver/pgdriver"
)

// postgresFaults are the codes with a kind of their own; postgresClasses are
// the kinds of the rest of a class, the first two characters of a code.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
var postgresFaults = map[string]FaultKind{
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
	"53300":       Unavailable,
	stateReadOnly: Unavailable,
	"57P01":       Unavailable,
	"57P02":       Unavailable,
	"57P03":       Unavailable,
	"57P05":       Unavailable,
	"55000":       Other,
}

var postgresClasses = map[string]FaultKind{
	"08": Unavailable, // connection exceptions
	"22": OutOfRange,  // data exceptions
	"53": Unavailable, // insufficient resources
	"28": Unavailable, // the server does not let us in
	"3D": Unavailable, // the database does not exist
}

func postgresFault(err pgdriver.Error) Fault {
	f := Fault{Kind: postgresKind(err.Field('C')), Table: err.Field('t'), Constraint: err.Field('n')}
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

func postgresKind(code string) FaultKind {
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

// isReferenced tells a delete of a parent from an insert of a child. The
// server's words may be in any language; but the table of the fault is the
// child's, and only for a delete does the detail, "Key (id)=(1) is still
// referenced from table "children"", name it.
func isReferenced(err pgdriver.Error) bool {
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

func isBrokenRead(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
