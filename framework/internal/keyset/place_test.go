package keyset_test

import (
	"database/sql/driver"
	"math"
	"reflect"
	"testing"
	"time"

	"trestle.example/framework/internal/keyset"
)

// TestPlaces: what Append writes, ReadPlace reads.
func TestPlaces(t *testing.T) {
	for _, p := range []keyset.Place{
		{},
		{Back: true, Values: []driver.Value{nil, int64(0), int64(math.MinInt64), int64(math.MaxInt64)}},
		{With: true, Values: []driver.Value{1.5, math.Inf(1), math.Copysign(0, -1), true, false}},
		{Back: true, With: true, Values: []driver.Value{"", "a\x00b", "é", []byte{}, []byte("x\xff")}},
		{Values: []driver.Value{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC)}},
	} {
		got, ok := keyset.ReadPlace(p.Append(nil), len(p.Values))
		if !ok || !reflect.DeepEqual(got, p) {
			t.Errorf("%v becomes %v, %t", p, got, ok)
		}
		if _, ok := keyset.ReadPlace(p.Append(nil), len(p.Values)+1); ok {
			t.Errorf("%v has a value too many", p)
		}
		if _, ok := keyset.ReadPlace(append(p.Append(nil), 'n'), len(p.Values)); ok {
			t.Errorf("%v has bytes after its end", p)
		}
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
