package accounts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/site"
)

// NewCreateSuperuserCommand returns the command createsuperuser.
func NewCreateSuperuserCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "createsuperuser --email ADDRESS [flags]",
		Short: "Create a user who holds every permission",
		Long: `Createsuperuser makes an active user who is staff and holds every permission,
and prints the user's id. The password is the value of the variable
{PROGRAM}_PASSWORD. Without it, the command prompts for the password at a terminal, or
reads the first line of standard input.`,
		Example: `  {program} createsuperuser --email admin@example.com
  {program} createsuperuser --email admin@example.com < password.txt`,
	}, func(cmd *cobra.Command, args []string) error { return createSuperuser(run, cmd, args) })
	addEmail(c, "the user's e-mail `address`, by which the user signs in")
	c.Flags().String("name", "", "the user's `name`")
	run.AddSettings(c.Flags(), false)
	return c
}

func createSuperuser(run *command.Run, cmd *cobra.Command, _ []string) error {
	return createUser(run, cmd, auth.NewUser{Staff: true, Superuser: true})
}

// createUser creates the user of the flags --email and --name.
func createUser(run *command.Run, cmd *cobra.Command, n auth.NewUser) error {
	ctx, flags := cmd.Context(), cmd.Flags()
	n.Email, _ = flags.GetString("email")
	n.Name, _ = flags.GetString("name")
	return run.WithMigrated(ctx, flags, func(s *site.Site) error {
		if err := requireFree(ctx, s, n.Email); err != nil {
			return err
		}
		var err error
		if n.Password, err = readPassword(ctx, run); err != nil {
			return err
		}
		user, err := s.Users.CreateUser(ctx, s.DB.Session(), n)
		if err != nil {
			return err
		}
		audit(ctx, s, eventUserCreated, ofUser(user.ID), slog.Bool("staff", user.IsStaff), slog.Bool("superuser", user.IsSuperuser))
		kind := "user"
		if user.IsSuperuser {
			kind = "superuser"
		}
		run.Sayf("Created the %s %s.", kind, user.Email)
		return run.Print(user.ID.String())
	})
}

// requireFree returns an error if a user has the e-mail address, or if it is not valid. It runs
// before the command prompts for a password.
func requireFree(ctx context.Context, s *site.Site, email string) error {
	normal, err := auth.NormalizeEmail(email)
	if err != nil {
		return err
	}
	_, err = s.Users.FindUser(ctx, s.DB.Session(), normal)
	switch {
	case err == nil:
		return fmt.Errorf("a user with the e-mail %s exists already", normal)
	case errors.Is(err, auth.ErrNotFound):
		return nil
	}
	return err
}

// readPassword returns the password that a command sets: the variable {PROGRAM}_PASSWORD, unless it
// is empty, else the answer at a terminal, else the first line of standard input. It returns an
// error if the answer or the line is empty.
func readPassword(ctx context.Context, run *command.Run) (string, error) {
	if password := run.Env[run.Text(config.PasswordVariable)]; password != "" {
		return password, nil
	}
	password, err := run.ReadPassword(ctx)
	if err == nil && password == "" {
		err = errors.New(run.Text("there is no password; write it on the first line of standard input, or set {PROGRAM}_PASSWORD"))
	}
	return password, err
}
