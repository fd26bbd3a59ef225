// Package address reads the URLs of databases: which file or servers they name, how a
// connection is secured, and what is wrong with a URL. It connects to nothing, and no
// error contains a password.
package address

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
)

const (
	sqliteExample = "sqlite:///var/lib/app/app.db"

	// PostgresExample is the URL that error messages give as an example.
	PostgresExample = "postgres://app:password@db.example.com:5432/app" //nolint:gosec // an example in error messages
)

// Check returns the error of a wrong URL. It reads the certificates that a PostgreSQL URL
// names.
func Check(raw string) error {
	u, err := Parse(raw)
	if err != nil || u.Scheme == "sqlite" {
		return err
	}
	_, err = ReadServer(raw)
	return err
}

// CheckReplica returns the error of a URL that is wrong or does not name a PostgreSQL
// server.
func CheckReplica(raw string) error {
	if err := Check(raw); err != nil {
		return err
	}
	if u, err := Parse(raw); err == nil && u.Scheme == "sqlite" {
		return fmt.Errorf("sqldb: a replica is a PostgreSQL server, and this is the URL of a SQLite file; write for example %s", PostgresExample)
	}
	return nil
}

// File returns the path of the SQLite database that a URL names, "" for any other URL. It
// touches no file.
func File(raw string) string {
	if u, err := Parse(raw); err == nil && u.Scheme == "sqlite" {
		return u.Path
	}
	return ""
}

// Parse reads the URL of either database. It does not check the parameters of a PostgreSQL
// URL, nor whether a host in a list is empty; [ReadServer] checks both.
func Parse(raw string) (*url.URL, error) {
	if raw == "" {
		return nil, fmt.Errorf("sqldb: the database URL is empty; write for example %s or %s", sqliteExample, PostgresExample)
	}
	u, err := split(raw)
	switch {
	case err != nil:
		return nil, Fault(raw, err.Error(), PostgresExample)
	case u.Scheme == "sqlite":
		return u, checkSQLiteURL(raw, u)
	case isPostgres(u.Scheme) && !strings.Contains(raw, "://"):
		return nil, Fault(raw, "two slashes do not follow the scheme", PostgresExample)
	case isPostgres(u.Scheme):
		return u, checkPostgresURL(raw, u)
	}
	return nil, Fault(raw, fmt.Sprintf("the scheme %q is not one of sqlite, postgres and postgresql", u.Scheme),
		sqliteExample+" or "+PostgresExample)
}

func isPostgres(scheme string) bool { return scheme == "postgres" || scheme == "postgresql" }

// split splits a URL of any kind into its parts. Its errors contain no part of the URL.
func split(raw string) (*url.URL, error) {
	if scheme, _, ok := strings.Cut(raw, "://"); !ok || !isPostgres(strings.ToLower(scheme)) {
		u, err := url.Parse(raw)
		if err != nil {
			return nil, errors.New(parseFault(err))
		}
		return u, nil
	}
	u, hosts, err := splitPostgresURL(raw)
	if err != nil {
		return nil, err
	}
	for _, host := range hosts {
		if _, err := addressOf(host, "5432"); err != nil {
			return nil, err
		}
	}
	u.Host = strings.Join(hosts, ",")
	return u, nil
}

// Fault returns an error that names what is wrong with a URL and shows a right one. It
// repeats only the parts of the URL that cannot contain a password.
func Fault(raw, fault, example string) error {
	return fmt.Errorf("sqldb: database URL %q: %s; write for example %s", shown(raw), fault, example)
}

// shown returns the parts of a URL that an error may repeat. If a password may be anywhere in
// the URL, because it cannot be split into its parts or has an @ in the host or path, shown
// returns "(not shown)".
func shown(raw string) string {
	u, err := split(raw)
	if err == nil && u.Scheme == "sqlite" && u.Opaque != "" && !strings.Contains(raw, "@") {
		return "sqlite:" + u.Opaque
	}
	if err != nil || u.Opaque != "" || u.Scheme == "" || u.Host == "" && u.Scheme != "sqlite" || strings.Contains(u.Host+u.Path, "@") {
		return "(not shown)"
	}
	text := u.Scheme + "://"
	if u.User != nil {
		text += u.User.Username()
		if _, secret := u.User.Password(); secret {
			text += ":***"
		}
		text += "@"
	}
	text += u.Host + u.Path
	if mode := u.Query().Get("sslmode"); mode != "" {
		text += "?sslmode=" + mode
	}
	return text
}

// parseFault describes an error of url.Parse. The error's text may contain a part of the
// password, so only known faults are described.
func parseFault(err error) string {
	var escape url.EscapeError
	switch {
	case errors.As(err, &escape):
		return "it holds a percent sign that escapes nothing; write a literal one as %25"
	case strings.Contains(err.Error(), "invalid port"):
		return "the part after the host is not a port number; escape special characters of the password (/ as %2F, # as %23)"
	case strings.Contains(err.Error(), "invalid userinfo"):
		return "the user or password holds a character that must be escaped"
	}
	return "it is not a URL"
}

func checkSQLiteURL(raw string, u *url.URL) error {
	switch {
	case strings.Contains(raw, ":memory:"):
		return Fault(raw, "a database in memory is not supported; use a file in a temporary folder", sqliteExample)
	case u.Host != "" || u.Opaque != "":
		return Fault(raw, "the path must be absolute: sqlite:// and then a path that begins with /", sqliteExample)
	case !filepath.IsAbs(u.Path) || strings.HasSuffix(u.Path, "/"):
		return Fault(raw, "it names no file", sqliteExample)
	case strings.IndexByte(u.Path, 0) >= 0:
		return Fault(raw, "the path holds a NUL byte", sqliteExample)
	}
	for name, values := range u.Query() {
		if name != "synchronous" {
			return Fault(raw, fmt.Sprintf("there is no parameter %q; the only one is synchronous", name), sqliteExample+"?synchronous=normal")
		}
		if v := values[len(values)-1]; v != "normal" && v != "full" {
			return Fault(raw, fmt.Sprintf("synchronous is %q; it must be full or normal", v), sqliteExample+"?synchronous=normal")
		}
	}
	return nil
}

func checkPostgresURL(raw string, u *url.URL) error {
	if strings.Trim(u.Path, "/") == "" {
		return Fault(raw, "it names no database after the host", PostgresExample)
	}
	return nil
}

// checkMode rejects an sslmode that is unknown or leaves open whether to encrypt.
func checkMode(mode string) error {
	switch mode {
	case "", "disable", "require", "verify-ca", "verify-full":
		return nil
	case "allow", "prefer":
		return fmt.Errorf("sslmode %q leaves open whether the connection is encrypted; say disable, require, verify-ca or verify-full", mode)
	}
	return fmt.Errorf("sslmode %q is not one of disable, require, verify-ca and verify-full", mode)
}

// isLocal reports whether an address is on this machine: a Unix socket, localhost, or a
// loopback address.
func isLocal(network, addr string) bool {
	if network == "unix" {
		return true
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		host = addr
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}
