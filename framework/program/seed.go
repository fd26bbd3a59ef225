package program

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/program/internal/serve"
	"trestle.example/framework/program/internal/site"
	"trestle.example/framework/sqldb"
)

// A Demo is a project's demo data. The command seed and the flag --seed of serve put it
// into a database.
type Demo struct {
	// Usage, Long and Example are parts of the help of seed; Usage names the flags that
	// matter most, such as [--scale N].
	Usage, Long, Example string

	// Flags adds the flags of seed that determine the amount of data. It is optional.
	Flags func(*pflag.FlagSet)

	// Plan reads these flags. It is required. Its error ends seed with exit code 2. serve
	// --seed calls Plan with the defaults of the flags.
	Plan func(*pflag.FlagSet) (Sowing, error)

	// Visitor is the e-mail address of a user of the demo; serve --seed issues a token for that user.
	// It is optional, and needs Requests.
	Visitor string

	// Requests returns lines with requests to try. serve --seed prints them after the server's
	// addresses. base is the URL of the server, and token is the visitor's. It is optional,
	// and needs Visitor.
	Requests func(base string, token auth.Secret) []string
}

// A Sowing makes an amount of demo data.
type Sowing interface {
	// Sow makes all of the data or nothing. If the data exists, Sow changes nothing, unless
	// Force is set.
	Sow(ctx context.Context, db *sqldb.DB, users *auth.Users, o SowOptions) (Sown, error)
}

// SowOptions configure a [Sowing].
type SowOptions struct {
	Force       bool                  // add what is missing, and give the demo's users new passwords
	PasswordMin int                   // the least number of characters of a password
	Progress    func(done, total int) // reports progress
}

// Sown is the result of a [Sowing].
type Sown struct {
	Records string     // the records that were made or that exist: "200 patients, 12 doctors"
	Since   time.Time  // when the existing demo data was made; used only if Users is empty
	Users   []DemoUser // with new passwords; empty if the database was not changed
}

// A DemoUser is a user of the demo data.
type DemoUser struct {
	Email    string
	Password auth.Secret
	Kind     string // the user's part in the demo
}

// forceFlag is the flag of seed that every project has.
const forceFlag = "force"

// newSeedCommand returns the command seed.
func newSeedCommand(run *command.Run, demo *Demo) *cobra.Command {
	c := run.New(cobra.Command{
		Use:     "seed " + demo.Usage + " [flags]",
		Short:   "Fill the database with demo data",
		Long:    demo.Long,
		Example: demo.Example,
	}, func(cmd *cobra.Command, _ []string) error { return runSeed(run, demo, cmd) })
	if demo.Flags != nil {
		demo.Flags(c.Flags())
	}
	c.Flags().Bool(forceFlag, false, "seed a database that has data already")
	run.AddSettings(c.Flags(), false)
	return c
}

func runSeed(run *command.Run, demo *Demo, cmd *cobra.Command) error {
	plan, err := demo.Plan(cmd.Flags())
	if err != nil {
		return exit.Misused("%w", err)
	}
	force, _ := cmd.Flags().GetBool(forceFlag)
	return run.WithMigrated(cmd.Context(), cmd.Flags(), func(s *site.Site) error {
		sown, err := sow(cmd.Context(), run, s, plan, force)
		if err != nil || len(sown.Users) > 0 {
			return err
		}
		run.Sayf("This database holds demo data already (%s, since %s); --force adds what is missing and gives new passwords.",
			sown.Records, console.Minute(&sown.Since))
		return nil
	})
}

// sowUsual makes the amount of data that the command seed makes without flags.
func sowUsual(ctx context.Context, run *command.Run, demo *Demo, s *site.Site) error {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	if demo.Flags != nil {
		demo.Flags(flags)
	}
	plan, err := demo.Plan(flags)
	if err != nil {
		return err
	}
	_, err = sow(ctx, run, s, plan, false)
	return err
}

// sow makes demo data with a progress bar, and prints the new passwords. In production it
// makes none, and returns an error with exit code 2.
func sow(ctx context.Context, run *command.Run, s *site.Site, plan Sowing, force bool) (Sown, error) {
	if s.Production {
		return Sown{}, exit.Misused("%s", s.Text("{PROGRAM}_ENV is production, where demo data is never made; seed with {PROGRAM}_ENV=development"))
	}
	bar := run.StartBar("Seeding")
	sown, err := plan.Sow(ctx, s.DB, s.Users, SowOptions{Force: force, PasswordMin: s.PasswordMin, Progress: bar.Show})
	bar.End()
	if err != nil || len(sown.Users) == 0 {
		return sown, err
	}
	run.Sayf("Seeded %s and %d users. Their passwords, shown this once:", sown.Records, len(sown.Users))
	return sown, writeDemoUsers(run.Out, sown.Users)
}

func writeDemoUsers(out io.Writer, users []DemoUser) error {
	table := console.NewTable(out)
	for _, u := range users {
		fmt.Fprintf(table, "%s\t%s\t%s\n", u.Email, u.Password.Reveal(), u.Kind)
	}
	return table.Flush()
}

// serveDemo returns the part of the demo data that the command serve needs.
func serveDemo(run *command.Run, demo *Demo) *serve.Demo {
	if demo == nil {
		return nil
	}
	return &serve.Demo{
		Visitor: demo.Visitor, Requests: demo.Requests,
		Seed: func(ctx context.Context, s *site.Site) error { return sowUsual(ctx, run, demo, s) },
	}
}
