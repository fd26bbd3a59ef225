package program

import (
	"slices"
	"strings"
	"time"

	"trestle.example/framework/auth"
)

// declaredSettings are all of them, in the order of the help, those of the project last.
func (p Program) declaredSettings() []setting {
	all := slices.Concat(serverSettings(), limitSettings(), transportSettings(), identitySettings(), databaseSettings(), runSettings(), observeSettings())
	for _, own := range p.Settings {
		all = append(all, own.declared())
	}
	for i := range all {
		s := &all[i]
		s.variable, s.shown, s.usage = p.text(s.variable), p.text(s.shown), p.text(s.usage)
	}
	return all
}

// serverSettings matter to a server alone.
func serverSettings() []setting {
	return []setting{
		{
			flag: "addr", variable: "{PROGRAM}_ADDR", fallback: "127.0.0.1:8080", example: "127.0.0.1:8080", serving: true,
			usage: "`host:port` to listen on; without a host, on every network",
			read:  func(c *config, v string) error { return readAddr(&c.addr, v) },
		},
		{
			flag: "public-url", variable: "{PROGRAM}_PUBLIC_URL", example: "https://api.example.org", serving: true,
			shown: "the host that the request names",
			usage: "`URL` at which clients reach the server; links begin with it",
			read:  func(c *config, v string) error { return readPublicURL(&c.publicURL, v) },
		},
		{
			flag: "hosts", variable: "{PROGRAM}_HOSTS", example: "api.example.org,localhost", serving: true, shown: "any",
			usage: "`names`, separated by commas, that a request's Host may have when there is no public URL",
			read:  func(c *config, v string) error { return readHosts(&c.hosts, v) },
		},
		{
			flag: "page-size", variable: "{PROGRAM}_PAGE_SIZE", fallback: "20", example: "20", serving: true,
			usage: "`number` of rows on a page of a list",
			read:  func(c *config, v string) error { return readNumber(&c.pageSize, v, 1, 1000) },
		},
		{
			flag: "request-timeout", variable: "{PROGRAM}_REQUEST_TIMEOUT", fallback: "15s", example: "15s", serving: true,
			usage: "`duration` that a request may take",
			read: func(c *config, v string) error {
				return readDuration(&c.requestTimeout, v, 100*time.Millisecond, 50*time.Second)
			},
		},
	}
}

// transportSettings say by what way requests come.
func transportSettings() []setting {
	return []setting{
		{
			flag: "tls-cert", variable: "{PROGRAM}_TLS_CERT", shown: "no TLS", serving: true,
			usage: "`file` of the server's certificate and those between it and a known authority, in PEM; a renewed one is taken within a minute, and at once on SIGHUP",
			read:  func(c *config, v string) error { return readText(&c.tlsCert, v) },
		},
		{
			flag: "tls-key", variable: "{PROGRAM}_TLS_KEY", shown: "no TLS", serving: true,
			usage: "`file` of the certificate's key, in PEM",
			read:  func(c *config, v string) error { return readText(&c.tlsKey, v) },
		},
		{
			flag: "trusted-proxies", variable: "{PROGRAM}_TRUSTED_PROXIES", example: "10.0.0.0/8,127.0.0.1", serving: true, shown: "none",
			usage: "`networks` or addresses, separated by commas, of proxies whose X-Forwarded-For and X-Forwarded-Proto are believed",
			read:  func(c *config, v string) error { return readNetworks(&c.trustedProxies, v) },
		},
		{
			flag: "trusted-origins", variable: "{PROGRAM}_TRUSTED_ORIGINS", example: "https://app.example.org", serving: true, shown: "the server's own",
			usage: "`origins`, separated by commas, whose pages may write with a session too",
			read:  func(c *config, v string) error { return readOrigins(&c.trustedOrigins, v) },
		},
	}
}

