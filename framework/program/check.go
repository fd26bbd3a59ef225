package program

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/exit"
)

func (p *program) checkCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:   "check [flags]",
		Short: "Check settings and declarations",
		Long: `Check reads every setting and binds every declaration, as serve does before it
listens, and reports all mistakes. It does not touch the database, unless the flag
--database names one: then it also checks that no migration is pending there, and
that each table and column of the declarations exists. It changes nothing. If
something is missing, the exit code is 3. DATABASE_URL is read but not connected to.`,
		Example: `  {program} check
  {program} check --database "$DATABASE_URL"`,
	}, p.check)
	p.addSettings(c.Flags(), true)
	return c
}

func (p *program) check(cmd *cobra.Command, _ []string) error {
	c, log, err := p.settings(cmd.Flags())
	_, wrong := c.ReadSecrets(log)
	if err := errors.Join(err, wrong, c.RequireHosts()); err != nil {
		return err
	}
	api, err := p.declare(c, log)
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("database") {
		bar := p.StartBar("Comparing")
		err := p.checkSchema(cmd, c, log)
		bar.End()
		if err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(p.Out, "ok: %d routes\n", len(api.Routes()))
	return err
}

// checkSchema compares the database with the declarations, as serve does.
func (p *program) checkSchema(cmd *cobra.Command, c config.Config, log *slog.Logger) error {
	e := &examination{Program: p.Program, Config: c, log: log}
	s, err := e.openExisting()
	if err != nil {
		return err
	}
	if s == nil {
		f := e.Checks[0].Findings[0]
		return exit.NeedsAction("%s: %s; %s", f.Where, f.What, f.Fix)
	}
	defer s.close()
	api := s.api()
	if err := api.Check(); err != nil {
		return err
	}
	return s.requireSchema(cmd.Context(), api)
}
