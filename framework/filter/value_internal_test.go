package filter

import (
	"reflect"
	"testing"
	"time"

	"trestle.example/framework"
)

// TestWhatHasAnOrder: both databases agree on the order of numbers of every kind and of
// times.
func TestWhatHasAnOrder(t *testing.T) {
	for _, c := range []struct {
		of   reflect.Type
		want bool
	}{
		{reflect.TypeFor[int](), true},
		{reflect.TypeFor[int8](), true},
		{reflect.TypeFor[int64](), true},
		{reflect.TypeFor[uint](), true},
		{reflect.TypeFor[uint64](), true},
		{reflect.TypeFor[float32](), true},
		{reflect.TypeFor[float64](), true},
		{reflect.TypeFor[time.Time](), true},
		{reflect.TypeFor[bool](), false},
		{reflect.TypeFor[uintptr](), false},
		{reflect.TypeFor[complex64](), false},
		{reflect.TypeFor[string](), false},
	} {
		if err := orderedCheck("Min")(framework.Field{Name: "column", Type: c.of}); (err == nil) != c.want {
			t.Errorf("%s: %v", c.of, err)
		}
	}
}
