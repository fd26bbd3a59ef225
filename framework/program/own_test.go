package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/exit"
)

// The settings of a shop.
var (
	loanDays = Setting[int]{Name: "loan-days", Default: "28", Usage: "`number` of days", Read: Number(1, 365)}
	pauses   = Setting[time.Duration]{Name: "pause", Default: "1m", Usage: "`duration` of a pause", Read: Duration(time.Second, time.Hour)}
	closed   = Setting[bool]{Name: "closed", Usage: "`switch`, on or off", Read: Switch}
	mailKey  = Setting[string]{Name: "mail-key", Usage: "key of the mail server", Secret: true, Read: longText}
	unlisted = Setting[string]{Name: "unlisted", Usage: "a `text`", Read: Text}
)

func longText(value string) (string, error) {
	if len(value) < 4 {
		return "", errors.New("it must have 4 characters at least")
	}
	return value, nil
}

// shop is a program with settings and commands of its own.
func shop() Program {
	p := usersAlone()
	p.Name = "my-shop"
	p.Settings = []AnySetting{loanDays, pauses, closed, mailKey}
	p.Commands = []Command{
		{
			Use: "report [WORD...] [--loud]", Short: "Report on {program}", Long: "Report reads {PROGRAM}_LOAN_DAYS.", Example: "  {program} report",
			Args: func(words []string) error {
				return map[bool]error{true: errors.New("name two words at most")}[len(words) > 2]
			},
			Flags: func(flags *pflag.FlagSet) { flags.Bool("loud", false, "in capitals") },
			Run:   reportShop,
		},
		{Use: "fail WORD", Short: "Fail", Args: func([]string) error { return nil }, Run: func(ctx context.Context, in *Invocation) error {
			return map[string]error{
				"plainly": errors.New("the shop is closed"), "by-call": Misused("no such shelf"), "by-state": NeedsAction("count the stock first"), "ended": context.Cause(ctx),
			}[in.Args[0]]
		}},
	}
	return p
}

// reportShop prints the values that a command receives.
func reportShop(ctx context.Context, in *Invocation) error {
	users, err := in.DB.NewSelect().Model((*auth.User)(nil)).Count(ctx)
	if err != nil {
		return err
	}
	typed, err := io.ReadAll(in.Stdin)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%d users, login %t, %d days, %s, closed %t, key %q, words %q, input %q, pages of %d",
		users, strings.Contains(fmt.Sprint(in.API.Routes()), "/api/auth/login"),
		loanDays.Of(in.Site), pauses.Of(in.Site), closed.Of(in.Site), mailKey.Of(in.Site), in.Args, typed, in.PageSize)
	if loud, _ := in.Flags.GetBool("loud"); loud {
		text = strings.ToUpper(text)
	}
	in.Log.Info("reported")
	_, err = fmt.Fprintln(in.Stdout, text)
	return err
}

