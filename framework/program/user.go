package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/console"
)

func (p *program) usersCommand() *cobra.Command {
	return p.group("user", "Create and list users, and change what they may do",
		p.userCreateCommand(), p.userListCommand(), p.userDisableCommand(), p.userEnableCommand(),
		p.userSetPasswordCommand(), p.userGrantCommand(), p.userRevokeCommand())
}

func (p *program) userCreateCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:   "create --email ADDRESS [flags]",
		Short: "Create a user",
		Long: `Create makes an active user and prints the user's id. The password is that of
the variable {PROGRAM}_PASSWORD; without it, it is asked for at a terminal, or is
the first line of standard input.`,
		Example: `  {program} user create --email asha@example.com --name Asha
  {program} user create --email asha@example.com < password.txt`,
	}, func(cmd *cobra.Command, _ []string) error {
		var n auth.NewUser
		n.Staff, _ = cmd.Flags().GetBool("staff")
		n.Superuser, _ = cmd.Flags().GetBool("superuser")
		return p.createUser(cmd, n)
	})
	aboutUser(c, "the user's e-mail `address`, by which the user signs in")
	c.Flags().String("name", "", "the user's `name`")
	c.Flags().Bool("staff", false, "make the user staff, which by itself holds no permission")
	c.Flags().Bool("superuser", false, "give the user every permission")
	p.addSettings(c.Flags(), false)
	return c
}

func (p *program) userListCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:   "list [--json] [flags]",
		Short: "List all users, the newest last",
	}, func(cmd *cobra.Command, _ []string) error {
		return p.withMigrated(cmd.Context(), cmd.Flags(), func(s *site) error {
			if asJSON(cmd) {
				return s.writeUsersAsJSON(cmd.Context(), p.Out, usersAtOnce)
			}
			return s.writeUsers(cmd.Context(), p.Out, usersAtOnce)
		})
	})
	jsonFlag(c)
	p.addSettings(c.Flags(), false)
	return c
}

// usersAtOnce is how many rows a list of users reads, aligns and writes at a
// time, however many there are.
const usersAtOnce = 1000

func (s *site) writeUsers(ctx context.Context, out io.Writer, atOnce int) error {
	table := console.NewTable(out)
	fmt.Fprintln(table, "ID\tEMAIL\tNAME\tACTIVE\tSTAFF\tSUPERUSER\tCREATED")
	return s.eachUsers(ctx, atOnce, func(users []auth.User) error {
		for _, u := range users {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", u.ID, u.Email, console.OrDash(u.Name),
				console.YesOrNo(u.IsActive), console.YesOrNo(u.IsStaff), console.YesOrNo(u.IsSuperuser), console.Minute(&u.CreatedAt))
		}
		return table.Flush()
	})
}

