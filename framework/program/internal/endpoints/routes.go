// Package endpoints has the commands that describe the API: routes, openapi and permissions.
package endpoints

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"trestle.example/framework"
	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/console"
)

// NewRoutesCommand returns the command routes.
func NewRoutesCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "routes [--json]",
		Short: "List every endpoint and who may use it",
		Long: `Routes lists, in order of registration, the method, the path, the resource, the
action and the permission of every endpoint, and which rows a caller has there.
It does not touch the database.`,
	}, func(cmd *cobra.Command, _ []string) error {
		api, err := run.DeclareAPI(cmd.Flags())
		if err != nil {
			return err
		}
		if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
			return console.WriteJSON(run.Out, api.Routes())
		}
		return writeRoutes(run.Out, api.Routes())
	})
	c.Flags().Bool("json", false, "print a JSON array")
	return c
}

func writeRoutes(w io.Writer, routes []framework.RouteInfo) error {
	table := console.NewTable(w)
	fmt.Fprintln(table, "METHOD\tPATH\tRESOURCE\tACTION\tPERMISSION\tROWS")
	for _, r := range routes {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", r.Method, r.Path, console.OrDash(r.ViewSet), r.Name, r.Permission, rowsOf(r))
	}
	return table.Flush()
}

// rowsOf describes which rows a caller has at an endpoint, and which of them the caller may change.
func rowsOf(r framework.RouteInfo) string {
	if r.Writers == "" {
		return r.Scope
	}
	return r.Scope + "; changes " + r.Writers
}
