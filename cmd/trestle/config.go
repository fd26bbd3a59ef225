package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"trestle.example/framework/sqldb"
)

// A config is what can be set from outside. Every setting is a flag, else an
// environment variable, else a default; an empty variable counts as absent.
type config struct {
	addr             string
	addrByFlag       bool // --addr set it
	databaseURL      string
	publicURL        string
	hosts            []string
	pageSize         int
	dbConns          int
	statementTimeout time.Duration
	requestTimeout   time.Duration
	prepare          bool
	logJSON          bool
	logLevel         slog.Level
	production       bool
}

// A setting is one of them: where its value comes from and how it is read. A
// value that read refuses is reported with read's error, which says what would
// be right.
type setting struct {
	flag, variable string
	fallback       string
	example        string // a right value, for the report of a wrong one; "" where read's error shows both
	usage          string // its `word` in backquotes names the value in the help
	shown          string // what the help shows as the default, unless it is fallback
	serving        bool   // it matters to a server alone
	read           func(c *config, value string) error
}

// settings are all of them, in the order of the help.
func settings() []setting {
	return slices.Concat(serverSettings(), databaseSettings(), runSettings())
}

// serverSettings matter to a server alone.
func serverSettings() []setting {
	return []setting{
		{
			flag: "addr", variable: "TRESTLE_ADDR", fallback: "127.0.0.1:8080", example: "127.0.0.1:8080", serving: true,
			usage: "`host:port` to listen on; without a host, on every network",
			read:  func(c *config, v string) error { return readAddr(&c.addr, v) },
		},
		{
			flag: "public-url", variable: "TRESTLE_PUBLIC_URL", example: "https://api.example.org", serving: true,
			shown: "the host that the request names",
			usage: "`URL` at which clients reach the server; links begin with it",
			read:  func(c *config, v string) error { return readPublicURL(&c.publicURL, v) },
		},
		{
			flag: "hosts", variable: "TRESTLE_HOSTS", example: "api.example.org,localhost", serving: true, shown: "any",
			usage: "`names`, separated by commas, that a request's Host may have when there is no public URL",
			read:  func(c *config, v string) error { return readHosts(&c.hosts, v) },
		},
		{
			flag: "page-size", variable: "TRESTLE_PAGE_SIZE", fallback: "20", example: "20", serving: true,
			usage: "`number` of rows on a page of a list",
			read:  func(c *config, v string) error { return readNumber(&c.pageSize, v, 1, 1000) },
		},
		{
			flag: "request-timeout", variable: "TRESTLE_REQUEST_TIMEOUT", fallback: "15s", example: "15s", serving: true,
			usage: "`duration` that a request may take",
			read: func(c *config, v string) error {
				return readDuration(&c.requestTimeout, v, 100*time.Millisecond, 50*time.Second)
			},
		},
	}
}

// databaseSettings say how to reach the database.
func databaseSettings() []setting {
	return []setting{
		{
			flag: "database", variable: "DATABASE_URL", shown: "sqlite file ./data/trestle.db",
			usage: "`URL` of the database, sqlite:///absolute/path.db or postgres://user@host/name; a password belongs in the variable, because other users of the machine may see a flag",
			read:  func(c *config, v string) error { return readDatabaseURL(&c.databaseURL, v) },
		},
		{
			flag: "db-conns", variable: "TRESTLE_DB_CONNS", fallback: "16", example: "16",
			usage: "`number` of connections to the database, at most",
			read:  func(c *config, v string) error { return readNumber(&c.dbConns, v, 1, 10_000) },
		},
		{
			flag: "statement-timeout", variable: "TRESTLE_STATEMENT_TIMEOUT", fallback: "10s", example: "10s",
			usage: "`duration` that one statement may take in the database",
			read: func(c *config, v string) error {
				return readDuration(&c.statementTimeout, v, 100*time.Millisecond, time.Hour)
			},
		},
		{
			flag: "prepare", variable: "TRESTLE_PREPARE", fallback: "on", example: "on",
			usage: "`switch`, on or off: prepare statements; off is for a pooler that gives a connection to each transaction",
			read:  func(c *config, v string) error { return readSwitch(&c.prepare, v) },
		},
	}
}