// TestACommandOfTheProject receives the same values as a built-in command.
func TestACommandOfTheProject(t *testing.T) {
	t.Parallel()
	onBothEmpty(t, func(t *testing.T, database string) {
		for _, step := range []struct {
			name, command string
			env           []string
			code          int
			says          string
		}{
			{"without tables", "report", nil, exit.ActionFirst, "run: my-shop migrate up"},
			{"to make them", "migrate up", nil, exit.OK, "Applied"},
			{"by default", "report", nil, exit.OK, `0 users, login true, 28 days, 1m0s, closed false, key "", words [], input "", pages of 20`},
			{"a user", "user create --email a@example.com", []string{"MY_SHOP_PASSWORD=correct horse battery"}, exit.OK, "Created the user"},
			{"variables", "report", []string{"MY_SHOP_LOAN_DAYS=7", "MY_SHOP_CLOSED=on", "MY_SHOP_MAIL_KEY=open sesame"}, exit.OK, `1 users, login true, 7 days, 1m0s, closed true, key "open sesame"`},
			{"flags before variables", "report --loan-days 8 --pause 2s", []string{"MY_SHOP_LOAN_DAYS=7"}, exit.OK, `8 days, 2s`},
			{"an empty variable", "report", []string{"MY_SHOP_LOAN_DAYS="}, exit.OK, `28 days`},
			{"a flag and words of its own", "report --loud a b", nil, exit.OK, `WORDS ["A" "B"]`},
			{"its log", "report", nil, exit.OK, "msg=reported"},
			{"wrong words", "report a b c", nil, exit.Usage, "my-shop: name two words at most\nRun \"my-shop report --help\" for help."},
			{"an unknown flag", "report --loude", nil, exit.Usage, "did you mean --loud?"},
			{"a wrong setting", "report --loan-days 0", nil, exit.Usage, `my-shop: --loan-days is "0": it must be a whole number from 1 to 365; for example --loan-days=28`},
			{"two wrong settings", "report", []string{"MY_SHOP_LOAN_DAYS=a", "MY_SHOP_PAUSE=2h"}, exit.Usage, "it must be a time with its unit (ms, s, m, h) from 1s to 1h0m0s; for example MY_SHOP_PAUSE=1m"},
			{"a failure", "fail plainly", nil, exit.Failure, "my-shop: the shop is closed"},
			{"a wrong call", "fail by-call", nil, exit.Usage, "my-shop: no such shelf"},
			{"a state", "fail by-state", nil, exit.ActionFirst, "my-shop: count the stock first"},
			{"no failure", "fail not-at-all", nil, exit.OK, ""},
		} {
			code, said := run(t, shop(), step.command, append(step.env, "DATABASE_URL="+database)...)
			if code != step.code || !strings.Contains(said, step.says) {
				t.Errorf("%s: %s ends with %d and says %s; want %d, %q", step.name, step.command, code, said, step.code, step.says)
			}
		}
	})
}

// TestSettingsOfTheProject: the program shows and checks them like the built-in ones.
func TestSettingsOfTheProject(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		command string
		env     []string
		code    int
		says    []string
		lacks   string
	}{
		"by default": {"config", nil, exit.OK, []string{"MY_SHOP_LOAN_DAYS 28 ", "MY_SHOP_CLOSED (none)", "MY_SHOP_MAIL_KEY (none)"}, "wrong"},
		"given":      {"config --pause 2s", []string{"MY_SHOP_LOAN_DAYS=7"}, exit.OK, []string{"MY_SHOP_LOAN_DAYS 7 ", "MY_SHOP_LOAN_DAYS\n", "2s ", "--pause\n"}, "wrong"},
		"a secret":   {"config", []string{"MY_SHOP_MAIL_KEY=sesame"}, exit.OK, []string{"(set, and not shown)"}, "sesame"},
		"a wrong secret": {
			"config --json", []string{"MY_SHOP_MAIL_KEY=ses"},
			exit.Usage,
			[]string{"MY_SHOP_MAIL_KEY: it must have 4 characters at least", `"(set, and not shown)"`},
			`"ses"`,
		},
		"settings that exclude each other, in config": {
			"config", []string{"MY_SHOP_QUEUE_TIMEOUT=15s", "MY_SHOP_REQUEST_TIMEOUT=15s"}, exit.Usage,
			[]string{"MY_SHOP_QUEUE_TIMEOUT is 15s, but MY_SHOP_REQUEST_TIMEOUT is 15s"}, "",
		},
		"wrong, in config":        {"config", []string{"MY_SHOP_LOAN_DAYS=0"}, exit.Usage, []string{"MY_SHOP_LOAN_DAYS (wrong)", `MY_SHOP_LOAN_DAYS is "0": it must be a whole number from 1 to 365; for example MY_SHOP_LOAN_DAYS=28`}, ""},
		"wrong, in a check":       {"check", []string{"MY_SHOP_CLOSED=perhaps"}, exit.Usage, []string{"MY_SHOP_CLOSED: it must be on or off"}, ""},
		"misspelt":                {"check", []string{"MY_SHOP_LOANDAY=7"}, exit.OK, []string{"did you mean MY_SHOP_LOAN_DAYS?"}, ""},
		"of another program":      {"check", []string{"TRESTLE_LOAN_DAYS=x"}, exit.OK, []string{"ok: "}, "TRESTLE"},
		"in the help of a server": {"serve --help", nil, exit.OK, []string{"--loan-days number", "number of days (MY_SHOP_LOAN_DAYS; default 28)", "(MY_SHOP_CLOSED; default none)"}, "mail-key"},
		"in the help of their command": {
			"report --help", nil, exit.OK,
			[]string{"Report reads MY_SHOP_LOAN_DAYS.", "my-shop report [WORD...] [--loud]", "--loud", "--loan-days"},
			"{",
		},
		"their command in the list": {"--help", nil, exit.OK, []string{"report ", "Report on my-shop"}, "{"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, said := run(t, shop(), c.command, c.env...)
			said = strings.ReplaceAll(squeezed(said), " \n", "\n")
			if code != c.code || c.lacks != "" && strings.Contains(said, c.lacks) {
				t.Errorf("it ends with %d and says %s; want %d, without %q", code, said, c.code, c.lacks)
			}
			for _, words := range c.says {
				if !strings.Contains(said, words) {
					t.Errorf("it says %s; want %q", said, words)
				}
			}
		})
	}
}

