package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

func (p *program) checkCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:   "check [flags]",
		Short: "Check settings and declarations, without a database",
		Long: `Check reads every setting and binds every declaration, as serve does before it
listens, and reports all mistakes. It does not touch the database.`,
	}, func(cmd *cobra.Command, _ []string) error {
		c, log, err := p.settings(cmd.Flags())
		_, wrong := c.readSecrets(log)
		if err := errors.Join(err, wrong, c.nameless()); err != nil {
			return err
		}
		api, err := c.declared(log)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.stdout, "ok: %d routes\n", len(api.Routes()))
		return err
	})
	addSettings(c.Flags(), true)
	return c
}
