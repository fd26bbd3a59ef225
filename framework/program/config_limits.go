package program

import (
	"time"

	"trestle.example/framework/httpserver"
)

// A limitConfig says what clients can hold of a server, and how it ends.
type limitConfig struct {
	maxConns    int
	drainDelay  time.Duration // negative for what is usual in such a deployment
	corsOrigins []string
}

// drainTime is how long requests under way may take when the server stops, and
// usualDelay how long it still takes new ones in production.
const (
	drainTime  = 25 * time.Second
	usualDelay = 3 * time.Second
)

// limitSettings matter to a server alone.
func limitSettings() []setting {
	return []setting{
		{
			flag: "max-conns", variable: "{PROGRAM}_MAX_CONNS", fallback: "2048", example: "2048", serving: true,
			usage: "`number` of connections at once, at most, and of requests by HTTP/2 beside their first; a new connection then takes the place of one that waits for its client",
			read:  func(c *config, v string) error { return readNumber(&c.maxConns, v, 16, 1_000_000) },
		},
		{
			flag: "drain-delay", variable: "{PROGRAM}_DRAIN_DELAY", example: "3s", serving: true, shown: "3s in production, else 0s",
			usage: "`duration` for which a server that is to stop still takes requests, while /readyz says so",
			read:  readDrainDelay,
		},
		{
			flag: "cors-origins", variable: corsVariable, example: "https://app.example.org", serving: true, shown: "none",
			usage: "`origins`, separated by commas, whose pages may ask and read the answers, with a token but without cookies",
			read:  func(c *config, v string) error { return readOrigins(&c.corsOrigins, v) },
		},
	}
}

func readDrainDelay(c *config, v string) error {
	if v == "" {
		c.drainDelay = -1
		return nil
	}
	return readDuration(&c.drainDelay, v, 0, time.Minute)
}

// delay is for how long a server that is to stop still takes requests.
func (c config) delay() time.Duration {
	switch {
	case c.drainDelay >= 0:
		return c.drainDelay
	case c.production:
		return usualDelay
	}
	return 0
}

// limits are those of the server.
func (s *site) limits() httpserver.Limits {
	// A connection of SQLite opens three files.
	return httpserver.Limits{Conns: s.maxConns, SpareFiles: 128 + 4*s.db.Stats().MaxOpenConnections}
}
