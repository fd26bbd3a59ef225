package mergepatch_test

import (
	"encoding/json"
	"slices"
	"testing"

	"trestle.example/framework/internal/mergepatch"
)

// TestObjects: the members of a merge patch that would be merged.
func TestObjects(t *testing.T) {
	for name, test := range map[string]struct {
		body string
		want []string
	}{
		"none":                          {`{}`, nil},
		"other values":                  {`{"a":1,"b":null,"c":"x","d":[{}],"e":true}`, nil},
		"an object":                     {`{"a":{}}`, []string{"a"}},
		"two among others":              {`{"a":{"b":1},"c":1,"d":{}}`, []string{"a", "d"}},
		"an object in another is of it": {`{"a":{"b":{}}}`, []string{"a"}},
		"a name with escapes":           {`{"\u0061":{}}`, []string{"a"}},
		"a list":                        {`[{}]`, nil},
		"a text":                        {`"a"`, nil},
		"nothing":                       {``, nil},
		"an end that is missing":        {`{"a":{},"b":`, []string{"a"}},
	} {
		if got := mergepatch.Objects([]byte(test.body)); !slices.Equal(got, test.want) {
			t.Errorf("%s: %s has %q; want %q", name, test.body, got, test.want)
		}
	}
}

// FuzzObjects: of an object that a decoder of the standard library reads, these are the members with objects.
func FuzzObjects(f *testing.F) {
	for _, seed := range []string{`{"a":{},"b":[{}]}`, `{"":{"":{}}}`, `[]`, `{"a`, "", `{"\ud800":{}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		got := mergepatch.Objects([]byte(body))
		var members map[string]json.RawMessage
		if json.Unmarshal([]byte(body), &members) != nil {
			return
		}
		for _, name := range got {
			if value := members[name]; len(value) == 0 || value[0] != '{' {
				t.Errorf("%q of %q is %s", name, body, value)
			}
		}
	})
}
