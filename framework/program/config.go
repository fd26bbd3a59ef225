package program

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"trestle.example/framework/sqldb"

	"trestle.example/framework/auth"
	"trestle.example/framework/throttle"
)

// A config is what can be set from outside. Every setting is a flag, else an
// environment variable, else a default; an empty variable counts as absent.
type config struct {
	programName

	addr             string
	addrByFlag       bool // --addr set it
	tlsCert, tlsKey  string
	publicURL        string
	hosts            []string
	trustedProxies   []netip.Prefix
	trustedOrigins   []string
	pageSize         int
	requestTimeout   time.Duration
	redisURL         string
	rates            map[string]throttle.Rate
	jwtKeys          auth.Secret
	passwordMin      int
	tokenLife        time.Duration
	databaseURL      string
	replicaURL       string
	readOnly         bool // the database is only looked at
	setLocal         bool // nothing is left on a connection: a command does not know if there is a pooler
	dbConns          int
	statementTimeout time.Duration
	queueTimeout     time.Duration
	prepare          bool
	logJSON          bool
	logLevel         slog.Level
	production       bool

	limitConfig
	observeConfig

	own map[string]any // the values of the project's own settings, by their names
}

// newConfig is one that no setting was read into yet.
func (p Program) newConfig() config {
	return config{programName: programName(p.Name), own: map[string]any{}}
}

// A setting is one of them: where its value comes from and how it is read. A
// value that read refuses is reported with read's error, which says what would
// be right.
type setting struct {
	flag, variable string // flag "" for a secret: other users of the machine may see a flag
	fallback       string
	example        string // a right value, for the report of a wrong one; "" where read's error says it all
	usage          string // its `word` in backquotes names the value in the help
	shown          string // what the help shows as the default, unless it is fallback
	serving        bool   // it matters to a server alone
	read           func(c *config, value string) error
}

// addSettings adds the flags of settings to a command.
func (p Program) addSettings(flags *pflag.FlagSet, serving bool) {
	flags.SortFlags = false
	for _, s := range p.declaredSettings() {
		if s.flag == "" || s.serving && !serving {
			continue
		}
		shown := s.shown
		if shown == "" {
			shown = s.fallback
		}
		flags.String(s.flag, "", fmt.Sprintf("%s (%s; default %s)", s.usage, s.variable, shown))
	}
}

// readConfig reads every setting, those without a flag at this command too: a
// deployment is right for all commands or for none. Every wrong value is
// reported.
func (p Program) readConfig(flags *pflag.FlagSet, env map[string]string) (config, error) {
	c := p.newConfig()
	c.addrByFlag = flags.Changed("addr")
	var wrong []error
	for _, s := range p.declaredSettings() {
		value, from := s.given(flags, env)
		if err := s.read(&c, value); err != nil {
			wrong = append(wrong, s.wrong(s.nameOf(from), value, err))
		}
	}
	if wrong == nil && c.queueTimeout >= c.requestTimeout {
		wrong = append(wrong, fmt.Errorf(p.text("{PROGRAM}_QUEUE_TIMEOUT is %s, but {PROGRAM}_REQUEST_TIMEOUT is %s: a request would end before its wait for the database does; for example {PROGRAM}_QUEUE_TIMEOUT=%s"),
			c.queueTimeout, c.requestTimeout, c.requestTimeout/2))
	}
	if wrong == nil {
		wrong = append(wrong, c.databaseTogether())
	}
	return c, errors.Join(wrong...)
}

// databaseTogether is what is wrong with the settings of the database together. It
// connects to nothing.
func (c config) databaseTogether() error {
	if sqldb.File(c.databaseURL) != "" {
		if c.replicaURL != "" {
			return fmt.Errorf("%s is set, but %s names a SQLite file, which has no replica; leave it out, or let %s name a PostgreSQL server", replicaVariable, databaseVariable, databaseVariable)
		}
		return nil
	}
	db, err := sqldb.Open(c.databaseURL, sqldb.Options{NoPrepare: !c.prepare})
	if err != nil {
		return fmt.Errorf("%s: %s", databaseVariable, strings.TrimPrefix(err.Error(), "sqldb: "))
	}
	return db.Close()
}

// byDefault is where the value of a setting comes from that nobody gave.
const byDefault = "default"

// given is the value of a setting, and where it comes from: the flag, the
// variable, or [byDefault].
func (s setting) given(flags *pflag.FlagSet, env map[string]string) (value, from string) {
	switch {
	case s.flag != "" && flags.Changed(s.flag):
		return flags.Lookup(s.flag).Value.String(), "--" + s.flag
	case env[s.variable] != "":
		return env[s.variable], s.variable
	}
	return s.fallback, byDefault
}

// nameOf is what a report calls a setting by.
func (s setting) nameOf(from string) string {
	if from == byDefault {
		return s.variable
	}
	return from
}

// wrong is the report of a value that read refused; name is the flag or the
// variable that it came by.
func (s setting) wrong(name, value string, err error) error {
	if s.example == "" {
		return fmt.Errorf("%s: %w", name, err)
	}
	return fmt.Errorf("%s is %q: %w; for example %s=%s", name, masked(value), err, name, s.example)
}

var passwordInURL = regexp.MustCompile(`://.*@`)

// masked is a value that may be shown: shortened, and without what stands
// before the @ of a URL.
func masked(value string) string {
	value = passwordInURL.ReplaceAllString(value, "://***@")
	if runes := []rune(value); len(runes) > 80 {
		value = string(runes[:80]) + "..."
	}
	return value
}
