package serve

import (
	"reflect"
	"testing"

	"trestle.example/framework/program/internal/site"
)

// TestNothingWatchesWithoutSettings: no listener, no observer, nothing to end.
func TestNothingWatchesWithoutSettings(t *testing.T) {
	t.Parallel()
	w, err := (&server{Site: &site.Site{}}).watch(t.Context())
	if err != nil || !reflect.DeepEqual(w, &watch{}) {
		t.Errorf("it is %+v, %v; want nothing", w, err)
	}
}