// runSettings are about the program itself.
func runSettings() []setting {
	return []setting{
		{
			flag: "log", variable: "TRESTLE_LOG", fallback: "text", example: "text",
			usage: "`form` of the log, text or json",
			read:  func(c *config, v string) error { return readChoice(&c.logJSON, v, "json", "text") },
		},
		{
			flag: "log-level", variable: "TRESTLE_LOG_LEVEL", fallback: "info", example: "info",
			usage: "least `level` that is logged: debug, info, warn or error",
			read:  func(c *config, v string) error { return readLevel(&c.logLevel, v) },
		},
		{
			flag: "env", variable: "TRESTLE_ENV", fallback: "development", example: "development",
			usage: "`kind` of deployment, development or production: the latter never makes demo data",
			read:  func(c *config, v string) error { return readChoice(&c.production, v, "production", "development") },
		},
	}
}

// addSettings adds the flags of settings to a command.
func addSettings(flags *pflag.FlagSet, serving bool) {
	flags.SortFlags = false
	for _, s := range settings() {
		if s.serving && !serving {
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
func readConfig(flags *pflag.FlagSet, env map[string]string) (config, error) {
	c := config{addrByFlag: flags.Changed("addr")}
	var wrong []error
	for _, s := range settings() {
		name, value := s.variable, env[s.variable]
		if flags.Changed(s.flag) {
			name, value = "--"+s.flag, flags.Lookup(s.flag).Value.String()
		} else if value == "" {
			value = s.fallback
		}
		if err := s.read(&c, value); err != nil {
			wrong = append(wrong, s.wrong(name, value, err))
		}
	}
	return c, errors.Join(wrong...)
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

func readAddr(to *string, v string) error {
	host, port, err := net.SplitHostPort(v)
	if err != nil {
		return errors.New("it must be a host and a port, with a colon between them")
	}
	if strings.ContainsAny(host, "/ ") {
		return errors.New("the host must be a name or an IP address")
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return errors.New("the port must be a number from 0 to 65535")
	}
	*to = net.JoinHostPort(host, strconv.FormatUint(n, 10))
	return nil
}

// readDatabaseURL leaves the checks to the package that opens it.
func readDatabaseURL(to *string, v string) error {
	*to = v
	if v != "" {
		return checkDatabaseURL(v)
	}
	path, err := filepath.Abs(filepath.Join("data", "trestle.db"))
	*to = (&url.URL{Scheme: "sqlite", Path: filepath.ToSlash(path)}).String()
	return err
}

// checkDatabaseURL is the package's own report without the package's name.
func checkDatabaseURL(v string) error {
	err := sqldb.CheckURL(v)
	if err == nil {
		return nil
	}
	return errors.New(strings.TrimPrefix(err.Error(), "sqldb: "))
}

func readPublicURL(to *string, v string) error {
	*to = strings.TrimRight(v, "/")
	if v == "" {
		return nil
	}
	u, err := url.Parse(v)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("it must be a URL that begins with https:// or http:// and a host")
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return errors.New("it must hold a host and nothing of a user, a query or a fragment")
	}
	return nil
}

func readHosts(to *[]string, v string) error {
	for name := range strings.SplitSeq(v, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		if strings.ContainsAny(name, "/ @*") || net.ParseIP(strings.Trim(name, "[]")) == nil && strings.Contains(name, ":") {
			return fmt.Errorf("%q must be a name alone, without scheme, port or path", masked(name))
		}
		*to = append(*to, name)
	}
	return nil
}

func readNumber(to *int, v string, least, most int) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most {
		return fmt.Errorf("it must be a whole number from %d to %d", least, most)
	}
	*to = n
	return nil
}

func readDuration(to *time.Duration, v string, least, most time.Duration) error {
	d, err := time.ParseDuration(v)
	if err != nil || d < least || d > most {
		return fmt.Errorf("it must be a time with its unit (ms, s, m, h) from %s to %s", least, most)
	}
	*to = d
	return nil
}

func readSwitch(to *bool, v string) error {
	switch strings.ToLower(v) {
	case "on", "true", "1", "yes":
		*to = true
	case "off", "false", "0", "no":
		*to = false
	default:
		return errors.New("it must be on or off")
	}
	return nil
}

// readChoice is for two words, of which the first sets to.
func readChoice(to *bool, v, yes, no string) error {
	if v != yes && v != no {
		return fmt.Errorf("it must be %s or %s", no, yes)
	}
	*to = v == yes
	return nil
}

func readLevel(to *slog.Level, v string) error {
	levels := map[string]slog.Level{
		"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
	}
	level, ok := levels[strings.ToLower(v)]
	if !ok {
		return errors.New("it must be debug, info, warn or error")
	}
	*to = level
	return nil
}
