package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/program/internal/site"
)

// NewReindexCommand returns the command reindex.
func NewReindexCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "reindex [RESOURCE] [flags]",
		Short: "Fill the search documents of rows that were written elsewhere",
		Long: `Reindex computes the search document of every row again: of one resource, or of all
that store search documents. It may run while the API serves. It is for rows that
were not written by the API.`,
		Args: cobra.MaximumNArgs(1),
	}, func(cmd *cobra.Command, args []string) error { return runReindex(run, cmd, args) })
	run.AddSettings(c.Flags(), false)
	return c
}

func runReindex(run *command.Run, cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	return run.WithMigrated(ctx, cmd.Flags(), func(s *site.Site) error {
		api := s.API()
		if err := api.Check(); err != nil {
			return err
		}
		resources := api.Searchable()
		if len(args) == 1 {
			if !slices.Contains(resources, args[0]) {
				return exit.Misused("no resource %q stores a search document; these do: %s", args[0], strings.Join(resources, ", "))
			}
			resources = args
		}
		for _, resource := range resources {
			bar := run.StartBar("Reindexing " + resource)
			read, changed, err := api.Reindex(ctx, resource, bar.Show)
			bar.End()
			run.Sayf("Read %s of %s and changed the search documents of %d.", console.Count(read, "row", "rows"), resource, changed)
			if err != nil {
				return fmt.Errorf("reindexing %s: %w", resource, err)
			}
		}
		return nil
	})
}
