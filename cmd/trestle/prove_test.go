package main

import (
	"testing"

	"trestle.example/framework/frameworktest"
)

// TestNobodyReachesAnothersRow takes half a minute on each database. In the race run it would take
// many times as long, and the proofs of smaller programs run the same code.
func TestNobodyReachesAnothersRow(t *testing.T) {
	if testing.Short() {
		t.Skip("sends many thousand requests on each database")
	}
	frameworktest.Prove(t, trestle())
}
