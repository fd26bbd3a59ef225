package clinic

import (
	"strconv"
	"strings"

	"trestle.example/framework"
)

// A Fee is an exact amount of money in hundredths. In JSON it is a number
// with two places: 250.00.
type Fee int64

// maxFee keeps a fee within what a client's number type holds exactly.
const maxFee = 999_999_999_99

const (
	errFee      = framework.ValueError("must be a number with at most two decimal places, such as 250 or 99.50")
	errFeeAbove = framework.ValueError("must be at most 999999999.99")
	errFeeBelow = framework.ValueError("must be at least -999999999.99")
)

// String writes the fee with two places.
func (f Fee) String() string {
	sign, n := "", int64(f)
	if n < 0 {
		sign, n = "-", -n
	}
	cents := strconv.FormatInt(n%100+100, 10)[1:]
	return sign + strconv.FormatInt(n/100, 10) + "." + cents
}

// MarshalJSON implements [encoding/json.Marshaler].
func (f Fee) MarshalJSON() ([]byte, error) { return []byte(f.String()), nil }

// JSONSchemaBytes returns the schema of a fee. It says the two decimal places in words
// alone: validators divide by multipleOf in binary fractions and reject 19.99.
func (Fee) JSONSchemaBytes() ([]byte, error) {
	const told = `{"type":"number","minimum":-999999999.99,"maximum":999999999.99,"description":"At most two decimal places.","examples":[250.00]}`
	return []byte(told), nil
}

// UnmarshalJSON implements [encoding/json.Unmarshaler]. It takes a plain
// number; text and exponents are refused.
func (f *Fee) UnmarshalJSON(text []byte) error { return f.UnmarshalText(text) }

// UnmarshalText implements [encoding.TextUnmarshaler], for query parameters.
func (f *Fee) UnmarshalText(text []byte) error {
	digits, negative := strings.CutPrefix(string(text), "-")
	whole, places, dotted := strings.Cut(digits, ".")
	if whole == "" || dotted && places == "" || !onlyDigits(whole+places) {
		return errFee
	}
	if places = strings.TrimRight(places, "0"); len(places) > 2 {
		return errFee
	}
	n, err := strconv.ParseInt(whole+(places + "00")[:2], 10, 64)
	switch {
	case err == nil && n <= maxFee:
	case negative:
		return errFeeBelow
	default:
		return errFeeAbove
	}
	if negative {
		n = -n
	}
	*f = Fee(n)
	return nil
}

func onlyDigits(text string) bool {
	return strings.Trim(text, "0123456789") == ""
}
