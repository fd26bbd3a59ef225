package certificate

import (
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"trestle.example/internal/testserver/selfsigned"
)

// A clock is set by the test.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func TestARenewedCertificateIsTakenWithinAMinute(t *testing.T) {
	t.Parallel()
	files, watch := selfsigned.NewFiles(t), &clock{time.Now()}
	var log strings.Builder
	c, err := Open(files.Cert, files.Key, slog.New(slog.NewTextHandler(&log, nil)))
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
		files.Write(t, cert, key)
		edition++
		at := from.Add(time.Duration(edition) * time.Second)
		if err := errors.Join(os.Chtimes(files.Cert, at, at), os.Chtimes(files.Key, at, at)); err != nil {
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
		{"gone", func() { _ = os.Remove(files.Cert) }, time.Minute, 3, "the certificate before stays"},
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
