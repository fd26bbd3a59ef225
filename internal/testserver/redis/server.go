package redis

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// processServer starts the one server of this test process.
//
//nolint:gochecknoglobals // the tests of a process have nothing else in common that could hold it
var processServer = sync.OnceValues(func() (*Instance, error) {
	const startLimit = 2 * time.Minute // on a machine that is busy with other tests
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	return Start(ctx, nil)
})

// Server returns the URL of a Redis server: the one that TEST_REDIS_URL names, or, if
// that variable is unset or blank, a private one that the first call starts for the whole
// process. Tests share it, so each must use its own keys.
//
// Without Redis the test fails at once with the reason. Server is safe for concurrent
// use.
func Server(tb testing.TB) string {
	tb.Helper()
	address, err := serverURL(os.Getenv("TEST_REDIS_URL"))
	if err != nil {
		tb.Fatal(err)
	}
	return address
}

func serverURL(configured string) (string, error) {
	configured = strings.TrimSpace(configured)
	if configured == "" {
		server, err := processServer()
		if err != nil {
			return "", err
		}
		return server.URL(), nil
	}
	scheme, _, _ := strings.Cut(configured, "://")
	switch scheme {
	case "redis", "rediss", "unix":
		return configured, nil
	}
	// The error does not repeat the value: it may contain a password.
	return "", errors.New("TEST_REDIS_URL is not the address of a Redis server: it should look like redis://:password@localhost:6379")
}
