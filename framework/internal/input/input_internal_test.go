package input

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/internal/rule"
	"trestle.example/framework/problem"
)

type badEmbedded struct {
	Name string `json:"name"`
}

type checkedPart struct {
	From int `json:"from"`
}

func (checkedPart) Check() []problem.Fault { return nil }

type checkedPartToo struct {
	To int `json:"to"`
}

func (checkedPartToo) Check() []problem.Fault { return nil }

type endlessInput struct {
	Children []endlessInput `json:"children"`
}

type selfReadingInput struct{ time.Time }

// builtStruct makes a struct that go vet would reject in source.
func builtStruct(fields ...reflect.StructField) any {
	return reflect.Zero(reflect.StructOf(fields)).Interface()
}

// inputMistakes are input types with one mistake each, and the sentence about it.
var inputMistakes = []struct {
	about string
	in    any
	want  string
}{
	{"an unknown rule, nearly max", struct {
		Name string `validate:"maxx=3"`
	}{}, `input.Name: rule "maxx" is unknown; did you mean "max"?`},
	{"an unknown rule, nearly required", struct {
		Name string `validate:"requird"`
	}{}, `input.Name: rule "requird" is unknown; did you mean "required"?`},
	{"an unknown rule like no other", struct {
		Name string `validate:"frobnicated"`
	}{}, `input.Name: rule "frobnicated" is unknown`},
	{"an unknown rule among alternatives", struct {
		Name string `validate:"email|frobnicated"`
	}{}, `input.Name: rule "email|frobnicated" is unknown`},
	{"a parameter that is no number", struct {
		Name string `validate:"max=ten"`
	}{}, `input.Name: rule "max" does not take the parameter "ten" for string`},
	{"a size without a number", struct {
		Name string `validate:"max"`
	}{}, `input.Name: rule "max" does not take the parameter "" for string`},
	{"oneof without values", struct {
		Name string `validate:"oneof"`
	}{}, `input.Name: rule "oneof" needs a parameter, as in "oneof=..."`},
	{"a parameter that nothing reads", struct {
		Name string `validate:"email=work"`
	}{}, `input.Name: rule "email" takes no parameter, but has "work"`},
	{"a rule of numbers on a bool", struct {
		On bool `validate:"max=3"`
	}{}, `input.On: rule "max" does not apply to bool`},
	{"a rule of text on a number", struct {
		N int `validate:"email"`
	}{}, `input.N: rule "email" applies to text, not to int`},
	{"a rule of text without a sentence on a number", struct {
		N int `validate:"md5"`
	}{}, `input.N: rule "md5" applies to text, not to int`},
	{"a length on a UUID", struct {
		ID uuid.UUID `validate:"max=3"`
	}{}, `input.ID: rule "max" does not apply to uuid.UUID`},
	{"a time compared with a constant", struct {
		At time.Time `validate:"gt=2026-01-01"`
	}{}, `input.At: rule "gt" compares a time with now and takes no parameter; write a Check method for another time`},
	{"a length on a time", struct {
		At time.Time `validate:"len=3"`
	}{}, `input.At: rule "len" does not apply to time.Time`},
	{"a rule on a struct", struct {
		In struct{ A int } `validate:"max=3"`
	}{}, `input.In: rule "max" does not apply to struct { A int }`},
	{"a rule on any JSON", struct {
		Raw json.RawMessage `validate:"min=3"`
	}{}, `input.Raw: rule "min" does not apply to json.RawMessage`},
	{"unique over what cannot be compared", struct {
		Tags [][]string `validate:"unique"`
	}{}, `input.Tags: rule "unique" does not apply to [][]string`},
	{"a comparison of two fields", struct {
		A, B string `validate:"eqfield=B"`
	}{}, `input.A: rule "eqfield" compares two fields; write a Check method instead`},
	{"a comparison across structs", struct {
		A int `validate:"gtecsfield=B.C"`
	}{}, `input.A: rule "gtecsfield" compares two fields; write a Check method instead`},
	{"a condition on another field", struct {
		A string `validate:"required_with=B"`
	}{}, `input.A: rule "required_with" compares two fields; write a Check method instead`},
	{"an exclusion by another field", struct {
		A string `validate:"excluded_if=B 1"`
	}{}, `input.A: rule "excluded_if" compares two fields; write a Check method instead`},
	{"a rule that opens files", struct {
		A string `validate:"file"`
	}{}, `input.A: rule "file" reads the server's files or network`},
	{"a rule that resolves names, among alternatives", struct {
		A string `validate:"ip|tcp_addr"`
	}{}, `input.A: rule "ip|tcp_addr" reads the server's files or network`},
	{"a stray comma", struct {
		A string `validate:"max=3,"`
	}{}, `input.A: rule "" has no name`},
	{"dive into text", struct {
		A string `validate:"dive,max=3"`
	}{}, `input.A: rule "dive" is for slices and maps, not for string`},
	{"a bad rule for elements", struct {
		A []string `validate:"dive,maxx=3"`
	}{}, `input.A: rule "maxx" is unknown; did you mean "max"?`},
	{"rules for keys", struct {
		A map[string]int `validate:"dive,keys,max=3,endkeys"`
	}{}, `input.A: rule "keys" has no meaning in an input`},
	{"a default that is no number", struct {
		N int `default:"ten"`
	}{}, `input.N: default "ten" must be a whole number, not a string`},
	{"a default out of range", struct {
		N int8 `default:"200"`
	}{}, `input.N: default "200" must be at most 127`},
	{"a default that breaks its own rule", struct {
		S string `default:"open" validate:"oneof=booked cancelled"`
	}{}, `input.S: default "open" must be one of booked, cancelled`},
	{"a default that is no time", struct {
		T time.Time `default:"now"`
	}{}, `input.T: default "now" must be a time`},
	{"a default that is never used", struct {
		S string `default:"x" validate:"required"`
	}{}, `input.S: is required, so its default "x" is never used`},
	{"two fields with one name", builtStruct(
		reflect.StructField{Name: "A", Type: reflect.TypeFor[string](), Tag: `json:"name"`},
		reflect.StructField{Name: "B", Type: reflect.TypeFor[string](), Tag: `json:"name"`},
	), `input.B: is named "name" like input.A`},
	{"a field that hides an embedded one", struct {
		badEmbedded
		Name string `json:"name"`
	}{}, `input.Name: is named "name" like badEmbedded.Name`},
	{"a channel", struct{ C chan int }{}, `input.C: type chan int is not supported`},
	{"a function", struct{ F func() }{}, `input.F: type func() is not supported`},
	{"an interface with methods", struct{ R interface{ Read() } }{}, `input.R: type interface { Read() } is not supported`},
	{"a complex number", struct{ C complex128 }{}, `input.C: type complex128 is not supported`},
	{"an array", struct{ A [3]int }{}, `input.A: type [3]int is not supported`},
	{"a pointer to a pointer", struct{ P **int }{}, `input.P: type *int is not supported`},
	{"a map by number", struct{ M map[int]string }{}, `input.M: type map[int]string is not supported`},
	{"a slice of channels", struct{ S []chan int }{}, `input.S: type chan int is not supported`},
	{"a reference that holds no key", struct {
		P float64 `ref:"patients"`
	}{}, `input.P: ref is for a key, a uuid.UUID, a string or an integer, or for a list of them, not for float64`},
	{"a reference that is a time", struct {
		P time.Time `ref:"patients"`
	}{}, `input.P: ref is for a key`},
	{"a hidden field with a name", builtStruct(
		reflect.StructField{Name: "name", PkgPath: "example", Type: reflect.TypeFor[string](), Tag: `json:"name"`},
	), `input.name: is not exported, so it cannot be set`},
	{"numbers as strings", struct {
		N int `json:"n,string"`
	}{}, `input.N: the json option "string" is not supported`},
	{"an unknown way to trim", struct {
		S string `trim:"left"`
	}{}, `input.S: tag trim is "left"`},
	{"an embedded pointer", struct{ *badEmbedded }{}, `input.badEmbedded: embed the struct itself, not a pointer to it`},
	{"two embedded checks", struct {
		checkedPart
		checkedPartToo
	}{}, `input.checkedPart: has a Check method that the input hides or shares`},
	{"an input inside itself", endlessInput{}, `endlessInput: an input may not contain itself`},
	{"an input that reads itself", selfReadingInput{}, `selfReadingInput: an input may not have an UnmarshalJSON or UnmarshalText method`},
	{"no struct", map[string]int{}, `map[string]int: an input must be a struct, not a map`},
	{"a nested struct with nothing in it", struct{ S struct{ a int } }{}, `input.S: struct { a int } has no exported field`},
}

