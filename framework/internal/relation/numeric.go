package relation

import (
	"database/sql/driver"
	"reflect"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
)

// numericPlaces is how many digits a decimal of a numeric column has after the point. It is false
// for any other type: only such a decimal is stored as text.
func numericPlaces(t reflect.Type) (places int, ok bool) {
	stored, ok := reflect.Zero(t).Interface().(driver.Valuer)
	if !ok || t.Kind() != reflect.Int64 {
		return 0, false
	}
	value, err := stored.Value()
	text, ok := value.(string)
	_, after, _ := strings.Cut(text, ".")
	return len(after), ok && err == nil
}

// ofNumeric writes sum, min or max of a numeric column. SQLite stores such a column as binary
// fractions, so there the sum is that of whole units. The type of the result lets SQLite compare it
// with the text of a number.
func ofNumeric(c *call.Call, function string, column schema.QueryAppender, places int) schema.QueryAppender {
	units := "1" + strings.Repeat("0", places)
	switch {
	case function != "sum":
		return bun.SafeQuery("CAST(?(?) AS numeric)", bun.Safe(function), column)
	case c.DB.Dialect().Name() == dialect.SQLite:
		return bun.SafeQuery("CAST(coalesce(sum(CAST(round(? * ?) AS bigint)), 0) / ?.0 AS numeric)", column, bun.Safe(units), bun.Safe(units))
	}
	return bun.SafeQuery("coalesce(sum(?), 0)", column)
}
