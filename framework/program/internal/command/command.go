// Package command is one run of a command: it builds commands, reads the settings and
// opens the site.
package command

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trestle.example/framework"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/program/internal/site"
)

// A Run is one run of a command: the project, and what the system gives to the process.
type Run struct {
	site.Project
	console.Console

	Env     map[string]string
	Started bool // a command was found and its arguments were right
}

// New completes a command with the function that it runs. It replaces {program} and {PROGRAM}
// in Short, Long and Example. Without Args the command accepts no arguments.
func (r *Run) New(c cobra.Command, do func(cmd *cobra.Command, args []string) error) *cobra.Command {
	if c.Args == nil {
		c.Args = cobra.NoArgs
	}
	c.Short, c.Long, c.Example = r.Text(c.Short), r.Text(c.Long), r.Text(c.Example)
	c.DisableFlagsInUseLine = true
	c.RunE = func(cmd *cobra.Command, args []string) error {
		r.Started = true
		return do(cmd, args)
	}
	return &c
}

// NewGroup returns a command that only has subcommands. Without a subcommand it prints its
// help, and any other word is an error.
func NewGroup(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:                   use,
		Short:                 short,
		Args:                  rejectArgs,
		DisableFlagsInUseLine: true,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(commands...)
	return c
}

// rejectArgs rejects a word after a command that only has subcommands.
func rejectArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return fmt.Errorf("unknown command %q for %q%s", args[0], cmd.CommandPath(), console.Suggest("", args[0], names))
}

// AddJSON adds the flag --json to a command that lists.
func AddJSON(c *cobra.Command) { c.Flags().Bool("json", false, "print a JSON array") }

// WantsJSON reports whether the flag --json is set.
func WantsJSON(cmd *cobra.Command) bool {
	is, _ := cmd.Flags().GetBool("json")
	return is
}

// AddSettings adds the flags of the settings to a command. It adds those that only a server
// uses only if serving is true.
func (r *Run) AddSettings(flags *pflag.FlagSet, serving bool) { r.Table().AddFlags(flags, serving) }

// Settings reads the settings, and warns of variables that are no settings. Its error is that
// of [config.Table.Read], with exit code 2. The log is never nil.
func (r *Run) Settings(flags *pflag.FlagSet) (config.Config, *slog.Logger, error) {
	c, err := r.Table().Read(flags, r.Env)
	log := c.NewLog(r.Err)
	r.Table().WarnUnknown(log, r.Env)
	if err != nil {
		err = exit.Misused("%w", err)
	}
	return c, log, err
}

// With is [Run.WithNew] for a command that needs an existing database. If the SQLite file does
// not exist, it does not call do, and returns an error with exit code 3.
func (r *Run) With(ctx context.Context, flags *pflag.FlagSet, do func(*site.Site) error) error {
	return r.connect(ctx, flags, config.Config.RequireFile, do)
}

// WithNew reads the settings, opens the site, connects to its database, calls do, and
// closes the site. SQLite makes a file that does not exist.
func (r *Run) WithNew(ctx context.Context, flags *pflag.FlagSet, do func(*site.Site) error) error {
	return r.connect(ctx, flags, func(config.Config) error { return nil }, do)
}

func (r *Run) connect(ctx context.Context, flags *pflag.FlagSet, require func(config.Config) error, do func(*site.Site) error) error {
	c, log, err := r.Settings(flags)
	if err == nil {
		err = require(c)
	}
	if err != nil {
		return err
	}
	c.SetLocal = true
	s, err := r.Open(c, c.IdentityConfig(log), log)
	if err != nil {
		return err
	}
	defer s.Close()
	bar := r.StartBar("Connecting")
	err = s.DB.PingContext(ctx)
	bar.End()
	if err != nil {
		return err
	}
	return do(s)
}

// WithMigrated is [Run.With] for a command that needs the tables. If a migration is pending,
// it does not call do, and returns an error with exit code 3.
func (r *Run) WithMigrated(ctx context.Context, flags *pflag.FlagSet, do func(*site.Site) error) error {
	return r.With(ctx, flags, func(s *site.Site) error {
		if err := s.RequireMigrated(ctx); err != nil {
			return err
		}
		return do(s)
	})
}

// DeclareAPI returns the checked API of the settings. It does not connect to the database.
func (r *Run) DeclareAPI(flags *pflag.FlagSet) (*framework.API, error) {
	c, log, err := r.Settings(flags)
	if err != nil {
		return nil, err
	}
	return r.Declare(c, log)
}
