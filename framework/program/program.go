package program

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spf13/pflag"
	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/page"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/sqldb"
)

// A Program is what the commands need to know of a project.
type Program struct {
	// Name is what the program is called by in its texts: lower-case letters, digits and
	// hyphens. The names of its variables begin with it: those of "my-shop" begin with
	// MY_SHOP_. The default is "trestle".
	Name string

	// Migrations make the tables, in the order in which they build on each other. The
	// default is those of the framework and of auth. A project with tables of its own
	// lists these two first.
	Migrations []sqldb.Migrations

	// Identity makes the service that knows who callers are. A command fills in the
	// settings; Identity adds what is the same in every deployment. The default is
	// [auth.New].
	Identity func(settings auth.Config) (*auth.Service, error)

	// Config is what the services have in common. A command adds addresses, limits
	// and the log. The default is [DefaultConfig].
	Config func(site *Site) framework.Config

	// Register adds every service, and the endpoints by which callers sign in:
	// site.Identity.ViewSet(). It is required.
	Register func(api *framework.API, site *Site)

	// Settings are the project's own settings, beside the built-in ones.
	Settings []AnySetting

	// Commands are the project's own commands, beside the built-in ones.
	Commands []Command

	// Demo is the demo data. Without it there is neither the command seed nor the flag
	// --seed of serve.
	Demo *Demo
}

// A Site is one deployment of a project: its database, its users, and the values of its
// settings. It is safe for concurrent use.
type Site struct {
	DB       *sqldb.DB
	Identity *auth.Service
	PageSize int // rows on a page of a list
	Log      *slog.Logger

	values map[string]any // of the project's own settings; nil for the defaults
}

// DefaultConfig lets callers sign in by session, token or JWT, limits their rates, and
// has numbered pages.
func DefaultConfig(site *Site) framework.Config {
	return framework.Config{
		DB:             site.DB,
		Authentication: site.Identity.Authentication(),
		Throttles:      site.Identity.Throttles(),
		Pagination:     page.Number{Size: site.PageSize},
		Codes:          site.Identity.Codes(),
	}
}

// text completes a text with the name of the program.
func (p Program) text(with string) string { return config.Name(p.Name).Text(with) }

// table returns all settings of the program.
func (p Program) table() config.Table {
	t := config.Table{Program: config.Name(p.Name)}
	for _, own := range p.Settings {
		t.Own = append(t.Own, own.declared())
	}
	return t
}

// addSettings adds the flags of settings to a command.
func (p Program) addSettings(flags *pflag.FlagSet, serving bool) { p.table().AddFlags(flags, serving) }

func (p Program) withDefaults() Program {
	p.Name = cmp.Or(p.Name, "trestle")
	if p.Migrations == nil {
		p.Migrations = []sqldb.Migrations{framework.Migrations(), auth.Migrations()}
	}
	if p.Identity == nil {
		p.Identity = auth.New
	}
	if p.Config == nil {
		p.Config = DefaultConfig
	}
	return p
}

// A program is one run of a command: what the project and the system handed to it.
type program struct {
	Program

	console.Console

	env map[string]string

	started bool // a command was found and its words were right
}

// Run runs one command and returns its exit code. args are the words after the name of
// the program, env has the form of [os.Environ]. The end of ctx asks a server to stop,
// and ends any other command. Several runs may take place at the same time.
func Run(ctx context.Context, made Program, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stderr = console.Lock(stderr)
	p := &program{Program: made.withDefaults(), Console: console.Console{In: stdin, Out: stdout, Err: stderr}, env: variables(env)}
	if err := p.mistakes(); err != nil {
		p.Sayf("%s", err)
		return exit.Failure
	}
	root := p.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	called, err := root.ExecuteContextC(ctx)
	return p.finish(called, err)
}

func variables(env []string) map[string]string {
	all := make(map[string]string, len(env))
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		all[name] = value
	}
	return all
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:           p.Name,
		Short:         "Serve the API and look after its database",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages ", "Flags.FlagUsagesWrapped 100 ") +
		"{{if not .HasParent}}" + p.text(rootNotes) + "{{end}}")
	root.SetFlagErrorFunc(wrongFlag)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.AddCommand(
		p.serveCommand(), p.migrateCommand(), p.createSuperuserCommand(),
		p.usersCommand(), p.groupsCommand(), p.tokenCommand(), p.jwtCommand(),
		p.routesCommand(), p.openapiCommand(), p.permissionsCommand(), p.checkCommand(), p.configCommand(), p.doctorCommand(), p.reindexCommand(),
		p.backupCommand(), p.restoreCommand(), p.healthCommand(), p.versionCommand(),
	)
	if p.Demo != nil {
		root.AddCommand(p.seedCommand())
	}
	for _, own := range p.Commands {
		root.AddCommand(p.ownCommand(own))
	}
	return root
}

// rootNotes end the help of the program itself.
const rootNotes = `
Settings: "{program} serve --help" lists them all. A flag goes before the
variable, the variable before the default.

Exit codes:
  0   success
  1   a failure
  2   a wrong call or a wrong setting
  3   the database needs something done first, such as a migration
`

// version is that of the module, "(devel)" if it was built without one, and
// Go's.
func version() string {
	v := builtOf()
	return v.Version + " " + v.Go
}

// command completes a command with what it runs.
func (p *program) command(c cobra.Command, do func(cmd *cobra.Command, args []string) error) *cobra.Command {
	if c.Args == nil {
		c.Args = cobra.NoArgs
	}
	c.Short, c.Long, c.Example = p.text(c.Short), p.text(c.Long), p.text(c.Example)
	c.DisableFlagsInUseLine = true
	c.RunE = func(cmd *cobra.Command, args []string) error {
		p.started = true
		return do(cmd, args)
	}
	return &c
}

// group is a command that only holds others.
func (p *program) group(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:                   use,
		Short:                 short,
		Args:                  noSubcommand,
		DisableFlagsInUseLine: true,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(commands...)
	return c
}

// aboutUser adds the flag --email, without which the command is not run.
func aboutUser(c *cobra.Command, usage string) {
	email := c.Flags().String("email", "", usage)
	c.PreRunE = func(*cobra.Command, []string) error {
		if *email == "" {
			return errors.New("say whose: --email ADDRESS")
		}
		return nil
	}
}
