package accounts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"trestle.example/framework/auth"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/site"
)

// NewGroupsCommand returns the command group.
func NewGroupsCommand(run *command.Run) *cobra.Command {
	return command.NewGroup("group", "Keep groups of users who hold the same permissions",
		newGroupCreateCommand(run), newGroupListCommand(run), newGroupGrantCommand(run), newGroupRevokeCommand(run),
		newGroupJoinCommand(run), newGroupLeaveCommand(run))
}

func newGroupCreateCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:     "create NAME [PERMISSION...] [flags]",
		Short:   "Create a group that holds permissions",
		Long:    `Create makes a group without members and prints its id.`,
		Example: `  {program} group create "night shift" patients.view appointments.view`,
		Args:    requireGroupAndPermissions(0),
	}, func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		return run.WithMigrated(ctx, cmd.Flags(), func(s *site.Site) error {
			group, err := s.Users.CreateGroup(ctx, s.DB.Session(), args[0], args[1:]...)
			if err != nil {
				return err
			}
			audit(ctx, s, eventGroupCreated, ofGroup(group.ID), slog.Any("permissions", args[1:]))
			run.Sayf("Created the group %q.", group.Name)
			warnUnusedPermissions(run, s, args[1:])
			return run.Print(group.ID.String())
		})
	})
	run.AddSettings(c.Flags(), false)
	return c
}

func newGroupListCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "list [--json] [flags]",
		Short: "List all groups, their permissions and how many members they have",
	}, func(cmd *cobra.Command, _ []string) error {
		ctx := cmd.Context()
		return run.WithMigrated(ctx, cmd.Flags(), func(s *site.Site) error {
			groups, err := s.Users.ListGroups(ctx, s.DB.Session())
			if err != nil {
				return err
			}
			if command.WantsJSON(cmd) {
				return console.WriteJSON(run.Out, console.Map(groups, newGroupLine))
			}
			return writeGroups(run.Out, groups)
		})
	})
	command.AddJSON(c)
	run.AddSettings(c.Flags(), false)
	return c
}

func writeGroups(w io.Writer, groups []auth.GroupListing) error {
	table := console.NewTable(w)
	fmt.Fprintln(table, "ID\tNAME\tPERMISSIONS\tMEMBERS")
	for _, g := range groups {
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\n", g.ID, g.Name, console.OrDash(strings.Join(g.Permissions, ", ")), g.Members)
	}
	return table.Flush()
}

func newGroupGrantCommand(run *command.Run) *cobra.Command {
	c := newGroupCommand(run, cobra.Command{
		Use:   "grant NAME PERMISSION... [flags]",
		Short: "Give permissions to all members of a group, at once",
	}, func(ctx context.Context, s *site.Site, group auth.Group, permissions []string) error {
		if err := s.Users.GrantGroup(ctx, s.DB.Session(), group.ID, permissions...); err != nil {
			return err
		}
		audit(ctx, s, eventPermissionGranted, ofGroup(group.ID), slog.Any("permissions", permissions))
		run.Sayf("The group %q holds %s.", group.Name, strings.Join(permissions, ", "))
		warnUnusedPermissions(run, s, permissions)
		return nil
	})
	run.AddSettings(c.Flags(), false)
	return c
}

func newGroupRevokeCommand(run *command.Run) *cobra.Command {
	c := newGroupCommand(run, cobra.Command{
		Use:   "revoke NAME PERMISSION... [flags]",
		Short: "Take permissions from a group, at once",
		Long: `Revoke takes permissions from a group. Members who hold them otherwise, of their
own or through another group, keep them. Of what the group does not hold it says
that.`,
	}, func(ctx context.Context, s *site.Site, group auth.Group, permissions []string) error {
		taken, err := s.Users.RevokeGroup(ctx, s.DB.Session(), group.ID, permissions...)
		if err != nil {
			return err
		}
		auditRevoked(ctx, s, ofGroup(group.ID), taken)
		if len(taken) > 0 {
			run.Sayf("The group %q no longer holds %s.", group.Name, strings.Join(taken, ", "))
		}
		return sayNotHeldByGroup(ctx, run, s, group, subtract(permissions, taken))
	})
	run.AddSettings(c.Flags(), false)
	return c
}

