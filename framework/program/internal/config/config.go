// Package config reads the settings of a program. A value comes from a flag, else from an
// environment variable, else from the default.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"trestle.example/framework/sqldb"

	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/throttle"
)

// A Config is the values of all settings. A value comes from a flag, else from an
// environment variable, else from the default. An empty variable counts as unset.
type Config struct {
	Program Name

	Addr            string
	AddrByFlag      bool // --addr set it
	TLSCert, TLSKey string
	PublicURL       string
	Hosts           []string
	TrustedProxies  []netip.Prefix
	trustedOrigins  []string
	PageSize        int
	RequestTimeout  time.Duration
	RedisURL        string
	rates           map[string]throttle.Rate
	JWTKeys         auth.Secret
	PasswordMin     int
	tokenLife       time.Duration
	SMTPURL         auth.Secret
	MailFrom        string
	oidcConfig
	DatabaseURL      string
	ReplicaURL       string
	ReadOnly         bool // open the database for reading only
	SetLocal         bool // set options per transaction, because there may be a pooler
	DBConns          int
	StatementTimeout time.Duration
	QueueTimeout     time.Duration
	Prepare          bool
	logJSON          bool
	logLevel         slog.Level
	Production       bool

	limitConfig
	observeConfig

	Own map[string]any // the values of the project's own settings, by their names
}

// A Setting declares where the value of a setting comes from and how it is read. The
// error of Read says what would be right; it is part of the report of a wrong value.
type Setting struct {
	Flag, Variable string // flag "" for a secret: other users of the machine may see a flag
	Fallback       string
	Example        string // a right value, for the report of a wrong one; "" if the error of Read is enough
	Usage          string // its `word` in backquotes names the value in the help
	Shown          string // what is shown as the default; "" to show Fallback
	serving        bool   // only a server uses it
	Read           func(c *Config, value string) error
}

// A Table is all settings of a program.
type Table struct {
	Program Name
	Own     []Setting // of the project, beside the built-in ones
}

// newConfig returns a configuration before any setting is read.
func (t Table) newConfig() Config { return Config{Program: t.Program, Own: map[string]any{}} }

// AddFlags adds the flags of the settings to a command. It adds those that only a server
// uses only if serving is true.
func (t Table) AddFlags(flags *pflag.FlagSet, serving bool) {
	flags.SortFlags = false
	for _, s := range t.Settings() {
		if s.Flag == "" || s.serving && !serving {
			continue
		}
		shown := s.Shown
		if shown == "" {
			shown = s.Fallback
		}
		flags.String(s.Flag, "", fmt.Sprintf("%s (%s; default %s)", s.Usage, s.Variable, shown))
	}
}

// Read reads every setting, also those without a flag at this command, because a
// deployment is valid for all commands or for none. It reports every wrong value. If each
// value is valid, it checks settings against each other. It reports a queue timeout that is not
// less than the request timeout. If the timeouts are right, it checks the settings of the database,
// of mails and of the identity provider. It reports the first fault of each of these three groups.
func (t Table) Read(flags *pflag.FlagSet, env map[string]string) (Config, error) {
	c := t.newConfig()
	c.AddrByFlag = flags.Changed("addr")
	var wrong []error
	for _, s := range t.Settings() {
		value, from := s.given(flags, env)
		if err := s.read(&c, value); err != nil {
			wrong = append(wrong, s.wrong(s.nameOf(from), value, err))
		}
	}
	if wrong == nil && c.QueueTimeout >= c.RequestTimeout {
		wrong = append(wrong, fmt.Errorf(t.Program.Text("{PROGRAM}_QUEUE_TIMEOUT is %s, but {PROGRAM}_REQUEST_TIMEOUT is %s: a request would end before its wait for the database does; for example {PROGRAM}_QUEUE_TIMEOUT=%s"),
			c.QueueTimeout, c.RequestTimeout, c.RequestTimeout/2))
	}
	if wrong == nil {
		wrong = append(wrong, c.databaseTogether(), c.mailTogether(), c.oidcTogether())
	}
	return c, errors.Join(wrong...)
}

// databaseTogether checks the settings of the database together. It does not connect.
func (c Config) databaseTogether() error {
	if sqldb.File(c.DatabaseURL) != "" {
		if c.ReplicaURL != "" {
			return fmt.Errorf("%s is set, but %s names a SQLite file, which has no replica; leave it out, or let %s name a PostgreSQL server", ReplicaVariable, DatabaseVariable, DatabaseVariable)
		}
		return nil
	}
	db, err := sqldb.Open(c.DatabaseURL, sqldb.Options{NoPrepare: !c.Prepare})
	if err != nil {
		return fmt.Errorf("%s: %s", DatabaseVariable, strings.TrimPrefix(err.Error(), "sqldb: "))
	}
	return db.Close()
}

// RequireFile returns an error with exit code 3 if the database is a SQLite file that does
// not exist.
func (c Config) RequireFile() error {
	path := sqldb.File(c.DatabaseURL)
	if path == "" {
		return nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return exit.NeedsAction(c.Program.Text("the database file %s does not exist; run: {program} migrate up"), path)
	}
	return nil // the database reports any other error
}

// byDefault is the source of a value that neither a flag nor a variable gives.
const byDefault = "default"

// given returns the value of a setting and its source: the flag, the variable, or
// [byDefault].
func (s Setting) given(flags *pflag.FlagSet, env map[string]string) (value, from string) {
	switch {
	case s.Flag != "" && flags.Changed(s.Flag):
		return flags.Lookup(s.Flag).Value.String(), "--" + s.Flag
	case env[s.Variable] != "":
		return env[s.Variable], s.Variable
	}
	return s.Fallback, byDefault
}

// read reads a value. If the value is wrong and its report shows it, the error contains no user
// and no password of a URL in the value: it is the error of the value without them.
func (s Setting) read(c *Config, value string) error {
	err, shown := s.Read(c, value), withoutPassword(value)
	if err == nil || s.Example == "" || shown == value {
		return err
	}
	unused := *c
	if err := s.Read(&unused, shown); err != nil {
		return err
	}
	return errors.New("it must not contain a user or a password")
}

// nameOf returns the name of a setting in a report.
func (s Setting) nameOf(from string) string {
	if from == byDefault {
		return s.Variable
	}
	return from
}

// wrong returns the error of a wrong value. name is the flag or the variable that gave the
// value, or the variable of the setting if the value is the default. The error shows the value
// only if the setting has an Example.
func (s Setting) wrong(name, value string, err error) error {
	if s.Example == "" {
		return fmt.Errorf("%s: %w", name, err)
	}
	return fmt.Errorf("%s is %q: %w; for example %s=%s", name, masked(value), err, name, s.Example)
}

var passwordInURL = regexp.MustCompile(`://.*@`)

// withoutPassword returns a value with *** in place of the user and the password of a URL.
func withoutPassword(value string) string { return passwordInURL.ReplaceAllString(value, "://***@") }

// masked returns a value that may be shown: shortened, and without the user and the
// password of a URL.
func masked(value string) string {
	value = withoutPassword(value)
	if runes := []rune(value); len(runes) > 80 {
		value = string(runes[:80]) + "..."
	}
	return value
}
