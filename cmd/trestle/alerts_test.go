package main

import (
	"context"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/proving"
	"trestle.example/internal/testserver/postgres"
	"trestle.example/internal/testserver/redis"
)

// A watched is a server with everything that has metrics: PostgreSQL with a replica,
// and Redis.
type watched struct {
	*instance

	token          string
	standby        *postgres.Standby
	redis          *redis.Instance
	inside, beside *sqldb.DB // the server's database, and another of the same cluster
	monitor        *monitor
}

// openWatched starts all of it but the monitor.
func openWatched(t *testing.T, dice *rand.Rand) *watched {
	t.Helper()
	w := &watched{}
	var cluster *postgres.Cluster
	cluster, w.standby = postgres.Replicated(t)
	counters, err := redis.Start(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = counters.Stop() })
	w.redis, w.beside = counters, openDirect(t, cluster.URL())
	for _, statement := range []string{
		"CREATE DATABASE clinic",
		// Else the log reaches the standby up to 200 ms after a commit, too late for reads.
		"ALTER DATABASE clinic SET synchronous_commit = local",
	} {
		if _, err := w.beside.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	database := inDatabase(t, cluster.URL(), "clinic")
	w.inside = openDirect(t, database)
	r := newRig(t, database)
	r.ok("migrate up")
	r.ok("seed --patients 200 --appointments 50 --products 50")
	w.token = tokenOf(r, triedOut)
	watching := freeAddress(t, dice)
	w.instance = newInstance(t, freeAddress(t, dice), nil, []string{
		"DATABASE_URL=" + database, "DATABASE_REPLICA_URL=" + inDatabase(t, w.standby.URL(), "clinic"), "REDIS_URL=" + counters.URL(),
		"TRESTLE_METRICS_ADDR=" + watching, "TRESTLE_DB_CONNS=4", "TRESTLE_QUEUE_TIMEOUT=500ms", "TRESTLE_MAX_CONNS=32",
	})
	w.watching = watching
	w.begin()
	return w
}

func openDirect(t *testing.T, database string) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(database, sqldb.Options{StatementTimeout: waitLimit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// inDatabase is a server's URL with another database.
func inDatabase(t *testing.T, server, name string) string {
	t.Helper()
	at, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	at.Path = "/" + name
	return at.String()
}

// write is a request that makes a patient.
func (w *watched) write() []byte {
	return request("POST", "/api/patients/", w.token, `{"name": "Zara Watched", "phone": "555 0100"}`)
}

// repeat sends requests in turn until ctx ends, whatever the answers.
func (w *watched) repeat(ctx context.Context, rest time.Duration, requests ...[]byte) {
	c := wire{address: w.address}
	defer c.close()
	for n := 0; ctx.Err() == nil; n++ {
		_, _ = c.send(requests[n%len(requests)], waitLimit)
		_ = pause(ctx, rest)
	}
}

// work lets a few clients read and write until the function returned is called.
func (w *watched) work() (end func()) {
	ctx, cancel := context.WithCancel(w.t.Context())
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			w.repeat(ctx, 30*time.Millisecond, w.write(), request("GET", "/api/patients/", w.token, ""), request("GET", "/api/products", "", ""),
				request("POST", "/api/auth/login", "", wrongPassword(0))) // which counts a rate
		})
	}
	end = func() { cancel(); all.Wait() }
	w.t.Cleanup(end)
	return end
}

// TestAlerts: no alert of deploy/alerts.yaml fires in a calm time, each fires under
// its trouble, and ends with it.
func TestAlerts(t *testing.T) {
	if !proving.On() {
		t.Skip("it takes several minutes; make prove runs it")
	}
	dice := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	w := openWatched(t, dice)
	w.monitor = startMonitor(t, dice, w.watching)
	w.work()
	untilSo(t, "Prometheus has the metrics", func() bool { return w.monitor.value(`up{job="trestle"}`) == "1" })
	untilSo(t, "reads go to the replica", func() bool { return w.monitor.value("db_replica_used") == "1" })
	w.calm()
	for _, trouble := range w.troubles() {
		t.Run(trouble.alert, func(t *testing.T) { w.suffer(t, trouble) })
	}
}

// suffer causes a trouble, waits for its alert, and ends it.
func (w *watched) suffer(t *testing.T, of trouble) {
	began := time.Now()
	of.begin()
	var firing []string
	w.monitor.until(of.alert+" fires", func(now []string) bool { firing = now; return slices.Contains(now, of.alert) })
	took := time.Since(began)
	of.end()
	w.monitor.until("no alert fires any more", func(now []string) bool { return len(now) == 0 })
	t.Logf("FIGURE %s fires after %.0f s, and ends; firing then: %s", of.alert, took.Seconds(), strings.Join(firing, " "))
}

// calm checks for half a minute, longer than the ranges of the quick rules, that no
// alert fires.
func (w *watched) calm() {
	w.t.Helper()
	const lasts = 30 * time.Second
	began := time.Now()
	untilSo(w.t, "the calm time is over", func() bool {
		if firing := w.monitor.firing(); len(firing) > 0 {
			w.t.Fatalf("without a trouble there fire %v", firing)
		}
		return time.Since(began) > lasts
	})
	w.t.Logf("FIGURE 0 alerts in %s of calm", lasts)
}

// TestEveryAlertHasATrouble, and every trouble an alert.
func TestEveryAlertHasATrouble(t *testing.T) {
	t.Parallel()
	var alerts, caused []string
	for _, found := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(project(t, "deploy/alerts.yaml"), -1) {
		alerts = append(alerts, found[1])
	}
	for _, trouble := range (&watched{instance: &instance{}}).troubles() {
		caused = append(caused, trouble.alert)
	}
	slices.Sort(alerts)
	slices.Sort(caused)
	if len(alerts) < 10 || !slices.Equal(alerts, caused) {
		t.Errorf("deploy/alerts.yaml has %v; TestAlerts causes %v", alerts, caused)
	}
}
