package input

import (
	"reflect"
	"testing"

	"trestle.example/framework/internal/datatype"
)

// A number that is out of bounds is answered with the bound that it violates, in a
// body and in a query.
func TestTheViolatedBoundIsNamed(t *testing.T) {
	const (
		float32Most = "3.4028234663852886e+38"
		float64Most = "1.7976931348623157e+308"
	)
	for _, c := range []struct {
		typ            reflect.Type
		below, atLeast string
		above, atMost  string
		tooSmall       string // for the rule
	}{
		{reflect.TypeFor[int8](), "-129", "-128", "128", "127", "1"},
		{reflect.TypeFor[int16](), "-32769", "-32768", "32768", "32767", "1"},
		{reflect.TypeFor[int32](), "-2147483649", "-2147483648", "2147483648", "2147483647", "1"},
		{reflect.TypeFor[int64](), "-9223372036854775809", "-9223372036854775808", "9223372036854775808", "9223372036854775807", "1"},
		{reflect.TypeFor[int](), "-99999999999999999999", "-9223372036854775808", "99999999999999999999", "9223372036854775807", "1"},
		{reflect.TypeFor[uint8](), "-1", "0", "256", "255", "1"},
		{reflect.TypeFor[uint16](), "-1", "0", "65536", "65535", "1"},
		{reflect.TypeFor[uint32](), "-1", "0", "4294967296", "4294967295", "1"},
		{reflect.TypeFor[uint64](), "-99999999999999999999", "0", "9223372036854775808", "9223372036854775807", "1"},
		{reflect.TypeFor[uint](), "-1", "0", "18446744073709551616", "9223372036854775807", "1"},
		{reflect.TypeFor[float32](), "-1e39", "-" + float32Most, "1e39", float32Most, "1.5"},
		{reflect.TypeFor[float64](), "-1e309", "-" + float64Most, "1e309", float64Most, "1.5"},
	} {
		t.Run(c.typ.String(), func(t *testing.T) {
			s, ruled := oneOf(t, c.typ, ""), oneOf(t, c.typ, `validate:"min=2,max=5"`)
			halfRuled := oneOf(t, c.typ, `validate:"ne=3"`)
			for _, given := range []struct{ number, want string }{
				{c.below, "must be at least " + c.atLeast}, {c.above, "must be at most " + c.atMost},
			} {
				if _, err := datatype.ParseValue(c.typ, given.number); err == nil || err.Error() != given.want {
					t.Errorf("the parameter %s: %v; want %s", given.number, err, given.want)
				}
				decodes(t, s, given.number, given.want)
				decodes(t, halfRuled, given.number, given.want)
			}
			for _, low := range []string{c.tooSmall, c.below} {
				decodes(t, ruled, low, "must be at least 2")
			}
			for _, high := range []string{"6", c.above} {
				decodes(t, ruled, high, "must be at most 5")
			}
			for _, bound := range []string{c.atLeast, c.atMost} {
				if _, err := datatype.ParseValue(c.typ, bound); err != nil {
					t.Errorf("the bound %s itself: %v", bound, err)
				}
			}
		})
	}
}

// oneOf is the input of one field F.
func oneOf(t *testing.T, typ reflect.Type, tag reflect.StructTag) *Shape {
	t.Helper()
	s, mistakes := CompileInput(reflect.StructOf([]reflect.StructField{{Name: "F", Type: typ, Tag: tag}}))
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	return s
}

func decodes(t *testing.T, s *Shape, number, want string) {
	t.Helper()
	d, err := s.Decode([]byte(`{"F":`+number+`}`), false, nil)
	if err != nil || len(d.Faults) != 1 || d.Faults[0].Detail != want {
		t.Errorf("the body's %s: %v, %v; want %s", number, d.Faults, err, want)
	}
}
