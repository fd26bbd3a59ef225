package program

import (
	"reflect"
	"testing"
)

// TestNothingWatchesWithoutSettings: no listener, no observer, nothing to end.
func TestNothingWatchesWithoutSettings(t *testing.T) {
	t.Parallel()
	w, err := (&server{site: &site{}}).watch(t.Context())
	if err != nil || !reflect.DeepEqual(w, &watch{}) {
		t.Errorf("it is %+v, %v; want nothing", w, err)
	}
}
