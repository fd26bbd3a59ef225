package smtp

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	gosmtp "github.com/emersion/go-smtp"

	"trestle.example/framework/mail"
)

// A server is a mail server in this process.
type server struct {
	address string
	trust   *tls.Config
	err     error // of the command RCPT

	mu   sync.Mutex
	mail []received
}

type received struct {
	user, from, to string
	data           []byte
}

// serve starts a mail server. Of encryption, "starttls" offers TLS, "tls" begins with it, and
// "" has none.
func serve(t *testing.T, encryption string) *server {
	t.Helper()
	s := &server{}
	own := gosmtp.NewServer(s)
	own.MaxMessageBytes, own.MaxRecipients, own.MaxLineLength = 1<<16, 1, 2000
	own.ReadTimeout, own.WriteTimeout = 10*time.Second, 10*time.Second
	own.ErrorLog, own.EnableSMTPUTF8 = log.New(io.Discard, "", 0), true
	own.AllowInsecureAuth = encryption == ""
	certificate, trust := certify(t)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address, s.trust = listener.Addr().String(), trust
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	switch encryption {
	case "starttls":
		own.TLSConfig = config
	case "tls":
		listener = tls.NewListener(listener, config)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = own.Serve(listener) }()
	t.Cleanup(func() { _ = own.Close(); <-done })
	return s
}

// certify makes a certificate for 127.0.0.1 and a configuration that trusts it.
func certify(t *testing.T) (tls.Certificate, *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(raw)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}, &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

// NewSession implements gosmtp.Backend.
func (s *server) NewSession(*gosmtp.Conn) (gosmtp.Session, error) { return &session{server: s}, nil }

// take returns the mail that arrived.
func (s *server) take() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mail
}

// A session receives mail over one connection.
type session struct {
	server *server
	received
}

func (*session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "shop@example.org" || password != "p/w: of the shop" {
			return gosmtp.ErrAuthFailed
		}
		s.user = user
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *gosmtp.MailOptions) error { s.from = from; return nil }
func (s *session) Rcpt(to string, _ *gosmtp.RcptOptions) error   { s.to = to; return s.server.err }
func (s *session) Reset()                                        {}
func (s *session) Logout() error                                 { return nil }

func (s *session) Data(r io.Reader) error {
	var err error
	if s.data, err = io.ReadAll(r); err != nil {
		return err
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.mail = append(s.server.mail, s.received)
	return nil
}

const credentials = "shop%40example.org:p%2Fw%3A%20of%20the%20shop@"

func TestSend(t *testing.T) {
	for _, c := range []struct{ name, encryption, url, user string }{
		{"STARTTLS with credentials", "starttls", "smtp://" + credentials + "ADDRESS", "shop@example.org"},
		{"STARTTLS without credentials", "starttls", "smtp://ADDRESS", ""},
		{"TLS from the beginning", "tls", "smtps://" + credentials + "ADDRESS/", "shop@example.org"},
		{"without TLS on this machine", "", "smtp://ADDRESS?tls=off", ""},
		{"without TLS on this machine, with credentials", "", "smtp://" + credentials + "ADDRESS?tls=off", "shop@example.org"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.encryption)
			mailer, err := Open(strings.Replace(c.url, "ADDRESS", s.address, 1), Options{From: "Shop <shop@example.org>", TLS: s.trust})
			if err != nil {
				t.Fatal(err)
			}
			if err := mailer.Check(t.Context()); err != nil {
				t.Fatalf("Check: %v", err)
			}
			text := "Hello Asha,\n\n.a line that begins with a dot\nhttps://shop.example.org/reset#" + strings.Repeat("a", 60) + "\nनमस्ते\n"
			if err := mailer.Send(t.Context(), mail.Message{To: "asha@example.com", Subject: "Passwort für Ämter", Text: text}); err != nil {
				t.Fatal(err)
			}
			got := s.take()
			if len(got) != 1 || got[0].user != c.user || got[0].from != "shop@example.org" || got[0].to != "asha@example.com" {
				t.Fatalf("the server received %+v", got)
			}
			checkMessage(t, got[0].data, text)
		})
	}
}

