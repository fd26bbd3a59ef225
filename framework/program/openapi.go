package program

import (
	"github.com/spf13/cobra"

	"trestle.example/framework/program/internal/exit"
)

func (p *program) openapiCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:   "openapi [--format json|yaml]",
		Short: "Print the reference of the API as OpenAPI 3.1",
		Long: `Openapi prints the reference that the server answers at /api/openapi.json, byte
by byte the same. It is made of the declarations and does not touch the
database.`,
	}, func(cmd *cobra.Command, _ []string) error {
		format, _ := cmd.Flags().GetString("format")
		if format != "json" && format != "yaml" {
			return exit.Misused("--format is %q: the reference is written as json or yaml", format)
		}
		api, err := p.declared(cmd.Flags())
		if err != nil {
			return err
		}
		document, err := api.Document(format)
		if err != nil {
			return err
		}
		_, err = p.Out.Write(document)
		return err
	})
	c.Flags().String("format", "json", "json or yaml")
	return c
}
