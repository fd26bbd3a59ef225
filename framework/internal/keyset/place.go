package keyset

import (
	"bytes"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"math"
	"slices"
)

// A Place is a place in the order of a list: that of a row, by the values of the fields of the order.
type Place struct {
	Back   bool           // the page is before the place
	With   bool           // the row of the place is on the page too
	Values []driver.Value // nil for NULL; an int64, a float64, a string, a []byte or a [Long]
}

// The marks of values in the text of a place.
const (
	isNull  = '-'
	isInt   = 'i'
	isFloat = 'f'
	isText  = 's'
	isBytes = 'b'
	isLong  = 'h'
)

// Long is the SHA-256 of a value that is too long for a cursor. The value is read again from the row of
// the place.
type Long [sha256.Size]byte

// longest is how many bytes a value has at most in a cursor.
const longest = 512

// Shorten replaces values that are too long for a cursor, but not that of the key of the row, by which the
// others are read again.
func Shorten(values []driver.Value, key int) (short []driver.Value) {
	for i, value := range values {
		var text []byte
		switch v := value.(type) {
		case string:
			text = []byte(v)
		case []byte:
			text = v
		}
		if i != key && len(text) > longest {
			value = Long(sha256.Sum256(text))
		}
		short = append(short, value)
	}
	return short
}

// IsShort reports whether a value of the place was too long for its cursor.
func (p Place) IsShort() bool {
	return slices.ContainsFunc(p.Values, func(v driver.Value) bool { _, long := v.(Long); return long })
}

// Complete returns the place with the values of its row. It returns false if the row has other values.
func (p Place) Complete(row []driver.Value, key int) (Place, bool) {
	short := p
	short.Values = Shorten(row, key)
	if !bytes.Equal(short.Append(nil), p.Append(nil)) {
		return p, false
	}
	p.Values = row
	return p, true
}

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
	case string:
		return append(binary.AppendUvarint(append(b, isText), uint64(len(v))), v...)
	case []byte: // nil is an empty value: only a driver.Value of nil is NULL
		return append(binary.AppendUvarint(append(b, isBytes), uint64(len(v))), v...)
	case Long:
		return append(append(b, isLong), v[:]...)
	}
	return append(b, isNull)
}

// ReadPlace reads a place with a number of values from the bytes of [Place.Append]. It returns false
// for any other bytes.
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
	case isFloat:
		if len(b) < 8 {
			return nil, nil, false
		}
		return math.Float64frombits(binary.BigEndian.Uint64(b)), b[8:], true
	case isInt:
		n, length := binary.Varint(b)
		if length <= 0 {
			return nil, nil, false
		}
		return n, b[length:], true
	case isLong:
		if len(b) < sha256.Size {
			return nil, nil, false
		}
		return Long(b[:sha256.Size]), b[sha256.Size:], true
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
