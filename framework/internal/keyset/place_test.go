package keyset_test

import (
	"database/sql/driver"
	"math"
	"reflect"
	"strings"
	"testing"

	"trestle.example/framework/internal/keyset"
)

// TestPlaces: what Append writes, ReadPlace reads.
func TestPlaces(t *testing.T) {
	for _, p := range []keyset.Place{
		{},
		{Back: true, Values: []driver.Value{nil, int64(0), int64(math.MinInt64), int64(math.MaxInt64)}},
		{With: true, Values: []driver.Value{1.5, math.Inf(1), math.Copysign(0, -1)}},
		{Back: true, With: true, Values: []driver.Value{"", "a\x00b", "é", []byte{}, []byte("x\xff")}},
		{Values: []driver.Value{keyset.Long{1, 2, 3}, "x"}},
	} {
		got, ok := keyset.ReadPlace(p.Append(nil), len(p.Values))
		if !ok || !reflect.DeepEqual(got, p) {
			t.Errorf("%v becomes %v, %t", p, got, ok)
		}
		if _, ok := keyset.ReadPlace(p.Append(nil), len(p.Values)+1); ok {
			t.Errorf("%v has a value too many", p)
		}
		if _, ok := keyset.ReadPlace(append(p.Append(nil), '-'), len(p.Values)); ok {
			t.Errorf("%v has bytes after its end", p)
		}
	}
}

// TestLongValues: a value that is too long for a cursor is read again, and must be the same.
func TestLongValues(t *testing.T) {
	long := strings.Repeat("a", 513)
	values := []driver.Value{long, "short", []byte(long), long, nil}
	p := keyset.Place{Values: keyset.Shorten(values, 3)}
	if !p.IsShort() || p.Values[1] != "short" || p.Values[3] != long {
		t.Fatalf("the values are shortened to %v", p.Values)
	}
	for name, row := range map[string][]driver.Value{"another": {long + "b", "short", []byte(long), long, nil}, "a shorter one": {"a", "short", []byte(long), long, nil}, "fewer": {long}} {
		if _, ok := p.Complete(row, 3); ok {
			t.Errorf("%s completes the place", name)
		}
	}
	if whole, ok := p.Complete(values, 3); !ok || whole.IsShort() || !reflect.DeepEqual(whole.Values, values) {
		t.Errorf("the values are completed to %v, %t", whole.Values, ok)
	}
}

// TestSeals: different texts have different nonces, and the length of a cursor shows little of its values.
func TestSeals(t *testing.T) {
	s, seen, lengths := keyset.NewSealer(keys), map[string]bool{}, map[int]bool{}
	for _, query := range []string{"", "a", "b"} {
		for _, plain := range []string{"", "a", "b", "ab", "a\x01", "a\x00", "a\x01\x00", strings.Repeat("a", 50)} {
			sealed := s.Seal([]byte(plain), []byte(query))
			nonce := sealed[:16]
			if seen[nonce] {
				t.Errorf("%q and %q have the nonce of another text: %s", plain, query, nonce)
			}
			seen[nonce], lengths[len(sealed)] = true, true
			if got, ok := s.Open(sealed, []byte(query)); !ok || string(got) != plain {
				t.Errorf("%q is opened as %q, %t", plain, got, ok)
			}
		}
	}
	if len(lengths) != 1 {
		t.Errorf("the cursors have the lengths %v", lengths)
	}
}

// FuzzPlaces: no bytes panic, what is read is written in the same way, and no text is a cursor that no Seal made.
func FuzzPlaces(f *testing.F) {
	sealer := keyset.NewSealer(keys)
	for _, p := range []keyset.Place{{}, {Back: true, Values: []driver.Value{int64(3), "abc", nil}}} {
		f.Add(p.Append(nil), len(p.Values), "query", sealer.Seal(p.Append(nil), []byte("query")))
	}
	f.Fuzz(func(t *testing.T, b []byte, values int, query, cursor string) {
		if values >= 0 && values < 100 {
			if p, ok := keyset.ReadPlace(b, values); ok {
				if again, ok := keyset.ReadPlace(p.Append(nil), values); !ok || len(again.Values) != len(p.Values) {
					t.Errorf("%v becomes %v, %t", p, again, ok)
				}
			}
		}
		sealed := sealer.Seal(b, []byte(query))
		if plain, ok := sealer.Open(sealed, []byte(query)); !ok || string(plain) != string(b) {
			t.Errorf("%q is opened as %q, %t", b, plain, ok)
		}
		if _, ok := sealer.Open(sealed, []byte(query+"x")); ok {
			t.Error("the cursor is valid for another query")
		}
		if plain, ok := sealer.Open(cursor, []byte(query)); ok && sealer.Seal(plain, []byte(query)) != cursor {
			t.Errorf("the text %q is a cursor", cursor)
		}
	})
}
