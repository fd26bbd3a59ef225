package postgres

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"
)

// processCluster starts the one cluster of this test process.
//
//nolint:gochecknoglobals // the tests of a process have nothing else in common that could hold it
var processCluster = sync.OnceValues(func() (*Cluster, error) {
	ctx, cancel := context.WithTimeout(context.Background(), statementLimit)
	defer cancel()
	return Start(ctx, nil)
})

// statementLimit bounds one CREATE or DROP DATABASE, and the start of a cluster, on a
// machine that is busy with other tests.
const statementLimit = 2 * time.Minute

// Database returns the URL of a fresh, empty database for one test. It is on the server
// that TEST_DATABASE_URL names, whose user must be allowed to create databases. If that
// variable is unset or blank, it is on a private cluster that the first call starts for
// the whole process.
//
// The database is dropped when the test ends, even if clients are still connected. On a
// cluster that withpg or this package started, it is emptied instead and given to a later
// test of the process, because creating one takes long. If the server cannot be reached, or
// the machine has no PostgreSQL, the test fails at once with the reason. Database is safe
// for concurrent use: each parallel test gets its own database.
func Database(tb testing.TB) string {
	tb.Helper()
	server, err := serverURL(os.Getenv("TEST_DATABASE_URL"))
	if err != nil {
		tb.Fatal(err)
	}
	name := emptied.take(server.Host)
	if name == "" {
		name = "trestle_test_" + strings.ToLower(rand.Text())
		if err := execute(server, "CREATE DATABASE "+name); err != nil {
			tb.Fatalf("creating a database for the test on %s: %v", server.Redacted(), err)
		}
	}
	tb.Cleanup(func() {
		if empty(server, name) == nil {
			emptied.keep(server.Host, name)
			return
		}
		err := execute(server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
		if err != nil { // a compatible database may not support FORCE
			err = execute(server, "DROP DATABASE IF EXISTS "+name)
		}
		if err != nil {
			tb.Errorf("dropping the test's database %s on %s: %v", name, server.Redacted(), err)
		}
	})
	return at(server, name).String()
}

// at returns the address of a database of a server.
func at(server *url.URL, name string) *url.URL {
	database := *server
	database.Path, database.RawPath = "/"+name, ""
	return &database
}

// serverURL parses the configured address, or starts the cluster of the process.
func serverURL(configured string) (*url.URL, error) {
	if strings.TrimSpace(configured) == "" {
		cluster, err := processCluster()
		if err != nil {
			return nil, err
		}
		configured = cluster.URL()
	}
	server, err := url.Parse(strings.TrimSpace(configured))
	if err != nil || (server.Scheme != "postgres" && server.Scheme != "postgresql") {
		// The error does not repeat the value: it may contain a password.
		return nil, errors.New("TEST_DATABASE_URL is not the address of a PostgreSQL server: it should look like postgres://user:password@localhost:5432/postgres")
	}
	return server, nil
}

// execute runs one statement on a connection of its own.
func execute(server *url.URL, statement string) error {
	patient := *server // the default timeout of the driver, 10 s, is short on a busy machine
	query := patient.Query()
	query.Set("read_timeout", statementLimit.String())
	patient.RawQuery = query.Encode()
	connector, err := pgdriver.NewDriver().OpenConnector(patient.String())
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer db.Close()

	ctx, cancel := context.WithTimeout(context.Background(), statementLimit)
	defer cancel()
	_, err = db.ExecContext(ctx, statement) //nolint:gosec // the statements are those of this package
	return err
}
