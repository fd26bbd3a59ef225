package program

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"trestle.example/framework/program/internal/console"
)

// certificatePause is how long a certificate's files are left alone after they
// were looked at.
const certificatePause = time.Minute

// A certificate is the server's own. Files that are renewed while it serves are
// taken; if they cannot be used, the one before stays.
type certificate struct {
	certFile, keyFile string
	now               func() time.Time
	log               *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	read    edition   // the files that current was read from
	looked  time.Time // when the files were last looked at
}

// An edition tells files from what they were before.
type edition struct{ certTime, certSize, keyTime, keySize int64 }

// hasTLS says that the server speaks TLS itself.
func (c config) hasTLS() bool { return c.tlsCert != "" }

// readCertificate reads the files of the settings; nil if there are none.
func (c config) readCertificate(log *slog.Logger) (*certificate, error) {
	switch {
	case c.tlsCert == "" && c.tlsKey == "":
		return nil, nil
	case c.tlsKey == "":
		return nil, errors.New(c.text("{PROGRAM}_TLS_CERT (--tls-cert) names a certificate; name its key too, by {PROGRAM}_TLS_KEY (--tls-key)"))
	case c.tlsCert == "":
		return nil, errors.New(c.text("{PROGRAM}_TLS_KEY (--tls-key) names a key; name its certificate too, by {PROGRAM}_TLS_CERT (--tls-cert)"))
	}
	made := &certificate{certFile: c.tlsCert, keyFile: c.tlsKey, now: time.Now, log: log}
	if err := made.renew(); err != nil {
		return nil, fmt.Errorf(c.text("{PROGRAM}_TLS_CERT, {PROGRAM}_TLS_KEY: %w"), err)
	}
	made.looked = made.now()
	return made, nil
}

// config is how a server speaks TLS with the certificate.
func (c *certificate) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}
}

// get is the certificate for a connection.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now().Sub(c.looked) >= certificatePause {
		c.look()
	}
	return c.current, nil
}

// reload reads the files at once, even if they seem to be as they were.
func (c *certificate) reload() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read = edition{}
	c.look()
}

// look renews the certificate, or logs why it cannot. The caller has locked mu.
func (c *certificate) look() {
	c.looked = c.now()
	if err := c.renew(); err != nil {
		c.log.Error("the files of the TLS certificate cannot be used as they are now; the certificate before stays", "error", err)
	}
}

// endsSoon tells when the certificate expires, and whether it should have been renewed
// by now: when a third of its life is left, and two weeks at most.
func (c *certificate) endsSoon() (until time.Time, soon bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from, until := c.current.Leaf.NotBefore, c.current.Leaf.NotAfter
	return until, until.Sub(c.now()) < min(14*24*time.Hour, until.Sub(from)/3)
}

// renew reads the files, unless they are as they were.
func (c *certificate) renew() error {
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

// edition follows symbolic links, by which certificates are often renewed.
func (c *certificate) edition() (edition, error) {
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

// load reads the files, and refuses what clients would refuse later.
func (c *certificate) load() (*tls.Certificate, error) {
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
