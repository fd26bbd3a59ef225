// Package mailserver starts a mail server (SMTP) in the process of a test.
package mailserver

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"log"
	"math/big"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// The ways in which TLS begins.
const (
	NoTLS    = ""
	STARTTLS = "starttls"
	TLS      = "tls" // from the beginning
)

// User and Password are the credentials that the server accepts. Mail is accepted without them
// too.
const (
	User     = "shop@example.org"
	Password = "p/w: of the shop" //nolint:gosec // of a server in a test
)

// A Server is a mail server that keeps what arrives. It accepts messages of up to 64 KiB for one
// recipient, and closes a connection after 10 s without a command. It is safe for concurrent
// use.
type Server struct {
	Address string      // host and port
	Trust   *tls.Config // for clients: it trusts the certificate of the server

	mu     sync.Mutex
	mail   []Mail
	reject error
}

// A Mail is a message that arrived.
type Mail struct {
	User     string // who signed in, or ""
	From, To string
	Header   mail.Header
	Subject  string
	Text     string // lines end with \n
}

// Start starts a server, which stops after the test.
func Start(t *testing.T, encryption string) *Server {
	t.Helper()
	s := &Server{}
	own := smtp.NewServer(backend{s})
	own.MaxMessageBytes, own.MaxRecipients, own.MaxLineLength = 1<<16, 1, 2000
	own.ReadTimeout, own.WriteTimeout = 10*time.Second, 10*time.Second
	own.ErrorLog, own.EnableSMTPUTF8, own.AllowInsecureAuth = log.New(io.Discard, "", 0), true, encryption == NoTLS
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	config, trust := certify(t)
	s.Address, s.Trust = listener.Addr().String(), trust
	switch encryption {
	case STARTTLS:
		own.TLSConfig = config
	case TLS:
		listener = tls.NewListener(listener, config)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = own.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = own.Close()
		<-done
	})
	return s
}

// Reject makes the server answer every recipient with an error, or accept them again if code is
// 0.
func (s *Server) Reject(code int, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reject = nil
	if code != 0 {
		s.reject = &smtp.SMTPError{Code: code, Message: text}
	}
}

// Take returns the mail that arrived since the last call.
func (s *Server) Take() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.mail
	s.mail = nil
	return taken
}

// certify makes the configuration of a server with a certificate for 127.0.0.1, and that of a
// client that trusts it.
func certify(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	check(err)
	parsed, err := x509.ParseCertificate(raw)
	check(err)
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	pair := tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

// backend implements smtp.Backend.
type backend struct{ server *Server }

func (b backend) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{server: b.server}, nil }

// A session receives mail over one connection.
type session struct {
	server *Server
	mail   Mail
}

func (*session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != User || password != Password {
			return smtp.ErrAuthFailed
		}
		s.mail.User = user
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.mail.From = from
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.mail.To = to
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	return s.server.reject
}

func (*session) Reset()        {}
func (*session) Logout() error { return nil }

func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := s.mail.read(data); err != nil {
		return err
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.mail = append(s.server.mail, s.mail)
	return nil
}

// read decodes a message.
func (m *Mail) read(data []byte) error {
	message, err := mail.ReadMessage(bytes.NewReader(data))
	if err != nil {
		return err
	}
	body := message.Body
	switch message.Header.Get("Content-Transfer-Encoding") {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	m.Header, m.Text = message.Header, strings.ReplaceAll(string(text), "\r\n", "\n")
	m.Subject, err = new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject"))
	return err
}
