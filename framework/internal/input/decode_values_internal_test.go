package input

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/problem"
)

func TestDecodeSetsValues(t *testing.T) {
	s := compiledInput[everyKind](t)
	body := `{
		"name":"  Ann\u0020", "raw":" as is ", "on":true, "small":-128, "count":7, "big":-9, "whole":65535, "huge":5,
		"ratio":0.5, "single":0.25, "at":"2026-01-31T09:00:00.123456789+05:30", "later":null,
		"key":"0198F1C2-7A3B-7C4D-8E5F-001122334455", "grade":3, "json":{"a" : 1}, "any":{"n":12345678901234567890},
		"tags":[" a ","b"], "numbers":[1,null], "scores":{"x":1.5}, "line":{"quantity":2},
		"lines":[{"quantity":1,"note":"x"},{"quantity":2}], "nick":"nn", "price":500, "shade":"red", "data":"aGk="}`
	d, e := s.Decode([]byte(body), false, nil)
	if e != nil || len(d.Faults) > 0 || len(d.Unknown) > 0 {
		t.Fatal(e, d)
	}
	one, nick := 1, "nn"
	want := everyKind{
		Name: "Ann", Raw: " as is ", Status: "booked", On: true, Small: -128, Count: 7, Big: -9, Whole: 65535, Huge: 5,
		Ratio: 0.5, Single: 0.25, At: time.Date(2026, 1, 31, 3, 30, 0, 123456000, time.UTC),
		ID: uuid.MustParse("0198f1c2-7a3b-7c4d-8e5f-001122334455"), Grade: 3, JSON: json.RawMessage(`{"a" : 1}`),
		Any:  map[string]any{"n": json.Number("12345678901234567890")},
		Tags: []string{"a", "b"}, Numbers: []*int{&one, nil}, Scores: map[string]float64{"x": 1.5},
		Line:  bodyLine{Quantity: 2, Note: "none"},
		Lines: []bodyLine{{Quantity: 1, Note: "x"}, {Quantity: 2, Note: "none"}},
		Nick:  &nick, Price: 500, Shade: bodyShade{1}, Data: []byte("hi"),
	}
	if got := d.Value.Interface().(everyKind); !reflect.DeepEqual(got, want) {
		t.Errorf("read  %+v\nwant %+v", got, want)
	}
	if !d.Value.CanAddr() || !d.Has("name") || d.Has("status") || d.Has("nobody") {
		t.Error("presence or address is wrong")
	}
}

func TestDecodeDefaults(t *testing.T) {
	type address struct {
		Country string `json:"country" default:"IN"`
	}
	type in struct {
		Status  string     `json:"status" default:"booked"`
		Number  string     `json:"number" default:"007"`
		Count   int        `json:"count" default:"3"`
		On      bool       `json:"on" default:"true"`
		Limit   *int       `json:"limit" default:"5"`
		At      time.Time  `json:"at" default:"2026-01-31T09:00:00Z"`
		Until   *time.Time `json:"until"`
		Tags    []string   `json:"tags" default:"[\"a\"]"`
		Price   bodyPaise  `json:"price" default:"100"`
		Shade   bodyShade  `json:"shade" default:"red"`
		Address address    `json:"address"`
	}
	s := compiledInput[in](t)
	five := 5
	want := in{
		Status: "booked", Number: "007", Count: 3, On: true, Limit: &five, At: time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC),
		Tags: []string{"a"}, Price: 100, Shade: bodyShade{1}, Address: address{"IN"},
	}
	for range 2 { // the second time shows whether the first could change a default
		d, e := s.Decode([]byte(`{}`), false, nil)
		if e != nil {
			t.Fatal(e)
		}
		got := d.Value.Addr().Interface().(*in)
		if !reflect.DeepEqual(*got, want) {
			t.Errorf("read %+v\nwant %+v", *got, want)
		}
		*got.Limit, got.Tags[0] = 9, "changed"
	}
	d, _ := s.Decode([]byte(`{"status":""}`), false, nil)
	if got := d.Value.Interface().(in).Status; got != "" {
		t.Errorf("blank text became %q; a default is for what is absent", got)
	}
	d, _ = s.Decode([]byte(`{}`), true, nil)
	if got := d.Value.Interface().(in); !reflect.DeepEqual(got, in{}) {
		t.Errorf("a partial body got defaults: %+v", got)
	}
	if def := s.ByName["address"].def.Interface(); def != (address{"IN"}) {
		t.Errorf("the default of a struct is %+v", def)
	}
}

