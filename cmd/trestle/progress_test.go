package main

import (
	"strings"
	"testing"
)

// A command that takes long shows its progress on standard error, never on standard
// output, and none if it is short.
func TestShortCommandsShowNoProgress(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		for _, command := range []string{"migrate up", "reindex", "seed --patients 3 --appointments 3 --products 3", "doctor"} {
			got := r.run(command)
			got.is(t, exitOK)
			for _, stream := range []string{got.stdout, got.stderr} {
				if strings.Contains(stream, "\r") {
					t.Errorf("%s draws %q", command, stream)
				}
			}
		}
	})
}
