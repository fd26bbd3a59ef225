package main

import (
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/program/programtest"
)

// TestCommands: the commands that examine a database find nothing to mend in a migrated one.
func TestCommands(t *testing.T) {
	for _, database := range []string{"sqlite://" + t.TempDir() + "/forum.db", frameworktest.PostgresURL(t)} {
		for _, command := range []string{"migrate up", "check", "check --database " + database, "doctor"} {
			programtest.Run(t, forum(), []string{"DATABASE_URL=" + database}, command)
		}
	}
}
