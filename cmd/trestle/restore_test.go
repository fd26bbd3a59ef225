package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// backedUp is a database with demo data and a backup of it, since which one
// patient was deleted.
func backedUp(t *testing.T) (r *rig, backup string) {
	t.Helper()
	r = seeded(t)
	backup = filepath.Join(t.TempDir(), "backup.db")
	r.call("backup", backup).is(t, exitOK)
	db := r.database()
	r.change(db, "DELETE FROM appointments")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return r, backup
}

func TestRestore(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before func(t *testing.T, file string)
		kept   bool
	}{
		"over a database":              {func(*testing.T, string) {}, true},
		"over one that is damaged":     {func(t *testing.T, file string) { putFile(t, file, strings.Repeat("x", 8192)) }, true},
		"over one that is empty":       {func(t *testing.T, file string) { putFile(t, file, "") }, true},
		"where there is none":          {func(t *testing.T, file string) { removeAll(t, filepath.Dir(file)) }, false},
		"beside the log of a lost one": {func(t *testing.T, file string) { putFile(t, file+"-wal", "of another"); removeAll(t, file) }, false},
		"beside what a killed one left": {func(t *testing.T, file string) {
			putFile(t, file+".17.part", "half")
			putFile(t, file+".17.part-wal", "")
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, backup := backedUp(t)
			test.before(t, r.file())
			got := r.call("restore", backup)
			got.is(t, exitOK, "Now start the server.")
			if !strings.Contains(got.stdout, "restored "+r.file()+" from "+backup+": ") {
				t.Errorf("it prints %q", got.stdout)
			}
			if kept := strings.Contains(got.stderr, "The database that was there is "); kept != test.kept {
				t.Errorf("it says %q; it kept one: %t; want %t", got.stderr, kept, test.kept)
			}
			for _, f := range filesIn(t, filepath.Dir(r.file())) {
				if strings.Contains(f, ".part") || f == filepath.Base(r.file())+"-wal" {
					t.Errorf("it leaves %s", f)
				}
			}
			if n := rowsOf(t, r.file(), "appointments"); n != 20 {
				t.Errorf("%d appointments; want 20", n)
			}
			if info, err := os.Stat(r.file()); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the database: %v, %v; want mode 0600", info, err)
			}
			r.examined()["journal"].is(t, healthy)
			r.ok("migrate status")
			r.call("backup", backup, "--force").is(t, exitOK)
		})
	}
}

