package main

import (
	"bytes"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/program"
)

// TestCommands: the commands that examine a database find nothing to mend in a migrated one.
func TestCommands(t *testing.T) {
	for _, database := range []string{"sqlite://" + t.TempDir() + "/forum.db", frameworktest.PostgresURL(t)} {
		for _, command := range []string{"migrate up", "check", "check --database " + database, "doctor"} {
			var said bytes.Buffer
			if code := program.Run(t.Context(), forum(), strings.Fields(command), []string{"DATABASE_URL=" + database}, strings.NewReader(""), &said, &said); code != 0 {
				t.Errorf("%s ends with %d: %s", command, code, said.String())
			}
		}
	}
}
