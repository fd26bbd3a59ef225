package config

import (
	"slices"
	"strings"
	"time"

	"trestle.example/framework/auth"
)

// Settings returns all settings in the order of the help, those of the project last.
func (t Table) Settings() []Setting {
	all := slices.Concat(serverSettings(), limitSettings(), transportSettings(), identitySettings(), oidcSettings(), mailSettings(),
		databaseSettings(), runSettings(), observeSettings())
	all = append(all, t.Own...)
	for i := range all {
		s := &all[i]
		s.Variable, s.Shown, s.Usage = t.Program.Text(s.Variable), t.Program.Text(s.Shown), t.Program.Text(s.Usage)
	}
	return all
}

// serverSettings returns the settings of addresses, of the page size and of the request timeout.
func serverSettings() []Setting {
	return []Setting{
		{
			Flag: "addr", Variable: "{PROGRAM}_ADDR", Fallback: "127.0.0.1:8080", Example: "127.0.0.1:8080", serving: true,
			Usage: "`host:port` to listen on; without a host, on every network",
			Read:  func(c *Config, v string) error { return readAddr(&c.Addr, v) },
		},
		{
			Flag: "public-url", Variable: "{PROGRAM}_PUBLIC_URL", Example: "https://api.example.org", serving: true,
			Shown: "the host that the request names",
			Usage: "`URL` at which clients reach the server; links begin with it",
			Read:  func(c *Config, v string) error { return readPublicURL(&c.PublicURL, v) },
		},
		{
			Flag: "hosts", Variable: "{PROGRAM}_HOSTS", Example: "api.example.org,localhost", serving: true, Shown: "any",
			Usage: "`names`, separated by commas, that a request's Host may have when there is no public URL",
			Read:  func(c *Config, v string) error { return readHosts(&c.Hosts, v) },
		},
		{
			Flag: "page-size", Variable: "{PROGRAM}_PAGE_SIZE", Fallback: "20", Example: "20", serving: true,
			Usage: "`number` of rows on a page of a list",
			Read:  func(c *Config, v string) error { return readNumber(&c.PageSize, v, 1, 1000) },
		},
		{
			Flag: "request-timeout", Variable: "{PROGRAM}_REQUEST_TIMEOUT", Fallback: "15s", Example: "15s", serving: true,
			Usage: "`duration` that a request may take",
			Read: func(c *Config, v string) error {
				return readDuration(&c.RequestTimeout, v, 100*time.Millisecond, 50*time.Second)
			},
		},
	}
}

// transportSettings returns the settings of TLS and of proxies.
func transportSettings() []Setting {
	return []Setting{
		{
			Flag: "tls-cert", Variable: "{PROGRAM}_TLS_CERT", Shown: "no TLS", serving: true,
			Usage: "`file` of the server's certificate and those between it and a known authority, in PEM; a renewed one is taken within a minute, and at once on SIGHUP",
			Read:  func(c *Config, v string) error { return readText(&c.TLSCert, v) },
		},
		{
			Flag: "tls-key", Variable: "{PROGRAM}_TLS_KEY", Shown: "no TLS", serving: true,
			Usage: "`file` of the certificate's key, in PEM",
			Read:  func(c *Config, v string) error { return readText(&c.TLSKey, v) },
		},
		{
			Flag: "trusted-proxies", Variable: "{PROGRAM}_TRUSTED_PROXIES", Example: "10.0.0.0/8,127.0.0.1", serving: true, Shown: "none",
			Usage: "`networks` or addresses, separated by commas, of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed",
			Read:  func(c *Config, v string) error { return readNetworks(&c.TrustedProxies, v) },
		},
		{
			Flag: "trusted-origins", Variable: "{PROGRAM}_TRUSTED_ORIGINS", Example: "https://app.example.org", serving: true, Shown: "the server's own",
			Usage: "`origins`, separated by commas, whose pages may write with a session too",
			Read:  func(c *Config, v string) error { return readOrigins(&c.trustedOrigins, v) },
		},
	}
}

