package sqldb

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
)

const (
	sqliteExample   = "sqlite:///var/lib/app/app.db"
	postgresExample = "postgres://app:password@db.example.com:5432/app" //nolint:gosec // an example in error messages
)

// CheckURL is the error with which [Open] would refuse a URL, nil for a right
// one. It makes and opens no database and connects to nothing; the certificates
// that a PostgreSQL URL names are read. It is safe for concurrent use.
func CheckURL(url string) error {
	u, err := parseURL(url)
	if err != nil || u.Scheme == "sqlite" {
		return err
	}
	_, err = readServerURL(url)
	return err
}

// parseURL reads a database URL of any kind and checks what does not need a
// driver. Its errors never hold the password.
func parseURL(raw string) (*url.URL, error) {
	if raw == "" {
		return nil, fmt.Errorf("sqldb: the database URL is empty; write for example %s or %s", sqliteExample, postgresExample)
	}
	u, err := apart(raw)
	switch {
	case err != nil:
		return nil, urlError(raw, err.Error(), postgresExample)
	case u.Scheme == "sqlite":
		return u, checkSQLiteURL(raw, u)
	case isPostgres(u.Scheme) && !strings.Contains(raw, "://"):
		return nil, urlError(raw, "two slashes do not follow the scheme", postgresExample)
	case isPostgres(u.Scheme):
		return u, checkPostgresURL(raw, u)
	}
	return nil, urlError(raw, fmt.Sprintf("the scheme %q is not one of sqlite, postgres and postgresql", u.Scheme),
		sqliteExample+" or "+postgresExample)
}

func isPostgres(scheme string) bool { return scheme == "postgres" || scheme == "postgresql" }

// apart takes a URL of any kind apart. Its errors are what is wrong with it, and hold
// nothing of it.
func apart(raw string) (*url.URL, error) {
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

func urlError(raw, fault, example string) error {
	return fmt.Errorf("sqldb: database URL %q: %s; write for example %s", shown(raw), fault, example)
}

// shown is what an error repeats of a URL: of one that can be taken apart, the
// parts that hold no password; nothing of anything else, where a password may
// stand anywhere.
func shown(raw string) string {
	u, err := apart(raw)
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

// parseFault is what url.Parse found wrong, without the URL around it: a part
// of the password may be in its words, so only known faults are repeated.
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
		return urlError(raw, "a database in memory is not supported; use a file in a temporary folder", sqliteExample)
	case u.Host != "" || u.Opaque != "":
		return urlError(raw, "the path must be absolute, which takes three slashes", sqliteExample)
	case !filepath.IsAbs(u.Path) || strings.HasSuffix(u.Path, "/"):
		return urlError(raw, "it names no file", sqliteExample)
	case strings.IndexByte(u.Path, 0) >= 0:
		return urlError(raw, "the path holds a NUL byte", sqliteExample)
	}
	for name, values := range u.Query() {
		if name != "synchronous" {
			return urlError(raw, fmt.Sprintf("there is no parameter %q; the only one is synchronous", name), sqliteExample+"?synchronous=normal")
		}
		if v := values[len(values)-1]; v != "normal" && v != "full" {
			return urlError(raw, fmt.Sprintf("synchronous is %q; it must be full or normal", v), sqliteExample+"?synchronous=normal")
		}
	}
	return nil
}

func checkPostgresURL(raw string, u *url.URL) error {
	if strings.Trim(u.Path, "/") == "" {
		return urlError(raw, "it names no database after the host", postgresExample)
	}
	return nil
}

// checkMode is the error of an sslmode that is unknown, or that does not say whether to encrypt.
func checkMode(mode string) error {
	switch mode {
	case "", "disable", "require", "verify-ca", "verify-full":
		return nil
	case "allow", "prefer":
		return fmt.Errorf("sslmode %q leaves open whether the connection is encrypted; say disable, require, verify-ca or verify-full", mode)
	}
	return fmt.Errorf("sslmode %q is not one of disable, require, verify-ca and verify-full", mode)
}

// isLocal tells whether an address stays on this machine: a socket, or a
// loopback name or address.
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