func TestDecodeTellsUnknownNames(t *testing.T) {
	s := compiledInput[everyKind](t)
	d, e := s.Decode([]byte(`{"zz":{"deep":1},"NAME":1,"line":{"quantity":1,"stock":2},"lines":[{"quantity":1},{"a/b":0,"quantity":1}],"id":7}`), false, nil)
	if e != nil || len(d.Faults) > 0 {
		t.Fatal(e, d)
	}
	if want := []string{"/zz", "/NAME", "/line/stock", "/lines/1/a~1b", "/id"}; !slices.Equal(d.Unknown, want) {
		t.Errorf("unknown are %q, want %q", d.Unknown, want)
	}
}

func TestDecodeKeepsReadOnlyNames(t *testing.T) {
	s := compiledInput[requiredKinds](t)
	readOnly := map[string]bool{"id": true, "created_at": true, "name": true}
	body := []byte(`{"id": {"a" : 1},"name":17,"created_at":"x","updated_at":1,"tags":[{"id":1}]}`)
	d, e := s.Decode(body, true, readOnly)
	if e != nil {
		t.Fatal(e)
	}
	clear(body) // what was kept must be a copy
	if len(d.ReadOnly) != 3 || string(d.ReadOnly["id"]) != `{"a" : 1}` || string(d.ReadOnly["name"]) != `17` || string(d.ReadOnly["created_at"]) != `"x"` {
		t.Errorf("read-only are %s", d.ReadOnly)
	}
	if d.Has("name") || !d.Has("tags") || !slices.Equal(d.Unknown, []string{"/updated_at"}) {
		t.Errorf("unknown are %q", d.Unknown)
	}
	expectFaults(t, d.Faults, []string{"/tags/0 type"})

	d, e = s.Decode([]byte(strings.Replace(goodBody, `"name":"Ann"`, `"id":1`, 1)), false, readOnly)
	if e != nil {
		t.Fatal(e)
	}
	expectFaults(t, d.Faults, nil) // a field that is read-only here is not required
}

func TestDecodeWithoutFields(t *testing.T) {
	s := compiledInput[struct{}](t)
	for _, body := range []string{``, ` `, `{}`, ` { } `} {
		if d, e := s.Decode([]byte(body), false, nil); e != nil || len(d.Faults)+len(d.Unknown) > 0 {
			t.Errorf("%q: %v %+v", body, e, d)
		}
	}
	for _, body := range []string{`null`, `[]`, `{`, `""`} {
		if _, e := s.Decode([]byte(body), false, nil); e == nil || e.Code != problem.CodeInvalidJSON {
			t.Errorf("%q: %v", body, e)
		}
	}
	if d, e := s.Decode([]byte(`{"x":1}`), false, nil); e != nil || !slices.Equal(d.Unknown, []string{"/x"}) {
		t.Errorf("%v %+v", e, d)
	}
}

func TestDecodeListsAreBounded(t *testing.T) {
	s := compiledInput[everyKind](t)
	name := strings.Repeat("n", 70<<10)
	for _, c := range []struct {
		about, body      string
		faults, unknowns int
	}{
		{"a hundred faults of many", `{"numbers":[` + strings.TrimSuffix(strings.Repeat(`"x",`, 10_000), ",") + `]}`, 100, 0},
		{"a hundred unknown names of many", `{` + manyNames(200) + `}`, 0, 100},
		{"an endless unknown name leaves room for a fault", `{"` + name + `":1,"name":1,"count":"x"}`, 1, 1},
		{"an endless key leaves room for an unknown name", `{"scores":{"` + name + `":"x"},"zz":1,"yy":1}`, 1, 1},
	} {
		t.Run(c.about, func(t *testing.T) {
			d, e := s.Decode([]byte(c.body), false, nil)
			if e != nil {
				t.Fatal(e)
			}
			if len(d.Faults) != c.faults || len(d.Unknown) != c.unknowns {
				t.Errorf("%d faults and %d unknown names, want %d and %d", len(d.Faults), len(d.Unknown), c.faults, c.unknowns)
			}
		})
	}
}

func manyNames(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = `"x` + strings.Repeat("y", i) + `":1`
	}
	return strings.Join(names, ",")
}

