package main

import (
	"testing"

	"trestle.example/framework/frameworktest"
)

// TestNobodyReachesAnothersRow takes half a minute on each database. In the race run it would take
// many times as long, and the proofs of smaller programs run the same code.
func TestNobodyReachesAnothersRow(t *testing.T) {
	t.Setenv("TEST_DATABASE_URL", "") // a server of its own: a proof reads the database again whenever any test has committed on the server
	if testing.Short() {
		t.Skip("sends many thousand requests on each database")
	}
	frameworktest.Prove(t, trestle())
}
