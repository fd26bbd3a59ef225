package main

import (
	"time"

	"trestle.example/framework/httpserver"
)

// A limitConfig says what clients can hold of a server, and how it ends.
type limitConfig struct {
	maxConns    int
	maxRequests int           // 0 for as many as the database can serve well
	drainDelay  time.Duration // negative for what is usual in such a deployment
	corsOrigins []string
}

// requestsPerConn is how many requests at once there are for each connection to the
// database, where no number is set: the one that has it, and enough more that the
// processors have work meanwhile, and that statements which can be one are. With
// twice as many, those under way take twice as long when there are too many, for hardly
// more of them done, which was measured with 2 connections on one core.
const requestsPerConn = 3

// mostSignIns wait for their passwords to be checked, if half of the requests are
// not less.
const mostSignIns = 64

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
			flag: "max-conns", variable: "TRESTLE_MAX_CONNS", fallback: "1024", example: "1024", serving: true,
			usage: "`number` of connections at once, at most, and of requests by HTTP/2 beside their first; a new connection then takes the place of one that waits for its client",
			read:  func(c *config, v string) error { return readNumber(&c.maxConns, v, 16, 1_000_000) },
		},
		{
			flag: "max-requests", variable: "TRESTLE_MAX_REQUESTS", example: "48", serving: true, shown: "3 for each of --db-conns, to a replica too",
			usage: "`number` of requests that are worked on at once; others wait for a moment, and are then answered 503",
			read:  readMaxRequests,
		},
		{
			flag: "drain-delay", variable: "TRESTLE_DRAIN_DELAY", example: "3s", serving: true, shown: "3s in production, else 0s",
			usage: "`duration` for which a server that is to stop still takes requests, while /readyz says so",
			read:  readDrainDelay,
		},
		{
			flag: "cors-origins", variable: "TRESTLE_CORS_ORIGINS", example: "https://app.example.org", serving: true, shown: "none",
			usage: "`origins`, separated by commas, whose pages may ask and read the answers, with a token but without cookies",
			read:  func(c *config, v string) error { return readOrigins(&c.corsOrigins, v) },
		},
	}
}

func readMaxRequests(c *config, v string) error {
	if v == "" {
		c.maxRequests = 0
		return nil
	}
	return readNumber(&c.maxRequests, v, 1, 100_000)
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
func (c config) limits() httpserver.Limits {
	// A connection of SQLite opens three files.
	return httpserver.Limits{Conns: c.maxConns, Requests: c.requests(), SpareFiles: 128 + 4*c.dbConns}
}

// requests is how many are worked on at once.
func (c config) requests() int {
	if c.maxRequests > 0 {
		return c.maxRequests
	}
	conns := c.dbConns
	if c.replicaURL != "" {
		conns *= 2
	}
	return requestsPerConn * conns
}

// signIns is how many of them may wait for passwords to be checked, or have it done,
// which it is for two at once.
func (c config) signIns() int {
	return min(c.requests(), max(2, min(c.requests()/2, mostSignIns)))
}