// sayNotHeldByGroup calls [sayNotHeld] with the permissions that a group holds.
func sayNotHeldByGroup(ctx context.Context, run *command.Run, s *site.Site, group auth.Group, missed []string) error {
	if len(missed) == 0 {
		return nil
	}
	groups, err := s.Users.ListGroups(ctx, s.DB.Session())
	if err != nil {
		return err
	}
	var held []string
	for _, g := range groups {
		if g.ID == group.ID {
			held = g.Permissions
		}
	}
	sayNotHeld(run, s, fmt.Sprintf("The group %q", group.Name), missed, held)
	return nil
}

func newGroupJoinCommand(run *command.Run) *cobra.Command {
	c := newUserCommand(run, cobra.Command{
		Use:     "join NAME --email ADDRESS [flags]",
		Short:   "Make a user a member of a group, at once",
		Example: `  {program} group join "night shift" --email asha@example.com`,
		Args:    requireGroup,
	}, func(ctx context.Context, cmd *cobra.Command, s *site.Site, user auth.User) error {
		group, err := findGroup(ctx, s, cmd.Flags().Arg(0))
		if err != nil {
			return err
		}
		if err := s.Users.Join(ctx, s.DB.Session(), user.ID, group.ID); err != nil {
			return err
		}
		audit(ctx, s, eventGroupJoined, ofUser(user.ID), ofGroup(group.ID))
		run.Sayf("%s is a member of the group %q.", user.Email, group.Name)
		return nil
	})
	run.AddSettings(c.Flags(), false)
	return c
}

func newGroupLeaveCommand(run *command.Run) *cobra.Command {
	c := newUserCommand(run, cobra.Command{
		Use:   "leave NAME --email ADDRESS [flags]",
		Short: "End a user's membership of a group, at once",
		Args:  requireGroup,
	}, func(ctx context.Context, cmd *cobra.Command, s *site.Site, user auth.User) error {
		group, err := findGroup(ctx, s, cmd.Flags().Arg(0))
		if err != nil {
			return err
		}
		if err := s.Users.Leave(ctx, s.DB.Session(), user.ID, group.ID); err != nil {
			return err
		}
		audit(ctx, s, eventGroupLeft, ofUser(user.ID), ofGroup(group.ID))
		run.Sayf("%s is no member of the group %q.", user.Email, group.Name)
		return nil
	})
	run.AddSettings(c.Flags(), false)
	return c
}

// newGroupCommand returns a command about the permissions of the group that its first
// argument names.
func newGroupCommand(run *command.Run, c cobra.Command, do func(context.Context, *site.Site, auth.Group, []string) error) *cobra.Command {
	c.Args = requireGroupAndPermissions(1)
	return run.New(c, func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		return run.WithMigrated(ctx, cmd.Flags(), func(s *site.Site) error {
			group, err := findGroup(ctx, s, args[0])
			if err != nil {
				return err
			}
			return do(ctx, s, group, args[1:])
		})
	})
}

// findGroup finds a group by its name. If there is none, the error suggests the nearest name,
// or the command that lists the groups.
func findGroup(ctx context.Context, s *site.Site, name string) (auth.Group, error) {
	group, err := s.Users.FindGroup(ctx, s.DB.Session(), name)
	if !errors.Is(err, auth.ErrNotFound) {
		return group, err
	}
	groups, err := s.Users.ListGroups(ctx, s.DB.Session())
	if err != nil {
		return group, err
	}
	names := make([]string, len(groups))
	for i, g := range groups {
		names[i] = g.Name
	}
	if meant := naming.Nearest(name, names); meant != "" {
		return group, fmt.Errorf("no group has the name %q; did you mean %q?", name, meant)
	}
	return group, fmt.Errorf(s.Text("no group has the name %q; {program} group list shows them"), name)
}

// requireGroup requires the name of one group.
func requireGroup(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("say which group, by its name; one of several words goes in quotes")
	}
	return nil
}

// requireGroupAndPermissions requires the name of a group and then as many permissions as least
// says, or more, each well formed.
func requireGroupAndPermissions(least int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return requireGroup(cmd, args)
		case len(args) <= least:
			return requirePermissions(cmd, nil)
		}
		return checkPermissions(args[1:])
	}
}

// A groupLine is one group of "group list --json".
type groupLine struct {
	ID          uuid.UUID `json:"id"`
	Name        string    `json:"name"`
	Permissions []string  `json:"permissions"`
	Members     int64     `json:"members"`
}

func newGroupLine(g auth.GroupListing) groupLine {
	return groupLine{g.ID, g.Name, append([]string{}, g.Permissions...), g.Members}
}
