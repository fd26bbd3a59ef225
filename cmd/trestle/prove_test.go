package main

import (
	"testing"

	"trestle.example/framework/frameworktest"
)

func TestNobodyReachesAnothersRow(t *testing.T) { frameworktest.Prove(t, trestle()) }