// TestServicesGetTheSettings: the function Register can read the settings.
func TestServicesGetTheSettings(t *testing.T) {
	t.Parallel()
	p, days := shop(), 0
	p.Register = func(api *framework.API, site *Site) {
		days = loanDays.Of(site)
		api.Register(site.Identity.ViewSet())
	}
	if code, said := run(t, p, "check --loan-days 9"); code != exit.OK || days != 9 {
		t.Errorf("they get %d; want 9: %d, %s", days, code, said)
	}
}

// TestASiteOfATest has the defaults of the settings.
func TestASiteOfATest(t *testing.T) {
	t.Parallel()
	site := &Site{}
	if loanDays.Of(site) != 28 || pauses.Of(site) != time.Minute || closed.Of(site) || mailKey.Of(site) != "" {
		t.Errorf("%d, %s, %t, %q; want the defaults", loanDays.Of(site), pauses.Of(site), closed.Of(site), mailKey.Of(site))
	}
}

// TestATestSetsASetting of a site, and the other settings keep their defaults.
func TestATestSetsASetting(t *testing.T) {
	t.Parallel()
	site := &Site{}
	loanDays.Set(site, 3)
	if loanDays.Of(site) != 3 || pauses.Of(site) != time.Minute || loanDays.Of(&Site{}) != 28 {
		t.Errorf("%d, %s, %d; want 3, and the defaults", loanDays.Of(site), pauses.Of(site), loanDays.Of(&Site{}))
	}
}

// TestAnUnlistedSetting: reading it panics.
func TestAnUnlistedSetting(t *testing.T) {
	t.Parallel()
	defer func() {
		if said := fmt.Sprint(recover()); said != "program: the setting unlisted is not in Program.Settings" {
			t.Errorf("it says %q", said)
		}
	}()
	unlisted.Of(&Site{listed: true})
}

