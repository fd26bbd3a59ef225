package fault

import (
	"errors"
	"reflect"

	"github.com/uptrace/bun/driver/pgdriver"
)

// An answer is an error that PostgreSQL sent, of any driver. Field returns a field of it by its
// letter in the protocol, "" for one that the driver does not report.
type answer interface{ Field(letter byte) string }

// answerOf finds the answer of the server in an error.
func answerOf(err error) (answer, bool) {
	if sent, ok := errors.AsType[pgdriver.Error](err); ok {
		return sent, true
	}
	if foreign, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); ok {
		return foreignAnswer{foreign.SQLState(), reflect.Indirect(reflect.ValueOf(foreign))}, true
	}
	return nil, false
}

// A foreignAnswer is the error of a driver of the program. Drivers agree on the method SQLState,
// and nearly on the names of the other fields.
type foreignAnswer struct {
	state string
	value reflect.Value
}

// foreignFields are the names of fields in the errors of drivers, by the letter of the field.
var foreignFields = map[byte][]string{
	'V': {"SeverityUnlocalized", "Severity"}, 'M': {"Message"}, 'D': {"Detail"},
	's': {"SchemaName", "Schema"}, 't': {"TableName", "Table"}, 'c': {"ColumnName", "Column"}, 'n': {"ConstraintName", "Constraint"},
}

// Field implements answer.
func (f foreignAnswer) Field(letter byte) string {
	if letter == 'C' {
		return f.state
	}
	if f.value.Kind() != reflect.Struct {
		return ""
	}
	for _, name := range foreignFields[letter] {
		if field := f.value.FieldByName(name); field.IsValid() && field.Kind() == reflect.String && field.String() != "" {
			return field.String()
		}
	}
	return ""
}
