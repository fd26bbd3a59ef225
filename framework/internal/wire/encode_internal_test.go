package wire

import (
	"encoding/json"
	"testing"
)

func TestNumbersAreWrittenAsEncodingJSONDoes(t *testing.T) {
	for _, value := range []any{
		json.Number("5"), json.Number("1.50"), json.Number(""), map[json.Number]int{"3": 1}, map[string]json.Number{"a": "1e3"},
		[]json.Number{"1", "2"}, struct{ N *json.Number }{},
	} {
		want, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Encode(value); err != nil || string(got) != string(want) {
			t.Errorf("%T: %s, %v; want %s", value, got, err, want)
		}
	}
	for _, no := range []json.Number{`{"a":1}`, `"5"`, "five", "1 2"} {
		if got, err := Encode(no); err == nil {
			t.Errorf("%s is written as a number: %s", no, got)
		}
	}
}
