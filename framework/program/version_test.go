package program

import (
	"runtime/debug"
	"testing"
)

// TestVersionOf formats the information that Go writes into a program.
func TestVersionOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"from a clone": {&debug.BuildInfo{GoVersion: "go1.30", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-11-25T00:00:00Z"}, {Key: "vcs.modified", Value: "false"},
		}}, "trestle v1.2.3\nrevision abc\nof 2026-11-25T00:00:00Z\ngo1.30\n"},
		"from changed files": {&debug.BuildInfo{GoVersion: "go1.30", Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"},
		}}, "trestle (devel)\nrevision abc, and files that were changed since\nof -\ngo1.30\n"},
		"without any of it": {nil, "trestle unknown\nrevision -\nof -\n-\n"},
	} {
		if got := versionOf(c.info).lines("trestle"); got != c.want {
			t.Errorf("%s: %q; want %q", name, got, c.want)
		}
	}
}
