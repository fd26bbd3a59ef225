package clinic

import (
	"errors"
	"strconv"
	"strings"

	"trestle.example/framework"
)

// A Fee is an exact amount of money in hundredths. In JSON it is a number
// with two places: 250.00.
type Fee int64

// maxFee keeps a fee within what a client's number type holds exactly.
const (
	maxFee       = 999_999_999_99
	maxFeeDigits = 11 // all of them 9
)

const (
	errFee      = framework.ValueError("must be a number with at most two decimal places, such as 250 or 99.50")
	errFeeAbove = framework.RangeError("must be at most 999999999.99")
	errFeeBelow = framework.RangeError("must be at least -999999999.99")
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

// JSONSchemaBytes returns the schema of a fee. Only its description states the two decimal
// places: validators divide by multipleOf in binary fractions and reject 19.99.
func (Fee) JSONSchemaBytes() ([]byte, error) {
	const told = `{"type":"number","minimum":-999999999.99,"maximum":999999999.99,"description":"At most two decimal places.","examples":[250.00]}`
	return []byte(told), nil
}

// UnmarshalJSON implements [encoding/json.Unmarshaler]. It takes a number, and no text.
func (f *Fee) UnmarshalJSON(text []byte) error { return f.UnmarshalText(text) }

// UnmarshalText implements [encoding.TextUnmarshaler], for query parameters. For a number
// beyond the bounds it sets the nearest bound.
func (f *Fee) UnmarshalText(text []byte) error {
	number, negative := strings.CutPrefix(string(text), "-")
	n, err := hundredths(number)
	if err != nil {
		return err
	}
	*f = Fee(min(n, maxFee))
	if negative {
		*f = -*f
	}
	switch {
	case n <= maxFee:
		return nil
	case negative:
		return errFeeBelow
	}
	return errFeeAbove
}

// hundredths reads a number that has no sign, as JSON writes it. It returns maxFee + 1
// for every number above maxFee.
func hundredths(number string) (int64, error) {
	mantissa, exponent := number, int64(0)
	if at := strings.IndexAny(number, "eE"); at >= 0 {
		var err error // of an exponent out of range ParseInt returns the nearest
		if exponent, err = strconv.ParseInt(number[at+1:], 10, 32); err != nil && !errors.Is(err, strconv.ErrRange) {
			return 0, errFee
		}
		mantissa = number[:at]
	}
	whole, places, dotted := strings.Cut(mantissa, ".")
	if whole == "" || dotted && places == "" || !onlyDigits(whole+places) {
		return 0, errFee
	}
	all := strings.TrimLeft(whole+places, "0")
	digits := strings.TrimRight(all, "0")
	zeros := exponent + 2 - int64(len(places)) + int64(len(all)-len(digits)) // after the digits
	switch {
	case digits == "":
		return 0, nil
	case zeros < 0:
		return 0, errFee
	case int64(len(digits))+zeros > maxFeeDigits:
		return maxFee + 1, nil
	}
	return strconv.ParseInt(digits+strings.Repeat("0", int(zeros)), 10, 64)
}

func onlyDigits(text string) bool {
	return strings.Trim(text, "0123456789") == ""
}
