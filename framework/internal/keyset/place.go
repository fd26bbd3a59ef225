package keyset

import (
	"database/sql/driver"
	"encoding/binary"
	"math"
	"time"
)

// A Place is a place in the order of a list: that of a row, by the values of the fields of the order.
type Place struct {
	Back   bool           // the page is before the place
	With   bool           // the row of the place is on the page too
	Values []driver.Value // nil for NULL
}

// The marks of values in the text of a place.
const (
	isNull  = '-'
	isInt   = 'i'
	isFloat = 'f'
	isFalse = 'n'
	isTrue  = 'y'
	isTime  = 't'
	isText  = 's'
	isBytes = 'b'
)

// Append appends the place as bytes.
func (p Place) Append(b []byte) []byte {
	flags := byte(0)
	if p.Back {
		flags |= 1
	}
	if p.With {
		flags |= 2
	}
	b = append(b, flags)
	for _, value := range p.Values {
		b = appendValue(b, value)
	}
	return b
}

func appendValue(b []byte, value driver.Value) []byte {
	switch v := value.(type) {
	case int64:
		return binary.AppendVarint(append(b, isInt), v)
	case float64:
		return binary.BigEndian.AppendUint64(append(b, isFloat), math.Float64bits(v))
	case bool:
		if v {
			return append(b, isTrue)
		}
		return append(b, isFalse)
	case time.Time:
		return binary.AppendUvarint(binary.AppendVarint(append(b, isTime), v.Unix()), uint64(v.Nanosecond())) //nolint:gosec // at least 0
	case string:
		return append(binary.AppendUvarint(append(b, isText), uint64(len(v))), v...)
	case []byte:
		if v != nil {
			return append(binary.AppendUvarint(append(b, isBytes), uint64(len(v))), v...)
		}
	}
	return append(b, isNull)
}

// ReadPlace reads a place with a number of values from bytes. It returns false if the bytes are not
// those of such a place.
func ReadPlace(b []byte, values int) (p Place, ok bool) {
	if len(b) == 0 {
		return p, false
	}
	p.Back, p.With, b = b[0]&1 != 0, b[0]&2 != 0, b[1:]
	for range values {
		var value driver.Value
		if value, b, ok = readValue(b); !ok {
			return p, false
		}
		p.Values = append(p.Values, value)
	}
	return p, len(b) == 0
}

func readValue(b []byte) (value driver.Value, rest []byte, ok bool) {
	if len(b) == 0 {
		return nil, nil, false
	}
	mark, b := b[0], b[1:]
	switch mark {
	case isNull:
		return nil, b, true
	case isFalse, isTrue:
		return mark == isTrue, b, true
	case isFloat:
		if len(b) < 8 {
			return nil, nil, false
		}
		return math.Float64frombits(binary.BigEndian.Uint64(b)), b[8:], true
	case isInt, isTime:
		n, length := binary.Varint(b)
		if length <= 0 {
			return nil, nil, false
		}
		if mark == isTime {
			return readTime(n, b[length:])
		}
		return n, b[length:], true
	case isText, isBytes:
		n, length := binary.Uvarint(b)
		if length <= 0 || uint64(len(b)-length) < n { //nolint:gosec // length is at most that of b
			return nil, nil, false
		}
		end := length + int(n) //nolint:gosec // it is below the length of b
		if mark == isText {
			return string(b[length:end]), b[end:], true
		}
		return b[length:end:end], b[end:], true
	}
	return nil, nil, false
}

func readTime(seconds int64, b []byte) (driver.Value, []byte, bool) {
	nanos, length := binary.Uvarint(b)
	if length <= 0 || nanos >= uint64(time.Second) {
		return nil, nil, false
	}
	return time.Unix(seconds, int64(nanos)).UTC(), b[length:], true
}
