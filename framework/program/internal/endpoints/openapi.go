package endpoints

import (
	"github.com/spf13/cobra"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/exit"
)

// NewOpenAPICommand returns the command openapi.
func NewOpenAPICommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
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
		api, err := run.DeclareAPI(cmd.Flags())
		if err != nil {
			return err
		}
		document, err := api.Document(format)
		if err != nil {
			return err
		}
		_, err = run.Out.Write(document)
		return err
	})
	c.Flags().String("format", "json", "json or yaml")
	return c
}
