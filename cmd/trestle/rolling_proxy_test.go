package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trestle.example/internal/testserver/tool"
)

// bothReady is the page where the proxy itself reports whether both servers are ready.
const bothReady = "/proxy/both"

// proxyFile is a usual one for servers that say by /readyz when they are about
// to stop: what is sent already is never sent again.
const proxyFile = `
global
    maxconn 2000
defaults
    mode http
    option redispatch
    retries 3
    retry-on conn-failure
    option forwardfor
    timeout connect 2s
    timeout check 2s
    timeout client 60s
    timeout server 60s
frontend clients
    bind %s
    monitor-uri ` + bothReady + `
    monitor fail if { nbsrv(servers) lt 2 }
    default_backend servers
backend servers
    balance roundrobin
    option httpchk GET /readyz
    default-server check inter 500ms fall 2 rise 1
`

// startProxy starts HAProxy before servers, which need not serve yet, and
// returns its address. Without the program the test is skipped.
func startProxy(t *testing.T, address string, servers []*instance) string {
	t.Helper()
	program, err := tool.HAProxy.Path()
	if err != nil {
		t.Skip("no restart is tried behind a real proxy: ", err)
	}
	text := fmt.Appendf(nil, proxyFile, address)
	for n, s := range servers {
		text = fmt.Appendf(text, "    server s%d %s\n", n, s.address)
	}
	file, said := filepath.Join(t.TempDir(), "haproxy.cfg"), newLogged()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-db", "-f", file)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the proxy said: %s", strings.TrimSpace(said.String()))
		}
	})
	untilSo(t, "the proxy listens", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return address
}
