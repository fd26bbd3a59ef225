package conditional_test

import (
	"database/sql/driver"
	"strings"
	"testing"

	"github.com/uptrace/bun/schema"
	"trestle.example/framework/internal/conditional"
)

// TestHeaders: which versions a header If-Match accepts.
func TestHeaders(t *testing.T) {
	for _, c := range []struct {
		header  []string
		accepts string // of the versions 1 and 2
	}{
		{nil, "1 2"},
		{[]string{"*"}, "1 2"},
		{[]string{" * "}, "1 2"},
		{[]string{`"1.abc"`}, "1"},
		{[]string{`W/"1.abc"`}, "1"},
		{[]string{`"1"`}, "1"},
		{[]string{`"1.abc", "2.abc"`}, "1 2"},
		{[]string{`"1.abc","2.abc"`}, "1 2"},
		{[]string{`"1.abc"`, `"2.abc"`}, "1 2"},
		{[]string{`, ,"2.abc",`}, "2"},
		{[]string{`"2.a,b"`}, "2"},
		{[]string{`"3"`}, ""},
		{[]string{`"1abc"`}, ""},
		{[]string{`".1"`}, ""},
		{[]string{`""`}, ""},
		{[]string{""}, ""},
		{[]string{","}, ""},
		{[]string{"1"}, ""},
		{[]string{`1.abc`}, ""},
		{[]string{`"1.abc`}, ""},
		{[]string{`w/"1.abc"`}, ""},
		{[]string{`W/ "1.abc"`}, ""},
		{[]string{`*, "3"`}, ""},
		{[]string{`"3" "1"`}, ""},
		{[]string{"'1.abc'"}, ""},
	} {
		var accepted []string
		for _, version := range []string{"1", "2"} {
			if conditional.ReadMatch(c.header).Check(version) == nil {
				accepted = append(accepted, version)
			}
		}
		if got := strings.Join(accepted, " "); got != c.accepts {
			t.Errorf("If-Match: %q accepts %q; want %q", c.header, got, c.accepts)
		}
	}
}

// FuzzHeaders: no header panics, a tag matches itself in any list of tags, and a header matches at most the versions
// that it has as text.
func FuzzHeaders(f *testing.F) {
	for _, seed := range []string{`"1.abc"`, `W/"1"`, "*", `"a", W/"b"`, `"a,b"`, `"`, "W/", `*, "1"`, "\x00"} {
		f.Add(seed, "1", "{}")
	}
	f.Fuzz(func(t *testing.T, header, version, body string) {
		m := conditional.ReadMatch([]string{header})
		if m.Check(version) == nil && !m.Any && !strings.Contains(header, version) {
			t.Errorf("If-Match: %q accepts the version %q", header, version)
		}
		if strings.ContainsAny(version, `".`) || version == "" {
			return
		}
		tag := conditional.Tag(version, []byte(body))
		for _, sent := range []string{tag, "W/" + tag, `"x", ` + tag, tag + `, W/"y"`} {
			if err := conditional.ReadMatch([]string{sent}).Check(version); err != nil {
				t.Errorf("If-Match: %s rejects the version %q", sent, version)
			}
			if !conditional.Unchanged([]string{sent}, tag) {
				t.Errorf("If-None-Match: %s does not match %s", sent, tag)
			}
			if conditional.Unchanged([]string{sent}, conditional.Tag(version, []byte(body+" "))) {
				t.Errorf("If-None-Match: %s matches another body", sent)
			}
		}
	})
}

// TestHashOfColumns: two lists of values with the same bytes in all have different hashes.
func TestHashOfColumns(t *testing.T) {
	v := &conditional.Version{Hashed: make([]*schema.Field, 2)}
	seen := map[string][]driver.Value{}
	for _, values := range [][]driver.Value{{"a", "bc"}, {"ab", "c"}, {"", "abc"}, {"abc", ""}, {nil, "abc"}, {"abc", nil}, {int64(1), "1"}, {"1", int64(1)}, {true, "x"}, {1.0, "x"}, {int64(1), "x"}, {nil, nil}} {
		version := v.OfColumns(values)
		if other, known := seen[version]; known {
			t.Errorf("%v and %v have the version %s", values, other, version)
		}
		seen[version] = values
	}
	if v.OfColumns([]driver.Value{"a", []byte("b")}) != v.OfColumns([]driver.Value{[]byte("a"), "b"}) {
		t.Error("a text has another version as bytes")
	}
}
