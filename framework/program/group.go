package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"trestle.example/framework/auth"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/program/internal/console"
)

func (p *program) groupsCommand() *cobra.Command {
	return p.group("group", "Keep groups of users who hold the same permissions",
		p.groupCreateCommand(), p.groupListCommand(), p.groupGrantCommand(), p.groupRevokeCommand(),
		p.groupJoinCommand(), p.groupLeaveCommand())
}

func (p *program) groupCreateCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:     "create NAME [PERMISSION...] [flags]",
		Short:   "Create a group that holds permissions",
		Long:    `Create makes a group without members and prints its id.`,
		Example: `  {program} group create "night shift" patients.view appointments.view`,
		Args:    groupAndPermissions(0),
	}, func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		return p.withMigrated(ctx, cmd.Flags(), func(s *site) error {
			group, err := s.users.CreateGroup(ctx, s.db.Session(), args[0], args[1:]...)
			if err != nil {
				return err
			}
			s.audit(ctx, eventGroupCreated, ofGroup(group.ID), slog.Any("permissions", args[1:]))
			p.Sayf("Created the group %q.", group.Name)
			p.sayUnasked(s, args[1:])
			return p.Print(group.ID.String())
		})
	})
	p.addSettings(c.Flags(), false)
	return c
}

func (p *program) groupListCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:   "list [--json] [flags]",
		Short: "List all groups, their permissions and how many members they have",
	}, func(cmd *cobra.Command, _ []string) error {
		ctx := cmd.Context()
		return p.withMigrated(ctx, cmd.Flags(), func(s *site) error {
			groups, err := s.users.ListGroups(ctx, s.db.Session())
			if err != nil {
				return err
			}
			if asJSON(cmd) {
				return console.WriteJSON(p.Out, console.Map(groups, lineOfGroup))
			}
			return writeGroups(p.Out, groups)
		})
	})
	jsonFlag(c)
	p.addSettings(c.Flags(), false)
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

func (p *program) groupGrantCommand() *cobra.Command {
	c := p.groupCommand(cobra.Command{
		Use:   "grant NAME PERMISSION... [flags]",
		Short: "Give permissions to all members of a group, at once",
	}, func(ctx context.Context, s *site, group auth.Group, permissions []string) error {
		if err := s.users.GrantGroup(ctx, s.db.Session(), group.ID, permissions...); err != nil {
			return err
		}
		s.audit(ctx, eventPermissionGranted, ofGroup(group.ID), slog.Any("permissions", permissions))
		p.Sayf("The group %q holds %s.", group.Name, strings.Join(permissions, ", "))
		p.sayUnasked(s, permissions)
		return nil
	})
	p.addSettings(c.Flags(), false)
	return c
}

func (p *program) groupRevokeCommand() *cobra.Command {
	c := p.groupCommand(cobra.Command{
		Use:   "revoke NAME PERMISSION... [flags]",
		Short: "Take permissions from a group, at once",
		Long: `Revoke takes permissions from a group. Members who hold them otherwise, of their
own or through another group, keep them. Of what the group does not hold it says
that.`,
	}, func(ctx context.Context, s *site, group auth.Group, permissions []string) error {
		taken, err := s.users.RevokeGroup(ctx, s.db.Session(), group.ID, permissions...)
		if err != nil {
			return err
		}
		s.auditRevoked(ctx, ofGroup(group.ID), taken)
		if len(taken) > 0 {
			p.Sayf("The group %q no longer holds %s.", group.Name, strings.Join(taken, ", "))
		}
		return p.sayNotOfGroup(ctx, s, group, notIn(permissions, taken))
	})
	p.addSettings(c.Flags(), false)
	return c
}

// sayNotOfGroup is sayNotHeld of a group.
func (p *program) sayNotOfGroup(ctx context.Context, s *site, group auth.Group, missed []string) error {
	if len(missed) == 0 {
		return nil
	}
	groups, err := s.users.ListGroups(ctx, s.db.Session())
	if err != nil {
		return err
	}
	var held []string
	for _, g := range groups {
		if g.ID == group.ID {
			held = g.Permissions
		}
	}
	p.sayNotHeld(s, fmt.Sprintf("The group %q", group.Name), missed, held)
	return nil
}

func (p *program) groupJoinCommand() *cobra.Command {
	c := p.userCommand(cobra.Command{
		Use:     "join NAME --email ADDRESS [flags]",
		Short:   "Make a user a member of a group, at once",
		Example: `  {program} group join "night shift" --email asha@example.com`,
		Args:    oneGroup,
	}, func(ctx context.Context, cmd *cobra.Command, s *site, user auth.User) error {
		group, err := s.findGroup(ctx, cmd.Flags().Arg(0))
		if err != nil {
			return err
		}
		if err := s.users.Join(ctx, s.db.Session(), user.ID, group.ID); err != nil {
			return err
		}
		s.audit(ctx, eventGroupJoined, ofUser(user.ID), ofGroup(group.ID))
		p.Sayf("%s is a member of the group %q.", user.Email, group.Name)
		return nil
	})
	p.addSettings(c.Flags(), false)
	return c
}

func (p *program) groupLeaveCommand() *cobra.Command {
	c := p.userCommand(cobra.Command{
		Use:   "leave NAME --email ADDRESS [flags]",
		Short: "End a user's membership of a group, at once",
		Args:  oneGroup,
	}, func(ctx context.Context, cmd *cobra.Command, s *site, user auth.User) error {
		group, err := s.findGroup(ctx, cmd.Flags().Arg(0))
		if err != nil {
			return err
		}
		if err := s.users.Leave(ctx, s.db.Session(), user.ID, group.ID); err != nil {
			return err
		}
		s.audit(ctx, eventGroupLeft, ofUser(user.ID), ofGroup(group.ID))
		p.Sayf("%s is no member of the group %q.", user.Email, group.Name)
		return nil
	})
	p.addSettings(c.Flags(), false)
	return c
}

// groupCommand is a command about the permissions of the group that its first
// word names.
func (p *program) groupCommand(c cobra.Command, do func(context.Context, *site, auth.Group, []string) error) *cobra.Command {
	c.Args = groupAndPermissions(1)
	return p.command(c, func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		return p.withMigrated(ctx, cmd.Flags(), func(s *site) error {
			group, err := s.findGroup(ctx, args[0])
			if err != nil {
				return err
			}
			return do(ctx, s, group, args[1:])
		})
	})
}

// findGroup finds a group by its name, or says which one was probably meant.
func (s *site) findGroup(ctx context.Context, name string) (auth.Group, error) {
	group, err := s.users.FindGroup(ctx, s.db.Session(), name)
	if !errors.Is(err, auth.ErrNotFound) {
		return group, err
	}
	groups, err := s.users.ListGroups(ctx, s.db.Session())
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
	return group, fmt.Errorf(s.text("no group has the name %q; {program} group list shows them"), name)
}

// oneGroup is the name of a group and nothing else.
func oneGroup(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("say which group, by its name; one of several words goes in quotes")
	}
	return nil
}

// groupAndPermissions is the name of a group and then at least so many
// permissions.
func groupAndPermissions(least int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return oneGroup(cmd, args)
		case len(args) <= least:
			return somePermissions(cmd, nil)
		}
		return checkPermissions(args[1:])
	}
}
