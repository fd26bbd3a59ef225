package address

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// Client returns the URL of a PostgreSQL database for PostgreSQL's own programs, without the
// password and without parameters that libpq does not have. If one of the hosts is not on this
// machine, sslmode defaults to verify-full. Client returns "" for any other URL.
func Client(raw string) string {
	u, err := Parse(raw)
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
	server, err := ReadServer(raw)
	if q.Get("sslmode") == "" && (q.Get("sslrootcert") != "" || err == nil && !server.Link().Local) {
		q.Set("sslmode", "verify-full")
	}
	if limit, err := time.ParseDuration(q.Get("connect_timeout")); err == nil { // those programs take whole seconds only
		q.Set("connect_timeout", strconv.Itoa(int(math.Ceil(limit.Seconds()))))
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// clientParameters are the parameters of a PostgreSQL URL that libpq has too.
var clientParameters = []string{"sslmode", "sslrootcert", "sslcert", "sslkey", "host", "port", "application_name", "connect_timeout", targetParameter}
