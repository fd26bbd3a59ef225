// Package selfsigned makes TLS certificates for tests.
package selfsigned

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Make makes a certificate of localhost and its key, in PEM. The certificate is its own
// authority.
func Make(t *testing.T, serial int64, from, until time.Time) (cert, key []byte) {
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

// Files are a certificate for localhost and its key.
type Files struct{ Cert, Key string }

// NewFiles makes files in a folder of their own. The certificate is valid for an hour.
func NewFiles(t *testing.T) Files {
	t.Helper()
	folder := t.TempDir()
	files := Files{filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")}
	cert, key := Make(t, 1, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	files.Write(t, cert, key)
	return files
}

// Write replaces the certificate and the key.
func (f Files) Write(t *testing.T, cert, key []byte) {
	t.Helper()
	for file, content := range map[string][]byte{f.Cert: cert, f.Key: key} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Env returns the settings of a server that uses them.
func (f Files) Env() []string {
	return []string{"TRESTLE_TLS_CERT=" + f.Cert, "TRESTLE_TLS_KEY=" + f.Key}
}

// Trusted returns the TLS configuration of a client that trusts the certificate.
func (f Files) Trusted(t *testing.T) *tls.Config {
	t.Helper()
	cert, err := os.ReadFile(f.Cert)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(cert) {
		t.Fatal("the certificate cannot be trusted")
	}
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS10} // #nosec G402 -- tests check that a server rejects old versions
}