// TestMistakesInAProgram: each command reports every mistake in a sentence.
func TestMistakesInAProgram(t *testing.T) {
	t.Parallel()
	ran := func(context.Context, *Invocation) error { return nil }
	named := func(name string) Setting[string] { return Setting[string]{Name: name, Usage: "a `text`", Read: Text} }
	for says, change := range map[string]func(p *Program){
		`there is no function Register`:                                                     func(p *Program) { p.Register = nil },
		`the setting "Loan": its name must be lower-case letters`:                           func(p *Program) { p.Settings = []AnySetting{named("Loan")} },
		`the setting "page-size": my-shop `:                                                 func(p *Program) { p.Settings = []AnySetting{named("page-size")} },
		`the setting "email": my-shop `:                                                     func(p *Program) { p.Settings = []AnySetting{named("email")} },
		`the setting "help": each command has a flag of this name; choose another`:          func(p *Program) { p.Settings = []AnySetting{named("help")} },
		`the setting "password": its variable would be MY_SHOP_PASSWORD, which the program`: func(p *Program) { p.Settings = []AnySetting{named("password")} },
		`the setting "loan-days": another setting has a flag of this name; choose another`:  func(p *Program) { p.Settings = append(p.Settings, loanDays) },
		`the setting "a": it needs a Usage`:                                                 func(p *Program) { p.Settings = []AnySetting{Setting[string]{Name: "a", Read: Text}} },
		`the setting "a": it needs a function Read, such as program.Text`:                   func(p *Program) { p.Settings = []AnySetting{Setting[string]{Name: "a", Usage: "`b`"}} },
		`the setting "a": its default is "0": it must be a whole number from 1 to 2`: func(p *Program) {
			p.Settings = []AnySetting{Setting[int]{Name: "a", Usage: "`b`", Default: "0", Read: Number(1, 2)}}
		},
		`the command "serve": there is a command of this name already; choose another`: func(p *Program) { p.Commands = []Command{{Use: "serve [flags]", Short: "S", Run: ran}} },
		`the command "fail": there is a command of this name already; choose another`:  func(p *Program) { p.Commands = append(p.Commands, Command{Use: "fail", Short: "F", Run: ran}) },
		`the command "": its name must be lower-case letters`:                          func(p *Program) { p.Commands = []Command{{Short: "S", Run: ran}} },
		`the command "a": it needs a Short`:                                            func(p *Program) { p.Commands = []Command{{Use: "a", Run: ran}} },
		`the command "a": it needs a function Run`:                                     func(p *Program) { p.Commands = []Command{{Use: "a", Short: "A"}} },
		`the command "a": its command has another flag --loan-days already`: func(p *Program) {
			p.Commands = []Command{{Use: "a", Short: "A", Run: ran, Flags: func(f *pflag.FlagSet) { f.Int("loan-days", 0, "") }}}
		},
		`the command "a": its command has another flag --addr already`: func(p *Program) {
			p.Commands = []Command{{Use: "a", Short: "A", Run: ran, Flags: func(f *pflag.FlagSet) { f.Int("addr", 0, "") }}}
		},
		`the demo data: it needs a function Plan`:                             func(p *Program) { p.Demo = &Demo{} },
		`the demo data: it has only one of Visitor and Requests`:              func(p *Program) { p.Demo = &Demo{Plan: noPlan, Visitor: "ada@example.com"} },
		`the demo data: its command has another flag --addr already`:          func(p *Program) { p.Demo = demoWithFlag("addr") },
		`the demo data: its command has another flag --force already`:         func(p *Program) { p.Demo = demoWithFlag("force") },
		`the setting "books": my-shop seed has a flag of this name; choose a`: func(p *Program) { p.Demo, p.Settings = demoWithFlag("books"), []AnySetting{named("books")} },
	} {
		p := shop()
		change(&p)
		if code, said := run(t, p, "version"); code != exit.Failure || !strings.Contains(said, "program: "+says) {
			t.Errorf("it ends with %d and says %s; want %q", code, said, says)
		}
	}
}

// noPlan is the function Plan of demo data that cannot be made.
func noPlan(*pflag.FlagSet) (Sowing, error) { return nil, errors.New("no book was written yet") }

// demoWithFlag returns demo data whose command has a flag of its own.
func demoWithFlag(name string) *Demo {
	return &Demo{Plan: noPlan, Flags: func(flags *pflag.FlagSet) { flags.Int(name, 0, "a number") }}
}

// TestDemoDataWithoutFlags: the function Flags of the demo data is optional.
func TestDemoDataWithoutFlags(t *testing.T) {
	t.Parallel()
	p := shop()
	p.Demo = &Demo{Plan: noPlan}
	for command, want := range map[string]struct {
		code int
		says string
	}{
		"version":      {exit.OK, "my-shop "},
		"seed":         {exit.Usage, "no book was written yet"},
		"seed --help":  {exit.OK, "--force"},
		"seed --books": {exit.Usage, "unknown flag: --books"},
	} {
		if code, said := run(t, p, command); code != want.code || !strings.Contains(said, want.says) {
			t.Errorf("%s ends with %d and says %s; want %d, %q", command, code, said, want.code, want.says)
		}
	}
}
