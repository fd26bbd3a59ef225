package address

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun/driver/pgdriver"
)

// postgresParameters are the parameters of a PostgreSQL URL. Any other is an error: other
// settings belong to the role of the database.
var postgresParameters = []string{
	"host", "port", "sslmode", "sslrootcert", "sslcert", "sslkey", "application_name", "connect_timeout", targetParameter,
	"timezone", "statement_timeout", "lock_timeout", "synchronous_commit", "search_path",
}

// sessionParameters are the parameters that set a value in each session.
var sessionParameters = []string{"timezone", "statement_timeout", "lock_timeout", "synchronous_commit", "search_path"}

// Server is what the URL of a PostgreSQL database contains.
type Server struct {
	Hosts    []pgdriver.Config // one for each host of the URL
	Target   Target
	Settings map[string]string // the settings of each session
	Limit    time.Duration     // of making a connection to one host
}

const (
	// connectTimeout limits how long making a connection to one host takes: dialling, TLS,
	// logging in and the settings of the session.
	connectTimeout = 10 * time.Second
	// hostTimeout replaces connectTimeout if there are several hosts. hostTimeoutMost is
	// then the longest limit that connect_timeout can set: the attempt to reach a host that is
	// down must end before the pulse reports that all are down (aloneTicks in package postgres).
	hostTimeout     = 2 * time.Second
	hostTimeoutMost = 5 * time.Second
)

// ReadServer reads the URL of a PostgreSQL database and the certificates that it names.
func ReadServer(raw string) (*Server, error) {
	u, hosts, err := splitPostgresURL(raw)
	var p *Server
	if err == nil {
		p, err = postgresOf(u, hosts)
	}
	if err != nil {
		return nil, Fault(raw, err.Error(), PostgresExample)
	}
	return p, nil
}

// splitPostgresURL splits a URL into its hosts and the rest; u has the first host. As in libpq
// several hosts are separated by commas.
func splitPostgresURL(raw string) (u *url.URL, hosts []string, err error) {
	scheme, rest, _ := strings.Cut(raw, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, path := rest[:end], rest[end:]
	if strings.ContainsAny(path, "@#") { // it is the end of a password, which must not be shown
		return nil, nil, errors.New("there is an @ or a # after the host; escape special characters of the password (/ as %2F, ? as %3F, # as %23), and an @ elsewhere as %40")
	}
	at := strings.LastIndex(authority, "@") + 1
	hosts = strings.Split(authority[at:], ",")
	u, err = url.Parse(scheme + "://" + authority[:at] + hosts[0] + path)
	if err != nil {
		return nil, nil, errors.New(parseFault(err))
	}
	return u, hosts, nil
}

// postgresOf reads the parameters of a URL that is split.
func postgresOf(u *url.URL, hosts []string) (*Server, error) {
	query, err := postgresQuery(u)
	if err != nil {
		return nil, err
	}
	p := &Server{Settings: map[string]string{}}
	for _, name := range sessionParameters {
		if v := query.Get(name); v != "" {
			p.Settings[name] = v
		}
	}
	if p.Target, err = readTarget(query.Get(targetParameter)); err != nil {
		return nil, err
	}
	addresses, err := postgresAddresses(hosts, query)
	if err != nil {
		return nil, err
	}
	if p.Limit, err = connectLimit(query.Get("connect_timeout"), len(addresses)); err != nil {
		return nil, err
	}
	files, err := readCertificates(query)
	if err != nil {
		return nil, err
	}
	for _, a := range addresses {
		p.Hosts = append(p.Hosts, driverConfig(u, a, query, files))
	}
	return p, nil
}

// postgresQuery returns the parameters of a URL; of a repeated one, the last value counts. An
// unknown parameter or a wrong sslmode is an error.
func postgresQuery(u *url.URL) (url.Values, error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errors.New("its parameters cannot be read; write them as name=value, separated by &, and a literal percent sign as %25")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(postgresParameters, name) {
			return nil, fmt.Errorf("there is no parameter %s; there are %s. Other settings belong to the role: ALTER ROLE app SET name = value",
				shownName(name), strings.Join(postgresParameters, ", "))
		}
		query.Set(name, query[name][len(query[name])-1])
	}
	return query, checkMode(query.Get("sslmode"))
}

var plainParameter = regexp.MustCompile(`^[a-z][a-z_]{0,39}$`)

// shownName returns the name of a parameter for an error. A name with other characters than
// lower-case letters and underscores may be a part of a password, and is not shown.
func shownName(name string) string {
	if plainParameter.MatchString(name) {
		return strconv.Quote(name)
	}
	return "of that name"
}

// address is where a server listens.
type address struct {
	network, addr string // as Go dials it
	name          string // the name that its certificate must have
}

func (a address) local() bool { return isLocal(a.network, a.addr) }

// postgresAddresses returns the addresses of a URL. As in libpq the host parameter
// replaces all hosts, and a host that begins with a slash is the folder of a Unix socket.
// The port parameter is for hosts without a port; it defaults to 5432.
func postgresAddresses(hosts []string, query url.Values) ([]address, error) {
	if list := query.Get("host"); list != "" {
		hosts = withPorts(hosts, bracketed(strings.Split(list, ",")))
	}
	ports := strings.Split(query.Get("port"), ",")
	if len(ports) != 1 && len(ports) != len(hosts) {
		return nil, fmt.Errorf("it has %d ports for %d hosts; write one port, or one for each host", len(ports), len(hosts))
	}
	var all []address
	for i, host := range hosts {
		if host == "" && len(hosts) > 1 {
			return nil, errors.New("a host of the list is empty; write host1,host2 without a comma at an end")
		}
		a, err := addressOf(host, cmp.Or(ports[i%len(ports)], "5432"))
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// withPorts adds the port of a URL that has a port but no host before its path to each host
// of the host parameter: postgres://:6432/name?host=/run/postgresql.
func withPorts(before, hosts []string) []string {
	if len(before) != 1 || strings.TrimPrefix(before[0], ":") == before[0] {
		return hosts
	}
	for i, h := range hosts {
		hosts[i] = h + before[0]
	}
	return hosts
}

// bracketed adds brackets to IPv6 addresses. In the host parameter they need none.
func bracketed(hosts []string) []string {
	for i, h := range hosts {
		if a, err := netip.ParseAddr(h); err == nil && a.Is6() {
			hosts[i] = "[" + h + "]"
		}
	}
	return hosts
}

// addressOf reads one host, with or without its port. port is for a host without one.
func addressOf(host, port string) (address, error) {
	if strings.HasPrefix(host, "/") {
		folder, own, ok := strings.Cut(host, ":")
		if ok {
			port = own
		}
		if !strings.Contains(folder, ".s.PGSQL.") {
			folder = strings.TrimRight(folder, "/") + "/.s.PGSQL." + port
		}
		return address{network: "unix", addr: folder}, nil
	}
	u, err := url.Parse("postgres://" + host)
	if err != nil {
		return address{}, errors.New(parseFault(err))
	}
	if u.Path != "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return address{}, errors.New("a host is not a name, an address or the folder of a socket")
	}
	if strings.Contains(u.Hostname(), ":") && !strings.HasPrefix(u.Host, "[") {
		return address{}, errors.New("a host has more than one colon; write host:port, and an address of IPv6 in brackets, [::1]:5432")
	}
	if own := u.Port(); own != "" {
		port = own
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return address{}, errors.New("a port is not a number from 1 to 65535")
	}
	name := cmp.Or(u.Hostname(), "localhost")
	return address{"tcp", net.JoinHostPort(name, port), name}, nil
}

// connectLimit reads connect_timeout: seconds, or a duration of Go such as "500ms". As in
// libpq it is the limit of each host. Without a value, or with 0, it returns the default.
// With several hosts it returns hostTimeoutMost at most.
func connectLimit(text string, hosts int) (time.Duration, error) {
	limit, most := connectTimeout, time.Duration(0)
	if hosts > 1 {
		limit, most = hostTimeout, hostTimeoutMost
	}
	if text != "" {
		seconds, err := strconv.Atoi(text)
		given := time.Duration(seconds) * time.Second
		if err != nil {
			given, err = time.ParseDuration(text)
		}
		if err != nil || given < 0 {
			return 0, errors.New("connect_timeout is not a number of seconds; write for example connect_timeout=5")
		}
		limit = cmp.Or(given, limit)
	}
	if most > 0 {
		limit = min(limit, most)
	}
	return limit, nil
}

// certificates are the contents of the files that a URL names.
type certificates struct {
	roots *x509.CertPool // nil: the roots of the system
	own   []tls.Certificate
}

func readCertificates(query url.Values) (c certificates, err error) {
	if path := query.Get("sslrootcert"); path != "" {
		content, err := os.ReadFile(path)
		if err != nil {
			return c, fmt.Errorf("sslrootcert: the root CA cannot be read: %w", err)
		}
		if c.roots = x509.NewCertPool(); !c.roots.AppendCertsFromPEM(content) {
			return c, fmt.Errorf("sslrootcert: %s holds no certificate of a root CA in PEM", path)
		}
	}
	cert, key := query.Get("sslcert"), query.Get("sslkey")
	if cert == "" && key == "" {
		return c, nil
	}
	own, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return c, fmt.Errorf("sslcert and sslkey, which go together: %w", err)
	}
	c.own = []tls.Certificate{own}
	return c, nil
}

func driverConfig(u *url.URL, a address, query url.Values, files certificates) pgdriver.Config {
	o := []pgdriver.Option{
		pgdriver.WithNetwork(a.network), pgdriver.WithAddr(a.addr), pgdriver.WithDatabase(strings.TrimPrefix(u.Path, "/")),
		pgdriver.WithApplicationName(query.Get("application_name")), pgdriver.WithTLSConfig(a.tls(query, files)),
		pgdriver.WithDialTimeout(0), pgdriver.WithReadTimeout(0), pgdriver.WithTracing(false), // contexts have deadlines
	}
	if name := u.User.Username(); name != "" {
		o = append(o, pgdriver.WithUser(name))
	}
	if password, ok := u.User.Password(); ok {
		o = append(o, pgdriver.WithPassword(password))
	}
	return *pgdriver.NewConnector(o...).Config()
}

// tls returns the configuration of TLS, nil for a connection without encryption. Without
// sslmode, a server on another machine is verified as with verify-full, and so is one on this
// machine with sslrootcert; any other connection is not encrypted. A Unix socket never is.
func (a address) tls(query url.Values, files certificates) *tls.Config {
	mode := query.Get("sslmode")
	if mode == "" && (!a.local() || files.roots != nil) {
		mode = "verify-full"
	}
	if mode == "require" && files.roots != nil { // as in libpq
		mode = "verify-ca"
	}
	conf := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: a.name, RootCAs: files.roots, Certificates: files.own}
	switch {
	case a.network == "unix", mode == "", mode == "disable":
		return nil
	case mode == "require":
		conf.InsecureSkipVerify = true
	case mode == "verify-ca":
		conf.InsecureSkipVerify = true // only the name is not verified
		conf.VerifyConnection = func(s tls.ConnectionState) error { return verifyChain(s, files.roots) }
	}
	return conf
}

// verifyChain checks that a server's certificate is signed by a root and valid at this time,
// but not its name.
func verifyChain(s tls.ConnectionState, roots *x509.CertPool) error {
	between := x509.NewCertPool()
	for _, c := range s.PeerCertificates[1:] {
		between.AddCert(c)
	}
	_, err := s.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between})
	return err
}

// Link describes how the program reaches the database. If there are several hosts, a field is
// true only if it is true for each of them.
type Link struct {
	Local     bool // the connection does not leave this machine
	Encrypted bool
	Verified  bool // the server's certificate is checked, with verify-ca without its name
}

// Link returns the link of the URL.
func (p *Server) Link() Link {
	l := Link{Local: true, Encrypted: true, Verified: true}
	for _, h := range p.Hosts {
		t := h.TLSConfig
		l.Local = l.Local && isLocal(h.Network, h.Addr)
		l.Encrypted = l.Encrypted && t != nil
		l.Verified = l.Verified && t != nil && (!t.InsecureSkipVerify || t.VerifyConnection != nil)
	}
	return l
}

// PooledSetting returns the name of a setting that a pooler would hand to other clients,
// "" for none. Poolers keep the time zone for each client.
func (p *Server) PooledSetting() string {
	for _, name := range sessionParameters {
		if p.Settings[name] != "" && name != "timezone" {
			return name
		}
	}
	return ""
}
