package sqldb

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb/internal/standby"
)

// The reasons for which reads go to the primary.
var (
	errBehind   = standby.ErrBehind
	errPromoted = standby.ErrPromoted
	errRemade   = standby.ErrRemade
	errSilent   = standby.ErrSilent
	errStranger = standby.ErrStranger
)

// tellings are the reports of a DB about its replica.
type tellings struct {
	mu   sync.Mutex
	told []error
}

func (c *tellings) add(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, err)
}

func (c *tellings) all() []error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]error(nil), c.told...)
}

var errUntold = errors.New("nothing was told")

func (c *tellings) last() error {
	all := c.all()
	if len(all) == 0 {
		return errUntold
	}
	return all[len(all)-1]
}

// TestReplicaURLs: a URL that cannot be a replica is an error, and no secret is repeated.
func TestReplicaURLs(t *testing.T) {
	const primary = "postgres://app:hidden@localhost/app"
	for name, c := range map[string]struct{ url, replica, refusal string }{
		"a server":               {primary, "postgres://app:hidden@db2.example.com/app", ""},
		"of a SQLite database":   {sqliteURL(t), "postgres://app:hidden@localhost/app", "a SQLite database has no replica"},
		"that is a SQLite file":  {primary, sqliteURL(t), "the URL of a SQLite file"},
		"that is none":           {primary, "mysql://app:hidden@localhost/app", `the scheme "mysql" is not one of`},
		"that names no database": {primary, "postgres://app:hidden@localhost", "it names no database"},
	} {
		t.Run(name, func(t *testing.T) {
			db, err := Open(c.url, Options{Replica: c.replica})
			if err == nil {
				defer db.Close()
			}
			switch {
			case c.refusal == "" && err != nil:
				t.Error(err)
			case c.refusal != "" && (err == nil || !strings.Contains(err.Error(), c.refusal) || strings.Contains(err.Error(), "hidden")):
				t.Errorf("the error is %v; want %q and no password", err, c.refusal)
			}
			if err := CheckReplicaURL(c.replica); (err == nil) != (c.refusal == "" || name == "of a SQLite database") {
				t.Errorf("CheckReplicaURL gives %v", err)
			}
		})
	}
	t.Run("no negative option repeats it", func(t *testing.T) {
		if _, err := Open(primary, Options{MaxConns: -1, Replica: primary}); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("the error is %v", err)
		}
	})
}

// TestWithoutAReplica: Replica returns the session itself, and sends nothing more.
func TestWithoutAReplica(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		s := db.Session()
		if s.Replica() != s {
			t.Error("there is another session")
		}
		if found, err := db.Standby(background(t)); found != nil || err != nil {
			t.Errorf("found %v, %v", found, err)
		}
		var statements atomic.Int64
		db.Observe(func(context.Context, Event) { statements.Add(1) })
		if _, err := s.Replica().Read(background(t), bun.SafeQuery("SELECT 1")); err != nil || statements.Load() != 1 {
			t.Errorf("%d statements, %v; want one", statements.Load(), err)
		}
	})
}

// TestAReplicaWithASetting: a setting of sessions in the URL of a replica is accepted by commands,
// which set it in each transaction, as in the URL of the primary.
func TestAReplicaWithASetting(t *testing.T) {
	for name, o := range map[string]Options{"a server": {}, "a command": {SetLocal: true}, "a reader": {ReadOnly: true}} {
		o.Replica = "postgres://app:hidden@127.0.0.1:1/app?statement_timeout=5s"
		db, err := Open("postgres://app:hidden@127.0.0.1:1/app?statement_timeout=5s", o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_ = db.Close()
	}
}

// TestReplicaThatIsAway: reads are answered though nothing listens there.
func TestReplicaThatIsAway(t *testing.T) {
	var told tellings
	db := open(t, postgresURL(t), Options{Replica: "postgres://app:hidden@127.0.0.1:1/app", ReplicaChanged: told.add})
	eventually(t, "it is told that the replica is away", func() bool { return !fromStandby(t, db) && !errors.Is(told.last(), errUntold) })
	if got := told.last(); got == nil || strings.Contains(got.Error(), "hidden") {
		t.Errorf("told %v; want why, and no password", got)
	}
	if n := len(told.all()); n != 1 {
		t.Errorf("told %d times; want once", n)
	}
	if _, err := db.Standby(background(t)); err == nil {
		t.Error("it is found")
	}
}

// testConnectionsToAReplica: after a restart a server may have less than
// before. A new connection shows that.
func testConnectionsToAReplica(t *testing.T, p *pair) {
	for name, c := range map[string]struct {
		made    int // connections, in as many attempts
		attempt int
		err     error
	}{
		"none is made":                 {0, 1, nil},
		"one is":                       {1, 2, nil},
		"they are made all the time":   {9, standby.Attempts, errRemade},
		"it is over before it is late": {standby.Attempts - 1, standby.Attempts, nil},
	} {
		t.Run(name, func(t *testing.T) {
			db := p.process(t, Options{})
			p.used(t, db)
			read := func() (attempts int, err error) {
				at, err := db.replica.standby.Position(background(t))
				if err != nil {
					return 0, err
				}
				_, err = standby.CaughtUp(background(t), db.replica.standby, at, func(context.Context) (int, error) {
					if attempts++; attempts <= c.made {
						db.replica.runs.Connected("another run")
					}
					return 0, nil
				})
				return attempts, err
			}
			attempts, err := read()
			for again := 0; again < 100 && (errors.Is(err, errSilent) || errors.Is(err, errBehind)); again++ { // a busy machine takes long to connect
				attempts, err = read()
			}
			if attempts != c.attempt || !errors.Is(err, c.err) {
				t.Errorf("%d attempts, %v; want %d, %v", attempts, err, c.attempt, c.err)
			}
		})
	}
	t.Run("and connections of an earlier run of the server are not used", func(t *testing.T) {
		db := p.process(t, Options{})
		p.used(t, db)
		db.replica.runs.Connected("another run")
		made := db.replica.runs.Made()
		p.used(t, db)
		if now := db.replica.runs.Made(); now == made || db.replica.runs.IsLatest("another run") {
			t.Errorf("%d connections were made; want more than before, %d", now, made)
		}
	})
}
