package decimal

import (
	"cmp"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// An Of is an exact decimal number of a scale. It is a count of the smallest unit: with two
// places, Of(25000) is 250.00. Values of one type are added, compared and sorted as integers.
// A conversion from an integer does not check the digits; [Parse] and the methods do.
type Of[S Scale] int64

// ErrOverflow is the error of a result that has more digits than its type.
var ErrOverflow = errors.New("decimal: the result has too many digits")

// Parse reads a number as JSON writes it: an optional minus, digits, places and an exponent. Zeros
// at the end of the places do not count. If the text is no such number, or has more places than the
// type, the error is a problem.ValueError. If it has too many digits, the error is a
// problem.RangeError and the result is the nearest number of the type.
func Parse[S Scale](text string) (Of[S], error) {
	units, err := formatOf[S]().parse(text)
	return Of[S](units), err
}

// Add returns d + e, or [ErrOverflow].
func (d Of[S]) Add(e Of[S]) (Of[S], error) {
	sum := d + e
	if (sum > d) != (e > 0) {
		return 0, ErrOverflow
	}
	return sum.within()
}

// Sub returns d - e, or [ErrOverflow].
func (d Of[S]) Sub(e Of[S]) (Of[S], error) {
	difference := d - e
	if (difference < d) != (e > 0) {
		return 0, ErrOverflow
	}
	return difference.within()
}

// Mul returns d multiplied by a whole number, such as a quantity, or [ErrOverflow].
func (d Of[S]) Mul(n int64) (Of[S], error) {
	high, low := bits.Mul64(magnitude(int64(d)), magnitude(n))
	if high != 0 || low > uint64(formatOf[S]().largest()) { //nolint:gosec // largest is positive
		return 0, ErrOverflow
	}
	product := Of[S](low) //nolint:gosec // at most largest
	if (d < 0) != (n < 0) {
		return -product, nil
	}
	return product, nil
}

// magnitude returns the absolute value, also of the least integer.
func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n) //nolint:gosec // two's complement: the result is the absolute value
	}
	return uint64(n)
}

// within returns the number, or [ErrOverflow] if it has more digits than its type.
func (d Of[S]) within() (Of[S], error) {
	if most := Of[S](formatOf[S]().largest()); d > most || d < -most {
		return 0, ErrOverflow
	}
	return d, nil
}

// Cmp returns a negative number if d < e, 0 if they are equal, and a positive number if d > e.
func (d Of[S]) Cmp(e Of[S]) int { return cmp.Compare(d, e) }

// String writes the number with all places of its type: "250.00".
func (d Of[S]) String() string { return formatOf[S]().text(int64(d)) }

// MarshalJSON implements [encoding/json.Marshaler]: a number, or a string if the format has Text.
func (d Of[S]) MarshalJSON() ([]byte, error) {
	f := formatOf[S]()
	text := f.text(int64(d))
	if f.Text {
		text = `"` + text + `"`
	}
	return []byte(text), nil
}

// UnmarshalJSON implements [encoding/json.Unmarshaler]. It reads a number or, if the format has
// Text, also a string without an exponent. Its errors are those of [Parse].
func (d *Of[S]) UnmarshalJSON(text []byte) error {
	f := formatOf[S]()
	inner, quoted := strings.CutPrefix(string(text), `"`)
	if !quoted {
		return d.UnmarshalText(text)
	}
	if !f.Text || strings.ContainsAny(inner, "eE") {
		return f.wrongForm()
	}
	return d.UnmarshalText([]byte(strings.TrimSuffix(inner, `"`)))
}

// UnmarshalText implements [encoding.TextUnmarshaler], for query parameters. Its errors are those
// of [Parse]. After a problem.RangeError, d is the nearest number of the type.
func (d *Of[S]) UnmarshalText(text []byte) error {
	parsed, err := Parse[S](string(text))
	if err == nil || parsed != 0 {
		*d = parsed
	}
	return err
}

// JSONSchemaBytes returns the JSON Schema of the type, for the OpenAPI document.
func (Of[S]) JSONSchemaBytes() ([]byte, error) { return []byte(formatOf[S]().schema()), nil }

// CheckType returns a mistake in the format of the type. The framework reports it when the
// program starts.
func (Of[S]) CheckType() error { return formatOf[S]().check() }

