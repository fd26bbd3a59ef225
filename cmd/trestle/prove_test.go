package main

import (
	"os"
	"testing"

	"trestle.example/framework/frameworktest"
)

// TestNobodyReachesAnothersRow takes half a minute on each database.
func TestNobodyReachesAnothersRow(t *testing.T) {
	if os.Getenv("TRESTLE_PROVE") == "" {
		t.Skip("set TRESTLE_PROVE=1: it sends ten thousand requests on each database")
	}
	frameworktest.Prove(t, trestle())
}
