package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"trestle.example/internal/testserver/selfsigned"
	"trestle.example/internal/testserver/tool"
)

// A front is a real proxy that runs with its file of deploy/ before two servers.
type front struct {
	t       *testing.T
	dice    *rand.Rand
	program *exec.Cmd
	plain   string // the address at which it takes HTTP
	secure  string // the address at which it takes HTTPS
	roots   *x509.CertPool
	// takesOut stops requests to a server, in the way that the file describes.
	takesOut func(s *instance)
	// renews replaces the certificate by another one and reloads the proxy. It is nil if the file
	// does not describe it.
	renews func(t *testing.T)
}

// frontKinds start each proxy of deploy/ before two servers.
func frontKinds() map[string]func(t *testing.T, dice *rand.Rand, servers []*instance) *front {
	return map[string]func(t *testing.T, dice *rand.Rand, servers []*instance) *front{
		"haproxy": startHAProxy, "nginx": startNginx, "caddy": startCaddy,
	}
}

// deployed is a file of deploy/ with its example values replaced, old and new in
// turn. Each of the old values must be in the file.
func deployed(t *testing.T, name string, values ...string) string {
	t.Helper()
	text := project(t, "deploy/"+name)
	for i := 0; i < len(values); i += 2 {
		if !strings.Contains(text, values[i]) {
			t.Fatalf("deploy/%s lacks %q, which the test replaces", name, values[i])
		}
	}
	return strings.NewReplacer(values...).Replace(text)
}

