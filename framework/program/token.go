package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/console"
)

func (p *program) tokenCommand() *cobra.Command {
	return p.group("token", "Create, list and revoke the tokens of a user",
		p.tokenCreateCommand(), p.tokenListCommand(), p.tokenRevokeCommand())
}

func (p *program) tokenCreateCommand() *cobra.Command {
	c := p.userCommand(cobra.Command{
		Use:   "create --email ADDRESS [flags]",
		Short: "Create a token and print it, this once",
		Long: `Create makes a token for the header "Authorization: Token ...", and prints it
alone on standard output. It cannot be shown again: only its hash is kept.`,
		Example: `  TOKEN=$({program} token create --email asha@example.com --name laptop)`,
	}, func(ctx context.Context, cmd *cobra.Command, s *site, user auth.User) error {
		name, _ := cmd.Flags().GetString("name")
		life, _ := cmd.Flags().GetDuration("expires-in")
		secret, record, err := s.users.IssueToken(ctx, s.db.Session(), user, name, life)
		if err != nil {
			return err
		}
		s.audit(ctx, eventTokenIssued, ofUser(user.ID), slog.String("token", record.ID.String()))
		p.Sayf("A token of %s, until %s; its id is %s.", user.Email, console.Minute(record.ExpiresAt), record.ID)
		return p.Print(secret.Reveal())
	})
	c.Flags().String("name", "", "a `name` to know the token by")
	c.Flags().Duration("expires-in", auth.DefaultTokenLife, "`duration` for which the token is good")
	p.addSettings(c.Flags(), false)
	return c
}

func (p *program) tokenListCommand() *cobra.Command {
	c := p.userCommand(cobra.Command{
		Use:   "list --email ADDRESS [--json] [flags]",
		Short: "List a user's tokens, expired ones too",
	}, func(ctx context.Context, cmd *cobra.Command, s *site, user auth.User) error {
		tokens, err := s.users.ListTokens(ctx, s.db.Session(), user.ID)
		if err != nil {
			return err
		}
		if asJSON(cmd) {
			return console.WriteJSON(p.Out, console.Map(tokens, lineOfToken))
		}
		return writeTokens(p.Out, tokens)
	})
	jsonFlag(c)
	p.addSettings(c.Flags(), false)
	return c
}

func (p *program) tokenRevokeCommand() *cobra.Command {
	c := p.userCommand(cobra.Command{
		Use:   "revoke --email ADDRESS {ID... | --all} [flags]",
		Short: "Revoke tokens of a user by their ids, at once",
		Args:  cobra.ArbitraryArgs,
	}, func(ctx context.Context, cmd *cobra.Command, s *site, user auth.User) error {
		if all, _ := cmd.Flags().GetBool("all"); all {
			return s.revokeAll(ctx, user)
		}
		for _, text := range cmd.Flags().Args() {
			id, _ := uuid.Parse(text) // checked before the database was opened
			err := s.users.RevokeTokenByID(ctx, s.db.Session(), user.ID, id)
			switch {
			case errors.Is(err, auth.ErrNotFound):
				return fmt.Errorf(p.text("%s has no token with the id %s; {program} token list shows them"), user.Email, id)
			case err != nil:
				return fmt.Errorf("revoking %s of %s: %w", id, user.Email, err)
			}
			s.audit(ctx, eventTokenRevoked, ofUser(user.ID), slog.String("token", id.String()))
		}
		return nil
	})
	c.Args = p.checkRevoked
	c.Flags().Bool("all", false, "revoke every token of the user")
	p.addSettings(c.Flags(), false)
	return c
}

func (s *site) revokeAll(ctx context.Context, user auth.User) error {
	if err := s.users.RevokeTokens(ctx, s.db.Session(), user.ID); err != nil {
		return err
	}
	s.audit(ctx, eventTokenRevoked, ofUser(user.ID), slog.String("token", "all"))
	return nil
}

func (p *program) checkRevoked(cmd *cobra.Command, ids []string) error {
	all, _ := cmd.Flags().GetBool("all")
	if all != (len(ids) == 0) {
		return errors.New(p.text("say which tokens: either their ids, as {program} token list shows them, or --all"))
	}
	for _, id := range ids {
		if _, err := uuid.Parse(id); err != nil {
			return fmt.Errorf(p.text("%q is no id of a token; {program} token list shows them"), shortened(id))
		}
	}
	return nil
}

// shortened keeps a whole token, given in place of its id, out of a message.
func shortened(text string) string {
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
