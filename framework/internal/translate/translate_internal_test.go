package translate

import (
	"reflect"
	"testing"
)

// TestSameValue: a value of the input is compared with the value of the row by its JSON, whatever
// its type.
func TestSameValue(t *testing.T) {
	text := "a"
	for name, c := range map[string]struct {
		sent, stored any
		same         bool
	}{
		"a text":               {"a", "a", true},
		"another text":         {"b", "a", false},
		"a text and a pointer": {"a", &text, true},
		"numbers of two types": {int32(2), int64(2), true},
		"a list":               {[]string{"a", "b"}, []string{"a", "b"}, true},
		"another list":         {[]string{"a", "b"}, []string{"b", "a"}, false},
		"a list, not a text":   {[]string{"a"}, "a", false},
		"null":                 {(*string)(nil), (*string)(nil), false},
		"no JSON":              {"a", make(chan int), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sameValue(reflect.ValueOf(c.sent), reflect.ValueOf(c.stored)); got != c.same {
				t.Errorf("sameValue(%v, %v) is %t; want %t", c.sent, c.stored, got, c.same)
			}
		})
	}
}
