package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

// file is that of the rig's SQLite database.
func (r *rig) file() string { return sqldb.File(strings.TrimPrefix(r.env[0], "DATABASE_URL=")) }

// seeded is a SQLite database with demo data.
func seeded(t *testing.T) *rig {
	t.Helper()
	r := newRig(t, sqliteURL(t))
	r.ok("migrate up")
	r.ok("seed --scale 1 --patients 20 --appointments 20 --products 20")
	return r
}

// rowsOf counts those of a table in a SQLite file.
func rowsOf(t *testing.T, file, table string) (n int) {
	t.Helper()
	db, err := sqldb.Open(sqliteURLOf(file), sqldb.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.NewSelect().Table(table).ColumnExpr("count(*)").Scan(t.Context(), &n); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return n
}

// filesIn are the names of the files in a folder.
func filesIn(t *testing.T, folder string) (all []string) {
	t.Helper()
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		all = append(all, f.Name())
	}
	return all
}

func TestBackup(t *testing.T) {
	t.Parallel()
	r := seeded(t)
	to := filepath.Join(t.TempDir(), "a backup's.db")
	got := r.call("backup", to)
	got.is(t, exitOK)
	for _, words := range []string{"backed up " + r.file() + " to " + to, " bytes, ", " rows in ", " tables, in "} {
		if !strings.Contains(got.stdout, words) {
			t.Errorf("it prints %q; want it to say %q", got.stdout, words)
		}
	}
	if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v; want mode 0600", info, err)
	}
	if n := rowsOf(t, to, "patients"); n != 20 {
		t.Errorf("%d patients; want 20", n)
	}
	if all := filesIn(t, filepath.Dir(to)); len(all) != 1 {
		t.Errorf("the folder holds %q; want the backup alone", all)
	}
}