// spanInput is an input with a check of its own, alone and nested.
type spanInput struct {
	From int `json:"from"`
	To   int `json:"to"`
}

func (s spanInput) Check() []problem.Fault {
	if s.From > s.To {
		return []problem.Fault{{Pointer: "/to", Code: "order", Detail: "must not be before from"}}
	}
	return nil
}

type spansInput struct {
	Main  spanInput   `json:"main"`
	Spans []spanInput `json:"spans"`
	Least int         `json:"least" validate:"min=0"`
}

func (s *spansInput) Check() []problem.Fault {
	if len(s.Spans) < s.Least {
		return []problem.Fault{{Pointer: "/spans", Code: "least", Detail: "must have as many items as least says"}}
	}
	return nil
}

func TestCheckRuns(t *testing.T) {
	s := compiledInput[spansInput](t)
	for _, c := range []struct {
		about, body string
		partial     bool
		faults      []string
	}{
		{"on a good body", `{"least":0}`, false, nil},
		{"and finds a fault", `{"least":1}`, false, []string{"/spans least"}},
		{"not on a partial body", `{"least":1}`, true, nil},
		{"not beside other faults", `{"least":1,"main":{"from":"x"}}`, false, []string{"/main/from type"}},
		{"on nested objects, with their pointer", `{"main":{"from":2,"to":1},"spans":[{},{"from":1}]}`, false, []string{"/main/to order", "/spans/1/to order"}},
		{"on nested objects of a partial body", `{"main":{"from":2,"to":1}}`, true, []string{"/main/to order"}},
		{"not on nested objects with faults", `{"main":{"from":2,"to":"x"}}`, false, []string{"/main/to type"}},
	} {
		t.Run(c.about, func(t *testing.T) {
			d, e := s.Decode([]byte(c.body), c.partial, nil)
			if e != nil {
				t.Fatal(e)
			}
			expectFaults(t, d.Faults, c.faults)
		})
	}
	d, _ := s.Decode([]byte(`{"least":1}`), true, nil)
	expectFaults(t, d.Check(), []string{"/spans least"})
}

func TestDecodeByManyAtOnce(t *testing.T) {
	s := compiledInput[everyKind](t)
	var done sync.WaitGroup
	for n := range 8 {
		done.Go(func() {
			for range 50 {
				c := optionalBodies[(n*37)%len(optionalBodies)]
				n++
				d, e := s.Decode([]byte(c.body), false, nil)
				if e != nil || len(d.Faults) != len(c.faults) {
					t.Errorf("%s: %v %+v", c.about, e, d)
				}
			}
		})
	}
	done.Wait()
}

// bodyWords is a map that its own method fills without emptying it.
type bodyWords map[string]int

func (w *bodyWords) UnmarshalText(text []byte) error {
	if *w == nil {
		*w = bodyWords{}
	}
	(*w)[string(text)]++
	return nil
}

func (w bodyWords) MarshalText() ([]byte, error) {
	return []byte(strings.Join(slices.Sorted(maps.Keys(w)), " ")), nil
}

// TestASentValueReplacesTheDefault: nothing of the default stays in a value that is sent, and
// no request changes the default of others.
func TestASentValueReplacesTheDefault(t *testing.T) {
	type pair struct {
		A int `json:"a"`
		B int `json:"b"`
	}
	type in struct {
		Pair  pair      `json:"pair" default:"{\"a\":1,\"b\":2}"`
		Words bodyWords `json:"words" default:"red"`
	}
	s := compiledInput[in](t)
	for body, want := range map[string]in{
		`{}`:                             {pair{1, 2}, bodyWords{"red": 1}},
		`{"pair":{"a":9}}`:               {pair{9, 0}, bodyWords{"red": 1}},
		`{"words":"blue"}`:               {pair{1, 2}, bodyWords{"blue": 1}},
		`{"pair":{},"words":"red"}`:      {pair{}, bodyWords{"red": 1}},
		`{"pair":{"b":3},"words":"a b"}`: {pair{0, 3}, bodyWords{"a b": 1}},
	} {
		for range 2 {
			d, e := s.Decode([]byte(body), false, nil)
			if e != nil || len(d.Faults) > 0 {
				t.Fatalf("%s: %v, %v", body, e, d.Faults)
			}
			if got := d.Value.Interface().(in); !reflect.DeepEqual(got, want) {
				t.Errorf("%s is read as %+v; want %+v", body, got, want)
			}
		}
	}
}
