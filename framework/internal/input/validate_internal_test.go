package input

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// oneField compiles an input with one field F of type T and a validate tag.
func oneField[T any](t *testing.T, tag string) *Shape {
	t.Helper()
	in := reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeFor[T](), Tag: reflect.StructTag("validate:\"" + tag + "\"")}})
	s, errs := CompileInput(in)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return s
}

// TestRuleDetails lists the sentences that a client reads: a field of one type with
// one rule, a value that breaks it, and the sentence.
func TestRuleDetails(t *testing.T) {
	for _, c := range []struct {
		body  string
		field *Shape
		want  string
	}{
		{`{"F":"abc"}`, oneField[string](t, `max=2`), "must have at most 2 characters"},
		{`{"F":"ab"}`, oneField[string](t, `max=1`), "must have at most 1 character"},
		{`{"F":"a"}`, oneField[string](t, `min=2`), "must have at least 2 characters"},
		{`{"F":"a"}`, oneField[string](t, `len=2`), "must have exactly 2 characters"},
		{`{"F":"a"}`, oneField[string](t, `gt=2`), "must have more than 2 characters"},
		{`{"F":"abc"}`, oneField[string](t, `lt=2`), "must have fewer than 2 characters"},
		{`{"F":"abc"}`, oneField[string](t, `eq=yes`), "must be yes"},
		{`{"F":"yes"}`, oneField[string](t, `ne=yes`), "must not be yes"},
		{`{"F":-1}`, oneField[int](t, `gte=0`), "must be at least 0"},
		{`{"F":-1}`, oneField[int](t, `min=0`), "must be at least 0"},
		{`{"F":9}`, oneField[int](t, `max=5`), "must be at most 5"},
		{`{"F":5}`, oneField[int](t, `lt=5`), "must be less than 5"},
		{`{"F":5}`, oneField[float64](t, `gt=5.5`), "must be more than 5.5"},
		{`{"F":5}`, oneField[int](t, `oneof=1 2 3`), "must be one of 1, 2, 3"},
		{`{"F":false}`, oneField[bool](t, `eq=true`), "must be true"},
		{`{"F":[1,2]}`, oneField[[]int](t, `max=1`), "must have at most 1 item"},
		{`{"F":[1]}`, oneField[[]int](t, `min=2`), "must have at least 2 items"},
		{`{"F":[1,1]}`, oneField[[]int](t, `unique`), "must not have the same item twice"},
		{`{"F":"aGk="}`, oneField[[]byte](t, `max=1`), "must have at most 1 byte"},
		{`{"F":"lost"}`, oneField[string](t, `oneof=booked completed cancelled no_show`), "must be one of booked, completed, cancelled, no_show"},
		{`{"F":"boked"}`, oneField[string](t, `oneof=booked completed cancelled no_show`), "must be one of booked, completed, cancelled, no_show; did you mean booked?"},
		{`{"F":"BOKED"}`, oneField[string](t, `oneofci=booked completed`), "must be one of booked, completed, in any case; did you mean booked?"},
		{`{"F":"x"}`, oneField[string](t, `oneof='two words' one`), "must be one of two words, one"},
		{`{"F":"x"}`, oneField[string](t, `email`), "must be an e-mail address"},
		{`{"F":"x"}`, oneField[string](t, `startswith=ab`), `must begin with "ab"`},
		{`{"F":"a"}`, oneField[string](t, `contains=0x2C`), `must contain ","`},
		{`{"F":"x"}`, oneField[string](t, `md5`), `must satisfy "md5"`},
		{`{"F":"x"}`, oneField[string](t, `postcode_iso3166_alpha2=IN`), `must satisfy "postcode_iso3166_alpha2=IN"`},
		{`{"F":"x"}`, oneField[string](t, `ipv4|mac`), `must satisfy "ipv4|mac"`},
		{`{"F":"x"}`, oneField[string](t, `email|len=3`), `must satisfy "email|len=3"`},
		{`{"F":"2001-01-01T00:00:00Z"}`, oneField[time.Time](t, `gt`), "must be in the future"},
		{`{"F":"9001-01-01T00:00:00Z"}`, oneField[time.Time](t, `lte`), "must not be in the future"},
		{`{"F":7}`, oneField[string](t, ``), "must be a string, not a number"},
		{`{"F":[]}`, oneField[int](t, ``), "must be a whole number, not an array"},
		{`{"F":{}}`, oneField[bool](t, ``), "must be true or false, not an object"},
		{`{"F":true}`, oneField[[]int](t, ``), "must be an array, not a boolean"},
		{`{"F":300}`, oneField[int8](t, ``), "must be at most 127"},
		{`{"F":-1}`, oneField[uint](t, ``), "must be at least 0"},
		{`{"F":1e19}`, oneField[int64](t, ``), "must be a whole number, written without a fraction or an exponent"},
		{`{"F":9999999999999999999}`, oneField[int64](t, ``), "must be at most 9223372036854775807"},
		{`{"F":null}`, oneField[int](t, ``), "must not be null"},
		{`{"F":" "}`, oneField[string](t, `required`), "must not be blank"},
		{`{"F":[]}`, oneField[[]int](t, `required`), "must have at least one item"},
		{`{}`, oneField[json.RawMessage](t, `required`), "is required"},
		{`{"F":250}`, oneField[bodyPaise](t, ``), "must be whole rupees"},
		{`{"F":[]}`, oneField[bodyPaise](t, ``), "is not in the form that this field takes"},
	} {
		t.Run(c.want, func(t *testing.T) {
			d, e := c.field.Decode([]byte(c.body), false, nil)
			if e != nil {
				t.Fatal(e)
			}
			if len(d.Faults) != 1 || d.Faults[0].Detail != c.want || d.Faults[0].Pointer != "/F" {
				t.Errorf("%s: faults are %+v, want %q", c.body, d.Faults, c.want)
			}
		})
	}
}