func TestBackupRefuses(t *testing.T) {
	t.Parallel()
	r := seeded(t)
	folder := t.TempDir()
	taken := filepath.Join(folder, "taken.db")
	if err := os.WriteFile(taken, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(r.file(), filepath.Join(folder, "link.db")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		words []string
		code  int
		says  string
	}{
		{"no file", []string{"backup"}, exitUsage, "name the file: trestle backup FILE"},
		{"a file that is there", []string{"backup", taken}, exitUsage, "is there already"},
		{"a folder", []string{"backup", folder, "--force"}, exitUsage, "is no file"},
		{"a folder that is not there", []string{"backup", filepath.Join(folder, "none", "a.db")}, exitFailure, "there is no folder"},
		{"the database itself", []string{"backup", r.file(), "--force"}, exitUsage, "belongs to the database itself"},
		{"the database's log", []string{"backup", r.file() + "-wal", "--force"}, exitUsage, "belongs to the database itself"},
		{"the database by another name", []string{"backup", filepath.Join(folder, "link.db"), "--force"}, exitUsage, "belongs to the database itself"},
		{"no database", []string{"backup", filepath.Join(folder, "a.db"), "--database", "sqlite://" + folder + "/none.db"}, exitFailure, "there is no database at"},
	} {
		t.Run(test.name, func(t *testing.T) { r.call(test.words...).is(t, test.code, test.says) })
	}
	if kept, err := os.ReadFile(taken); string(kept) != "precious" || err != nil {
		t.Errorf("the file that was there holds %q, %v", kept, err)
	}
	r.call("backup", taken, "--force").is(t, exitOK)
	if info, err := os.Stat(taken); err != nil || info.Mode().Perm() != 0o600 || rowsOf(t, taken, "patients") != 20 {
		t.Errorf("with --force: %v, %v", info, err)
	}
	if all := filesIn(t, folder); !slices.Equal(all, []string{"link.db", "taken.db"}) {
		t.Errorf("the folder holds %q", all)
	}
}

// A copy that is not right is not kept.
func TestBackupOfADamagedDatabase(t *testing.T) {
	t.Parallel()
	r := seeded(t)
	db := r.database()
	r.change(db, "DELETE FROM trestle_migrations")
	to := filepath.Join(t.TempDir(), "a.db")
	r.call("backup", to).is(t, exitFailure, "holds nothing of this program")
	if all := filesIn(t, filepath.Dir(to)); len(all) != 0 {
		t.Errorf("it leaves %q", all)
	}
}

// TestBackupUnderLoad backs up what a server writes meanwhile, and serves it.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	r := newRig(t, sqliteURL(t))
	s := startProgram(t, buildProgram(t), strings.TrimPrefix(r.env[0], "DATABASE_URL="))
	crowd := newWriters(t, s, 4)
	crowd.await(50)
	before := crowd.acknowledged()
	to := filepath.Join(t.TempDir(), "load.db")
	r.call("backup", to).is(t, exitOK)
	crowd.await(len(before) + 50) // they went on
	after := crowd.end()

	held := map[string]bool{}
	for _, name := range patientsIn(t, to) {
		held[name] = true
	}
	for _, name := range before {
		if !held[name] {
			t.Errorf("%s was acknowledged before the backup began, and is not in it", name)
		}
	}
	if n := rowsOf(t, to, "patients"); n >= rowsOf(t, r.file(), "patients") {
		t.Errorf("the backup holds %d patients, of which %d were written in all", n, len(after))
	}

	r.call("restore", to).is(t, exitNeedsAction, "a server or another program has "+r.file()+" open; stop it")
	crowd.visitor.send(t, "GET /api/patients/", "").is(t, http.StatusOK)
	s.stop(t)
	got := r.call("restore", to)
	got.is(t, exitOK, "Now start the server.", "The database that was there is "+r.file()+".before-")
	token := strings.TrimSpace(r.ok("token create --email " + triedOut))
	served := visit(t, r.start(t).base, nil, "Authorization", "Token "+token)
	served.send(t, "GET /api/patients/?search="+before[0], "").is(t, http.StatusOK, before[0])
	if lost := after[len(after)-1]; !held[lost] {
		if got := served.send(t, "GET /api/patients/?search="+lost, "").is(t, http.StatusOK); strings.Contains(got.body, `"`+lost+`"`) {
			t.Errorf("%s, which was written after the backup, is there", lost)
		}
	}
	_, kept, _ := strings.Cut(got.stderr, "The database that was there is ")
	kept, _, _ = strings.Cut(kept, " now;")
	if n := rowsOf(t, kept, "patients"); n < len(after) {
		t.Errorf("what was there before is kept with %d patients; want at least %d", n, len(after))
	}
}

func patientsIn(t *testing.T, file string) (all []string) {
	t.Helper()
	db, err := sqldb.Open(sqliteURLOf(file), sqldb.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.NewSelect().Table("patients").Column("name").Scan(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// writers are clients that create patients until they must end.
type writers struct {
	t       *testing.T
	visitor visitor
	stop    chan struct{}
	all     sync.WaitGroup

	mu   sync.Mutex
	more *sync.Cond
	done []string // names whose creation was answered
}

func newWriters(t *testing.T, s *served, n int) *writers {
	t.Helper()
	w := &writers{t: t, visitor: visit(t, s.base(t), nil, "Authorization", "Token "+s.token(t)), stop: make(chan struct{})}
	w.more = sync.NewCond(&w.mu)
	for i := range n {
		w.all.Go(func() { w.write(i) })
	}
	t.Cleanup(func() { w.end() })
	return w
}

func (w *writers) write(of int) {
	for i := 0; ; i++ {
		select {
		case <-w.stop:
			return
		default:
		}
		name := fmt.Sprintf("Writer%dPatient%d", of, i)
		got := w.visitor.send(w.t, "POST /api/patients/", fmt.Sprintf(`{"name": %q, "phone": "555 0100"}`, name)).is(w.t, http.StatusCreated)
		w.mu.Lock()
		if got.status == http.StatusCreated {
			w.done = append(w.done, name)
		}
		w.more.Broadcast()
		w.mu.Unlock()
		if got.status != http.StatusCreated {
			return
		}
	}
}

// await returns when so many were acknowledged.
func (w *writers) await(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.done) < n && !w.t.Failed() {
		w.more.Wait()
	}
}

func (w *writers) acknowledged() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.done)
}

