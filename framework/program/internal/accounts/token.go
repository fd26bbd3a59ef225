package accounts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/site"
)

// NewTokenCommand returns the command token.
func NewTokenCommand(run *command.Run) *cobra.Command {
	return command.NewGroup("token", "Create, list and revoke the tokens of a user",
		newTokenCreateCommand(run), newTokenListCommand(run), newTokenRevokeCommand(run))
}

func newTokenCreateCommand(run *command.Run) *cobra.Command {
	c := newUserCommand(run, cobra.Command{
		Use:   "create --email ADDRESS [flags]",
		Short: "Create a token and print it, this once",
		Long: `Create makes a token for the header "Authorization: Token ...", and prints it
alone on standard output. It cannot be shown again: only its hash is kept.`,
		Example: `  TOKEN=$({program} token create --email asha@example.com --name laptop)`,
	}, func(ctx context.Context, cmd *cobra.Command, s *site.Site, user auth.User) error {
		if !user.IsActive {
			return fmt.Errorf(s.Text("%s is disabled; first run: {program} user enable --email %s"), user.Email, user.Email)
		}
		name, _ := cmd.Flags().GetString("name")
		life, _ := cmd.Flags().GetDuration("expires-in")
		secret, record, err := s.Users.IssueToken(ctx, s.DB.Session(), user, name, life)
		if err != nil {
			return err
		}
		audit(ctx, s, eventTokenIssued, ofUser(user.ID), slog.String("token", record.ID.String()))
		run.Sayf("A token of %s, until %s; its id is %s.", user.Email, console.Minute(record.ExpiresAt), record.ID)
		return run.Print(secret.Reveal())
	})
	c.Flags().String("name", "", "a `name` to know the token by")
	c.Flags().Duration("expires-in", auth.DefaultTokenLife, "`duration` for which the token is good")
	run.AddSettings(c.Flags(), false)
	return c
}

func newTokenListCommand(run *command.Run) *cobra.Command {
	c := newUserCommand(run, cobra.Command{
		Use:   "list --email ADDRESS [--json] [flags]",
		Short: "List a user's tokens, expired ones too",
	}, func(ctx context.Context, cmd *cobra.Command, s *site.Site, user auth.User) error {
		tokens, err := s.Users.ListTokens(ctx, s.DB.Session(), user.ID)
		if err != nil {
			return err
		}
		if command.WantsJSON(cmd) {
			return console.WriteJSON(run.Out, console.Map(tokens, newTokenLine))
		}
		return writeTokens(run.Out, tokens)
	})
	command.AddJSON(c)
	run.AddSettings(c.Flags(), false)
	return c
}

func newTokenRevokeCommand(run *command.Run) *cobra.Command {
	c := newUserCommand(run, cobra.Command{
		Use:   "revoke --email ADDRESS {ID... | --all} [flags]",
		Short: "Revoke tokens of a user by their ids, at once",
		Args:  cobra.ArbitraryArgs,
	}, func(ctx context.Context, cmd *cobra.Command, s *site.Site, user auth.User) error {
		if all, _ := cmd.Flags().GetBool("all"); all {
			return revokeAll(ctx, s, user)
		}
		for _, text := range cmd.Flags().Args() {
			id, _ := uuid.Parse(text) // checked before the database was opened
			err := s.Users.RevokeTokenByID(ctx, s.DB.Session(), user.ID, id)
			switch {
			case errors.Is(err, auth.ErrNotFound):
				return fmt.Errorf(run.Text("%s has no token with the id %s; {program} token list shows them"), user.Email, id)
			case err != nil:
				return fmt.Errorf("revoking %s of %s: %w", id, user.Email, err)
			}
			audit(ctx, s, eventTokenRevoked, ofUser(user.ID), slog.String("token", id.String()))
		}
		return nil
	})
	c.Args = func(cmd *cobra.Command, ids []string) error { return checkRevoked(run, cmd, ids) }
	c.Flags().Bool("all", false, "revoke every token of the user")
	run.AddSettings(c.Flags(), false)
	return c
}

func revokeAll(ctx context.Context, s *site.Site, user auth.User) error {
	if err := s.Users.RevokeTokens(ctx, s.DB.Session(), user.ID); err != nil {
		return err
	}
	audit(ctx, s, eventTokenRevoked, ofUser(user.ID), slog.String("token", "all"))
	return nil
}

func checkRevoked(run *command.Run, cmd *cobra.Command, ids []string) error {
	all, _ := cmd.Flags().GetBool("all")
	if all != (len(ids) == 0) {
		return errors.New(run.Text("say which tokens: either their ids, as {program} token list shows them, or --all"))
	}
	for _, id := range ids {
		if _, err := uuid.Parse(id); err != nil {
			return fmt.Errorf(run.Text("%q is no id of a token; {program} token list shows them"), shorten(id))
		}
	}
	return nil
}

// shorten returns the first 8 bytes of a text, because a user may give a token instead of an id.
func shorten(text string) string {
	if len(text) > 8 {
		return text[:8] + "..."
	}
	return text
}

func writeTokens(w io.Writer, tokens []auth.TokenRecord) error {
	table := console.NewTable(w)
	fmt.Fprintln(table, "ID\tTOKEN\tNAME\tCREATED\tUSED\tEXPIRES")
	for _, t := range tokens {
		fmt.Fprintf(table, "%s\t%s...\t%s\t%s\t%s\t%s\n", t.ID, t.Prefix, console.OrDash(t.Name), console.Minute(&t.CreatedAt), console.Minute(t.LastUsedAt), console.Minute(t.ExpiresAt))
	}
	return table.Flush()
}

// A tokenLine is one token of "token list --json": never the token itself.
type tokenLine struct {
	ID         uuid.UUID  `json:"id"`
	Prefix     string     `json:"prefix"`
	Name       string     `json:"name"`
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
	ExpiresAt  *time.Time `json:"expiresAt"`
}

func newTokenLine(t auth.TokenRecord) tokenLine {
	return tokenLine{t.ID, t.Prefix, t.Name, t.CreatedAt.UTC(), t.LastUsedAt, t.ExpiresAt}
}