// identitySettings returns the settings of signing in and of rates.
func identitySettings() []Setting {
	return []Setting{
		{
			Variable: JWTKeysVariable, serving: true, Shown: "generated for the process; required in production",
			Read: func(c *Config, v string) error { return keepSecret(&c.JWTKeys, v) },
		},
		{
			Flag: "password-min", Variable: "{PROGRAM}_PASSWORD_MIN", Fallback: "8", Example: "12", serving: true,
			Usage: "`number` of characters that a new password has at least, 8 to 128",
			Read:  func(c *Config, v string) error { return readNumber(&c.PasswordMin, v, 8, 128) },
		},
		{
			Flag: "token-life", Variable: "{PROGRAM}_TOKEN_LIFE", Fallback: "720h", Example: "720h", serving: true,
			Usage: "`duration` for which a token that the login endpoint issues is valid",
			Read: func(c *Config, v string) error {
				return readDuration(&c.tokenLife, v, time.Minute, 366*24*time.Hour)
			},
		},
		{
			Flag: "rates", Variable: "{PROGRAM}_RATES", Example: "login=5/min,register=20/hour", serving: true, Shown: formatRates(auth.DefaultRates()),
			Usage: "`rates`, separated by commas, at which requests pass, by scope: " + strings.Join(auth.Scopes(), ", "),
			Read:  func(c *Config, v string) error { return readRates(&c.rates, v) },
		},
		{
			Flag: "redis", Variable: "REDIS_URL", serving: true, Shown: "the process itself",
			Usage: "`URL` of the Redis where requests are counted for the rates of several servers together, redis://host:6379/0; a password belongs in the variable",
			Read:  func(c *Config, v string) error { return readRedisURL(&c.RedisURL, v) },
		},
	}
}

// databaseSettings returns the settings of the database.
func databaseSettings() []Setting {
	return []Setting{
		{
			Flag: "database", Variable: "DATABASE_URL", Shown: "sqlite file ./data/{program}.db",
			Usage: "`URL` of the database, sqlite:///absolute/path.db or postgres://user@host/name; a password belongs in the variable, because other users of the machine may see a flag",
			Read:  readDatabaseURL,
		},
		{
			Flag: "database-replica", Variable: "DATABASE_REPLICA_URL", serving: true, Shown: "none",
			Usage: "`URL` of a streaming standby of the PostgreSQL database, which then answers what is listed and retrieved, never with less than what was committed before; a password belongs in the variable",
			Read:  func(c *Config, v string) error { return readReplicaURL(&c.ReplicaURL, v) },
		},
		{
			Flag: "db-conns", Variable: "{PROGRAM}_DB_CONNS", Fallback: "auto", Example: "16",
			Usage: "`number` of connections to the database, at most; auto means 16, and with SQLite twice the processors, from 4 to 16",
			Read:  func(c *Config, v string) error { return readConns(&c.DBConns, v) },
		},
		{
			Flag: "statement-timeout", Variable: "{PROGRAM}_STATEMENT_TIMEOUT", Fallback: "10s", Example: "10s",
			Usage: "`duration` that one statement may take in the database",
			Read: func(c *Config, v string) error {
				return readDuration(&c.StatementTimeout, v, 100*time.Millisecond, time.Hour)
			},
		},
		{
			Flag: "queue-timeout", Variable: "{PROGRAM}_QUEUE_TIMEOUT", Fallback: "2s", Example: "2s", serving: true,
			Usage: "longest `duration` that a request waits for connections to the database; then it is answered 503 overloaded",
			Read: func(c *Config, v string) error {
				return readDuration(&c.QueueTimeout, v, 10*time.Millisecond, time.Minute)
			},
		},
		{
			Flag: "prepare", Variable: "{PROGRAM}_PREPARE", Fallback: "on", Example: "on",
			Usage: "`switch`, on or off: prepare statements; off is for a pooler that gives a connection to each transaction",
			Read:  func(c *Config, v string) error { return readSwitch(&c.Prepare, v) },
		},
	}
}

// runSettings returns the settings of the program itself.
func runSettings() []Setting {
	return []Setting{
		{
			Flag: "log", Variable: "{PROGRAM}_LOG", Fallback: "text", Example: "text",
			Usage: "`form` of the log, text or json",
			Read:  func(c *Config, v string) error { return readChoice(&c.logJSON, v, "json", "text") },
		},
		{
			Flag: "log-level", Variable: "{PROGRAM}_LOG_LEVEL", Fallback: "info", Example: "info",
			Usage: "least `level` that is logged: debug, info, warn or error",
			Read:  func(c *Config, v string) error { return readLevel(&c.logLevel, v) },
		},
		{
			Flag: "env", Variable: "{PROGRAM}_ENV", Fallback: "development", Example: "development",
			Usage: "`kind` of deployment, development or production: the latter is stricter, as {program} serve --help says",
			Read:  func(c *Config, v string) error { return readChoice(&c.Production, v, "production", "development") },
		},
	}
}
