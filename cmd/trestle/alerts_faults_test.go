package main

import (
	"context"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"trestle.example/internal/testserver/selfsigned"
)

// A trouble is what an alert is about: how it begins, and how it ends.
type trouble struct {
	alert      string
	begin, end func()
}

// troubles has one for each alert of deploy/alerts.yaml, in the order in which they
// are caused.
func (w *watched) troubles() []trouble {
	var release, leave func()
	return []trouble{
		{"TrestleInternalErrors", w.does("ALTER TABLE products RENAME TO products_away"), w.does("ALTER TABLE products_away RENAME TO products")},
		{"TrestleUnavailable", w.does("ALTER DATABASE clinic ALLOW_CONNECTIONS false", cutOff), w.does("ALTER DATABASE clinic ALLOW_CONNECTIONS true")},
		{"TrestleOverloaded", func() { release = w.lock() }, func() { release() }},
		{"TrestleWaits", func() { release = w.lock() }, func() { release() }},
		{"TrestleSlow", func() { release = w.lock() }, func() { release() }},
		{"TrestleConnectionsNearLimit", func() { leave = w.connect(28, false) }, func() { leave() }},
		{"TrestleConnectionsEvicted", func() { leave = w.connect(60, true) }, func() { leave() }},
		{"TrestleFilesNearLimit", func() { w.limitFiles(20) }, func() { w.limitFiles(10_000) }},
		{"TrestleRedisDown", func() { w.must(w.redis.Stop()) }, func() { w.must(w.redis.Restart(w.t.Context())) }},
		{"TrestleReplicaUnused", func() { w.must(w.standby.Halt()) }, func() { w.must(w.standby.Resume()) }},
		{"TrestleReplicaBehind", func() { w.must(w.standby.Pause()); w.does(muchLog)() }, func() { w.must(w.standby.Continue()) }},
		{"TrestleCertificateExpires", w.watchExpiring, func() { w.monitor.watch(w.instance.watching) }},
		{"TrestleMigrationsPending", w.does(forget), w.does(remember)},
		{"TrestleDown", func() { _ = w.cmd.Process.Kill(); <-w.ended }, w.begin},
		{"TrestleRestarts", w.restartOften, func() {}},
	}
}

// The statements of troubles. The connections of the database are ended from outside,
// so that the server meets an end of its connections and then errors.
const (
	cutOff   = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'clinic'"
	muchLog  = "SELECT count(pg_logical_emit_message(false, 'test', repeat('x', 1000000))) FROM generate_series(1, 40)"
	forget   = "UPDATE clinic.trestle_migrations SET namespace = 'away-' || namespace WHERE position = 1"
	remember = "UPDATE clinic.trestle_migrations SET namespace = substr(namespace, 6) WHERE namespace LIKE 'away-%'"
)

func (w *watched) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// does runs statements as an administrator, in the server's database or beside it.
func (w *watched) does(statements ...string) func() {
	return func() {
		w.t.Helper()
		for _, s := range statements {
			db := w.inside
			if strings.Contains(s, "ALTER DATABASE") || s == cutOff {
				db = w.beside
			}
			_, err := db.ExecContext(w.t.Context(), strings.ReplaceAll(s, "clinic.", ""))
			w.must(err)
		}
	}
}

// lock holds all rows of patients, while 12 clients of one user write some.
func (w *watched) lock() (release func()) {
	w.t.Helper()
	tx, err := w.inside.DB.DB.BeginTx(w.t.Context(), nil)
	w.must(err)
	_, err = tx.ExecContext(w.t.Context(), "LOCK TABLE patients IN SHARE ROW EXCLUSIVE MODE")
	w.must(err)
	ctx, cancel := context.WithCancel(w.t.Context())
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() { w.repeat(ctx, time.Millisecond, w.write()) })
	}
	return func() {
		cancel()
		w.must(tx.Rollback())
		all.Wait()
	}
}

// connect opens connections and keeps them idle; if again is set, it opens others in
// place of those that the server closes.
func (w *watched) connect(n int, again bool) (leave func()) {
	ctx, cancel := context.WithCancel(w.t.Context())
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			c := wire{address: w.address}
			defer c.close()
			for sent := false; ctx.Err() == nil; _ = pause(ctx, 100*time.Millisecond) {
				if sent && !again {
					continue
				}
				got, err := c.send(request("GET", "/livez", "", ""), waitLimit)
				sent = err == nil && got.status == http.StatusOK
			}
		})
	}
	return func() { cancel(); all.Wait() }
}

// limitFiles sets how many files the running server may open.
func (w *watched) limitFiles(n int) {
	w.t.Helper()
	set := exec.Command("prlimit", "--pid", strconv.Itoa(w.cmd.Process.Pid), "--nofile="+strconv.Itoa(n)+":")
	if output, err := set.CombinedOutput(); err != nil {
		w.t.Fatalf("%v: %s", err, output)
	}
}

// watchExpiring adds a server whose certificate expires in an hour.
func (w *watched) watchExpiring() {
	w.t.Helper()
	other := newRig(w.t, sqliteURL(w.t)).start(w.t, append(selfsigned.NewFiles(w.t).Env(), freePort)...)
	w.monitor.watch(w.instance.watching, strings.TrimPrefix(other.metricsBase(), "http://"))
}

// restartOften restarts the server until the alert fires.
func (w *watched) restartOften() {
	w.t.Helper()
	const started = `process_start_time_seconds{job="trestle"}`
	for range 10 {
		before := w.monitor.value(started)
		w.stop()
		w.begin()
		untilSo(w.t, "Prometheus has seen the restart", func() bool { return w.monitor.value(started) != before })
		if slices.Contains(w.monitor.firing(), "TrestleRestarts") {
			return
		}
	}
}
