package backup

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/console"
)

func putFile(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestARoomThatIsNotUsed is removed without a trace; files of other processes stay.
func TestARoomThatIsNotUsed(t *testing.T) {
	t.Parallel()
	at := filepath.Join(t.TempDir(), "a.db")
	putFile(t, at+"-wal", "of a lost one")
	var said strings.Builder
	run := &command.Run{Console: console.Console{Err: &said}}
	r, err := makeRoom(run, at)
	if err != nil || !r.isEmpty() || exists(at+"-wal") || !strings.Contains(said.String(), "a.db-wal, is ") {
		t.Fatalf("%v, %v; it says %q", r, err, said.String())
	}
	if other, err := makeRoom(run, at); other != nil || err != nil || other.isEmpty() {
		t.Errorf("where there is a file: %v, %v", other, err)
	}
	if err := r.remove(); err != nil || exists(at) {
		t.Errorf("it is there, or %v", err)
	}
	if log, err := os.ReadFile(at + "-wal"); string(log) != "of a lost one" || err != nil {
		t.Errorf("the log is %q, %v", log, err)
	}
	if r, err = makeRoom(run, at); err != nil {
		t.Fatal(err)
	}
	putFile(t, at, strings.Repeat("a database", 1000))
	if r.isEmpty() {
		t.Error("a database is taken for what was made")
	}
}

func TestAFileIsNotWrittenOver(t *testing.T) {
	t.Parallel()
	place := filepath.Join(t.TempDir(), "a.db")
	f, err := newWholeFile(place, func(string) { t.Error("there was a part") })
	if err != nil {
		t.Fatal(err)
	}
	defer f.discard()
	putFile(t, place, "meanwhile")
	if err := f.put(false); err == nil || !strings.Contains(err.Error(), "is there by now") {
		t.Errorf("over a file that came meanwhile: %v", err)
	}
	if content, err := os.ReadFile(place); string(content) != "meanwhile" || err != nil {
		t.Errorf("it holds %q, %v", content, err)
	}
	if err := f.put(true); err != nil {
		t.Error(err)
	}
}

func TestKeptNamesDiffer(t *testing.T) {
	t.Parallel()
	at, now := filepath.Join(t.TempDir(), "a.db"), time.Date(2026, 11, 22, 1, 2, 3, 4e6, time.UTC)
	putFile(t, at, "a")
	if name, err := keep(at, now); err != nil || name != at+".before-20261122T010203.004Z" {
		t.Errorf("%q, %v", name, err)
	}
	if name, err := keep(at, now); err == nil {
		t.Errorf("%q is kept twice", name)
	}
}

// TestAPathThatTellsLies: the system resolves a name below /proc differently from its
// links.
func TestAPathThatTellsLies(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("there is no /proc")
	}
	gone := t.TempDir()
	folder, err := os.Open(gone)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	name := fmt.Sprintf("/proc/self/fd/%d/t.db", folder.Fd())
	if place, _ := followLinks(name); !leadsTo(name, place) {
		t.Errorf("%s leads to %s", name, place)
	}
	if err := os.RemoveAll(gone); err != nil {
		t.Fatal(err)
	}
	if place, _ := followLinks(name); leadsTo(name, place) {
		t.Errorf("%s leads to %s, which is another folder by now", name, place)
	}
}
