package smtp

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/mail"
	"trestle.example/internal/testserver/mailserver"
)

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
			s := mailserver.Start(t, c.encryption)
			mailer, err := Open(strings.Replace(c.url, "ADDRESS", s.Address, 1), Options{From: "Shop <shop@example.org>", TLS: s.Trust})
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
			got := s.Take()
			if len(got) != 1 || got[0].User != c.user || got[0].From != "shop@example.org" || got[0].To != "asha@example.com" {
				t.Fatalf("the server received %+v", got)
			}
			checkMessage(t, got[0], text)
		})
	}
}

// checkMessage checks the headers and the text of a message as it arrived.
func checkMessage(t *testing.T, m mailserver.Mail, text string) {
	t.Helper()
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
	if m.Subject != "Passwort für Ämter" || m.Text != text {
		t.Errorf("the subject is %q, the text %q; want %q", m.Subject, m.Text, text)
	}
}

func TestSendReportsWhyNot(t *testing.T) {
	for _, c := range []struct {
		name, encryption, url string
		code                  int // of the server for the recipient
		trusted, permanent    bool
	}{
		{"the server offers no TLS", "", "smtp://ADDRESS", 0, true, false},
		{"the certificate is unknown", "starttls", "smtp://ADDRESS", 0, false, false},
		{"the password is wrong", "starttls", "smtp://shop:canary@ADDRESS", 0, true, false},
		{"the recipient is unknown", "starttls", "smtp://ADDRESS", 550, true, true},
		{"the server is busy", "starttls", "smtp://ADDRESS", 451, true, false},
		{"the server is away", "starttls", "smtp://127.0.0.1:1", 0, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mailserver.Start(t, c.encryption)
			s.Reject(c.code, "asha@example.com cannot be reached now")
			options := Options{From: "shop@example.org"}
			if c.trusted {
				options.TLS = s.Trust
			}
			mailer, err := Open(strings.Replace(c.url, "ADDRESS", s.Address, 1), options)
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
			if c.code == 0 {
				if err := mailer.Check(t.Context()); err == nil || strings.Contains(err.Error(), "canary") {
					t.Errorf("Check: %v", err)
				}
			}
			if len(s.Take()) != 0 {
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

// TestTheEndOfTheConnection: a message that the server accepted is sent, even if the connection
// ends badly after that: an attempt more would send it twice. Send and Check always close the
// connection.
func TestTheEndOfTheConnection(t *testing.T) {
	for _, c := range []struct {
		name, url, closes string // the server closes the connection at this command
		sent              bool
	}{
		{"the server closes it instead of answering RSET", "smtp://ADDRESS?tls=off", "RSET", true},
		{"the server closes it instead of answering QUIT", "smtp://ADDRESS?tls=off", "QUIT", true},
		{"the server closes it before the message", "smtp://ADDRESS?tls=off", "DATA", false},
		{"the server offers no TLS", "smtp://ADDRESS", "", false},
		{"the server offers no sign-in", "smtp://" + credentials + "ADDRESS?tls=off", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			address, messages := plainServer(t, c.closes)
			mailer, err := Open(strings.Replace(c.url, "ADDRESS", address, 1), Options{From: "shop@example.org"})
			if err != nil {
				t.Fatal(err)
			}
			err = mailer.Send(t.Context(), mail.Message{To: "asha@example.com", Subject: "Hello", Text: "Text"})
			if (err == nil) != c.sent {
				t.Errorf("Send: %v; sent: %t", err, c.sent)
			}
			want := map[bool]int{true: 1}[c.sent]
			if n := <-messages; n != want {
				t.Errorf("the server accepted %d messages; want %d", n, want)
			}
			if c.closes != "" {
				return
			}
			if err := mailer.Check(t.Context()); err == nil {
				t.Error("Check found nothing wrong")
			}
			if n := <-messages; n != 0 {
				t.Errorf("after Check: %d", n)
			}
		})
	}
}

// plainServer starts a mail server without TLS and without a sign-in, which closes a connection at
// one command. When a connection ends, it reports how many messages it accepted by it, or -1 if the
// client left the connection open.
func plainServer(t *testing.T, closes string) (address string, messages chan int) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	messages = make(chan int)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			messages <- receive(conn, closes)
		}
	}()
	return listener.Addr().String(), messages
}

// receive answers the commands of a client until the connection ends.
func receive(conn net.Conn, closes string) (accepted int) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second)) // for a client that leaves it open
	say := func(line string) { _, _ = conn.Write([]byte(line + "\r\n")) }
	say("220 ready")
	in := bufio.NewScanner(conn)
	for in.Scan() {
		switch command, _, _ := strings.Cut(in.Text(), " "); {
		case command == closes:
			return accepted
		case command == "DATA":
			say("354 go on")
			for in.Scan() && in.Text() != "." {
			}
			accepted++
			say("250 accepted")
		case command == "QUIT":
			say("221 bye")
		default:
			say("250 ok")
		}
	}
	if errors.Is(in.Err(), os.ErrDeadlineExceeded) {
		return -1
	}
	return accepted
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
