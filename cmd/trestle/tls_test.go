package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A pairOfFiles is a certificate for this machine and its key.
type pairOfFiles struct{ cert, key string }

func (f pairOfFiles) env() []string {
	return []string{"TRESTLE_TLS_CERT=" + f.cert, "TRESTLE_TLS_KEY=" + f.key}
}

// certificateFiles makes them in a folder of their own, good for an hour.
func certificateFiles(t *testing.T) pairOfFiles {
	t.Helper()
	folder := t.TempDir()
	files := pairOfFiles{filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")}
	cert, key := certificateOf(t, 1, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	files.write(t, cert, key)
	return files
}

// certificateOf makes a certificate and its key, in PEM.
func certificateOf(t *testing.T, serial int64, from, until time.Time) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: from, NotAfter: until, IsCA: true, BasicConstraintsValid: true,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: bytes})
}

func (f pairOfFiles) write(t *testing.T, cert, key []byte) {
	t.Helper()
	for file, content := range map[string][]byte{f.cert: cert, f.key: key} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// trusted is how a client that trusts the certificate speaks TLS.
func (f pairOfFiles) trusted(t *testing.T) *tls.Config {
	t.Helper()
	cert, err := os.ReadFile(f.cert)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(cert) {
		t.Fatal("the certificate cannot be trusted")
	}
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS10}
}

func TestWrongCertificates(t *testing.T) {
	t.Parallel()
	now := time.Now()
	good, other := certificateFiles(t), certificateFiles(t)
	expired, early, garbage := certificateFiles(t), certificateFiles(t), certificateFiles(t)
	cert, key := certificateOf(t, 1, now.Add(-2*time.Hour), now.Add(-time.Hour))
	expired.write(t, cert, key)
	cert, key = certificateOf(t, 1, now.Add(time.Hour), now.Add(2*time.Hour))
	early.write(t, cert, key)
	garbage.write(t, []byte("hidden"), []byte("hidden"))
	nowhere := filepath.Join(t.TempDir(), "nowhere.pem")

	for name, test := range map[string]struct {
		cert, key string
		says      []string
	}{
		"no key":                    {good.cert, "", []string{"name its key too, by TRESTLE_TLS_KEY (--tls-key)"}},
		"no certificate":            {"", good.key, []string{"name its certificate too, by TRESTLE_TLS_CERT (--tls-cert)"}},
		"a certificate not there":   {nowhere, good.key, []string{"the certificate cannot be read", nowhere}},
		"a key not there":           {good.cert, nowhere, []string{"the certificate's key cannot be read", nowhere}},
		"a folder":                  {filepath.Dir(good.cert), good.key, []string{"the certificate cannot be read", "is a directory"}},
		"another's key":             {good.cert, other.key, []string{"are not a certificate and its key", "does not match"}},
		"the wrong way round":       {good.key, good.cert, []string{"are not a certificate and its key in PEM"}},
		"no PEM":                    {garbage.cert, garbage.key, []string{"are not a certificate and its key in PEM"}},
		"an expired certificate":    {expired.cert, expired.key, []string{"the certificate in " + expired.cert + " expired at", "renew it"}},
		"a certificate of tomorrow": {early.cert, early.key, []string{"the certificate in " + early.cert + " is not good before", "is the clock right?"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, call := range []string{"serve", "check"} {
				got := newRig(t, sqliteURL(t), "TRESTLE_TLS_CERT="+test.cert, "TRESTLE_TLS_KEY="+test.key).run(call)
				got.is(t, exitUsage, append(test.says, "TRESTLE_TLS_")...)
				if strings.Contains(got.stderr, "hidden") || strings.Contains(got.stderr, "-----BEGIN") {
					t.Errorf("%s shows what is in the files: %s", call, got.stderr)
				}
			}
		})
	}
	newRig(t, sqliteURL(t), good.env()...).ok("check")
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
	second, secondKey := certificateOf(t, 2, from, until)
	third, thirdKey := certificateOf(t, 3, from, until)
	expired, expiredKey := certificateOf(t, 4, from, watch.at.Add(-time.Minute))

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

func TestServerSpeaksNoOldTLS(t *testing.T) {
	t.Parallel()
	files := certificateFiles(t)
	s := newRig(t, sqliteURL(t), files.env()...).start(t)
	address := strings.TrimPrefix(s.base, "https://")
	for version, want := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		client := files.trusted(t)
		client.MaxVersion = version
		connection, err := tls.Dial("tcp", address, client)
		if (err == nil) != want {
			t.Errorf("%s: %v; want it to be spoken: %t", tls.VersionName(version), err, want)
		}
		if err == nil {
			connection.Close()
		}
	}
}
