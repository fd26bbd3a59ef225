package program

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/page"
	"trestle.example/framework/program/internal/accounts"
	"trestle.example/framework/program/internal/backup"
	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/doctor"
	"trestle.example/framework/program/internal/endpoints"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/program/internal/records"
	"trestle.example/framework/program/internal/scaffold"
	"trestle.example/framework/program/internal/schema"
	"trestle.example/framework/program/internal/serve"
	"trestle.example/framework/program/internal/site"
	"trestle.example/framework/sqldb"
)

// A Program declares a project for the commands.
type Program struct {
	// Name is the program's name in texts. It is lower-case letters, digits and hyphens, and
	// begins with a letter. The names of the program's variables begin with it: those of
	// "my-shop" begin with MY_SHOP_. The default is "trestle".
	Name string

	// Migrations create the tables. Each may build on those before it. The default is those
	// of the framework and of auth. A project with tables of its own lists these two first.
	Migrations []sqldb.Migrations

	// Identity returns the service that identifies callers. A command fills in the
	// settings; Identity adds the rest. The default is [auth.New].
	Identity func(settings auth.Config) (*auth.Service, error)

	// Config returns the configuration of the API. A command then sets PublicURL, Hosts,
	// TrustedProxies, Timeout, CORS, Compress, Log, Slow, Observers and, in production, HSTS. The
	// default is [DefaultConfig].
	Config func(site *Site) framework.Config

	// Register adds every service, and the endpoints for signing in:
	// site.Identity.ViewSet(). It is required.
	Register func(api *framework.API, site *Site)

	// Beside returns what the server serves beside the API. It is called after Register, also
	// by commands that only check the declarations, so it must start nothing. The default is
	// nothing.
	Beside func(api *framework.API, site *Site) (Beside, error)

	// Settings are the project's own settings, beside the built-in ones.
	Settings []AnySetting

	// Commands are the project's own commands, beside the built-in ones.
	Commands []Command

	// ProofCallers are kinds of callers for [Program.Prove] and the command prove, beside the
	// usual ones: a visitor, users, one of the staff, a holder of each permission that the
	// declarations name, holders of several, and a superuser. A permission of the project's own type needs a caller
	// that it permits.
	ProofCallers []framework.ProofCaller

	// ProofSignIn makes a user of a kind for [Program.Prove] and the command prove, if the API has other
	// authenticators than [auth.Token]. It returns the headers of the user's requests, and the caller as the API
	// identifies it. The default makes users with a token of package auth.
	ProofSignIn func(ctx context.Context, site *Site, kind framework.ProofCaller) (http.Header, *framework.Caller, error)

	// Demo is the demo data. Without it there is neither the command seed nor the flag
	// --seed of serve.
	Demo *Demo
}

// A Site is one deployment of a project: its database, its users, and the values of its
// settings. It is safe for concurrent use.
type Site struct {
	DB       *sqldb.DB
	Identity *auth.Service
	PageSize int // the number of rows on a page of a list
	Log      *slog.Logger

	values    map[string]any                          // of the project's own settings
	listed    bool                                    // values has every setting of the program
	configure func(framework.Config) framework.Config // sets what the settings say; nil in a test
}

// NewAPI returns a further API for [Program.Beside], such as a second version. As for the API of
// the program, the settings replace PublicURL, Hosts, TrustedProxies, Timeout, CORS, Compress, Log, Slow,
// Observers and, in production, HSTS of its configuration. The site of a test has no settings.
func (s *Site) NewAPI(common framework.Config) *framework.API {
	if s.configure != nil {
		common = s.configure(common)
	}
	return framework.New(common)
}

// Beside is what a program serves beside the API: handlers and checks.
type Beside = site.Beside

// DefaultConfig accepts sessions, tokens and JWTs, limits the rates of callers, and has
// numbered pages.
func DefaultConfig(site *Site) framework.Config {
	return framework.Config{
		DB:             site.DB,
		Authentication: site.Identity.Authentication(),
		Throttles:      site.Identity.Throttles(),
		Pagination:     page.Number{Size: site.PageSize},
		Codes:          site.Identity.Codes(),
	}
}

