package program

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/console"
)

// A buildVersion is the version of the program and of its source.
type buildVersion struct {
	Version  string `json:"version"`  // "(devel)" without a version of the module, "unknown" without build information
	Revision string `json:"revision"` // of the version control system; "" if it was built without one
	Modified bool   `json:"modified"` // the source was changed since the revision
	Time     string `json:"time"`     // of the revision, RFC 3339; "" if unknown
	Go       string `json:"go"`       // the version of Go; "" without build information
}

// versionOf reads the information that Go writes into a program. If info is nil, it returns
// the version "unknown" and nothing else.
func versionOf(info *debug.BuildInfo) buildVersion {
	v := buildVersion{Version: "unknown"}
	if info == nil {
		return v
	}
	v.Version, v.Go = info.Main.Version, info.GoVersion
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		case "vcs.time":
			v.Time = s.Value
		}
	}
	return v
}

func (v buildVersion) lines(program string) string {
	revision := console.OrDash(v.Revision)
	if v.Modified {
		revision += ", and files that were changed since"
	}
	return fmt.Sprintf("%s %s\nrevision %s\nof %s\n%s\n", program, v.Version, revision, console.OrDash(v.Time), console.OrDash(v.Go))
}

func builtOf() buildVersion {
	info, _ := debug.ReadBuildInfo()
	return versionOf(info)
}

func newVersionCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "version [--json]",
		Short: "Show the version of this program",
		Long: `Version prints the version of the module, the revision of the version control
system and its time, and the version of Go. What the program was built without is
a dash. It touches no database.`,
	}, func(cmd *cobra.Command, _ []string) error {
		if command.WantsJSON(cmd) {
			return console.WriteJSON(run.Out, builtOf())
		}
		_, err := fmt.Fprint(run.Out, builtOf().lines(string(run.Name)))
		return err
	})
	c.Flags().Bool("json", false, "print a JSON object")
	return c
}
