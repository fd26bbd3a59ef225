package program

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trestle.example/internal/testserver/selfsigned"
)

// A pairOfFiles is a certificate for this machine and its key.
type pairOfFiles struct{ cert, key string }

// certificateFiles makes them in a folder of their own, good for an hour.
func certificateFiles(t *testing.T) pairOfFiles {
	t.Helper()
	folder := t.TempDir()
	files := pairOfFiles{filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")}
	cert, key := selfsigned.Make(t, 1, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	files.write(t, cert, key)
	return files
}

func (f pairOfFiles) write(t *testing.T, cert, key []byte) {
	t.Helper()
	for file, content := range map[string][]byte{f.cert: cert, f.key: key} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A clock is set by the test.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func TestARenewedCertificateIsTakenWithinAMinute(t *testing.T) {
	t.Parallel()
	files, watch := certificateFiles(t), &clock{time.Now()}
	var log strings.Builder
	c, err := config{tlsCert: files.cert, tlsKey: files.key}.readCertificate(slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	c.now, c.looked = watch.now, watch.at
	from, until := watch.at.Add(-time.Hour), watch.at.Add(time.Hour)
	second, secondKey := selfsigned.Make(t, 2, from, until)
	third, thirdKey := selfsigned.Make(t, 3, from, until)
	expired, expiredKey := selfsigned.Make(t, 4, from, watch.at.Add(-time.Minute))

	edition := 0
	renew := func(cert, key []byte) { // by a time of its own, however coarse the file system's clock is
		files.write(t, cert, key)
		edition++
		at := from.Add(time.Duration(edition) * time.Second)
		if err := errors.Join(os.Chtimes(files.cert, at, at), os.Chtimes(files.key, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name   string
		change func()
		wait   time.Duration
		want   int64  // the serial number
		says   string // "" for nothing
	}{
		{"nothing changed", func() {}, time.Minute, 1, ""},
		{"renewed a moment ago", func() { renew(second, secondKey) }, time.Minute - 1, 1, ""},
		{"renewed a minute ago", func() {}, 1, 2, "the renewed TLS certificate is in use"},
		{"used on", func() {}, time.Minute, 2, ""},
		{"half renewed", func() { renew(third, secondKey) }, time.Minute, 2, "does not match"},
		{"still half renewed", func() {}, time.Minute, 2, "does not match"},
		{"half renewed, within the minute", func() {}, time.Second, 2, ""},
		{"renewed wholly", func() { renew(third, thirdKey) }, time.Minute, 3, "the renewed TLS certificate is in use"},
		{"renewed by an expired one", func() { renew(expired, expiredKey) }, time.Minute, 3, "renew it"},
		{"gone", func() { _ = os.Remove(files.cert) }, time.Minute, 3, "the certificate before stays"},
		{"back", func() { renew(third, thirdKey) }, time.Minute, 3, "in use"},
	} {
		log.Reset()
		step.change()
		watch.at = watch.at.Add(step.wait)
		got, err := c.get(nil)
		if err != nil || got.Leaf.SerialNumber.Int64() != step.want {
			t.Fatalf("%s: certificate %v, %v; want %d", step.name, got.Leaf.SerialNumber, err, step.want)
		}
		if said := log.String(); !strings.Contains(said, step.says) || (said == "") != (step.says == "") {
			t.Errorf("%s: the log says %q; want %q", step.name, said, step.says)
		}
	}
}
