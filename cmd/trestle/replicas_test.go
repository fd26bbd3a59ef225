package main

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/proving"
	"trestle.example/internal/testserver/postgres"
	"trestle.example/resources"
)

// TestReplicasMigrateAtOnce: many processes migrate one empty database at the
// same time, and some of them are killed meanwhile, every time. Each migration is
// applied once, the schema is complete, the other processes end well, and later processes
// start without a manual unlock. In the long form all of them are servers,
// and at least one is killed while migrations are pending.
func TestReplicasMigrateAtOnce(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 0))
	replicas, rounds, kills := 4, 1, 2
	if proving.On() {
		replicas, rounds, kills = 8, 20, 5
	}
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":     sqliteURL,
		"postgresql": func(t *testing.T) string { return postgres.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			alone := database(t)
			newRig(t, alone).ok("migrate up")
			want := schemaOf(t, alone)
			killed, midst := 0, 0
			for range rounds {
				m := &migrants{t: t, program: buildProgram(t), database: database(t)}
				m.start(replicas)
				m.killSome(dice, kills)
				m.endWell()
				m.audit(want)
				killed, midst = killed+m.killed(), midst+m.midst
			}
			figure(t, !t.Failed(), "%s: %d processes migrate at once, %d times, and %d of them are to be killed each time: each migration once, no unlocking (any fault fails)",
				name, replicas, rounds, kills)
			figure(t, killed == rounds*kills && midst > 0, "%s: %d ended by SIGKILL (bound: %d), %d of them while migrations were pending (bound: at least 1)",
				name, killed, rounds*kills, midst)
		})
	}
	t.Run("a migration that waits for a lock", waitForASlowMigration)
	t.Run("whoever holds the migrations' lock is killed", killTheHolder)
}

// migrants are processes that migrate one database.
type migrants struct {
	t                 *testing.T
	program, database string
	env               []string
	all               []*migrant
	midst             int // who were killed while migrations were pending
}

// A migrant migrates and ends, or goes on as a server.
type migrant struct {
	*exec.Cmd

	name   string // its name in PostgreSQL
	serves bool
	killed bool
	log    *logged
	ended  chan struct{}
	err    error // read after ended
}

// start starts so many at once, half of them servers, or all under proof.
func (m *migrants) start(many int) {
	m.t.Helper()
	for i := range many {
		one := &migrant{name: fmt.Sprintf("migrant-%d", len(m.all)), serves: i%2 == 0 || proving.On(), log: newLogged(), ended: make(chan struct{})}
		if one.serves {
			one.Cmd = exec.Command(m.program, "serve", "--migrate", "--addr", "127.0.0.1:0")
		} else {
			one.Cmd = exec.Command(m.program, "migrate", "up")
		}
		one.Env, one.Stderr = append([]string{"DATABASE_URL=" + m.named(one.name), "TRESTLE_DB_CONNS=4"}, m.env...), one.log
		m.all = append(m.all, one)
	}
	for _, one := range m.all[len(m.all)-many:] {
		if err := one.Start(); err != nil {
			m.t.Fatal(err)
		}
		m.t.Cleanup(func() { _ = one.Process.Kill(); <-one.ended })
		go func() {
			one.err = one.Wait()
			fmt.Fprintf(one.log, "\nended: %v\n", one.err)
			close(one.ended)
		}()
	}
}

// killSome kills some of them by SIGKILL: each when the database has as many applied
// migrations as the dice decide, or a moment after the one before.
func (m *migrants) killSome(dice *rand.Rand, many int) {
	m.t.Helper()
	for _, i := range dice.Perm(len(m.all))[:many] {
		one, applied := m.all[i], dice.IntN(4)
		wait := time.After(time.Duration(dice.IntN(150)) * time.Millisecond)
		for waiting := true; waiting && m.applied() < applied; {
			select {
			case <-wait:
				waiting = false
			case <-time.After(time.Millisecond):
			}
		}
		if m.kill(one) && len(m.pending()) > 0 {
			m.midst++
		}
	}
}