// end ends them, and returns all that were acknowledged.
func (w *writers) end() []string {
	select {
	case <-w.stop:
	default:
		close(w.stop)
	}
	w.all.Wait()
	return w.acknowledged()
}

// TestAKilledBackupLeavesNoFile under the name it was given.
func TestAKilledBackupLeavesNoFile(t *testing.T) {
	t.Parallel()
	program := buildProgram(t)
	r := seeded(t)
	db := r.database()
	r.change(db, "CREATE TABLE ballast (body BLOB)")
	r.change(db, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) INSERT INTO ballast SELECT zeroblob(8000) FROM n")
	to := filepath.Join(t.TempDir(), "killed.db")
	for try := range 20 {
		if killBackup(t, program, r, to) {
			break
		}
		if try == 19 {
			t.Fatal("every backup was complete before it was killed")
		}
	}
	if all := filesIn(t, filepath.Dir(to)); len(all) == 0 || slices.Contains(all, filepath.Base(to)) {
		t.Errorf("it leaves %q; want a part, and nothing under the name", all)
	}
	r.call("backup", to).is(t, exitOK, "which was left by a process that was killed")
	if all := filesIn(t, filepath.Dir(to)); !slices.Equal(all, []string{filepath.Base(to)}) {
		t.Errorf("the next one leaves %q; want itself alone", all)
	}
}

// TestTwoBackupsToOneFile: while one process writes a file, another one gets an error, and the
// first one ends well.
func TestTwoBackupsToOneFile(t *testing.T) {
	t.Parallel()
	program := buildProgram(t)
	r := seeded(t)
	to := filepath.Join(t.TempDir(), "a.db")
	held, err := os.OpenFile(to+".part.lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	part := to + ".1.part"
	if err := os.WriteFile(part, []byte("of the other one"), 0o600); err != nil {
		t.Fatal(err)
	}
	backup := func() (string, error) {
		cmd := exec.Command(program, "backup", to)
		cmd.Env = r.env
		said, err := cmd.CombinedOutput()
		return string(said), err
	}
	if err := syscall.FcntlFlock(held.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK}); err != nil {
		t.Fatal(err)
	}
	if said, err := backup(); err == nil || !strings.Contains(said, "another process is writing "+to) || !isThere(part) || isThere(to) {
		t.Errorf("while the file is written: %v, %s; the folder has %q", err, said, filesIn(t, filepath.Dir(to)))
	}
	if err := held.Close(); err != nil { // as the end of the process does
		t.Fatal(err)
	}
	if said, err := backup(); err != nil || !strings.Contains(said, "Removed "+part) {
		t.Errorf("afterwards: %v, %s", err, said)
	}
	if all := filesIn(t, filepath.Dir(to)); !slices.Equal(all, []string{filepath.Base(to)}) {
		t.Errorf("the folder has %q; want the backup alone", all)
	}
}

// killBackup kills a backup that has begun to write, and reports whether that
// was before its end.
func killBackup(t *testing.T, program string, r *rig, to string) bool {
	t.Helper()
	_ = os.Remove(to)
	cmd := exec.Command(program, "backup", to)
	cmd.Env = r.env
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitPart(t, to)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || status.Signal() != syscall.SIGKILL {
		return false
	}
	if isThere(to) { // it was killed after its work was done
		r.call("restore", to, "--database", sqliteURL(t)).is(t, exitOK)
		return false
	}
	return true
}

func sqliteURLOf(path string) string {
	return (&url.URL{Scheme: "sqlite", Path: filepath.ToSlash(path)}).String()
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// awaitPart returns when a part of a file is there that holds something, or the
// file itself.
func awaitPart(t *testing.T, place string) {
	t.Helper()
	limit, tick := time.After(waitLimit), time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		parts, _ := filepath.Glob(place + ".*.part")
		for _, part := range parts {
			if info, err := os.Stat(part); err == nil && info.Size() > 0 {
				return
			}
		}
		if isThere(place) {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("after %s nothing of %s is written", waitLimit, place)
		}
	}
}