// checkMessage checks the headers and the text of a message as it arrived.
func checkMessage(t *testing.T, data []byte, text string) {
	t.Helper()
	m, err := netmail.ReadMessage(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"From": `"Shop" <shop@example.org>`, "To": "<asha@example.com>", "Auto-Submitted": "auto-generated", "Bcc": "",
	} {
		if got := m.Header.Get(name); got != want {
			t.Errorf("%s: %q; want %q", name, got, want)
		}
	}
	if m.Header.Get("Date") == "" || m.Header.Get("Message-Id") == "" {
		t.Errorf("the headers are %v", m.Header)
	}
	if got := decode(t, m); got != text {
		t.Errorf("the text is %q; want %q", got, text)
	}
}

func TestSendReportsWhyNot(t *testing.T) {
	for _, c := range []struct {
		name, encryption, url string
		err                   error // of the server for the recipient
		trusted, permanent    bool
	}{
		{"the server offers no TLS", "", "smtp://ADDRESS", nil, true, false},
		{"the certificate is unknown", "starttls", "smtp://ADDRESS", nil, false, false},
		{"the password is wrong", "starttls", "smtp://shop:canary@ADDRESS", nil, true, false},
		{"the recipient is unknown", "starttls", "smtp://ADDRESS", &gosmtp.SMTPError{Code: 550, Message: "no asha@example.com here"}, true, true},
		{"the server is busy", "starttls", "smtp://ADDRESS", &gosmtp.SMTPError{Code: 451, Message: "asha@example.com has to wait"}, true, false},
		{"the server is away", "starttls", "smtp://127.0.0.1:1", nil, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.encryption)
			s.err = c.err
			options := Options{From: "shop@example.org"}
			if c.trusted {
				options.TLS = s.trust
			}
			mailer, err := Open(strings.Replace(c.url, "ADDRESS", s.address, 1), options)
			if err != nil {
				t.Fatal(err)
			}
			err = mailer.Send(t.Context(), mail.Message{To: "asha@example.com", Subject: "Hello", Text: "Text"})
			if err == nil || errors.Is(err, mail.ErrPermanent) != c.permanent {
				t.Fatalf("error %v; permanent: %v", err, c.permanent)
			}
			for _, secret := range []string{"asha", "canary"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error has %s: %v", secret, err)
				}
			}
			if c.err == nil {
				if err := mailer.Check(t.Context()); err == nil || strings.Contains(err.Error(), "canary") {
					t.Errorf("Check: %v", err)
				}
			}
			if len(s.take()) != 0 {
				t.Error("a message arrived")
			}
		})
	}
}

// TestASilentServer: a server that accepts the connection and never answers ends the attempt
// after the timeout.
func TestASilentServer(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	mailer, err := Open("smtp://"+listener.Addr().String(), Options{From: "shop@example.org", Timeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if err := mailer.Send(t.Context(), mail.Message{To: "asha@example.com", Subject: "Hello", Text: "Text"}); err == nil {
		t.Error("it was sent")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := mailer.Send(ended, mail.Message{To: "asha@example.com", Subject: "Hello", Text: "Text"}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

func TestOpenRejects(t *testing.T) {
	const from = "shop@example.org"
	for _, c := range []struct{ name, url, from, want string }{
		{"no sender", "smtp://mail.example.org", "", "the sender must be an e-mail address"},
		{"a sender with a header", "smtp://mail.example.org", "shop@example.org\r\nBcc: b@example.org", "the sender must be an e-mail address"},
		{"another scheme", "http://mail.example.org", from, "must begin with smtp:// or smtps://"},
		{"no scheme", "mail.example.org:587", from, "smtp:"},
		{"no host", "smtp://:587", from, "names no host"},
		{"a path", "smtp://mail.example.org/inbox", from, "has a path"},
		{"a port that is no number", "smtp://u:canary@mail.example.org:port", from, "the URL cannot be read"},
		{"port 0", "smtp://u:canary@mail.example.org:0", from, "from 1 to 65535"},
		{"a user without a password", "smtp://canary@mail.example.org", from, "a user and a password, or neither"},
		{"no TLS to another machine", "smtp://u:canary@mail.example.org?tls=off", from, "only for a mail server on this machine"},
		{"no TLS with smtps", "smtps://localhost?tls=off", from, "write smtp://"},
		{"an option", "smtp://u:canary@localhost?tls=on", from, "the only one is tls=off"},
		{"another option", "smtp://u:canary@localhost?verify=no", from, "the only one is tls=off"},
	} {
		_, err := Open(c.url, Options{From: c.from})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v; want %s", c.name, err, c.want)
		}
	}
}