// RuleBound returns the bound of a rule, such as the "99.50" of min=99.50, in units. The framework
// calls it when the program starts.
func (Of[S]) RuleBound(text string) (int64, error) { return formatOf[S]().parse(text) }

// Value implements [driver.Valuer]: the units, or the text of the number for a numeric column.
func (d Of[S]) Value() (driver.Value, error) {
	if f := formatOf[S](); f.Numeric {
		return f.text(int64(d)), nil
	}
	return int64(d), nil
}

// Scan implements [database/sql.Scanner] for the columns that [Format] describes. The error is that
// of a column of the other type, or of a number with more digits or places than the type.
func (d *Of[S]) Scan(src any) error {
	f := formatOf[S]()
	units, err := f.scan(src)
	if err == nil && (units > f.largest() || units < -f.largest()) {
		err = f.above()
	}
	if err != nil {
		return fmt.Errorf("decimal: the column has %v: %w", src, err)
	}
	*d = Of[S](units)
	return nil
}

// errStored is the error of a fraction in a column that stores units.
var errStored = errors.New("a column of the type bigint is expected; for a column of the type numeric, set Numeric in the Format")

// scan returns the units of a value of a driver.
func (f Format) scan(src any) (int64, error) {
	var text string
	switch v := src.(type) {
	case int64:
		if !f.Numeric {
			return v, nil
		}
		text = strconv.FormatInt(v, 10)
	case []byte:
		text = string(v)
	case string:
		text = v
	case float64: // SQLite has no other type for a numeric column with places
		text = strconv.FormatFloat(v, 'f', -1, 64)
		if len(strings.Trim(strings.Replace(text, ".", "", 1), "-0")) > usualDigits {
			return 0, errors.New("SQLite rounded the number, because it has more than 15 digits")
		}
	default:
		return 0, fmt.Errorf("a %T is no number", src)
	}
	if f.Numeric {
		return f.parse(text)
	}
	units, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, errStored
	}
	return units, nil
}

// text writes units with all places.
func (f Format) text(units int64) string {
	digits := strconv.FormatUint(magnitude(units), 10)
	if missing := f.Places + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	if f.Places > 0 {
		at := len(digits) - f.Places
		digits = digits[:at] + "." + digits[at:]
	}
	if units < 0 {
		return "-" + digits
	}
	return digits
}

// parse reads a number, see [Parse].
func (f Format) parse(text string) (int64, error) {
	number, negative := strings.CutPrefix(text, "-")
	units, fits, err := f.units(number)
	switch {
	case err != nil:
		return 0, err
	case !fits && negative:
		return -f.largest(), f.below()
	case !fits:
		return f.largest(), f.above()
	case negative:
		return -units, nil
	}
	return units, nil
}

// units reads a number without a sign. fits is false for a number above the largest.
func (f Format) units(number string) (units int64, fits bool, err error) {
	mantissa, exponent, wellFormed := splitExponent(number)
	whole, places, dotted := strings.Cut(mantissa, ".")
	if !wellFormed || whole == "" || dotted && places == "" || !onlyDigits(whole+places) {
		return 0, false, f.wrongForm()
	}
	all := strings.TrimLeft(whole+places, "0")
	digits := strings.TrimRight(all, "0")
	zeros := exponent + int64(f.Places-len(places)+len(all)-len(digits)) // after the digits
	switch {
	case digits == "":
		return 0, true, nil
	case zeros < 0:
		return 0, false, f.wrongForm()
	case int64(len(digits))+zeros > int64(f.Digits):
		return 0, false, nil
	}
	units, err = strconv.ParseInt(digits+strings.Repeat("0", int(zeros)), 10, 64)
	return units, true, err
}

// splitExponent cuts the exponent off a number. Without one, the exponent is 0. Of an exponent beyond
// the range of an int32, it returns the nearest in that range.
func splitExponent(number string) (mantissa string, exponent int64, wellFormed bool) {
	at := strings.IndexAny(number, "eE")
	if at < 0 {
		return number, 0, true
	}
	text := number[at+1:]
	exponent, err := strconv.ParseInt(text, 10, 32)
	beyond := errors.Is(err, strconv.ErrRange) && onlyDigits(text[1:]) // ParseInt stops at the range
	return number[:at], exponent, err == nil || beyond
}

func onlyDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }
