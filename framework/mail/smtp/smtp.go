// Package smtp sends messages to a mail server (RFC 5321).
package smtp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"

	"net"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"

	"trestle.example/framework/mail"
)

// Options are the settings of [Open].
type Options struct {
	// From is the sender, "Shop <shop@example.org>" or only the address. It is required.
	From string
	// Timeout is how long the mail server may take for each step. Defaults to 10 s.
	Timeout time.Duration
	// RootCAs and other settings of TLS, for tests and for servers with a certificate of their
	// own. The name of the server is that of the URL. Defaults to the authorities of the
	// system.
	TLS *tls.Config
}

// A Server is a [mail.Mailer] for one mail server. It opens a connection for each message. It
// is safe for concurrent use.
type Server struct {
	from    *netmail.Address
	host    string
	options []gomail.Option
	tls     *tls.Config // of smtps; nil for smtp
}

var _ mail.Mailer = (*Server)(nil)

// Open returns the mail server of a URL. It does not connect.
//
//	smtp://user:password@mail.example.org:587   TLS by STARTTLS, which is required
//	smtps://user:password@mail.example.org:465  TLS from the beginning
//	smtp://localhost:1025?tls=off               no TLS; only for a server on this machine
//
// The ports above are the defaults. The credentials are optional. They are sent only with TLS,
// or to this machine. An error does not repeat the password.
func Open(address string, o Options) (*Server, error) {
	from, err := netmail.ParseAddress(o.From)
	if err != nil {
		return nil, errors.New("smtp: the sender must be an e-mail address, as in Shop <shop@example.org>")
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("smtp: the URL cannot be read; it must have the form smtp://user:password@host:587")
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	s := &Server{from: from, host: u.Hostname(), options: []gomail.Option{gomail.WithTimeout(o.Timeout), gomail.WithoutNoop()}}
	for _, add := range []func(*url.URL, Options) error{checkParts, s.addTLS, s.addPort, s.addCredentials} {
		if err := add(u, o); err != nil {
			return nil, err
		}
	}
	_, _, err = s.client()
	return s, err
}

// checkParts rejects parts of a URL that have no meaning here.
func checkParts(u *url.URL, _ Options) error {
	switch {
	case u.Scheme != "smtp" && u.Scheme != "smtps":
		return errors.New("smtp: the URL must begin with smtp:// or smtps://")
	case u.Hostname() == "":
		return errors.New("smtp: the URL names no host; it must have the form smtp://user:password@host:587")
	case u.Path != "" && u.Path != "/" || u.Fragment != "":
		return errors.New("smtp: the URL has a path; it must end after the port")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil || len(query) > 1 || len(query) == 1 && (len(query["tls"]) != 1 || query.Get("tls") != "off") {
		return errors.New("smtp: the URL has an unknown option; the only one is tls=off")
	}
	return nil
}

// addTLS adds how TLS begins.
func (s *Server) addTLS(u *url.URL, o Options) error {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.TLS != nil {
		config = o.TLS.Clone()
	}
	config.ServerName = s.host
	off := u.Query().Get("tls") == "off"
	switch {
	case off && u.Scheme == "smtps":
		return errors.New("smtp: smtps:// is with TLS; for tls=off write smtp://")
	case off && !isLocal(s.host):
		return fmt.Errorf("smtp: tls=off is only for a mail server on this machine, such as localhost; %s is another one", s.host)
	case off:
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.NoTLS))
	case u.Scheme == "smtps":
		s.tls, s.options = config, append(s.options, gomail.WithSSL())
	default:
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSMandatory), gomail.WithTLSConfig(config))
	}
	return nil
}

// isLocal reports whether a host is this machine.
func isLocal(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// addPort adds the port of the URL or the default.
func (s *Server) addPort(u *url.URL, _ Options) error {
	port := 587
	if u.Scheme == "smtps" {
		port = 465
	}
	if text := u.Port(); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 65535 {
			return fmt.Errorf("smtp: the port %q must be a number from 1 to 65535", text)
		}
		port = n
	}
	s.options = append(s.options, gomail.WithPort(port))
	return nil
}