// project returns the declaration in the form that the commands use.
func (p Program) project() site.Project {
	made := site.Project{
		Name: config.Name(p.Name), Migrations: p.Migrations, NewIdentity: p.Identity,
		Common:   func(s *site.Site) framework.Config { return p.Config(newSite(s)) },
		Register: func(api *framework.API, s *site.Site) { p.Register(api, newSite(s)) },
	}
	if p.Beside != nil {
		made.Beside = func(api *framework.API, s *site.Site) (Beside, error) { return p.Beside(api, newSite(s)) }
	}
	for _, own := range p.Settings {
		made.OwnSettings = append(made.OwnSettings, own.declared())
	}
	return made
}

// newSite returns the part of a site that the functions of the project may use.
func newSite(s *site.Site) *Site {
	return &Site{DB: s.DB, Identity: s.Identity, PageSize: s.PageSize, Log: s.Log, values: s.Own, listed: true, configure: s.Configure}
}

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

// Run runs one command and returns its exit code. args are the words after the name of the
// program; env has the form of [os.Environ]. When ctx ends, a server stops, and any other
// command ends. Run is safe for concurrent use.
func Run(ctx context.Context, made Program, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	made = made.withDefaults()
	run := &command.Run{
		Project: made.project(), Console: console.Console{In: stdin, Out: stdout, Err: console.Lock(stderr)}, Env: variables(env),
	}
	if err := made.mistakes(); err != nil {
		run.Sayf("%s", err)
		return exit.Failure
	}
	root := newRoot(run, made)
	if err := made.checkArguments(args); err != nil {
		return finish(run, root, err)
	}
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(run.Err)
	called, err := root.ExecuteContextC(ctx)
	return finish(run, called, err)
}

func variables(env []string) map[string]string {
	all := make(map[string]string, len(env))
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		all[name] = value
	}
	return all
}

// newRoot returns the root command with every command.
func newRoot(run *command.Run, p Program) *cobra.Command {
	root := &cobra.Command{
		Use:           p.Name,
		Short:         "Serve the API and look after its database",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages ", "Flags.FlagUsagesWrapped 100 ") +
		"{{if not .HasParent}}" + run.Text(rootNotes) + "{{end}}")
	root.SetFlagErrorFunc(wrongFlag)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.AddCommand(
		serve.NewServeCommand(run, serveDemo(run, p.Demo)), schema.NewMigrateCommand(run), accounts.NewCreateSuperuserCommand(run),
		accounts.NewUsersCommand(run), accounts.NewGroupsCommand(run), accounts.NewTokenCommand(run), accounts.NewJWTCommand(run),
		endpoints.NewRoutesCommand(run), endpoints.NewOpenAPICommand(run), endpoints.NewPermissionsCommand(run),
		doctor.NewCheckCommand(run), doctor.NewConfigCommand(run), doctor.NewDoctorCommand(run), schema.NewReindexCommand(run), records.NewHistoryCommand(run),
		backup.NewBackupCommand(run), backup.NewRestoreCommand(run), serve.NewHealthCommand(run), newVersionCommand(run), newProveCommand(run, p),
		scaffold.NewNewCommand(run), scaffold.NewGenerateCommand(run),
	)
	if p.Demo != nil {
		root.AddCommand(newSeedCommand(run, p.Demo))
	}
	for _, own := range p.Commands {
		root.AddCommand(newOwnCommand(run, own))
	}
	return root
}

// rootNotes is the end of the help of the program itself.
const rootNotes = `
Settings: "{program} serve --help" lists them all. A flag goes before the
variable, the variable before the default.

Exit codes:
  0   success
  1   a failure, such as a mistake in a declaration
  2   a wrong call or a wrong setting
  3   the database needs an action first, such as a migration
`

// version returns the version of the module, which is "(devel)" if it was built without
// one, and the version of Go. Without build information it returns only "unknown ".
func version() string {
	v := builtOf()
	return v.Version + " " + v.Go
}