// kill kills one of them, and reports whether that is how it ended: it may have
// been over.
func (m *migrants) kill(one *migrant) bool {
	m.t.Helper()
	one.killed = true
	_ = one.Process.Kill()
	<-one.ended
	if !one.slain() && one.err != nil {
		m.t.Errorf("%v ends with %v before it is killed: %s", one.Args[1:], one.err, one.log)
	}
	return one.slain()
}

// slain reports whether a process that has ended did so by SIGKILL.
func (one *migrant) slain() bool {
	status, known := one.ProcessState.Sys().(syscall.WaitStatus)
	return known && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// killed is how many have ended by SIGKILL.
func (m *migrants) killed() (n int) {
	for _, one := range m.all {
		if one.slain() {
			n++
		}
	}
	return n
}

// pending are the migrations that are not applied yet.
func (m *migrants) pending() []sqldb.Migration {
	m.t.Helper()
	db, err := sqldb.Open(m.database, sqldb.Options{MaxConns: 1})
	if err != nil {
		m.t.Fatal(err)
	}
	defer db.Close()
	all, err := db.MigrationStatus(m.t.Context(), resources.Migrations()...)
	if err != nil {
		m.t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(one sqldb.Migration) bool { return !one.AppliedAt.IsZero() })
}

// named is the database's URL for a process that PostgreSQL is to know by a name.
func (m *migrants) named(name string) string {
	m.t.Helper()
	at, err := url.Parse(m.database)
	if err != nil {
		m.t.Fatal(err)
	}
	if at.Scheme == "sqlite" {
		return m.database
	}
	query := at.Query()
	query.Set("application_name", name)
	at.RawQuery = query.Encode()
	return at.String()
}

// applied is how many migrations they say they have applied.
func (m *migrants) applied() (n int) {
	for _, one := range m.all {
		n += strings.Count(one.log.String(), "Applied ")
	}
	return n
}

// endWell waits until all who were not killed have migrated, and ends the
// servers.
func (m *migrants) endWell() {
	m.t.Helper()
	for _, one := range m.all {
		switch {
		case one.killed: // and was waited for
		case one.serves:
			address := one.log.find(regexp.MustCompile(`msg=serving address=(\S+)|ended: `))[1]
			untilSo(m.t, "a server is ready: "+one.log.String(), func() bool { return address != "" && healthOf(address, "/readyz") == 200 })
			if err := one.Process.Signal(syscall.SIGTERM); err != nil {
				m.t.Error(err)
			}
			fallthrough
		default:
			if <-one.ended; one.err != nil {
				m.t.Errorf("%v ends with %v: %s", one.Args[1:], one.err, one.log)
			}
		}
	}
}

// audit checks what is there, and that a server starts on it.
func (m *migrants) audit(want []string) {
	m.t.Helper()
	got := schemaOf(m.t, m.database)
	for _, missing := range without(want, got) {
		m.t.Errorf("the schema lacks: %s", missing)
	}
	for _, more := range without(got, want) {
		m.t.Errorf("the schema has besides: %s", more)
	}
	times := map[string]int{}
	for _, one := range m.all {
		for _, line := range regexp.MustCompile(`Applied (\S+) in`).FindAllStringSubmatch(one.log.String(), -1) {
			times[line[1]]++
		}
	}
	for name, n := range times {
		if n != 1 {
			m.t.Errorf("%s is applied %d times", name, n)
		}
	}
	next := &migrants{t: m.t, program: m.program, database: m.database}
	next.start(1)
	next.endWell()
	if n := next.applied(); n != 0 {
		m.t.Errorf("the next one still applies %d migrations", n)
	}
}

// without is what of some is not among others.
func without(some, others []string) []string {
	return slices.DeleteFunc(slices.Clone(some), func(one string) bool { return slices.Contains(others, one) })
}

// schemaOf returns all tables, columns, indexes and constraints, and the
// migrations that made them.
func schemaOf(t *testing.T, database string) (all []string) {
	t.Helper()
	db, err := sqldb.Open(database, sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	questions := []string{`SELECT namespace || '/' || id || ' ' || checksum FROM trestle_migrations`}
	if db.Kind() == sqldb.SQLite {
		questions = append(questions, `SELECT coalesce(sql, name) FROM sqlite_master`)
	} else {
		questions = append(questions,
			`SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) FROM information_schema.columns WHERE table_schema = 'public'`,
			`SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'`,
			`SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace`,
			`SELECT tgrelid::regclass || ' ' || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal`)
	}
	for _, q := range questions {
		var found []string
		if err := db.NewRaw(q).Scan(t.Context(), &found); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		all = append(all, found...)
	}
	if status, err := db.MigrationStatus(t.Context(), resources.Migrations()...); err != nil || slices.ContainsFunc(status, func(m sqldb.Migration) bool { return m.AppliedAt.IsZero() }) {
		t.Errorf("migrations are pending: %v, %v", status, err)
	}
	slices.Sort(all)
	return all
}

// pendingHere are processes that have yet to migrate a PostgreSQL database. The database
// lacks its last migrations, and a transaction of the test holds a lock that a migration
// needs, until the test releases it.
func pendingHere(t *testing.T, lacks int, holding string, env ...string) (m *migrants, db *sqldb.DB, letGo func()) {
	t.Helper()
	m = &migrants{t: t, program: buildProgram(t), database: postgres.Database(t), env: env}
	r := newRig(t, m.database)
	r.ok("migrate up")
	for range lacks {
		r.ok("migrate down --yes")
	}
	db, err := sqldb.Open(m.database, sqldb.Options{StatementTimeout: waitLimit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
	if _, err := tx.Exec(holding); err != nil {
		t.Fatal(err)
	}
	return m, db, func() {
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
	}
}

// waitForASlowMigration: another process's migration takes longer than any
// statement may. Those who wait for it do so, one of them is killed meanwhile, and
// then the rest is done once.
func waitForASlowMigration(t *testing.T) {
	alone := postgres.Database(t)
	newRig(t, alone).ok("migrate up")
	m, db, letGo := pendingHere(t, 1, "UPDATE trestle_migration_lock SET held = held + 1", "TRESTLE_STATEMENT_TIMEOUT=200ms")
	m.start(4)
	waiting := func(longer string) (n int) {
		err := db.NewRaw(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND now() - query_start > ?::interval`, longer).
			Scan(t.Context(), &n)
		if err != nil {
			t.Error(err)
		}
		return n
	}
	untilSo(t, "four wait", func() bool { return waiting("0") == 4 })
	if !m.kill(m.all[3]) {
		t.Errorf("%v is over before it is killed", m.all[3].Args[1:])
	}
	untilSo(t, "three wait, and for longer than a statement may take", func() bool { return waiting("1 second") == 3 && waiting("0") == 3 })
	letGo()
	m.endWell()
	m.audit(schemaOf(t, alone))
}

// killTheHolder: of several who migrate at once the one that holds the lock, in the
// midst of a migration, is killed. Its migration is undone and another applies it.
func killTheHolder(t *testing.T) {
	alone := postgres.Database(t)
	newRig(t, alone).ok("migrate up")
	// A process with the lock of migrations may run a migration and not record it.
	m, db, letGo := pendingHere(t, 2, "LOCK TABLE trestle_migrations IN SHARE MODE")
	m.start(4)
	waiting := func(inTheMidst bool) (names []string) {
		err := db.NewRaw(`SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND (wait_event = 'relation') = ?`, inTheMidst).
			Scan(t.Context(), &names)
		if err != nil {
			t.Error(err)
		}
		return names
	}
	var holder string
	midst := func(others int) func() bool {
		return func() bool {
			holders := waiting(true)
			holder = strings.Join(holders, " and ")
			return len(holders) == 1 && len(waiting(false)) == others
		}
	}
	untilSo(t, "one is in the midst of a migration, and three wait for it", midst(3))
	killed := slices.IndexFunc(m.all, func(one *migrant) bool { return one.name == holder })
	if killed < 0 || !m.kill(m.all[killed]) || len(m.pending()) != 2 {
		t.Fatalf("%s, which holds the lock, is not killed in the midst of a migration; pending are %v", holder, m.pending())
	}
	untilSo(t, "another is in the midst of it, and two wait", midst(2))
	letGo()
	m.endWell()
	m.audit(schemaOf(t, alone))
	figure(t, !t.Failed(), "postgresql: whoever held the lock ended by SIGKILL in the midst of a migration, and another applied that: no unlocking (any fault fails)")
}
