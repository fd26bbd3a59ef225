package config

import (
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"trestle.example/framework/auth"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
	"trestle.example/framework/throttle/redisthrottle"
)

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

// readDatabaseURL leaves the checks to sqldb. The default is a SQLite file with the name of
// the program, in the folder data.
func readDatabaseURL(c *Config, v string) error {
	c.DatabaseURL = v
	if v != "" {
		return checkDatabaseURL(v)
	}
	path, err := filepath.Abs(filepath.Join("data", c.Program.Text("{program}.db")))
	c.DatabaseURL = (&url.URL{Scheme: "sqlite", Path: filepath.ToSlash(path)}).String()
	return err
}

// checkDatabaseURL returns the error of sqldb without the name of that package.
func checkDatabaseURL(v string) error {
	err := sqldb.CheckURL(v)
	if err == nil {
		return nil
	}
	return errors.New(strings.TrimPrefix(err.Error(), "sqldb: "))
}

// readReplicaURL leaves the checks to sqldb.
func readReplicaURL(to *string, v string) error {
	*to = v
	if v == "" {
		return nil
	}
	if err := sqldb.CheckReplicaURL(v); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "sqldb: "))
	}
	return nil
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
	for name := range parts(v) {
		*to = append(*to, name) // a wrong name too, so that [Config.RequireHosts] reports no second fault
		if strings.ContainsAny(name, "/ @*") || net.ParseIP(strings.Trim(name, "[]")) == nil && strings.Contains(name, ":") {
			return fmt.Errorf("%q must be a name alone, without scheme, port or path", masked(name))
		}
	}
	return nil
}

// readNetworks reads networks. An address counts as a network of one machine. A network of
// all addresses is an error.
func readNetworks(to *[]netip.Prefix, v string) error {
	for text := range parts(v) {
		network, err := readNetwork(text)
		switch {
		case err != nil:
			return fmt.Errorf("%q must be a network, as 10.0.0.0/8, or an address", masked(text))
		case network.Bits() == 0:
			return fmt.Errorf("%q contains every address, so that each client could choose its own address; list the proxies", masked(text))
		}
		*to = append(*to, network)
	}
	return nil
}

// readNetwork reads a network or an address. It rejects those that no request can come from:
// those with a zone, and IPv4 addresses in the form of IPv6.
func readNetwork(text string) (netip.Prefix, error) {
	if !strings.Contains(text, "/") {
		at, err := netip.ParseAddr(text)
		if err != nil || at.Zone() != "" || at.Is4In6() {
			return netip.Prefix{}, errors.New("no such address")
		}
		return at.Prefix(at.BitLen())
	}
	network, err := netip.ParsePrefix(text)
	if err != nil || network.Addr().Is4In6() {
		return netip.Prefix{}, errors.New("no such network")
	}
	return network.Masked(), nil
}

// readOrigins leaves the check to the package auth.
func readOrigins(to *[]string, v string) error {
	for origin := range parts(v) {
		if _, err := auth.NewSessions(auth.SessionOptions{TrustedOrigins: []string{origin}}); err != nil {
			return fmt.Errorf("%q is not written as browsers send it: a scheme and a host in lower case, without a path, a usual port or *", masked(origin))
		}
		*to = append(*to, origin)
	}
	return nil
}

func readRates(to *map[string]throttle.Rate, v string) error {
	rates, err := throttle.ParseRates(v, auth.Scopes()...)
	if err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	*to = rates
	return nil
}

// formatRates returns rates in the form that readRates reads.
func formatRates(rates map[string]throttle.Rate) string {
	var shown []string
	for _, scope := range auth.Scopes() {
		if rate, ok := rates[scope]; ok {
			shown = append(shown, scope+"="+rate.String())
		}
	}
	return strings.Join(shown, ",")
}

// readRedisURL leaves the check to redisthrottle, whose errors do not show the value.
func readRedisURL(to *string, v string) error {
	*to = v
	if v == "" {
		return nil
	}
	store, err := redisthrottle.Open(v, redisthrottle.Options{})
	if err != nil {
		return err
	}
	return store.Close()
}

// keepSecret does not check the value. [Config.ReadKeys] checks the keys of JWTs.
func keepSecret(to *auth.Secret, v string) error {
	if v != "" {
		*to = auth.NewSecret(v)
	}
	return nil
}

func readText(to *string, v string) error {
	*to = v
	return nil
}

// parts returns the texts between commas, without the blanks around them. It skips empty
// texts.
func parts(v string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for part := range strings.SplitSeq(v, ",") {
			if part = strings.TrimSpace(part); part != "" && !yield(part) {
				return
			}
		}
	}
}

func readNumber(to *int, v string, least, most int) error {
	n, err := Number(least, most)(v)
	if err != nil {
		return err
	}
	*to = n
	return nil
}

// readConns reads a number of connections. For "auto" it sets 0, the default of sqldb.
func readConns(to *int, v string) error {
	if v == "auto" {
		*to = 0
		return nil
	}
	if err := readNumber(to, v, 1, 10_000); err != nil {
		return fmt.Errorf("%w, or auto", err)
	}
	return nil
}

func readDuration(to *time.Duration, v string, least, most time.Duration) error {
	d, err := Duration(least, most)(v)
	if err != nil {
		return err
	}
	*to = d
	return nil
}

func readSwitch(to *bool, v string) error {
	on, err := Switch(v)
	if err != nil {
		return err
	}
	*to = on
	return nil
}

// readChoice reads one of two words. It sets true if v is the word in yes, and false if v is
// the word in no.
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
