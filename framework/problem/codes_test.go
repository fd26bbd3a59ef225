package problem

import "testing"

// TestBuiltinCodesCannotBeChanged: a caller that changes the list changes no API.
func TestBuiltinCodesCannotBeChanged(t *testing.T) {
	codes := BuiltinCodes()
	want := codes[0].Status
	codes[0].Status = 200
	if got := BuiltinCodes()[0].Status; got != want {
		t.Errorf("the status of %s is %d; want %d", codes[0].Code, got, want)
	}
}
