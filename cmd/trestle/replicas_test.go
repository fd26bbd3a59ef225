package main

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"trestle.example/framework/frameworktest/postgres"
	"trestle.example/framework/sqldb"
	"trestle.example/resources"
)

// TestReplicasMigrateAtOnce: many processes migrate one empty database at the
// same time, and some of them are killed in the midst of it. Each migration is
// applied once, the schema is whole, the others end well, and whoever comes next
// starts, with nobody unlocking anything.
func TestReplicasMigrateAtOnce(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 0))
	replicas, rounds, kills := 4, 1, 2
	if underProof() {
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
			for round := range rounds {
				m := &migrants{t: t, program: buildProgram(t), database: database(t)}
				m.start(replicas)
				if (round+1)%2 == 0 || rounds == 1 {
					m.killSome(dice, kills)
				}
				m.endWell()
				m.audit(want)
			}
			figure(t, !t.Failed(), "%s: %d processes migrate at once, %d times, and %d of them are killed every other time: each migration once, no unlocking (any fault fails)",
				name, replicas, rounds, kills)
		})
	}
	t.Run("a migration that waits for a lock", waitForASlowMigration)
}

// migrants are processes that migrate one database.
type migrants struct {
	t                 *testing.T
	program, database string
	env               []string
	all               []*migrant
}

// A migrant migrates and ends, or goes on as a server.
type migrant struct {
	*exec.Cmd

	serves bool
	killed bool
	log    *logged
	ended  chan struct{}
	err    error // read after ended
}

// start starts so many at once, half of them servers.
func (m *migrants) start(many int) {
	m.t.Helper()
	for i := range many {
		one := &migrant{serves: i%2 == 0, log: newLogged(), ended: make(chan struct{})}
		if one.serves {
			one.Cmd = exec.Command(m.program, "serve", "--migrate", "--addr", "127.0.0.1:0")
		} else {
			one.Cmd = exec.Command(m.program, "migrate", "up")
		}
		one.Env, one.Stderr = append([]string{"DATABASE_URL=" + m.database, "TRESTLE_DB_CONNS=4"}, m.env...), one.log
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

// killSome kills some of them by SIGKILL: each when somebody has applied as many
// migrations as the dice say, or a moment after the one before.
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
		one.killed = true
		_ = one.Process.Kill() // which may be over
	}
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
		case one.killed:
			<-one.ended
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

// schemaOf tells of all tables, columns, indexes and constraints, and of the
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

// waitForASlowMigration: another process's migration takes longer than any
// statement may. Those who wait for it do so, one of them is killed meanwhile, and
// then the rest is done once.
func waitForASlowMigration(t *testing.T) {
	alone := postgres.Database(t)
	newRig(t, alone).ok("migrate up")
	m := &migrants{t: t, program: buildProgram(t), database: postgres.Database(t), env: []string{"TRESTLE_STATEMENT_TIMEOUT=200ms"}}
	r := newRig(t, m.database)
	r.ok("migrate up")
	r.ok("migrate down --yes")
	db, err := sqldb.Open(m.database, sqldb.Options{StatementTimeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.Exec("UPDATE trestle_migration_lock SET held = held + 1"); err != nil {
		t.Fatal(err)
	}
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
	m.all[3].killed = true
	_ = m.all[3].Process.Kill()
	untilSo(t, "three wait, and for longer than a statement may take", func() bool { return waiting("1 second") == 3 && waiting("0") == 3 })
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	m.endWell()
	m.audit(schemaOf(t, alone))
}
