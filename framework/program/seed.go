package program

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/sqldb"
)

// A Demo is a project's demo data, which the command seed and the flag --seed of serve
// put into a database.
type Demo struct {
	// Usage, Long and Example are parts of the help of seed; Usage names the flags that
	// matter most, such as [--scale N].
	Usage, Long, Example string

	// Flags adds the flags of seed that say how much is made.
	Flags func(*pflag.FlagSet)

	// Plan reads these flags. An error is a wrong call.
	Plan func(*pflag.FlagSet) (Sowing, error)

	// Visitor is the e-mail address of the demo's user whose token serve --seed prints.
	Visitor string

	// Requests are the lines that follow: requests to try, with that token.
	Requests func(base string, token auth.Secret) []string
}

// A Sowing makes an amount of demo data.
type Sowing interface {
	// Sow makes all of the data or nothing. A database that has it already is left as
	// it is, unless Force is set.
	Sow(ctx context.Context, db *sqldb.DB, users *auth.Users, o SowOptions) (Sown, error)
}

// SowOptions say how a [Sowing] works.
type SowOptions struct {
	Force       bool                  // add what is missing, and give the demo's users new passwords
	PasswordMin int                   // characters that a password has at least
	Progress    func(done, total int) // is called now and then
}

// Sown is what a [Sowing] did.
type Sown struct {
	Records string     // "200 patients, 12 doctors": those that were made, or that were there
	Since   time.Time  // when the demo data was made
	Users   []DemoUser // with new passwords; none where the database was left as it was
}

// A DemoUser is a user of the demo data.
type DemoUser struct {
	Email    string
	Password auth.Secret
	Kind     string // what they are in the demo
}

func (p *program) seedCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:     "seed " + p.Demo.Usage + " [flags]",
		Short:   "Fill the database with demo data",
		Long:    p.Demo.Long,
		Example: p.Demo.Example,
	}, p.seed)
	p.Demo.Flags(c.Flags())
	c.Flags().Bool("force", false, "seed a database that has data already")
	p.addSettings(c.Flags(), false)
	return c
}

func (p *program) seed(cmd *cobra.Command, _ []string) error {
	plan, err := p.Demo.Plan(cmd.Flags())
	if err != nil {
		return exit.Misused("%w", err)
	}
	force, _ := cmd.Flags().GetBool("force")
	return p.withMigrated(cmd.Context(), cmd.Flags(), func(s *site) error {
		sown, err := p.sow(cmd.Context(), s, plan, force)
		if err != nil || len(sown.Users) > 0 {
			return err
		}
		p.Sayf("This database holds demo data already (%s, since %s); --force adds what is missing and gives new passwords.",
			sown.Records, console.Minute(&sown.Since))
		return nil
	})
}

// sowUsual seeds as much as seed does without flags.
func (p *program) sowUsual(ctx context.Context, s *site) error {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	p.Demo.Flags(flags)
	plan, err := p.Demo.Plan(flags)
	if err != nil {
		return err
	}
	_, err = p.sow(ctx, s, plan, false)
	return err
}

// sow seeds with a progress bar, and prints the passwords that were made.
func (p *program) sow(ctx context.Context, s *site, plan Sowing, force bool) (Sown, error) {
	if s.Production {
		return Sown{}, exit.Misused("%s", s.text("{PROGRAM}_ENV is production, where demo data is never made; seed with {PROGRAM}_ENV=development"))
	}
	bar := p.StartBar("Seeding")
	sown, err := plan.Sow(ctx, s.db, s.users, SowOptions{Force: force, PasswordMin: s.PasswordMin, Progress: bar.Show})
	bar.End()
	if err != nil || len(sown.Users) == 0 {
		return sown, err
	}
	p.Sayf("Seeded %s and %d users. Their passwords, shown this once:", sown.Records, len(sown.Users))
	return sown, writeDemoUsers(p.Out, sown.Users)
}

func writeDemoUsers(out io.Writer, users []DemoUser) error {
	table := console.NewTable(out)
	for _, u := range users {
		fmt.Fprintf(table, "%s\t%s\t%s\n", u.Email, u.Password.Reveal(), u.Kind)
	}
	return table.Flush()
}
