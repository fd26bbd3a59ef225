package program

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/exit"
)

func (p *program) reindexCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:   "reindex [RESOURCE] [flags]",
		Short: "Fill the search documents of rows that were written elsewhere",
		Long: `Reindex folds the searched fields of every row anew, of one resource or of all
that store them, and may run while the API serves. It is for rows that were
written by other means than the API.`,
		Args: cobra.MaximumNArgs(1),
	}, p.reindex)
	p.addSettings(c.Flags(), false)
	return c
}

func (p *program) reindex(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	return p.withMigrated(ctx, cmd.Flags(), func(s *site) error {
		api := s.api()
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
			bar := p.StartBar("Reindexing " + resource)
			read, changed, err := api.Reindex(ctx, resource)
			bar.End()
			p.Sayf("Read %s of %s and changed the search documents of %d.", console.Count(read, "row", "rows"), resource, changed)
			if err != nil {
				return fmt.Errorf("reindexing %s: %w", resource, err)
			}
		}
		return nil
	})
}
