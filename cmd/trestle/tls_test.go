package main

import (
	"crypto/tls"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trestle.example/internal/testserver/selfsigned"
)

func TestWrongCertificates(t *testing.T) {
	t.Parallel()
	now := time.Now()
	good, other := selfsigned.NewFiles(t), selfsigned.NewFiles(t)
	expired, early, garbage := selfsigned.NewFiles(t), selfsigned.NewFiles(t), selfsigned.NewFiles(t)
	cert, key := selfsigned.Make(t, 1, now.Add(-2*time.Hour), now.Add(-time.Hour))
	expired.Write(t, cert, key)
	cert, key = selfsigned.Make(t, 1, now.Add(time.Hour), now.Add(2*time.Hour))
	early.Write(t, cert, key)
	garbage.Write(t, []byte("hidden"), []byte("hidden"))
	nowhere := filepath.Join(t.TempDir(), "nowhere.pem")

	for name, test := range map[string]struct {
		cert, key string
		says      []string
	}{
		"no key":                    {good.Cert, "", []string{"name its key too, by TRESTLE_TLS_KEY (--tls-key)"}},
		"no certificate":            {"", good.Key, []string{"name its certificate too, by TRESTLE_TLS_CERT (--tls-cert)"}},
		"a certificate not there":   {nowhere, good.Key, []string{"the certificate cannot be read", nowhere}},
		"a key not there":           {good.Cert, nowhere, []string{"the certificate's key cannot be read", nowhere}},
		"a folder":                  {filepath.Dir(good.Cert), good.Key, []string{"the certificate cannot be read", "is a directory"}},
		"another's key":             {good.Cert, other.Key, []string{"are not a certificate and its key", "does not match"}},
		"the wrong way round":       {good.Key, good.Cert, []string{"are not a certificate and its key in PEM"}},
		"no PEM":                    {garbage.Cert, garbage.Key, []string{"are not a certificate and its key in PEM"}},
		"an expired certificate":    {expired.Cert, expired.Key, []string{"the certificate in " + expired.Cert + " expired at", "renew it"}},
		"a certificate of tomorrow": {early.Cert, early.Key, []string{"the certificate in " + early.Cert + " is not good before", "is the clock right?"}},
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
	newRig(t, sqliteURL(t), good.Env()...).ok("check")
}

func TestServerSpeaksNoOldTLS(t *testing.T) {
	t.Parallel()
	files := selfsigned.NewFiles(t)
	s := newRig(t, sqliteURL(t), files.Env()...).start(t)
	address := strings.TrimPrefix(s.base, "https://")
	for version, want := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		client := files.Trusted(t)
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
