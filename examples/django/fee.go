package main

import (
	"database/sql/driver"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"trestle.example/framework"
)

// A Fee is an amount of money in hundredths, of which the column is numeric(8,2). In JSON it
// is a text with two decimal places, "250.00", as Django REST Framework writes a
// DecimalField. A number is accepted, too.
type Fee int64

// maxFee is the greatest amount of numeric(8,2).
const maxFee = 999_999_99

// feeText is the form of a fee: a sign, the digits, and up to two decimal places.
var feeText = regexp.MustCompile(`^(-?)(\d+)(?:\.(\d{1,2}))?$`)

// String writes the fee with two decimal places.
func (f Fee) String() string {
	sign, n := "", int64(f)
	if n < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%02d", sign, n/100, n%100)
}

// MarshalJSON implements [encoding/json.Marshaler].
func (f Fee) MarshalJSON() ([]byte, error) { return []byte(strconv.Quote(f.String())), nil }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (f *Fee) UnmarshalJSON(text []byte) error { return f.read(strings.Trim(string(text), `"`)) }

func (f *Fee) read(text string) error {
	parts := feeText.FindStringSubmatch(text)
	if parts == nil {
		return framework.ValueError("must be a number with at most two decimal places, such as 250 or \"99.50\"")
	}
	n, err := strconv.ParseInt(parts[2]+(parts[3] + "00")[:2], 10, 64)
	if err != nil || n > maxFee {
		return framework.ValueError("must be from -999999.99 to 999999.99")
	}
	if parts[1] != "" {
		n = -n
	}
	*f = Fee(n)
	return nil
}

// Scan implements [database/sql.Scanner] for a column of the type numeric.
func (f *Fee) Scan(value any) error {
	switch value := value.(type) {
	case string:
		return f.read(value)
	case []byte:
		return f.read(string(value))
	}
	return fmt.Errorf("a fee is text in the database, not %T", value)
}

// Value implements [driver.Valuer].
func (f Fee) Value() (driver.Value, error) { return f.String(), nil }

// JSONSchemaBytes returns the schema of a fee for the OpenAPI document.
func (Fee) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"anyOf":[{"type":"string","pattern":"^-?[0-9]+(\\.[0-9]{1,2})?$"},{"type":"number"}],"examples":["250.00"]}`), nil
}
