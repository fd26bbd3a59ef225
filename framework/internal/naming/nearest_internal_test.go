package naming

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"name", "city", "status", "starts_at", "ID", "id"}
	for _, c := range []struct{ about, name, want string }{
		{"a doubled letter", "citty", "city"},
		{"a missing letter", "nme", "name"},
		{"two letters swapped count once", "nmae", "name"},
		{"another case comes first", "STATUS", "status"},
		{"the same in another case beats one that is close", "Id", "ID"},
		{"two mistakes in a long name", "start_a", "starts_at"},
		{"two mistakes in a short name are too many", "nxxe", ""},
		{"nothing alike", "telephone", ""},
		{"no name", "", ""},
		{"an endless name costs nothing", strings.Repeat("x", 1<<20), ""},
		{"letters beyond ASCII count as one", "naméé", ""},
		{"one letter beyond ASCII", "namé", "name"},
	} {
		t.Run(c.about, func(t *testing.T) {
			if got := Nearest(c.name, known); got != c.want {
				t.Errorf("nearest(%.20q) = %q, want %q", c.name, got, c.want)
			}
		})
	}
	if got := Nearest("x", nil); got != "" {
		t.Errorf("nearest without names = %q", got)
	}
}
