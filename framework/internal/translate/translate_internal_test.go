package translate

import (
	"reflect"
	"testing"
)

// TestSameValue: a value of the body is compared with the value of the row by its JSON, whatever
// its form.
func TestSameValue(t *testing.T) {
	list := []any{"a", "b"}
	for name, c := range map[string]struct {
		sent, stored any
		same         bool
	}{
		"a text":             {"a", "a", true},
		"a text with spaces": {" a ", "a", true},
		"another text":       {"b", "a", false},
		"a number":           {2.0, 2, true},
		"a list":             {list, []string{"a", "b"}, true},
		"another list":       {list, []string{"b", "a"}, false},
		"an object":          {map[string]any{"a": 1.0}, map[string]int{"a": 1}, true},
		"a list, not a text": {list, "a", false},
		"null":               {nil, (*string)(nil), false},
		"no JSON":            {"a", make(chan int), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sameValue(c.sent, reflect.ValueOf(c.stored)); got != c.same {
				t.Errorf("sameValue(%v, %v) is %t; want %t", c.sent, c.stored, got, c.same)
			}
		})
	}
}
