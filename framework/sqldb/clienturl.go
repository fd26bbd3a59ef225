package sqldb

import (
	"net/url"
	"slices"
)

// ClientURL is the URL of a PostgreSQL database for PostgreSQL's own programs,
// such as pg_dump: without the password, which they ask for or take from
// PGPASSWORD, without the settings of sessions, which they do not know, and as
// strict about TLS as [Open] is. It is "" for any other URL.
func ClientURL(raw string) string {
	u, err := parseURL(raw)
	if err != nil || u.Scheme == "sqlite" {
		return ""
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	q := u.Query()
	for name := range q {
		if !slices.Contains(clientParameters, name) {
			q.Del(name)
		}
	}
	if p, err := readServerURL(raw); err == nil && q.Get("sslmode") == "" && !p.link().Local {
		q.Set("sslmode", "verify-full")
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// clientParameters are those that libpq has and that a URL of ours may name.
var clientParameters = []string{"sslmode", "sslrootcert", "sslcert", "sslkey", "host", "port", "application_name", "connect_timeout", targetParameter}