// addCredentials adds the user and the password of the URL, if there are any.
func (s *Server) addCredentials(u *url.URL, _ Options) error {
	if u.User == nil {
		return nil
	}
	password, has := u.User.Password()
	if u.User.Username() == "" || !has || password == "" {
		return errors.New("smtp: the URL needs a user and a password, or neither")
	}
	kind := gomail.WithOpportunisticSMTPAuth(methods...)
	if u.Query().Get("tls") == "off" {
		kind = gomail.WithSMTPAuth(gomail.SMTPAuthPlainNoEnc)
	}
	s.options = append(s.options, kind, gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
	return nil
}

// methods are the methods to sign in with TLS, the best first.
var methods = []gomail.SMTPAuthType{
	gomail.SMTPAuthSCRAMSHA256PLUS, gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1PLUS, gomail.SMTPAuthSCRAMSHA1,
	gomail.SMTPAuthCramMD5, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin,
}

// A dialer opens the connection of one client, and closes it. The client itself leaves a
// connection open if TLS or the sign-in fails, or if the server does not answer QUIT.
type dialer struct {
	tls  *tls.Config // nil for a connection that begins without TLS
	conn net.Conn
}

func (d *dialer) dial(ctx context.Context, network, address string) (conn net.Conn, err error) {
	if d.tls != nil {
		conn, err = (&tls.Dialer{Config: d.tls}).DialContext(ctx, network, address)
	} else {
		conn, err = new(net.Dialer).DialContext(ctx, network, address)
	}
	if err == nil {
		d.conn = conn
	}
	return conn, err
}

func (d *dialer) close() {
	if d.conn != nil {
		_ = d.conn.Close() // a second time, after a QUIT
	}
}

// client makes a client for one connection. end closes the connection.
func (s *Server) client() (client *gomail.Client, end func(), err error) {
	d := &dialer{tls: s.tls}
	client, err = gomail.NewClient(s.host, append(slices.Clip(s.options), gomail.WithDialContextFunc(d.dial))...)
	if err != nil {
		return nil, nil, fmt.Errorf("smtp: %w", err)
	}
	return client, d.close, nil
}

// Send implements [mail.Mailer]. If ctx ends while the server receives the message, Send ends at
// the latest after [Options.Timeout]. A message that the server rejects for good (5xx), and one that
// is malformed, is an error that wraps [mail.ErrPermanent].
func (s *Server) Send(ctx context.Context, m mail.Message) error {
	if err := m.Check(); err != nil {
		return err
	}
	message := gomail.NewMsg(gomail.WithCharset(gomail.CharsetUTF8))
	message.FromMailAddress(s.from)
	if err := message.To(m.To); err != nil {
		return fmt.Errorf("smtp: %w: To is not an e-mail address", mail.ErrPermanent)
	}
	message.Subject(m.Subject)
	message.SetDate()
	message.SetMessageID()
	message.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no reply by a program
	message.SetBodyString(gomail.TypeTextPlain, m.Text)
	client, end, err := s.client()
	if err != nil {
		return err
	}
	defer end()
	err = client.DialAndSendWithContext(ctx, message)
	if message.IsDelivered() { // an error after that is one of the end of the connection: another attempt would send it twice
		return nil
	}
	return classify(err)
}

// Check connects to the server, begins TLS and signs in, and sends nothing.
func (s *Server) Check(ctx context.Context) error {
	client, end, err := s.client()
	if err != nil {
		return err
	}
	defer end()
	if err := client.DialWithContext(ctx); err != nil {
		return fmt.Errorf("smtp: %s cannot be used: %w", s.host, err)
	}
	_ = client.Close() // a server may close the connection first
	return nil
}

// classify marks the errors that a later attempt does not change. It leaves out the text of the
// server, which may contain the recipient.
func classify(err error) error {
	if err == nil {
		return nil
	}
	sent, ok := errors.AsType[*gomail.SendError](err)
	switch {
	case !ok:
		return fmt.Errorf("smtp: %w", err)
	case sent.ErrorCode() >= 500 && !sent.IsTemp():
		return fmt.Errorf("smtp: %w: the mail server answers %d", mail.ErrPermanent, sent.ErrorCode())
	case sent.ErrorCode() > 0:
		return fmt.Errorf("smtp: the mail server answers %d", sent.ErrorCode())
	}
	return fmt.Errorf("smtp: %s", sent.Reason)
}
