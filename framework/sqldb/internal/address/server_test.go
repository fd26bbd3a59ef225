package address

import (
	"strings"
	"testing"

	"github.com/uptrace/bun/driver/pgdriver"
)

func TestPostgresTransport(t *testing.T) {
	for _, c := range []struct {
		name, url, network, addr string
		tls, verified            bool
	}{
		{"local name", "postgres://u@localhost/db", "tcp", "localhost:5432", false, false},
		{"loopback address", "postgres://u@127.0.0.9:6000/db", "tcp", "127.0.0.9:6000", false, false},
		{"IPv6 loopback without port", "postgres://u@[::1]/db", "tcp", "[::1]:5432", false, false},
		{"no host", "postgres:///db", "tcp", "localhost:5432", false, false},
		{"folder of a socket", "postgres://u@/db?host=/run/postgresql", "unix", "/run/postgresql/.s.PGSQL.5432", false, false},
		{"remote host", "postgres://u@db.example.com/db", "tcp", "db.example.com:5432", true, true},
		{"remote host in a parameter", "postgres://u@/db?host=db.example.com", "tcp", "db.example.com:5432", true, true},
		{"remote IPv6", "postgres://u@[2001:db8::1]/db", "tcp", "[2001:db8::1]:5432", true, true},
		{"IPv6 in a parameter", "postgres://u@/db?host=2001:db8::1", "tcp", "[2001:db8::1]:5432", true, true},
		{"IPv6 in a parameter, and a port", "postgres://u@:6432/db?host=::1", "tcp", "[::1]:6432", false, false},
		{"local name lookalike", "postgres://u@localhost.example.com/db", "tcp", "localhost.example.com:5432", true, true},
		{"disable when written", "postgres://u@db.example.com/db?sslmode=disable", "tcp", "db.example.com:5432", false, false},
		{"require when written", "postgres://u@db.example.com/db?sslmode=require", "tcp", "db.example.com:5432", true, false},
		{"verify-full on a local host", "postgres://u@localhost/db?sslmode=verify-full", "tcp", "localhost:5432", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := ReadServer(c.url)
			if err != nil {
				t.Fatal(err)
			}
			conf := &p.Hosts[0]
			if conf.Network != c.network || conf.Addr != c.addr || conf.Database != "db" {
				t.Errorf("%s %s, database %s", conf.Network, conf.Addr, conf.Database)
			}
			if verified := isVerified(conf); (conf.TLSConfig != nil) != c.tls || verified != c.verified {
				t.Errorf("TLS %v, verified %v", conf.TLSConfig != nil, verified)
			}
		})
	}
}

// TestHostsOfAURL: several hosts, as libpq has them, each with its own name for TLS.
func TestHostsOfAURL(t *testing.T) {
	for _, c := range []struct{ name, url, want string }{
		{"one", "postgres://u@h/db", "h:5432 as h, 10s"},
		{"two", "postgres://u:p@h1,h2:6432/db", "h1:5432 as h1, h2:6432 as h2, 2s"},
		{"IPv6", "postgres://u@[2001:db8::1]:1,[2001:db8::2]/db", "[2001:db8::1]:1 as 2001:db8::1, [2001:db8::2]:5432 as 2001:db8::2, 2s"},
		{"in parameters", "postgres://u@/db?host=h1,h2&port=1,2", "h1:1 as h1, h2:2 as h2, 2s"},
		{"one port for all", "postgres://u@h1,h2/db?port=7", "h1:7 as h1, h2:7 as h2, 2s"},
		{"a socket and a host", "postgres://u@/db?host=/run/pg,h2", "/run/pg/.s.PGSQL.5432 in the clear, h2:5432 as h2, 2s"},
		{"a socket with a port", "postgres://u@:6432/db?host=/run/pg", "/run/pg/.s.PGSQL.6432 in the clear, 10s"},
		{"one on this machine", "postgres://u@localhost,h2/db", "localhost:5432 in the clear, h2:5432 as h2, 2s"},
		{"with a limit", "postgres://u@h1,h2/db?connect_timeout=3", "h1:5432 as h1, h2:5432 as h2, 3s"},
		{"with a long limit", "postgres://u@h1,h2/db?connect_timeout=60", "h1:5432 as h1, h2:5432 as h2, 5s"},
		{"one with a long limit", "postgres://u@h/db?connect_timeout=60s", "h:5432 as h, 1m0s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := ReadServer(c.url)
			if err != nil {
				t.Fatal(err)
			}
			var parts []string
			for _, h := range p.Hosts {
				how := " in the clear"
				if h.TLSConfig != nil {
					how = " as " + h.TLSConfig.ServerName
				}
				parts = append(parts, h.Addr+how)
				if h.ConnParams != nil || h.User != "u" || h.Database != "db" {
					t.Errorf("the driver is given %+v", h)
				}
			}
			if got := strings.Join(append(parts, p.Limit.String()), ", "); got != c.want {
				t.Errorf("it leads to %s; want %s", got, c.want)
			}
		})
	}
}

func isVerified(conf *pgdriver.Config) bool {
	return conf.TLSConfig != nil && !conf.TLSConfig.InsecureSkipVerify && conf.TLSConfig.ServerName != ""
}
