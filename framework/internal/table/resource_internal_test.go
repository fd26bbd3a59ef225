package table

import "testing"

// TestFindOfAnUnknownResource: the result beside the error is nil.
func TestFindOfAnUnknownResource(t *testing.T) {
	r := &Resource{API: &Registry{}}
	if found, err := r.Find("nowhere"); err == nil || found != nil {
		t.Errorf("Find returns %v, %v; want nil and an error", found, err)
	}
}