func TestCompileInputNamesMistakes(t *testing.T) {
	for _, c := range inputMistakes {
		t.Run(c.about, func(t *testing.T) {
			shape, errs := CompileInput(reflect.TypeOf(c.in))
			if shape == nil {
				t.Fatal("no shape")
			}
			if !slices.ContainsFunc(errs, func(err error) bool { return strings.HasPrefix(err.Error(), c.want) }) {
				t.Errorf("mistakes are %v\nwant %s", errs, c.want)
			}
		})
	}
}

func TestCompileInputFindsEveryMistake(t *testing.T) {
	_, errs := CompileInput(reflect.TypeOf(struct {
		A string `validate:"maxx=1,minn=2"`
		B chan int
		C int `default:"x"`
	}{}))
	if len(errs) != 4 {
		t.Errorf("found %d mistakes, want 4: %v", len(errs), errs)
	}
}

func TestCompileInputDescribesFields(t *testing.T) {
	type Part struct {
		Quantity int `json:"quantity" validate:"required,min=1"`
	}
	type Base struct {
		Name string `json:"name" validate:"required,max=200" doc:"What it is called."`
	}
	type In struct {
		Base
		Status  string     `json:"status" default:"booked" validate:"oneof=booked 'no show'"`
		Patient uuid.UUID  `json:"patient" ref:"patients" validate:"required"`
		Doctor  *uuid.UUID `json:"doctor" ref:"doctors"`
		Parts   []Part     `json:"parts" validate:"max=5,dive"`
		Plain   int
		Secret  string `json:"-"`
		hidden  int    //nolint:unused // what is not exported is left alone
	}
	s, errs := CompileInput(reflect.TypeFor[In]())
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if got := strings.Join(s.names(), " "); got != "name status patient doctor parts Plain" {
		t.Errorf("names are %s", got)
	}
	name, status, doctor, parts := s.ByName["name"], s.ByName["status"], s.ByName["doctor"], s.ByName["parts"]
	if !name.Required || name.GoName != "Name" || name.Place != "Base.Name" || name.Doc != "What it is called." || len(name.Rules) != 1 || name.Rules[0] != (rule.Rule{Name: "max", Param: "200"}) {
		t.Errorf("name is %+v", name)
	}
	if status.def.String() != "booked" || !slices.Equal(status.Enum, []string{"booked", "no show"}) || status.nullable {
		t.Errorf("status is %+v", status)
	}
	if !doctor.nullable || doctor.Ref != "doctors" || doctor.Required {
		t.Errorf("doctor is %+v", doctor)
	}
	if parts.Nested == nil || parts.Nested.ByName["quantity"] == nil || !s.ByName["patient"].Required {
		t.Errorf("parts are %+v", parts)
	}
}