// TestPostgreSQLsOwnPrograms runs what backup and restore say to run, into a new
// database and into one that a later migration has changed; what is restored can be
// backed up again.
func TestPostgreSQLsOwnPrograms(t *testing.T) {
	t.Parallel()
	from, to := newRig(t, postgres.Database(t)), newRig(t, postgres.Database(t))
	from.ok("migrate up")
	from.ok("seed --scale 1 --patients 20 --appointments 20 --products 20")
	folder := t.TempDir()
	for i, r := range []*rig{from, to, to} {
		dump := filepath.Join(folder, fmt.Sprint("it's a dump ", i))
		said := r.call("backup", dump)
		said.is(t, exitUsage, "run: (umask 077 && pg_dump ")
		runAsSaid(t, r, said)
		if info, err := os.Stat(dump); err != nil {
			t.Fatal(err)
		} else if info.Mode().Perm() != 0o600 {
			t.Errorf("the dump has the mode %s; want that of a secret", info.Mode())
		}
		if i == 0 {
			to.ok("migrate up")
			db := to.database()
			to.change(db, "CREATE TABLE later (id bigint PRIMARY KEY, of_user uuid REFERENCES auth_users)")
			_ = db.Close() // or it cannot be renamed
		}
		said = to.call("restore", dump)
		said.is(t, exitUsage, "run: psql ")
		runAsSaid(t, to, said)

		var patients, later int
		db := to.database()
		query := "SELECT (SELECT count(*) FROM patients), (SELECT count(*) FROM pg_class WHERE relname = 'later')"
		if err := db.NewRaw(query).Scan(t.Context(), &patients, &later); err != nil || patients != 20 || later != 0 {
			t.Errorf("%d patients, %d tables of later, %v; want 20 and none", patients, later, err)
		}
		if kept := dropKept(t, db); kept != 1 {
			t.Errorf("what was there is kept as %d databases; want one", kept)
		}
		_ = db.Close()
		to.ok("migrate status")
	}
}

// dropKept drops what was kept of the database beside it, and counts it.
func dropKept(t *testing.T, db *sqldb.DB) int {
	t.Helper()
	var kept []string
	if err := db.NewRaw("SELECT datname FROM pg_database WHERE starts_with(datname, left(current_database(), 30)) AND datname LIKE '%.before-%'").Scan(t.Context(), &kept); err != nil {
		t.Fatal(err)
	}
	for _, name := range kept {
		if _, err := db.ExecContext(t.Context(), "DROP DATABASE ?", bun.Name(name)); err != nil { // bun.Ident would part the name at its dot
			t.Error(err)
		}
	}
	return len(kept)
}

// runAsSaid runs the command that standard error names.
func runAsSaid(t *testing.T, r *rig, said result) {
	t.Helper()
	database := strings.TrimPrefix(r.env[0], "DATABASE_URL=")
	password, _, _ := strings.Cut(strings.SplitN(database, ":", 3)[2], "@")
	_, command, _ := strings.Cut(said.stderr, "run: ")
	if strings.Contains(said.stderr, password) {
		t.Fatalf("it shows the password: %s", said.stderr)
	}
	folder := postgresPrograms(t, "pg_restore")
	cmd := exec.Command("sh", "-ec", command)
	cmd.Env = append(os.Environ(), "PGPASSWORD="+password, "PATH="+folder+":"+os.Getenv("PATH"))
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", command, err, output)
	}
}

// postgresPrograms is the folder of PostgreSQL's own programs.
func postgresPrograms(t *testing.T, program string) string {
	t.Helper()
	if path, err := exec.LookPath(program); err == nil {
		return filepath.Dir(path)
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + program)
	if len(found) == 0 {
		t.Skipf("%s is not installed beside the server", program)
	}
	return filepath.Dir(found[len(found)-1])
}
