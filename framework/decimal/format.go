package decimal

import (
	"fmt"
	"strconv"
	"strings"

	"trestle.example/framework/problem"
)

// A Format describes the decimals of one type.
type Format struct {
	// Digits is how many digits a number has at most, those after the point included: 1 to 18.
	// Defaults to 15. Clients that read JSON numbers as binary fractions, such as browsers, read
	// 15 digits exactly, and may round more. So does a column numeric of SQLite.
	Digits int
	// Places is how many of the digits stand after the point. Defaults to 0.
	Places int
	// Text writes a decimal as a JSON string, "250.00". A body may have the string or a number.
	// Defaults to false: a decimal is a number, 250.00, and a string is an error.
	Text bool
	// Numeric is for a column of the type numeric or decimal, which stores 250.00. Defaults to
	// false: the column is of the type bigint and stores 25000.
	Numeric bool
}

// A Scale declares the [Format] of a type. It is a struct without fields, see the package comment.
type Scale interface {
	// Format returns the format. It must always return the same.
	Format() Format
}

// The scales of formats with 15 digits. The name has the number of places.
type (
	// Scale0 is the scale of whole numbers.
	Scale0 struct{}
	// Scale1 is the scale of numbers with one place.
	Scale1 struct{}
	// Scale2 is the scale of numbers with two places.
	Scale2 struct{}
	// Scale3 is the scale of numbers with three places.
	Scale3 struct{}
	// Scale4 is the scale of numbers with four places.
	Scale4 struct{}
	// Scale6 is the scale of numbers with six places.
	Scale6 struct{}
)

// Format returns a format without places.
func (Scale0) Format() Format { return Format{} }

// Format returns a format with one place.
func (Scale1) Format() Format { return Format{Places: 1} }

// Format returns a format with two places.
func (Scale2) Format() Format { return Format{Places: 2} }

// Format returns a format with three places.
func (Scale3) Format() Format { return Format{Places: 3} }

// Format returns a format with four places.
func (Scale4) Format() Format { return Format{Places: 4} }

// Format returns a format with six places.
func (Scale6) Format() Format { return Format{Places: 6} }

const (
	usualDigits = 15
	mostDigits  = 18 // 10 to the power of 18 is less than the greatest int64
)

// formatOf returns the format of a scale, with its default.
func formatOf[S Scale]() Format {
	var scale S
	f := scale.Format()
	if f.Digits == 0 {
		f.Digits = usualDigits
	}
	return f
}

// check returns an error for a format that no number can have.
func (f Format) check() error {
	switch {
	case f.Digits < 1 || f.Digits > mostDigits:
		return fmt.Errorf("its format has %d digits; Digits must be 1 to %d", f.Digits, mostDigits)
	case f.Places < 0 || f.Places > f.Digits:
		return fmt.Errorf("its format has %d places and %d digits; Places must be 0 to Digits", f.Places, f.Digits)
	}
	return nil
}

// largest returns the largest number, in units.
func (f Format) largest() int64 { return power(f.Digits) - 1 }

// power returns 10 to the power of n, which is at most 18.
func power(n int) int64 {
	p := int64(1)
	for range min(n, mostDigits) {
		p *= 10
	}
	return p
}

// wrongForm is the error of a text that is no number of the format.
func (f Format) wrongForm() problem.ValueError {
	if f.Places == 0 {
		return "must be a whole number"
	}
	plural := "s"
	if f.Places == 1 {
		plural = ""
	}
	return problem.ValueError(fmt.Sprintf("must be a number with at most %s decimal place%s, such as %s", words(f.Places), plural, f.samples()))
}

// samples returns two numbers of the format, or one if 250 is not of the format.
func (f Format) samples() string {
	if f.Digits-f.Places < len("250") {
		return "0.5" + strings.Repeat("0", f.Places-1)
	}
	return "250 or 99.5" + strings.Repeat("0", f.Places-1)
}

// above and below are the errors of a number beyond the largest or the least number.
func (f Format) above() problem.RangeError {
	return problem.RangeError("must be at most " + f.text(f.largest()))
}

func (f Format) below() problem.RangeError {
	return problem.RangeError("must be at least " + f.text(-f.largest()))
}

// words returns a number of places as a word, or as digits above nine.
func words(n int) string {
	small := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
	if n < len(small) {
		return small[n]
	}
	return strconv.Itoa(n)
}

// schema returns the JSON Schema of the format. For a number, only the description states the
// places: validators divide by multipleOf in binary fractions and reject 19.99.
func (f Format) schema() string {
	switch {
	case f.Text:
		return fmt.Sprintf(`{"anyOf":[{"type":"string","pattern":%q},{"type":"number"}],"examples":[%q]}`, f.pattern(), f.example())
	case f.Places == 0:
		return fmt.Sprintf(`{"type":"integer","minimum":%s,"maximum":%s}`, f.text(-f.largest()), f.text(f.largest()))
	}
	text := string(f.wrongForm())
	text, _, _ = strings.Cut(strings.TrimPrefix(text, "must be a number with at "), ",")
	return fmt.Sprintf(`{"type":"number","minimum":%s,"maximum":%s,"description":%q,"examples":[%s]}`,
		f.text(-f.largest()), f.text(f.largest()), strings.Replace(text, "most", "At most", 1)+".", f.example())
}

func (f Format) pattern() string {
	if f.Places == 0 {
		return "^-?[0-9]+$"
	}
	return fmt.Sprintf(`^-?[0-9]+(\.[0-9]{1,%d})?$`, f.Places)
}

// example returns 250 in the format, or the half of 1 if 250 is not of the format.
func (f Format) example() string {
	if units := 250 * power(f.Places); f.Digits-f.Places >= len("250") {
		return f.text(units)
	}
	return f.text(power(f.Places) / 2)
}
