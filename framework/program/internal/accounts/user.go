// Package accounts has the commands of users, groups, tokens and keys.
package accounts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/site"
)

// NewUsersCommand returns the command user.
func NewUsersCommand(run *command.Run) *cobra.Command {
	return command.NewGroup("user", "Create and list users, and change what they may do",
		newUserCreateCommand(run), newUserListCommand(run), newUserDisableCommand(run), newUserEnableCommand(run),
		newUserSetPasswordCommand(run), newUserGrantCommand(run), newUserRevokeCommand(run))
}

func newUserCreateCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "create --email ADDRESS [flags]",
		Short: "Create a user",
		Long: `Create makes an active user and prints the user's id. The password is the value
of the variable {PROGRAM}_PASSWORD. Without it, the command prompts for the password
at a terminal, or reads the first line of standard input.`,
		Example: `  {program} user create --email asha@example.com --name Asha
  {program} user create --email asha@example.com < password.txt`,
	}, func(cmd *cobra.Command, _ []string) error {
		var n auth.NewUser
		n.Staff, _ = cmd.Flags().GetBool("staff")
		n.Superuser, _ = cmd.Flags().GetBool("superuser")
		return createUser(run, cmd, n)
	})
	addEmail(c, "the user's e-mail `address`, by which the user signs in")
	c.Flags().String("name", "", "the user's `name`")
	c.Flags().Bool("staff", false, "make the user staff, which by itself holds no permission")
	c.Flags().Bool("superuser", false, "give the user every permission")
	run.AddSettings(c.Flags(), false)
	return c
}

func newUserListCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "list [--json] [flags]",
		Short: "List all users, the newest last",
	}, func(cmd *cobra.Command, _ []string) error {
		return run.WithMigrated(cmd.Context(), cmd.Flags(), func(s *site.Site) error {
			if command.WantsJSON(cmd) {
				return writeUsersAsJSON(cmd.Context(), s, run.Out, usersAtOnce)
			}
			return writeUsers(cmd.Context(), s, run.Out, usersAtOnce)
		})
	})
	command.AddJSON(c)
	run.AddSettings(c.Flags(), false)
	return c
}

// usersAtOnce is how many users a list reads, aligns and writes at a time.
const usersAtOnce = 1000

func writeUsers(ctx context.Context, s *site.Site, out io.Writer, atOnce int) error {
	table := console.NewTable(out)
	fmt.Fprintln(table, "ID\tEMAIL\tNAME\tACTIVE\tSTAFF\tSUPERUSER\tCREATED")
	return readUsers(ctx, s, atOnce, func(users []auth.User) error {
		for _, u := range users {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", u.ID, u.Email, console.OrDash(u.Name),
				console.YesOrNo(u.IsActive), console.YesOrNo(u.IsStaff), console.YesOrNo(u.IsSuperuser), console.Minute(&u.CreatedAt))
		}
		return table.Flush()
	})
}

