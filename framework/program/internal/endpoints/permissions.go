package endpoints

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/exit"
)

// NewPermissionsCommand returns the command permissions.
func NewPermissionsCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "permissions [--holding PERMISSION,...] [--json]",
		Short: "Show which callers may use each endpoint",
		Long: `Permissions lists every endpoint, in order of registration, with a column for
each kind of caller:

  anonymous   a client without credentials
  user        a user without any permission
  staff       a user who is staff
  superuser   a user who is staff and holds every permission
  holder      a user who is not staff and holds the permissions of --holding

with the access of that caller:

  refused     401 or 403
  scoped      permitted, for the rows of the caller's scope, or for those of
              them that the caller may change
  allowed     permitted, for every row, or for an endpoint without rows

The command uses the declarations and not the database. It does not check whether
an endpoint requires the permissions of --holding.`,
		Example: `  {program} permissions --holding patients.view,doctors.add`,
	}, func(cmd *cobra.Command, args []string) error { return listPermissions(run, cmd, args) })
	c.Flags().String("holding", "", "`permissions`, separated by commas, that the holder has")
	c.Flags().Bool("json", false, "print a JSON array")
	return c
}

func listPermissions(run *command.Run, cmd *cobra.Command, _ []string) error {
	api, err := run.DeclareAPI(cmd.Flags())
	if err != nil {
		return err
	}
	kinds, err := readKinds(cmd, api)
	if err != nil {
		return err
	}
	callers := make([]*framework.Caller, len(kinds))
	for i, k := range kinds {
		callers[i] = k.caller
	}
	rows := api.Access(callers...)
	if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
		return console.WriteJSON(run.Out, newPermissionRows(kinds, rows))
	}
	return writePermissions(run.Out, kinds, rows)
}

// A kindOfCaller is a column of the table.
type kindOfCaller struct {
	name   string
	caller *framework.Caller
}

// readKinds returns the columns. The holder is one of them only if the flag --holding is set.
func readKinds(cmd *cobra.Command, api *framework.API) ([]kindOfCaller, error) {
	user, staff, superuser, holder := api.InventCaller(), api.InventCaller(), api.InventCaller(), api.InventCaller()
	staff.Staff, superuser.Staff, superuser.Superuser = true, true, true
	kinds := []kindOfCaller{{"anonymous", &framework.Caller{}}, {"user", user}, {"staff", staff}, {"superuser", superuser}}
	if !cmd.Flags().Changed("holding") {
		return kinds, nil
	}
	names, _ := cmd.Flags().GetString("holding")
	holder.Permissions = map[string]bool{}
	for name := range strings.SplitSeq(names, ",") {
		name = strings.TrimSpace(name)
		if err := auth.CheckPermission(name); err != nil {
			return nil, exit.Misused("--holding: %w", err)
		}
		holder.Permissions[name] = true
	}
	return append(kinds, kindOfCaller{"holder", holder}), nil
}

// A permissionRow is an endpoint of the matrix in JSON.
type permissionRow struct {
	Method     string                      `json:"method"`
	Path       string                      `json:"path"`
	ViewSet    string                      `json:"viewset"`
	Name       string                      `json:"name"`
	Permission string                      `json:"permission"`
	Scope      string                      `json:"scope"`
	Writers    string                      `json:"writers,omitempty"`
	Access     map[string]framework.Access `json:"access"`
}

func newPermissionRows(kinds []kindOfCaller, rows []framework.RouteAccess) []permissionRow {
	all := make([]permissionRow, len(rows))
	for i, r := range rows {
		access := map[string]framework.Access{}
		for j, k := range kinds {
			access[k.name] = r.Access[j]
		}
		all[i] = permissionRow{r.Method, r.Path, r.ViewSet, r.Name, r.Permission, r.Scope, r.Writers, access}
	}
	return all
}

func writePermissions(w io.Writer, kinds []kindOfCaller, rows []framework.RouteAccess) error {
	table := console.NewTable(w)
	fmt.Fprint(table, "METHOD\tPATH")
	for _, k := range kinds {
		fmt.Fprint(table, "\t", strings.ToUpper(k.name))
	}
	fmt.Fprintln(table)
	for _, r := range rows {
		fmt.Fprint(table, r.Method, "\t", r.Path)
		for _, access := range r.Access {
			fmt.Fprint(table, "\t", access)
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}
