package share

import (
	"database/sql/driver"
	"fmt"
	"strconv"
	"time"
)

// A Key distinguishes reads: by their text and each value, with its type.
type Key struct{ Text, Values string }

// KeyOf returns the key of a statement.
func KeyOf(text string, args []any) Key {
	b := make([]byte, 0, 48*len(args))
	for _, v := range args {
		b = append(appendValue(b, v), 0) // other zero bytes are only in values whose length precedes them
	}
	return Key{text, string(b)}
}

// appendValue writes a value so that different values have different texts.
func appendValue(b []byte, v driver.Value) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, 'n')
	case string:
		b = append(strconv.AppendInt(append(b, 's'), int64(len(v)), 10), ':')
		return append(b, v...)
	case []byte:
		if v == nil { // NULL to some drivers
			return append(b, 'N')
		}
		b = append(strconv.AppendInt(append(b, 'b'), int64(len(v)), 10), ':')
		return append(b, v...)
	case int64:
		return strconv.AppendInt(append(b, 'i'), v, 10)
	case float64:
		return strconv.AppendFloat(append(b, 'f'), v, 'g', -1, 64)
	case bool:
		return strconv.AppendBool(append(b, 'o'), v)
	case time.Time:
		return v.AppendFormat(append(b, 't'), time.RFC3339Nano)
	}
	return fmt.Appendf(append(b, '?'), "%T %#v", v, v) // no driver takes a value of another type
}