func putFile(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func removeAll(t *testing.T, file string) {
	t.Helper()
	if err := os.RemoveAll(file); err != nil {
		t.Fatal(err)
	}
}

func TestRestoreKeepsWhatWasThere(t *testing.T) {
	t.Parallel()
	r, backup := backedUp(t)
	r.call("restore", backup).is(t, exitOK)
	kept, err := filepath.Glob(r.file() + ".before-*")
	if err != nil || len(kept) != 1 || rowsOf(t, kept[0], "appointments") != 0 || rowsOf(t, kept[0], "patients") != 20 {
		t.Fatalf("it kept %q, %v; want the database as it was", kept, err)
	}
	r.call("restore", kept[0]).is(t, exitOK) // and back again
	if n := rowsOf(t, r.file(), "appointments"); n != 0 {
		t.Errorf("%d appointments; want none", n)
	}
}

// TestRestoreFromStandardInput: who restores need not be able to open the file.
func TestRestoreFromStandardInput(t *testing.T) {
	t.Parallel()
	r, backup := backedUp(t)
	whole, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	before := filesIn(t, filepath.Dir(r.file()))
	r.with(string(whole[:len(whole)/2]), "restore -").is(t, exitFailure, "standard input cannot be restored", "not all of it is there")
	if after := filesIn(t, filepath.Dir(r.file())); !slices.Equal(after, before) {
		t.Errorf("the folder holds %q; want %q", after, before)
	}
	got := r.with(string(whole), "restore -")
	got.is(t, exitOK, "Now start the server.")
	if !strings.Contains(got.stdout, "restored "+r.file()+" from standard input: ") {
		t.Errorf("it prints %q", got.stdout)
	}
	if n := rowsOf(t, r.file(), "appointments"); n != 20 {
		t.Errorf("%d appointments; want 20", n)
	}
	for _, f := range filesIn(t, filepath.Dir(r.file())) {
		if strings.Contains(f, ".stdin") {
			t.Errorf("it leaves %s", f)
		}
	}
}

func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	r, backup := backedUp(t)
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	whole, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	putFile(t, at("empty.db"), "")
	putFile(t, at("text.db"), "Dear diary, today I was restored from a file that is no database at all.")
	putFile(t, at("half.db"), string(whole[:len(whole)/2]))
	spoilt := slices.Clone(whole)
	copy(spoilt[len(spoilt)/2:], strings.Repeat("x", 8192))
	putFile(t, at("spoilt.db"), string(spoilt))
	putFile(t, at("live.db"), string(whole))
	putFile(t, at("live.db-wal"), "of whoever put it there")
	later := backupWith(t, whole, "UPDATE trestle_migrations SET id = '9999' WHERE name = 'users'")
	foreign := backupWith(t, nil, "CREATE TABLE notes (body TEXT)")
	for name, test := range map[string]struct {
		file string
		code int
		says string
	}{
		"no such file":           {at("none.db"), exitFailure, "there is no backup to restore"},
		"a folder":               {folder, exitFailure, "is no file"},
		"an empty file":          {at("empty.db"), exitFailure, "empty.db is empty, so it is no backup"},
		"no byte on the input":   {"-", exitFailure, "standard input is empty, so it is no backup"},
		"a text":                 {at("text.db"), exitFailure, "this is not a SQLite database"},
		"half a file":            {at("half.db"), exitFailure, "not all of it is there"},
		"a file with a bad page": {at("spoilt.db"), exitFailure, "damaged"},
		"newer migrations":       {later, exitNeedsAction, "it is of another version of this program: sqldb: auth/9999_users was applied to this database, but its files are missing"},
		"another program's file": {foreign, exitFailure, "holds nothing of this program"},
		"the database itself":    {r.file(), exitUsage, "is the database itself"},
		"a file with a log":      {at("live.db"), exitFailure, "has a log beside it"},
	} {
		t.Run(name, func(t *testing.T) {
			before := filesIn(t, filepath.Dir(r.file()))
			got := r.call("restore", test.file)
			got.is(t, test.code, test.says)
			if strings.Contains(got.stderr, "DATABASE_URL") || got.stdout != "" {
				t.Errorf("it blames the database that is there: %q %q", got.stderr, got.stdout)
			}
			if after := filesIn(t, filepath.Dir(r.file())); !slices.Equal(after, before) {
				t.Errorf("the folder holds %q; want %q", after, before)
			}
			if n := rowsOf(t, r.file(), "patients"); n != 20 {
				t.Errorf("%d patients; want 20", n)
			}
		})
	}
}

// TestRestoreOfAPart rejects what it would remove, and does not remove it.
func TestRestoreOfAPart(t *testing.T) {
	t.Parallel()
	r, backup := backedUp(t)
	whole, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{r.file() + ".17.part", r.file() + ".stdin.17.part"} {
		putFile(t, part, string(whole))
		r.call("restore", part).is(t, exitUsage, "is what a restore that was killed left")
		if !isThere(part) {
			t.Errorf("%s is gone", part)
		}
	}
}

// backupWith is a file with a change made to it.
func backupWith(t *testing.T, content []byte, statement string) string {
	t.Helper()
	r := newRig(t, sqliteURL(t))
	if err := os.MkdirAll(filepath.Dir(r.file()), 0o700); err != nil {
		t.Fatal(err)
	}
	putFile(t, r.file(), string(content))
	db := r.database()
	r.change(db, statement)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return r.file()
}

// A backup from before an upgrade is restored, and restore lists what it lacks.
func TestRestoreOfAnOlderBackup(t *testing.T) {
	t.Parallel()
	r := seeded(t)
	r.ok("migrate down --yes")
	backup := filepath.Join(t.TempDir(), "older.db")
	r.call("backup", backup).is(t, exitOK)
	r.ok("migrate up")
	r.call("restore", backup).is(t, exitOK, "The backup lacks 1 migration; run: trestle migrate up")
	r.run("migrate status").is(t, exitNeedsAction)
}