func (s *site) writeUsersAsJSON(ctx context.Context, out io.Writer, atOnce int) error {
	array := console.NewArray(out)
	err := s.eachUsers(ctx, atOnce, func(users []auth.User) error {
		for _, u := range users {
			if err := array.Add(lineOfUser(u)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return array.End()
}

// eachUsers hands all users to do, so many at a time.
func (s *site) eachUsers(ctx context.Context, atOnce int, do func([]auth.User) error) error {
	last := uuid.Nil
	for {
		users, err := s.users.ListUsers(ctx, s.db.Session(), last, atOnce)
		if err != nil {
			return err
		}
		if err := do(users); err != nil || len(users) < atOnce {
			return err
		}
		last = users[len(users)-1].ID
	}
}

func (p *program) userDisableCommand() *cobra.Command {
	c := p.userCommand(cobra.Command{
		Use:   "disable --email ADDRESS [flags]",
		Short: "Refuse a user from the next request on",
		Long: `Disable refuses every credential of a user from the next request on, and ends
their JWT logins. Their sessions and tokens are good again once the user is
enabled; "{program} user set-password" and "{program} token revoke" end them.`,
	}, func(ctx context.Context, _ *cobra.Command, s *site, user auth.User) error {
		if err := s.users.SetActive(ctx, s.db.Session(), user.ID, false); err != nil {
			return err
		}
		s.audit(ctx, eventUserDisabled, ofUser(user.ID))
		p.Sayf("%s is refused from the next request on.", user.Email)
		return nil
	})
	p.addSettings(c.Flags(), false)
	return c
}

func (p *program) userEnableCommand() *cobra.Command {
	c := p.userCommand(cobra.Command{
		Use:   "enable --email ADDRESS [flags]",
		Short: "Let a user sign in again",
		Long: `Enable lets a disabled user sign in again. Sessions and tokens that the user had
and that have not expired are good again too.`,
	}, func(ctx context.Context, _ *cobra.Command, s *site, user auth.User) error {
		if err := s.users.SetActive(ctx, s.db.Session(), user.ID, true); err != nil {
			return err
		}
		s.audit(ctx, eventUserEnabled, ofUser(user.ID))
		p.Sayf("%s may sign in again; sessions and tokens that have not expired are good again.", user.Email)
		return nil
	})
	p.addSettings(c.Flags(), false)
	return c
}

func (p *program) userSetPasswordCommand() *cobra.Command {
	c := p.userCommand(cobra.Command{
		Use:   "set-password --email ADDRESS [flags]",
		Short: "Change a user's password and end what they are signed in with",
		Long: `Set-password changes a user's password and ends the user's sessions, tokens and
JWT logins. The password is that of the variable {PROGRAM}_PASSWORD; without it,
it is asked for at a terminal, or is the first line of standard input.`,
	}, func(ctx context.Context, _ *cobra.Command, s *site, user auth.User) error {
		password, err := p.password(ctx)
		if err != nil {
			return err
		}
		if err := s.users.SetPassword(ctx, s.db.Session(), user.ID, password); err != nil {
			return err
		}
		s.audit(ctx, eventPasswordChanged, ofUser(user.ID))
		p.Sayf("Changed the password of %s; the user's sessions, tokens and JWT logins have ended.", user.Email)
		return nil
	})
	p.addSettings(c.Flags(), false)
	return c
}

func (p *program) userGrantCommand() *cobra.Command {
	c := p.userCommand(cobra.Command{
		Use:     "grant --email ADDRESS PERMISSION... [flags]",
		Short:   "Give a user permissions, at once",
		Long:    `Grant gives a user permissions of their own, such as patients.view.`,
		Example: `  {program} user grant --email asha@example.com patients.view doctors.add`,
		Args:    somePermissions,
	}, func(ctx context.Context, cmd *cobra.Command, s *site, user auth.User) error {
		permissions := cmd.Flags().Args()
		if err := s.users.Grant(ctx, s.db.Session(), user.ID, permissions...); err != nil {
			return err
		}
		s.audit(ctx, eventPermissionGranted, ofUser(user.ID), slog.Any("permissions", permissions))
		p.Sayf("%s holds %s.", user.Email, strings.Join(permissions, ", "))
		p.sayUnasked(s, permissions)
		return nil
	})
	p.addSettings(c.Flags(), false)
	return c
}

func (p *program) userRevokeCommand() *cobra.Command {
	c := p.userCommand(cobra.Command{
		Use:   "revoke --email ADDRESS PERMISSION... [flags]",
		Short: "Take permissions from a user, at once",
		Long: `Revoke takes permissions of their own from a user. Those that come through a
group stay, and it says so: take them from the group, or the user out of it. Of
what the user does not hold it says that, too.`,
		Args: somePermissions,
	}, func(ctx context.Context, cmd *cobra.Command, s *site, user auth.User) error {
		permissions := cmd.Flags().Args()
		taken, err := s.users.Revoke(ctx, s.db.Session(), user.ID, permissions...)
		if err != nil {
			return err
		}
		s.auditRevoked(ctx, ofUser(user.ID), taken)
		return p.sayWhatIsLeft(ctx, s, user, permissions, taken)
	})
	p.addSettings(c.Flags(), false)
	return c
}

// sayWhatIsLeft tells of the permissions that were to be taken from a user which
// were, which the user has nevertheless, and which they never had.
func (p *program) sayWhatIsLeft(ctx context.Context, s *site, user auth.User, asked, taken []string) error {
	held, err := s.users.PermissionsOf(ctx, s.db.Session(), user.ID)
	if err != nil {
		return err
	}
	gone, missed := notIn(taken, held), notIn(asked, slices.Concat(taken, held))
	left := notIn(asked, slices.Concat(gone, missed))
	if user.IsSuperuser {
		p.Sayf("%s has none of them by themselves, but is a superuser, who holds every permission.", user.Email)
		p.sayUnasked(s, missed)
		return nil
	}
	if len(gone) > 0 {
		p.Sayf("%s no longer holds %s.", user.Email, strings.Join(gone, ", "))
	}
	if len(left) > 0 {
		p.Sayf(p.text("%s still holds %s, through a group; {program} group list shows which."), user.Email, strings.Join(left, ", "))
	}
	p.sayNotHeld(s, user.Email, missed, held)
	return nil
}

// sayNotHeld tells what could not be taken from somebody, as it may be misspelt.
func (p *program) sayNotHeld(s *site, who string, missed, held []string) {
	if len(missed) == 0 {
		return
	}
	p.Sayf("%s did not hold %s; holds %s.", who, strings.Join(missed, ", "), cmp.Or(strings.Join(held, ", "), "no permission"))
	p.sayUnasked(s, missed)
}

// notIn is what a list has that another has not, each once.
func notIn(names, others []string) []string {
	var list []string
	for _, name := range names {
		if !slices.Contains(others, name) && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// somePermissions are at least one.
func somePermissions(_ *cobra.Command, names []string) error {
	if len(names) == 0 {
		return errors.New("say which permissions, such as patients.view")
	}
	return checkPermissions(names)
}

// checkPermissions refuses a misspelt name before the database is opened.
func checkPermissions(names []string) error {
	for _, name := range names {
		if err := auth.CheckPermission(name); err != nil {
			return err
		}
	}
	return nil
}

// userCommand is a command about the user that --email names. Its other flags
// come before those of the settings, which the caller adds last.
func (p *program) userCommand(c cobra.Command, do func(context.Context, *cobra.Command, *site, auth.User) error) *cobra.Command {
	made := p.command(c, func(cmd *cobra.Command, _ []string) error {
		ctx, flags := cmd.Context(), cmd.Flags()
		email, _ := flags.GetString("email")
		return p.withMigrated(ctx, flags, func(s *site) error {
			user, err := s.users.FindUser(ctx, s.db.Session(), email)
			switch {
			case errors.Is(err, auth.ErrNotFound):
				return fmt.Errorf(p.text("no user has the e-mail %s; {program} user list shows them"), email)
			case err != nil:
				return err
			}
			return do(ctx, cmd, s, user)
		})
	})
	aboutUser(made, "e-mail `address` of the user")
	return made
}