// run starts the proxy of a front, and waits until it listens.
func (f *front) run(program tool.Tool, args ...string) *front {
	f.t.Helper()
	path, err := program.Path()
	if err != nil {
		f.t.Fatal(err)
	}
	said, folder := newLogged(), f.t.TempDir()
	f.program = exec.Command(path, args...)
	f.program.Env = append(os.Environ(), "HOME="+folder, "XDG_DATA_HOME="+folder, "XDG_CONFIG_HOME="+folder)
	f.program.Stdout, f.program.Stderr = said, said
	if err := f.program.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		_ = f.program.Process.Signal(syscall.SIGTERM) // nginx ends its workers then
		_ = f.program.Wait()
		if f.t.Failed() {
			f.t.Logf("the proxy said: %s", said)
		}
	})
	untilSo(f.t, "the proxy listens", func() bool {
		conn, err := tls.Dial("tcp", f.secure, &tls.Config{ServerName: "localhost", InsecureSkipVerify: true}) // its certificate is checked later
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	if f.roots == nil { // Caddy makes its own authority
		f.roots = rootsOf(f.t, filepath.Join(folder, "caddy", "pki", "authorities", "local", "root.crt"))
	}
	return f
}

func rootsOf(t *testing.T, file string) *x509.CertPool {
	t.Helper()
	cert, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(cert) {
		t.Fatalf("%s has no certificate", file)
	}
	return roots
}

// newFront is a front at two free addresses, with a certificate of localhost.
func newFront(t *testing.T, dice *rand.Rand) (*front, selfsigned.Files) {
	t.Helper()
	files := selfsigned.NewFiles(t)
	return &front{t: t, dice: dice, plain: freeAddress(t, dice), secure: freeAddress(t, dice), roots: rootsOf(t, files.Cert)}, files
}

func startHAProxy(t *testing.T, dice *rand.Rand, servers []*instance) *front {
	t.Helper()
	f, files := newFront(t, dice)
	folder := t.TempDir()
	both := filepath.Join(folder, "both.pem")
	writePair(t, both, files)
	file := filepath.Join(folder, "haproxy.cfg")
	putFile(t, file, deployed(t, "haproxy.cfg",
		"bind :80\n", "bind "+f.plain+"\n", "bind :443 ", "bind "+f.secure+" ", "/etc/haproxy/trestle.pem", both,
		"10.0.0.11:8080", servers[0].address, "10.0.0.12:8080", servers[1].address))
	f.takesOut = (*instance).drain
	f.renews = func(t *testing.T) {
		t.Helper()
		cert, key := selfsigned.Make(t, 2, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
		files.Write(t, cert, key)
		writePair(t, both, files)
		f.roots.AppendCertsFromPEM(cert)
		if err := f.program.Process.Signal(syscall.SIGUSR2); err != nil { // as systemctl reload does
			t.Fatal(err)
		}
	}
	return f.run(tool.HAProxy, "-W", "-f", file)
}

// writePair writes a certificate and its key into one file.
func writePair(t *testing.T, to string, files selfsigned.Files) {
	t.Helper()
	var pems []byte
	for _, file := range []string{files.Cert, files.Key} {
		pem, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pems = append(pems, pem...)
	}
	putFile(t, to, string(pems))
}

func startCaddy(t *testing.T, dice *rand.Rand, servers []*instance) *front {
	t.Helper()
	f, _ := newFront(t, dice)
	f.roots = nil
	file := filepath.Join(t.TempDir(), "Caddyfile")
	putFile(t, file, deployed(t, "Caddyfile",
		"\tadmin off\n", "\tadmin off\n\tskip_install_trust\n\thttp_port "+portOf(f.plain)+"\n\thttps_port "+portOf(f.secure)+"\n",
		"server1:8080", servers[0].address, "server2:8080", servers[1].address))
	f.takesOut = (*instance).drain
	return f.run(tool.Caddy, "run", "--adapter", "caddyfile", "--config", file)
}

func startNginx(t *testing.T, dice *rand.Rand, servers []*instance) *front {
	t.Helper()
	f, files := newFront(t, dice)
	folder := t.TempDir()
	site, main := filepath.Join(folder, "trestle.conf"), filepath.Join(folder, "nginx.conf")
	text := deployed(t, "nginx.conf",
		"listen 80;", "listen "+f.plain+";", "listen 443 ", "listen "+f.secure+" ", "api.example.org", "localhost",
		"/etc/nginx/trestle.crt", files.Cert, "/etc/nginx/trestle.key", files.Key,
		"10.0.0.11:8080", servers[0].address, "10.0.0.12:8080", servers[1].address)
	putFile(t, site, text)
	// What Debian's own file has around those of conf.d, and JSON is compressed.
	putFile(t, main, "daemon off; pid "+folder+"/pid; error_log stderr; events {}\n"+
		"http { sendfile on; tcp_nopush on; types_hash_max_size 2048; gzip on; gzip_types application/json; gzip_proxied any; access_log off; include "+site+"; }\n")
	f.takesOut = func(s *instance) {
		putFile(t, site, strings.Replace(text, "server "+s.address, "server "+s.address+" down", 1))
		old := workersOf(t, f.program.Process.Pid)
		if err := f.program.Process.Signal(syscall.SIGHUP); err != nil { // nginx -s reload
			t.Fatal(err)
		}
		// Requests wait for the new workers: old ones of nginx 1.22 break off answers.
		untilSo(t, "the old workers have ended", func() bool {
			now := workersOf(t, f.program.Process.Pid)
			return len(now) > 0 && !slices.ContainsFunc(now, func(pid string) bool { return slices.Contains(old, pid) })
		})
	}
	return f.run(tool.Nginx, "-c", main, "-p", folder)
}

// workersOf are the ids of the processes that a process started.
func workersOf(t *testing.T, pid int) []string {
	t.Helper()
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(children))
}

func portOf(address string) string {
	_, port, _ := strings.Cut(address, ":")
	return port
}

// visitor is a client of the front that connects from an address of the machine and
// reaches the front under the name localhost, in the clear or not.
func (f *front) visitor(from, scheme string, headers ...string) visitor {
	f.t.Helper()
	to := f.secure
	if scheme == "http" {
		to = f.plain
	}
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	transport := &http.Transport{
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dialer.DialContext(ctx, "tcp", to) },
		TLSClientConfig:   &tls.Config{RootCAs: f.roots, ServerName: "localhost"},
		ForceAttemptHTTP2: true,
	}
	f.t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport, Timeout: waitLimit, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return visitor{scheme + "://localhost", client, http.Header{}}.with(headers...)
}
