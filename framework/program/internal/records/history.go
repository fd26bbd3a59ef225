package records

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trestle.example/framework"
	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/program/internal/site"
)

// NewHistoryCommand returns the command history.
func NewHistoryCommand(run *command.Run) *cobra.Command {
	return command.NewGroup("history", "Remove values from the history of a row", newForgetCommand(run))
}

func newForgetCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "forget RESOURCE KEY [flags]",
		Short: "Remove the old and new values from the history of a row, and keep who changed it and when",
		Long: `Forget removes the values of a row from its history, when a person demands it, and the paths of
requests from the record of its reads. The entries stay: who changed or read the row, when, and by
which request. KEY is the primary key of the row, which may be deleted already. It may run while the
API serves. Values in backups stay.`,
		Example: "  {program} history forget patients 0198c2f0-7d3a-7c11-9d2e-3f6a1b2c4d5e",
		Args:    cobra.ExactArgs(2),
	}, func(cmd *cobra.Command, args []string) error { return forget(run, cmd, args[0], args[1]) })
	run.AddSettings(c.Flags(), false)
	return c
}

func forget(run *command.Run, cmd *cobra.Command, resource, key string) error {
	ctx := cmd.Context()
	return run.WithMigrated(ctx, cmd.Flags(), func(s *site.Site) error {
		api := s.API()
		if err := api.Check(); err != nil {
			return err
		}
		recorded := forgettable(api)
		if !slices.Contains(recorded, resource) {
			return exit.Misused("no resource %q has a history or a record of reads; these do: %s", resource, strings.Join(recorded, ", "))
		}
		n, err := framework.ForgetHistory(ctx, s.DB, resource, key)
		if err != nil {
			return err
		}
		if n == 0 {
			return exit.Misused("no entry of %s has values of the key %q; give the primary key of the row as the API shows it", resource, key)
		}
		run.Sayf("Removed the values from %s of %s %s.", console.Count(int(n), "entry", "entries"), resource, key)
		return nil
	})
}

// forgettable lists the resources with a history or a record of reads, each once.
func forgettable(api *framework.API) (names []string) {
	for _, one := range append(api.Recorded(), api.Audited()...) {
		if !slices.Contains(names, one.ViewSet) {
			names = append(names, one.ViewSet)
		}
	}
	return names
}