func writeUsersAsJSON(ctx context.Context, s *site.Site, out io.Writer, atOnce int) error {
	array := console.NewArray(out)
	err := readUsers(ctx, s, atOnce, func(users []auth.User) error {
		for _, u := range users {
			if err := array.Add(newUserLine(u)); err != nil {
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

// readUsers reads all users in parts, and calls do for each part. The last part may be empty.
// An error of do ends it.
func readUsers(ctx context.Context, s *site.Site, atOnce int, do func([]auth.User) error) error {
	last := uuid.Nil
	for {
		users, err := s.Users.ListUsers(ctx, s.DB.Session(), last, atOnce)
		if err != nil {
			return err
		}
		if err := do(users); err != nil || len(users) < atOnce {
			return err
		}
		last = users[len(users)-1].ID
	}
}

func newUserDisableCommand(run *command.Run) *cobra.Command {
	c := newUserCommand(run, cobra.Command{
		Use:   "disable --email ADDRESS [flags]",
		Short: "Reject a user's credentials from the next request on",
		Long: `Disable makes the server reject every credential of a user from the next request
on, and ends their JWT logins. Their sessions and tokens are valid again once the
user is enabled; "{program} user set-password" and "{program} token revoke" end them.`,
	}, func(ctx context.Context, _ *cobra.Command, s *site.Site, user auth.User) error {
		if err := s.Users.SetActive(ctx, s.DB.Session(), user.ID, false); err != nil {
			return err
		}
		audit(ctx, s, eventUserDisabled, ofUser(user.ID))
		run.Sayf("%s cannot use the API from the next request on.", user.Email)
		return nil
	})
	run.AddSettings(c.Flags(), false)
	return c
}

func newUserEnableCommand(run *command.Run) *cobra.Command {
	c := newUserCommand(run, cobra.Command{
		Use:   "enable --email ADDRESS [flags]",
		Short: "Let a user sign in again",
		Long: `Enable lets a disabled user sign in again. Sessions and tokens that the user had
and that have not expired are valid again too.`,
	}, func(ctx context.Context, _ *cobra.Command, s *site.Site, user auth.User) error {
		if err := s.Users.SetActive(ctx, s.DB.Session(), user.ID, true); err != nil {
			return err
		}
		audit(ctx, s, eventUserEnabled, ofUser(user.ID))
		run.Sayf("%s may sign in again; sessions and tokens that have not expired are valid again.", user.Email)
		return nil
	})
	run.AddSettings(c.Flags(), false)
	return c
}

func newUserSetPasswordCommand(run *command.Run) *cobra.Command {
	c := newUserCommand(run, cobra.Command{
		Use:   "set-password --email ADDRESS [flags]",
		Short: "Change a user's password and end what they are signed in with",
		Long: `Set-password changes a user's password and ends the user's sessions, tokens and
JWT logins. The password is the value of the variable {PROGRAM}_PASSWORD. Without
it, the command prompts for the password at a terminal, or reads the first line of
standard input.`,
	}, func(ctx context.Context, _ *cobra.Command, s *site.Site, user auth.User) error {
		password, err := readPassword(ctx, run)
		if err != nil {
			return err
		}
		if err := s.Users.SetPassword(ctx, s.DB.Session(), user.ID, password); err != nil {
			return err
		}
		audit(ctx, s, eventPasswordChanged, ofUser(user.ID))
		run.Sayf("Changed the password of %s; the user's sessions, tokens and JWT logins have ended.", user.Email)
		return nil
	})
	run.AddSettings(c.Flags(), false)
	return c
}

func newUserGrantCommand(run *command.Run) *cobra.Command {
	c := newUserCommand(run, cobra.Command{
		Use:     "grant --email ADDRESS PERMISSION... [flags]",
		Short:   "Give a user permissions, at once",
		Long:    `Grant gives a user permissions of their own, such as patients.view.`,
		Example: `  {program} user grant --email asha@example.com patients.view doctors.add`,
		Args:    requirePermissions,
	}, func(ctx context.Context, cmd *cobra.Command, s *site.Site, user auth.User) error {
		permissions := cmd.Flags().Args()
		if err := s.Users.Grant(ctx, s.DB.Session(), user.ID, permissions...); err != nil {
			return err
		}
		audit(ctx, s, eventPermissionGranted, ofUser(user.ID), slog.Any("permissions", permissions))
		run.Sayf("%s holds %s.", user.Email, strings.Join(permissions, ", "))
		warnUnusedPermissions(run, s, permissions)
		return nil
	})
	run.AddSettings(c.Flags(), false)
	return c
}

func newUserRevokeCommand(run *command.Run) *cobra.Command {
	c := newUserCommand(run, cobra.Command{
		Use:   "revoke --email ADDRESS PERMISSION... [flags]",
		Short: "Take permissions from a user, at once",
		Long: `Revoke takes permissions of their own from a user. Those that come through a
group stay, and it says so: take them from the group, or the user out of it. Of
what the user does not hold it says that, too.`,
		Args: requirePermissions,
	}, func(ctx context.Context, cmd *cobra.Command, s *site.Site, user auth.User) error {
		permissions := cmd.Flags().Args()
		taken, err := s.Users.Revoke(ctx, s.DB.Session(), user.ID, permissions...)
		if err != nil {
			return err
		}
		auditRevoked(ctx, s, ofUser(user.ID), taken)
		return sayWhatRemains(ctx, run, s, user, permissions, taken)
	})
	run.AddSettings(c.Flags(), false)
	return c
}

// sayWhatRemains prints the permissions that the user no longer holds, those that the user still
// holds through a group, and those that the user did not hold. For a superuser it prints that the
// user holds every permission, and warns of names that no endpoint of the API requires.
func sayWhatRemains(ctx context.Context, run *command.Run, s *site.Site, user auth.User, asked, taken []string) error {
	held, err := s.Users.PermissionsOf(ctx, s.DB.Session(), user.ID)
	if err != nil {
		return err
	}
	gone, missed := subtract(taken, held), subtract(asked, slices.Concat(taken, held))
	left := subtract(asked, slices.Concat(gone, missed))
	if user.IsSuperuser {
		run.Sayf("%s has none of them by themselves, but is a superuser, who holds every permission.", user.Email)
		warnUnusedPermissions(run, s, missed)
		return nil
	}
	if len(gone) > 0 {
		run.Sayf("%s no longer holds %s.", user.Email, strings.Join(gone, ", "))
	}
	if len(left) > 0 {
		run.Sayf(run.Text("%s still holds %s, through a group; {program} group list shows which."), user.Email, strings.Join(left, ", "))
	}
	sayNotHeld(run, s, user.Email, missed, held)
	return nil
}

// sayNotHeld prints the permissions that were not held, and those that are held. A name that was
// not held may be misspelt, so it also warns of names that no endpoint of the API requires. It
// prints nothing if no permission is missing.
func sayNotHeld(run *command.Run, s *site.Site, who string, missed, held []string) {
	if len(missed) == 0 {
		return
	}
	run.Sayf("%s did not hold %s; holds %s.", who, strings.Join(missed, ", "), cmp.Or(strings.Join(held, ", "), "no permission"))
	warnUnusedPermissions(run, s, missed)
}

// subtract returns the names that are not in the other list, each once.
func subtract(names, others []string) []string {
	var list []string
	for _, name := range names {
		if !slices.Contains(others, name) && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// requirePermissions requires at least one permission.
func requirePermissions(_ *cobra.Command, names []string) error {
	if len(names) == 0 {
		return errors.New("say which permissions, such as patients.view")
	}
	return checkPermissions(names)
}

// checkPermissions rejects a malformed name before the database is opened.
func checkPermissions(names []string) error {
	for _, name := range names {
		if err := auth.CheckPermission(name); err != nil {
			return err
		}
	}
	return nil
}

// newUserCommand returns a command about the user of the flag --email. The caller adds
// the flags of settings last, so that they follow the flags of the command.
func newUserCommand(run *command.Run, c cobra.Command, do func(context.Context, *cobra.Command, *site.Site, auth.User) error) *cobra.Command {
	made := run.New(c, func(cmd *cobra.Command, _ []string) error {
		ctx, flags := cmd.Context(), cmd.Flags()
		email, _ := flags.GetString("email")
		return run.WithMigrated(ctx, flags, func(s *site.Site) error {
			user, err := s.Users.FindUser(ctx, s.DB.Session(), email)
			switch {
			case errors.Is(err, auth.ErrNotFound):
				return fmt.Errorf(run.Text("no user has the e-mail %s; {program} user list shows them"), email)
			case err != nil:
				return err
			}
			return do(ctx, cmd, s, user)
		})
	})
	addEmail(made, "e-mail `address` of the user")
	return made
}

// A userLine is one user of "user list --json".
type userLine struct {
	ID          uuid.UUID `json:"id"`
	Email       string    `json:"email"`
	Name        string    `json:"name"`
	IsActive    bool      `json:"isActive"`
	IsStaff     bool      `json:"isStaff"`
	IsSuperuser bool      `json:"isSuperuser"`
	CreatedAt   time.Time `json:"createdAt"`
}

func newUserLine(u auth.User) userLine {
	return userLine{u.ID, u.Email, u.Name, u.IsActive, u.IsStaff, u.IsSuperuser, u.CreatedAt.UTC()}
}

// addEmail adds the flag --email, which the command requires.
func addEmail(c *cobra.Command, usage string) {
	email := c.Flags().String("email", "", usage)
	c.PreRunE = func(*cobra.Command, []string) error {
		if *email == "" {
			return errors.New("say whose: --email ADDRESS")
		}
		return nil
	}
}
