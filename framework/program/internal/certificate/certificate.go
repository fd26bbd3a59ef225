// Package certificate reads the TLS certificate of a server, and reads it again when its
// files are renewed.
package certificate

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"trestle.example/framework/program/internal/console"
)

// pause is the least time between two checks of the files by connections.
const pause = time.Minute

// A Certificate is the TLS certificate of a server. When its files change while the server
// runs, it reads them again. If it cannot use them, it keeps the certificate that it has. It
// is safe for concurrent use.
type Certificate struct {
	certFile, keyFile string
	now               func() time.Time
	log               *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	read    edition   // the files that current was read from
	looked  time.Time // when the files were last checked
}

// An edition is the state of the files: their modification times and their sizes.
type edition struct{ certTime, certSize, keyTime, keySize int64 }

// Open reads the certificate and its key from files in PEM. A certificate that has expired,
// or is not valid yet, is an error.
func Open(certFile, keyFile string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, now: time.Now, log: log}
	if err := c.renew(); err != nil {
		return nil, err
	}
	c.looked = c.now()
	return c, nil
}

// TLS returns the configuration of a server that uses the certificate.
func (c *Certificate) TLS() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}
}

// get returns the certificate for a connection. If the last check of the files was a minute
// ago or more, it checks them first.
func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now().Sub(c.looked) >= pause {
		c.look()
	}
	return c.current, nil
}

// Reload reads the files at once, even if they seem unchanged. It logs an error.
func (c *Certificate) Reload() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read = edition{}
	c.look()
}

// look renews the certificate, or logs why that failed. The caller holds mu.
func (c *Certificate) look() {
	c.looked = c.now()
	if err := c.renew(); err != nil {
		c.log.Error("the files of the TLS certificate cannot be used as they are now; the certificate before stays", "error", err)
	}
}

// EndsSoon returns when the certificate expires, and whether it should be renewed now:
// when less than a third of its life is left, and less than two weeks.
func (c *Certificate) EndsSoon() (until time.Time, soon bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from, until := c.current.Leaf.NotBefore, c.current.Leaf.NotAfter
	return until, until.Sub(c.now()) < min(14*24*time.Hour, until.Sub(from)/3)
}

// renew reads the files if they have changed.
func (c *Certificate) renew() error {
	found, err := c.edition()
	if err != nil || found == c.read {
		return err
	}
	current, err := c.load()
	if err != nil {
		return err
	}
	if c.current != nil {
		c.log.Info("the renewed TLS certificate is in use", "expires", current.Leaf.NotAfter)
	}
	c.current, c.read = current, found
	return nil
}

// edition returns the state of the files. It follows symbolic links, because certificates
// are often renewed by changing a link.
func (c *Certificate) edition() (edition, error) {
	cert, err := os.Stat(c.certFile)
	if err != nil {
		return edition{}, fmt.Errorf("the certificate cannot be read: %w", err)
	}
	key, err := os.Stat(c.keyFile)
	if err != nil {
		return edition{}, fmt.Errorf("the certificate's key cannot be read: %w", err)
	}
	return edition{cert.ModTime().UnixNano(), cert.Size(), key.ModTime().UnixNano(), key.Size()}, nil
}

// load reads the files. A certificate that has expired, or is not valid yet, is an error.
func (c *Certificate) load() (*tls.Certificate, error) {
	cert, err := os.ReadFile(c.certFile)
	if err != nil {
		return nil, fmt.Errorf("the certificate cannot be read: %w", err)
	}
	key, err := os.ReadFile(c.keyFile)
	if err != nil {
		return nil, fmt.Errorf("the certificate's key cannot be read: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("%s and %s are not a certificate and its key in PEM: %w", c.certFile, c.keyFile, err)
	}
	switch now, from, until := c.now(), pair.Leaf.NotBefore, pair.Leaf.NotAfter; {
	case now.After(until):
		return nil, fmt.Errorf("the certificate in %s expired at %s; renew it", c.certFile, console.Minute(&until))
	case now.Before(from):
		return nil, fmt.Errorf("the certificate in %s is not good before %s; is the clock right?", c.certFile, console.Minute(&from))
	}
	return &pair, nil
}
