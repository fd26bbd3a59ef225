package decimal_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"trestle.example/framework/decimal"
	"trestle.example/framework/problem"
)

type (
	fee     struct{} // as a column numeric(8,2) of Django
	largest struct{}
	part    struct{} // 0.000 to 0.999
	text    struct{}
	none    struct{}
	wide    struct{}
)

func (fee) Format() decimal.Format     { return decimal.Format{Digits: 8, Places: 2, Numeric: true} }
func (largest) Format() decimal.Format { return decimal.Format{Digits: 18, Places: 2} }
func (part) Format() decimal.Format    { return decimal.Format{Digits: 3, Places: 3} }
func (text) Format() decimal.Format    { return decimal.Format{Digits: 8, Places: 2, Text: true} }
func (none) Format() decimal.Format    { return decimal.Format{Digits: 19} }
func (wide) Format() decimal.Format    { return decimal.Format{Digits: 2, Places: 3} }

type (
	whole = decimal.Of[decimal.Scale0]
	money = decimal.Of[decimal.Scale2]
)

// parsed returns the text of a number that is parsed as a type, or the error.
func parsed[S decimal.Scale](number string) string {
	d, err := decimal.Parse[S](number)
	if err != nil {
		return err.Error()
	}
	return d.String()
}

func TestParse(t *testing.T) {
	t.Parallel()
	const twoPlaces = "must be a number with at most two decimal places, such as 250 or 99.50"
	for _, c := range []struct {
		name string
		got  string
		want string
	}{
		{"a whole number gets the places", parsed[decimal.Scale2]("250"), "250.00"},
		{"a number with one place", parsed[decimal.Scale2]("99.5"), "99.50"},
		{"less than one", parsed[decimal.Scale2]("0.01"), "0.01"},
		{"below zero", parsed[decimal.Scale2]("-0.05"), "-0.05"},
		{"minus zero is zero", parsed[decimal.Scale2]("-0.00"), "0.00"},
		{"zeros at the end do not count", parsed[decimal.Scale2]("1.1000000"), "1.10"},
		{"an exponent", parsed[decimal.Scale2]("15e-1"), "1.50"},
		{"a positive exponent", parsed[decimal.Scale2]("1.5E+3"), "1500.00"},
		{"six places", parsed[decimal.Scale6]("0.000001"), "0.000001"},
		{"only places", parsed[part]("0.999"), "0.999"},
		{"no places", parsed[decimal.Scale0]("250.0"), "250"},
		{"eighteen digits", parsed[largest]("9999999999999999.99"), "9999999999999999.99"},

		{"one place too many", parsed[decimal.Scale2]("1.005"), twoPlaces},
		{"one place too many by the exponent", parsed[decimal.Scale2]("1e-3"), twoPlaces},
		{"one place of one", parsed[decimal.Scale1]("1.55"), "must be a number with at most one decimal place, such as 250 or 99.5"},
		{"a place of none", parsed[decimal.Scale0]("1.5"), "must be a whole number"},
		{"a place too many below one", parsed[part]("0.0005"), "must be a number with at most three decimal places, such as 0.500"},
		{"a plus", parsed[decimal.Scale2]("+1"), twoPlaces},
		{"two minus", parsed[decimal.Scale2]("--1"), twoPlaces},
		{"no digit before the point", parsed[decimal.Scale2](".5"), twoPlaces},
		{"no digit after the point", parsed[decimal.Scale2]("5."), twoPlaces},
		{"a comma", parsed[decimal.Scale2]("1,5"), twoPlaces},
		{"an empty text", parsed[decimal.Scale2](""), twoPlaces},
		{"a word", parsed[decimal.Scale2]("NaN"), twoPlaces},
		{"hexadecimal", parsed[decimal.Scale2]("0x10"), twoPlaces},
		{"an underscore", parsed[decimal.Scale2]("1_000"), twoPlaces},
		{"a space", parsed[decimal.Scale2](" 1"), twoPlaces},
		{"an empty exponent", parsed[decimal.Scale2]("1e"), twoPlaces},
		{"a fraction as exponent", parsed[decimal.Scale2]("1e2.0"), twoPlaces},
		{"other digits", parsed[decimal.Scale2]("٣"), twoPlaces},

		{"a digit too many", parsed[fee]("1000000"), "must be at most 999999.99"},
		{"a digit too many below zero", parsed[fee]("-1000000"), "must be at least -999999.99"},
		{"a huge exponent", parsed[fee]("1e999999999999"), "must be at most 999999.99"},
		{"a huge negative exponent", parsed[decimal.Scale2]("1e-999999999999"), twoPlaces},
		{"zero with a huge exponent", parsed[decimal.Scale2]("0e999999999999"), "0.00"},
		{"nineteen digits", parsed[largest]("10000000000000000"), "must be at most 9999999999999999.99"},
		{"a whole number of one", parsed[part]("1"), "must be at most 0.999"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.got != c.want {
				t.Errorf("got %q; want %q", c.got, c.want)
			}
		})
	}
}

