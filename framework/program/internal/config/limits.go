package config

import (
	"cmp"
	"time"
)

// A limitConfig has the greatest number of connections, the time for which a server still
// accepts requests after the signal to stop, the origins whose pages may read answers, whether
// answers are compressed, and where the console is.
type limitConfig struct {
	MaxConns    int
	drainDelay  time.Duration // negative for the default of the deployment
	CORSOrigins []string
	Compress    bool
	console     string // the path of the console; "" for the default of the program, or [off]
}

// ProductionDelay is the drain delay in production, unless a setting sets another one.
const ProductionDelay = 3 * time.Second

// limitSettings returns the settings of connections, of the drain delay, of CORS, of compression and of the console.
func limitSettings() []Setting {
	return []Setting{
		{
			Flag: "max-conns", Variable: "{PROGRAM}_MAX_CONNS", Fallback: "2048", Example: "2048", serving: true,
			Usage: "`number` of connections at once, at most, and of requests by HTTP/2 beside their first; a new connection then takes the place of one that waits for its client",
			Read:  func(c *Config, v string) error { return readNumber(&c.MaxConns, v, 16, 1_000_000) },
		},
		{
			Flag: "drain-delay", Variable: "{PROGRAM}_DRAIN_DELAY", Example: "3s", serving: true, Shown: "3s in production, else 0s",
			Usage: "`duration` for which a server that is to stop still takes requests, while /readyz says so",
			Read:  readDrainDelay,
		},
		{
			Flag: "cors-origins", Variable: CORSVariable, Example: "https://app.example.org", serving: true, Shown: "none",
			Usage: "`origins`, separated by commas, whose pages may ask and read the answers, with a token but without cookies",
			Read:  func(c *Config, v string) error { return readOrigins(&c.CORSOrigins, v) },
		},
		{
			Flag: "compress", Variable: "{PROGRAM}_COMPRESS", Fallback: "on", Example: "on", serving: true,
			Usage: "`switch`, on or off: compress answers from 1 KB on by zstd or gzip; off is for a proxy that does it",
			Read:  func(c *Config, v string) error { return readSwitch(&c.Compress, v) },
		},
		{
			Flag: "console", Variable: "{PROGRAM}_CONSOLE", Example: "/admin/", serving: true, Shown: defaultConsole,
			Usage: "`path` of the console, the pages of the API for people, such as /admin/; off serves none",
			Read:  readConsole,
		},
	}
}

const (
	// off is the path of a console that is switched off.
	off = "off"
	// defaultConsole is the path of the console of a program with users of package auth.
	defaultConsole = "/admin/"
)

func readConsole(c *Config, v string) error {
	if on, err := Switch(v); err == nil {
		v = off
		if on {
			v = defaultConsole
		}
	}
	c.console = v
	return nil
}

// ConsolePath returns the path of the console, "" for none. declared is the path that the program declares. Without a path, a
// program with users of package auth has a console at "/admin/", unless all paths belong to its API. usual reports whether the program has such users and an API with a prefix.
func (c Config) ConsolePath(declared string, usual bool) string {
	switch {
	case c.console == off:
		return ""
	case c.console == "" && declared == "" && usual:
		return defaultConsole
	}
	return cmp.Or(c.console, declared)
}

func readDrainDelay(c *Config, v string) error {
	if v == "" {
		c.drainDelay = -1
		return nil
	}
	return readDuration(&c.drainDelay, v, 0, time.Minute)
}

// Delay returns how long a server still accepts requests after it received the signal to stop.
func (c Config) Delay() time.Duration {
	switch {
	case c.drainDelay >= 0:
		return c.drainDelay
	case c.Production:
		return ProductionDelay
	}
	return 0
}
