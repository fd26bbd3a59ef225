package program

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/config"
)

func (p *program) createSuperuserCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:   "createsuperuser --email ADDRESS [flags]",
		Short: "Create a user who holds every permission",
		Long: `Createsuperuser makes an active user who is staff and holds every permission,
and prints the user's id. The password is that of the variable {PROGRAM}_PASSWORD;
without it, it is asked for at a terminal, or is the first line of standard input.`,
		Example: `  {program} createsuperuser --email admin@example.com
  {program} createsuperuser --email admin@example.com < password.txt`,
	}, p.createSuperuser)
	aboutUser(c, "the user's e-mail `address`, by which the user signs in")
	c.Flags().String("name", "", "the user's `name`")
	p.addSettings(c.Flags(), false)
	return c
}

func (p *program) createSuperuser(cmd *cobra.Command, _ []string) error {
	return p.createUser(cmd, auth.NewUser{Staff: true, Superuser: true})
}

// createUser makes the user whom the flags --email and --name describe.
func (p *program) createUser(cmd *cobra.Command, n auth.NewUser) error {
	ctx, flags := cmd.Context(), cmd.Flags()
	n.Email, _ = flags.GetString("email")
	n.Name, _ = flags.GetString("name")
	return p.withMigrated(ctx, flags, func(s *site) error {
		if err := s.requireFree(ctx, n.Email); err != nil {
			return err
		}
		var err error
		if n.Password, err = p.password(ctx); err != nil {
			return err
		}
		user, err := s.users.CreateUser(ctx, s.db.Session(), n)
		if err != nil {
			return err
		}
		s.audit(ctx, eventUserCreated, ofUser(user.ID), slog.Bool("staff", user.IsStaff), slog.Bool("superuser", user.IsSuperuser))
		kind := "user"
		if user.IsSuperuser {
			kind = "superuser"
		}
		p.Sayf("Created the %s %s.", kind, user.Email)
		return p.Print(user.ID.String())
	})
}

// requireFree refuses an e-mail before anybody types a password for it.
func (s *site) requireFree(ctx context.Context, email string) error {
	normal, err := auth.NormalizeEmail(email)
	if err != nil {
		return err
	}
	_, err = s.users.FindUser(ctx, s.db.Session(), normal)
	switch {
	case err == nil:
		return fmt.Errorf("a user with the e-mail %s exists already", normal)
	case errors.Is(err, auth.ErrNotFound):
		return nil
	}
	return err
}

// password finds the password that a command sets.
func (p *program) password(ctx context.Context) (string, error) {
	if password := p.env[p.text(config.PasswordVariable)]; password != "" {
		return password, nil
	}
	password, err := p.ReadPassword(ctx)
	if err == nil && password == "" {
		err = errors.New(p.text("there is no password; write it on the first line of standard input, or set {PROGRAM}_PASSWORD"))
	}
	return password, err
}