// TestKindsOfErrors: a wrong form is a ValueError and leaves the value; too many digits are a
// RangeError and the nearest number.
func TestKindsOfErrors(t *testing.T) {
	t.Parallel()
	d := money(700)
	if err := d.UnmarshalText([]byte("x")); !isA[problem.ValueError](err) || d != 700 {
		t.Errorf("a word: %v, %s; want a ValueError and 7.00", err, d)
	}
	if err := d.UnmarshalText([]byte("-1e99")); !isA[problem.RangeError](err) || d.String() != "-9999999999999.99" {
		t.Errorf("a large number: %v, %s; want a RangeError and the least number", err, d)
	}
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func TestJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, sent, number, text string }{
		{"a number", `250`, `250.00`, `"250.00"`},
		{"a number with an exponent", `1e2`, `100.00`, `"100.00"`},
		{"a number below zero", `-0.5`, `-0.50`, `"-0.50"`},
		{"a string", `"99.5"`, ``, `"99.50"`},
		{"a string with zeros before", `"007"`, ``, `"7.00"`},
		{"a string with an exponent", `"1e2"`, ``, ``},
		{"an empty string", `""`, ``, ``},
		{"a string with an escape", `"\u0031"`, ``, ``},
		{"a boolean", `true`, ``, ``},
		{"a list", `[1]`, ``, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := again(t, new(money), c.sent); got != c.number {
				t.Errorf("a number type writes %s as %q; want %q", c.sent, got, c.number)
			}
			if got := again(t, new(decimal.Of[text]), c.sent); got != c.text {
				t.Errorf("a text type writes %s as %q; want %q", c.sent, got, c.text)
			}
		})
	}
}