// identitySettings say who may sign in, and how often somebody may try.
func identitySettings() []setting {
	return []setting{
		{
			variable: jwtKeysVariable, serving: true, shown: "made up for the process; required in production",
			read: func(c *config, v string) error { return keepSecret(&c.jwtKeys, v) },
		},
		{
			flag: "password-min", variable: "{PROGRAM}_PASSWORD_MIN", fallback: "8", example: "12", serving: true,
			usage: "`number` of characters that a new password has at least, 8 to 128",
			read:  func(c *config, v string) error { return readNumber(&c.passwordMin, v, 8, 128) },
		},
		{
			flag: "token-life", variable: "{PROGRAM}_TOKEN_LIFE", fallback: "720h", example: "720h", serving: true,
			usage: "`duration` for which the token is good that somebody gets who signs in",
			read: func(c *config, v string) error {
				return readDuration(&c.tokenLife, v, time.Minute, 366*24*time.Hour)
			},
		},
		{
			flag: "rates", variable: "{PROGRAM}_RATES", example: "login=5/min,register=20/hour", serving: true, shown: ratesShown(auth.DefaultRates()),
			usage: "`rates`, separated by commas, at which requests pass, by scope: " + strings.Join(auth.Scopes(), ", "),
			read:  func(c *config, v string) error { return readRates(&c.rates, v) },
		},
		{
			flag: "redis", variable: "REDIS_URL", serving: true, shown: "the process itself",
			usage: "`URL` of the Redis where requests are counted for the rates of several servers together, redis://host:6379/0; a password belongs in the variable",
			read:  func(c *config, v string) error { return readRedisURL(&c.redisURL, v) },
		},
	}
}

// databaseSettings say how to reach the database.
func databaseSettings() []setting {
	return []setting{
		{
			flag: "database", variable: "DATABASE_URL", shown: "sqlite file ./data/{program}.db",
			usage: "`URL` of the database, sqlite:///absolute/path.db or postgres://user@host/name; a password belongs in the variable, because other users of the machine may see a flag",
			read:  readDatabaseURL,
		},
		{
			flag: "database-replica", variable: "DATABASE_REPLICA_URL", serving: true, shown: "none",
			usage: "`URL` of a streaming standby of the PostgreSQL database, which then answers what is listed and retrieved, never with less than what was committed before; a password belongs in the variable",
			read:  func(c *config, v string) error { return readReplicaURL(&c.replicaURL, v) },
		},
		{
			flag: "db-conns", variable: "{PROGRAM}_DB_CONNS", fallback: "auto", example: "16",
			usage: "`number` of connections to the database, at most; auto means 16, and with SQLite twice the processors, from 4 to 16",
			read:  func(c *config, v string) error { return readConns(&c.dbConns, v) },
		},
		{
			flag: "statement-timeout", variable: "{PROGRAM}_STATEMENT_TIMEOUT", fallback: "10s", example: "10s",
			usage: "`duration` that one statement may take in the database",
			read: func(c *config, v string) error {
				return readDuration(&c.statementTimeout, v, 100*time.Millisecond, time.Hour)
			},
		},
		{
			flag: "queue-timeout", variable: "{PROGRAM}_QUEUE_TIMEOUT", fallback: "2s", example: "2s", serving: true,
			usage: "longest `duration` that a request waits for connections to the database; then it is answered 503 overloaded",
			read: func(c *config, v string) error {
				return readDuration(&c.queueTimeout, v, 10*time.Millisecond, time.Minute)
			},
		},
		{
			flag: "prepare", variable: "{PROGRAM}_PREPARE", fallback: "on", example: "on",
			usage: "`switch`, on or off: prepare statements; off is for a pooler that gives a connection to each transaction",
			read:  func(c *config, v string) error { return readSwitch(&c.prepare, v) },
		},
	}
}

// runSettings are about the program itself.
func runSettings() []setting {
	return []setting{
		{
			flag: "log", variable: "{PROGRAM}_LOG", fallback: "text", example: "text",
			usage: "`form` of the log, text or json",
			read:  func(c *config, v string) error { return readChoice(&c.logJSON, v, "json", "text") },
		},
		{
			flag: "log-level", variable: "{PROGRAM}_LOG_LEVEL", fallback: "info", example: "info",
			usage: "least `level` that is logged: debug, info, warn or error",
			read:  func(c *config, v string) error { return readLevel(&c.logLevel, v) },
		},
		{
			flag: "env", variable: "{PROGRAM}_ENV", fallback: "development", example: "development",
			usage: "`kind` of deployment, development or production: the latter is stricter, as {program} serve --help says",
			read:  func(c *config, v string) error { return readChoice(&c.production, v, "production", "development") },
		},
	}
}
