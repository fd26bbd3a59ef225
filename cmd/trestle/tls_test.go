package main

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trestle.example/internal/testserver/selfsigned"
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
	cert, key := selfsigned.Make(t, 1, now.Add(-2*time.Hour), now.Add(-time.Hour))
	expired.write(t, cert, key)
	cert, key = selfsigned.Make(t, 1, now.Add(time.Hour), now.Add(2*time.Hour))
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