// again reads JSON into a value and writes it. It returns "" if the value does not take the JSON.
func again(t *testing.T, into any, sent string) string {
	t.Helper()
	if json.Unmarshal([]byte(sent), into) != nil {
		return ""
	}
	text, err := json.Marshal(into)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestSchemas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		of   interface{ JSONSchemaBytes() ([]byte, error) }
		want string
	}{
		{"money", money(0), `{"type":"number","minimum":-9999999999999.99,"maximum":9999999999999.99,"description":"At most two decimal places.","examples":[250.00]}`},
		{"whole numbers", whole(0), `{"type":"integer","minimum":-999999999999999,"maximum":999999999999999}`},
		{"parts of one", decimal.Of[part](0), `{"type":"number","minimum":-0.999,"maximum":0.999,"description":"At most three decimal places.","examples":[0.500]}`},
		{"text", decimal.Of[text](0), `{"anyOf":[{"type":"string","pattern":"^-?[0-9]+(\\.[0-9]{1,2})?$"},{"type":"number"}],"examples":["250.00"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := c.of.JSONSchemaBytes()
			if string(got) != c.want || err != nil || !json.Valid(got) {
				t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	if v, err := money(25000).Value(); v != int64(25000) || err != nil {
		t.Errorf("a bigint column gets %v, %v; want 25000", v, err)
	}
	if v, err := decimal.Of[fee](25000).Value(); v != "250.00" || err != nil {
		t.Errorf("a numeric column gets %v, %v; want 250.00", v, err)
	}
	for _, c := range []struct {
		name            string
		src             any
		bigint, numeric string // "" for an error
	}{
		{"an integer", int64(150), "1.50", "150.00"},
		{"digits as text", "150", "1.50", "150.00"},
		{"digits as bytes, such as a sum of PostgreSQL", []byte("150"), "1.50", "150.00"},
		{"places as text", "99.50", "", "99.50"},
		{"places as bytes", []byte("-0.05"), "", "-0.05"},
		{"a fraction of SQLite", 99.5, "", "99.50"},
		{"a fraction that binary numbers do not have", 0.29, "", "0.29"},
		{"the result of a sum in binary fractions", 0.1 + math.Sqrt(0.04), "", ""},
		{"a fraction with sixteen digits", 12345678901234.56, "", ""},
		{"too many places", "0.005", "", ""},
		{"too many digits", "99999999999999999", "", ""},
		{"NaN", "NaN", "", ""},
		{"a boolean", true, "", ""},
		{"NULL", nil, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			check := func(column, got, want string, err error) {
				if (err != nil) != (want == "") || err == nil && got != want {
					t.Errorf("%s: %v is %s, %v; want %q", column, c.src, got, err, want)
				}
			}
			inUnits, inPlaces := money(0), decimal.Of[fee](0)
			err := inUnits.Scan(c.src)
			check("bigint", inUnits.String(), c.bigint, err)
			err = inPlaces.Scan(c.src)
			check("numeric", inPlaces.String(), c.numeric, err)
		})
	}
}

// TestMistakenColumn: a numeric column of a type without Numeric is an error that names the cure.
func TestMistakenColumn(t *testing.T) {
	t.Parallel()
	if err := new(money).Scan("99.50"); err == nil || !strings.Contains(err.Error(), "set Numeric in the Format") {
		t.Errorf("got %v", err)
	}
}

func TestMistakesInFormats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		got  error
		want string
	}{
		{"nineteen digits", decimal.Of[none](0).CheckType(), "its format has 19 digits; Digits must be 1 to 18"},
		{"more places than digits", decimal.Of[wide](0).CheckType(), "its format has 3 places and 2 digits; Places must be 0 to Digits"},
		{"money", money(0).CheckType(), ""},
		{"eighteen digits", decimal.Of[largest](0).CheckType(), ""},
	} {
		if got := fmt.Sprint(c.got); got != c.want && (c.got != nil || c.want != "") {
			t.Errorf("%s: got %q; want %q", c.name, got, c.want)
		}
	}
}

// TestArithmeticAsBigIntegers compares sums, differences, products and comparisons with package
// math/big, on numbers at and near the bounds and on random ones.
func TestArithmeticAsBigIntegers(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	most := int64(999_999_999_999_999_999)
	pool := []int64{0, 1, -1, 2, 100, most, -most, most - 1, math.MaxInt64, math.MinInt64, 3_000_000_000, -3_000_000_000}
	for range 200 {
		pool = append(pool, random.Int64N(most)-random.Int64N(most), random.Int64N(1<<33)-1<<32)
	}
	bound := big.NewInt(most)
	for _, a := range pool {
		for _, b := range pool {
			x, y := decimal.Of[largest](a), decimal.Of[largest](b)
			check := func(op string, got decimal.Of[largest], err error, want *big.Int) {
				fits := want.CmpAbs(bound) <= 0
				if fits && (err != nil || big.NewInt(int64(got)).Cmp(want) != 0) || !fits && !errors.Is(err, decimal.ErrOverflow) {
					t.Errorf("%d %s %d = %d, %v; want %s", a, op, b, got, err, want)
				}
			}
			m, n := big.NewInt(a), big.NewInt(b)
			sum, err := x.Add(y)
			check("+", sum, err, new(big.Int).Add(m, n))
			difference, err := x.Sub(y)
			check("-", difference, err, new(big.Int).Sub(m, n))
			product, err := x.Mul(b)
			check("*", product, err, new(big.Int).Mul(m, n))
			if x.Cmp(y) != m.Cmp(n) {
				t.Errorf("%d compared with %d is %d", a, b, x.Cmp(y))
			}
		}
	}
}

// FuzzParse compares the parser with the rational numbers of package math/big.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"0", "-0.00", "1.10000", "99999999.99", "1e2", "15e-3", "0.00001e3", "1e400", ".5", "5.", "0x1", "1/2", "+1", "1e", "007", "-", "9223372036854775807", "0e7000000000A"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, number string) {
		d, err := decimal.Parse[largest](number)
		want, ok := rational(number)
		if !ok {
			if !isA[problem.ValueError](err) {
				t.Fatalf("%q is no number, and was read as %s, %v", number, d, err)
			}
			return
		}
		units := new(big.Rat).Mul(want, big.NewRat(100, 1))
		switch {
		case !units.IsInt():
			if !isA[problem.ValueError](err) {
				t.Fatalf("%q has too many places, and was read as %s, %v", number, d, err)
			}
		case units.Num().CmpAbs(big.NewInt(999_999_999_999_999_999)) > 0:
			if !isA[problem.RangeError](err) {
				t.Fatalf("%q has too many digits, and was read as %s, %v", number, d, err)
			}
		case err != nil || big.NewInt(int64(d)).Cmp(units.Num()) != 0 || d.String() != want.FloatString(2):
			t.Fatalf("%q was read as %s, %v; want %s", number, d, err, want.FloatString(2))
		default:
			if again, err := decimal.Parse[largest](d.String()); again != d || err != nil {
				t.Fatalf("%s was read again as %s, %v", d, again, err)
			}
		}
	})
}

// rational reads a number as JSON writes it, leading zeros allowed, with package math/big. It skips
// texts that take math/big long by returning false only for wrong forms.
func rational(number string) (*big.Rat, bool) {
	body := strings.TrimPrefix(number, "-")
	mantissa, exponent, hasExponent := strings.Cut(strings.ReplaceAll(body, "E", "e"), "e")
	whole, places, hasPoint := strings.Cut(mantissa, ".")
	digits := func(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
	if !digits(whole) || hasPoint && !digits(places) {
		return nil, false
	}
	if hasExponent {
		sign := strings.TrimPrefix(exponent, "+")
		if sign == exponent {
			sign = strings.TrimPrefix(exponent, "-")
		}
		if !digits(sign) {
			return nil, false
		}
		if len(strings.TrimLeft(sign, "0")) > 4 { // beyond every bound; math/big would build the number
			zero := strings.Trim(whole+places, "0") == ""
			switch {
			case zero:
				return new(big.Rat), true
			case strings.HasPrefix(exponent, "-"):
				return big.NewRat(1, 1000), true
			}
			huge := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(40), nil))
			return huge, true
		}
	}
	return new(big.Rat).SetString(number)
}
