package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"trestle.example/framework/sqldb"
)

// TestAFullDisk: a server whose disk is full returns an error for writes, goes on to answer
// reads, loses nothing, and recovers by itself when there is room.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	program, folder := buildProgram(t), t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=16m"); err != nil {
		t.Skip("this user may not mount a small disk:", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
	database := (&url.URL{Scheme: "sqlite", Path: filepath.Join(folder, "test.db")}).String()
	s := startProgram(t, program, database)
	w := wire{address: strings.TrimPrefix(s.base(t), "http://")}
	defer w.close()
	d := &disk{t: t, wire: &w, token: s.token(t), made: &acknowledged{}}

	d.create(http.StatusCreated)
	ballast := filepath.Join(folder, "ballast")
	fill(t, ballast)
	for range 5000 { // there may be room in the files that there are
		if d.create(0) == http.StatusServiceUnavailable {
			break
		}
	}
	for range 10 {
		d.create(http.StatusServiceUnavailable)
		d.read()
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	untilSo(t, "it writes again", func() bool { return d.create(0) == http.StatusCreated })
	d.read()
	w.close()
	s.stop(t)
	d.audit(database)
}

// A disk is one that gets full, and a client of the server that writes there.
type disk struct {
	t     *testing.T
	wire  *wire
	token string
	made  *acknowledged
}

// create makes a patient, and returns the status; want 0 allows every status that
// is not a fault.
func (d *disk) create(want int) int {
	d.t.Helper()
	body := fmt.Sprintf(`{"name": "Zara Full", "phone": "555 0100", "city": "Pune %d"}`, rand.Int())
	got, err := d.wire.send(request("POST", "/api/patients/", d.token, body), waitLimit)
	refused := got.status == http.StatusServiceUnavailable && got.retryAfter
	switch {
	case err != nil, want != 0 && got.status != want, got.status != http.StatusCreated && !refused:
		d.t.Fatalf("a write is answered %d %s, %v; want %d", got.status, got.body, err, want)
	case got.status == http.StatusCreated:
		d.made.note(got.body)
	}
	return got.status
}

func (d *disk) read() {
	d.t.Helper()
	got, err := d.wire.send(request("GET", "/api/patients/?search=zara", d.token, ""), waitLimit)
	if err != nil || got.status != http.StatusOK {
		d.t.Fatalf("a read is answered %d %s, %v", got.status, got.body, err)
	}
}

// audit checks that what was acknowledged is there, and the file whole.
func (d *disk) audit(database string) {
	d.t.Helper()
	db, err := sqldb.Open(database, sqldb.Options{})
	if err != nil {
		d.t.Fatal(err)
	}
	defer db.Close()
	var there, faults []string
	err = errors.Join(db.NewRaw("SELECT id FROM patients WHERE name = 'Zara Full' ORDER BY 1").Scan(d.t.Context(), &there),
		db.NewRaw("PRAGMA integrity_check").Scan(d.t.Context(), &faults))
	if err != nil {
		d.t.Fatal(err)
	}
	slices.Sort(d.made.ids)
	if !slices.Equal(there, d.made.ids) || !slices.Equal(faults, []string{"ok"}) {
		d.t.Errorf("%d writes were acknowledged, %d are there; the file is %v", len(d.made.ids), len(there), faults)
	}
}

// fill takes all the room that is left.
func fill(t *testing.T, file string) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}
