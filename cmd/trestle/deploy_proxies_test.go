package main

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"trestle.example/internal/testserver/postgres"
	"trestle.example/internal/testserver/redis"
)

// TestProxies sends traffic through each proxy of deploy/, run with its file before two
// servers in production.
func TestProxies(t *testing.T) {
	t.Parallel()
	for name, start := range frontKinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dice := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
			token, servers := behindProxy(t, dice)
			f := start(t, dice, servers)
			v := f.visitor("127.0.1.1", "https", "Authorization", "Token "+token)
			untilSo(t, "both servers get requests", func() bool { got := f.reach(v, servers); return got[0] > 0 && got[1] > 0 })
			t.Run("addresses", f.testAddresses)
			t.Run("scheme and links", func(t *testing.T) { f.testScheme(t, v) })
			t.Run("bodies", func(t *testing.T) { testBodiesBehind(t, v) })
			t.Run("headers", func(t *testing.T) { testHeadersBehind(t, v) })
			t.Run("versions", func(t *testing.T) { testVersionsBehind(t, v, name == "nginx") })
			t.Run("compression", func(t *testing.T) { testCompressionBehind(t, v) })
			if f.renews != nil {
				t.Run("a renewed certificate", f.testRenews)
			}
			t.Run("a server that stops", func(t *testing.T) { f.testTakesOut(t, v, servers) })
			t.Run("no server", func(t *testing.T) { testNoServer(t, v, servers) })
		})
	}
}

// behindProxy starts two servers on one database, and returns a token of a user.
func behindProxy(t *testing.T, dice *rand.Rand) (token string, servers []*instance) {
	t.Helper()
	database := postgres.Database(t)
	r := newRig(t, database)
	r.ok("migrate up")
	r.ok("seed --patients 100 --appointments 20 --products 50")
	env := []string{
		"DATABASE_URL=" + database, "REDIS_URL=" + redis.Server(t), "TRESTLE_JWT_KEYS=" + strings.TrimSpace(r.ok("jwt keygen")), "TRESTLE_DB_CONNS=4",
		"TRESTLE_ENV=production", "TRESTLE_LOG=json", "TRESTLE_PUBLIC_URL=https://localhost", "TRESTLE_TRUSTED_PROXIES=127.0.0.1",
		"TRESTLE_SMTP_URL=" + aMailServer, "TRESTLE_MAIL_FROM=" + aSender,
		"TRESTLE_DRAIN_DELAY=1m", // the test ends it
		"TRESTLE_RATES=login=1000/min,login_address=3/min",
	}
	for range 2 {
		s := newInstance(t, freeAddress(t, dice), nil, env)
		s.begin()
		servers = append(servers, s)
	}
	return tokenOf(r, triedOut), servers
}

// testRenews: a reload serves the renewed certificate, and a client that has an open connection
// gets the answer to its next request.
func (f *front) testRenews(t *testing.T) {
	open := f.dial(t)
	defer open.Close()
	exchange := func(when string) {
		t.Helper()
		if _, err := io.WriteString(open, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatalf("%s the reload: %v", when, err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(open), nil)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s the reload the answer is %v: %v", when, answer, err)
		}
		if err := answer.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
	exchange("before")
	f.renews(t)
	untilSo(t, "the renewed certificate is served", func() bool {
		fresh := f.dial(t)
		defer fresh.Close()
		return fresh.ConnectionState().PeerCertificates[0].SerialNumber.Int64() == 2
	})
	exchange("after")
}

// dial opens a connection for HTTP/1.1 to the front.
func (f *front) dial(t *testing.T) *tls.Conn {
	t.Helper()
	conn, err := tls.Dial("tcp", f.secure, &tls.Config{RootCAs: f.roots, ServerName: "localhost"})
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// drain makes the server stop. It still accepts requests until its delay is over.
func (i *instance) drain() {
	i.t.Helper()
	if err := i.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		i.t.Fatal(err)
	}
	untilSo(i.t, "the server reports that it stops", func() bool { return healthOf(i.address, "/readyz") == http.StatusServiceUnavailable })
}

// answered reports whether the server has logged the request with an id.
func (i *instance) answered(id string) bool {
	text, err := os.ReadFile(i.log)
	if err != nil {
		i.t.Fatal(err)
	}
	return strings.Contains(string(text), id)
}

// reach sends 50 requests, and returns how many of them each server answered.
func (f *front) reach(v visitor, servers []*instance) (answered [2]int) {
	f.t.Helper()
	for range 50 {
		id := v.send(f.t, "GET /api/products", "").header.Get("X-Request-Id")
		untilSo(f.t, "a server has logged the request "+id, func() bool {
			for n, s := range servers {
				if s.answered(id) {
					answered[n]++
					return true
				}
			}
			return id == "" // no server answered
		})
	}
	return answered
}

// testAddresses: the servers count failed logins for the address from which the client
// connects to the proxy, whatever the client writes into headers.
func (f *front) testAddresses(t *testing.T) {
	login := func(from string, i int) answer {
		spoofed := fmt.Sprintf("198.51.100.%d", i)
		v := f.visitor(from, "https", "X-Forwarded-For", spoofed, "X-Real-Ip", spoofed, "Forwarded", "for="+spoofed)
		return v.send(t, "POST /api/auth/login", wrongPassword(i))
	}
	for range 2 {
		from, got := fmt.Sprintf("127.%d.%d.%d", 1+f.dice.IntN(250), f.dice.IntN(250), 1+f.dice.IntN(250)), []int{}
		for i := range 5 {
			a := login(from, i)
			if got = append(got, a.status); a.header.Get("RateLimit") == "" {
				t.Error("a login is answered without RateLimit")
			}
		}
		if want := []int{401, 401, 401, 429, 429}; !slices.Equal(got, want) {
			t.Errorf("5 failed logins from %s are answered with %v; want %v, each address by itself", from, got, want)
		}
	}
}

// testScheme: links and redirects lead to HTTPS, and credentials in the clear do not
// reach the API.
func (f *front) testScheme(t *testing.T, v visitor) {
	page := v.with("X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "http").send(t, "GET /api/patients/", "")
	page.is(t, http.StatusOK, `"next":"https://localhost/api/patients/?page=2"`)
	plain := f.visitor("127.0.1.1", "http", "Authorization", v.header.Get("Authorization"), "X-Forwarded-Proto", "https")
	got := plain.send(t, "GET /api/patients/?page=2", "").is(t, http.StatusPermanentRedirect)
	if to := got.header.Get("Location"); strings.Replace(to, ":"+portOf(f.secure), "", 1) != "https://localhost/api/patients/?page=2" {
		t.Errorf("HTTP is redirected to %q; want the same path by HTTPS", to)
	}
}

// testBodiesBehind: the servers decide which body is too large, not the proxy.
func testBodiesBehind(t *testing.T, v visitor) {
	const limit = 1 << 20
	for name, test := range map[string]struct {
		size, status int
		says         string
	}{
		"small":            {0, http.StatusCreated, `"id"`},
		"1 MiB":            {limit, http.StatusCreated, `"id"`},
		"1 MiB and 1 byte": {limit + 1, http.StatusRequestEntityTooLarge, `"body_too_large"`},
		"8 MiB":            {8 * limit, http.StatusRequestEntityTooLarge, `"body_too_large"`},
	} {
		t.Run(name, func(t *testing.T) {
			body := `{"name": "Zara Behind", "phone": "555 0100"}`
			body += strings.Repeat(" ", max(0, test.size-len(body)))
			got := v.send(t, "POST /api/patients/", body).is(t, test.status, test.says)
			if kind := got.header.Get("Content-Type"); test.status >= 400 && kind != "application/problem+json" {
				t.Errorf("the error's content type is %q; want the server's own", kind)
			}
		})
	}
}

// testHeadersBehind: what servers write into the head of an answer reaches the client,
// and errors are the servers' own.
func testHeadersBehind(t *testing.T, v visitor) {
	for request, test := range map[string]struct {
		status int
		header string
	}{
		"GET /api/patients/?citty=x":                             {http.StatusOK, "Trestle-Ignored"},
		"GET /api/products?limit=1":                              {http.StatusOK, "X-Request-Id"},
		"GET /api/docs":                                          {http.StatusOK, "ETag"},
		"HEAD /api/patients/":                                    {http.StatusOK, "X-Request-Id"},
		"OPTIONS /api/patients/":                                 {http.StatusOK, "Allow"},
		"DELETE /api/products":                                   {http.StatusMethodNotAllowed, "Allow"},
		"GET /api/patients/a%2Fb/":                               {http.StatusNotFound, "X-Request-Id"},
		"GET /api/patients/?search=" + strings.Repeat("a", 9000): {http.StatusRequestURITooLong, "X-Request-Id"},
	} {
		got := v.send(t, request, "")
		if got.status != test.status || got.header.Get(test.header) == "" {
			t.Errorf("%.60s is answered with %d and the header %s: %q; want %d", request, got.status, test.header, got.header.Get(test.header), test.status)
		}
		if kind := got.header.Get("Content-Type"); got.status >= 400 && kind != "application/problem+json" {
			t.Errorf("%.60s is answered with %q; want a problem of the server", request, kind)
		}
	}
	page := v.send(t, "GET /api/docs", "")
	v.with("If-None-Match", page.header.Get("ETag")).send(t, "GET /api/docs", "").is(t, http.StatusNotModified)
}

// testVersionsBehind: clients send ETags as If-Match and If-None-Match, also those that a proxy has
// made weak because it compresses answers.
func testVersionsBehind(t *testing.T, v visitor, compresses bool) {
	body := func(name string) string { return `{"name": "` + name + `", "phone": "12345", "city": "Pune"}` }
	tagIn := func(r answer) string {
		tag := r.header.Get("ETag")
		if strings.HasPrefix(tag, "W/") != compresses || tag == "" {
			t.Errorf("the ETag is %q; a proxy that compresses makes it weak: %t", tag, compresses)
		}
		return tag
	}
	made := v.send(t, "POST /api/patients/", body("Asha Rao")).is(t, http.StatusCreated)
	at := strings.TrimPrefix(made.header.Get("Location"), "https://localhost")
	first := tagIn(v.send(t, "GET "+at, "").is(t, http.StatusOK))
	v.with("If-None-Match", first).send(t, "GET "+at, "").is(t, http.StatusNotModified)
	second := tagIn(v.with("If-Match", first).send(t, "PUT "+at, body("Asha Das")).is(t, http.StatusOK))
	for _, method := range []string{"PUT", "PATCH", "DELETE"} {
		got := v.with("If-Match", first).send(t, method+" "+at, body("Lost")).is(t, http.StatusPreconditionFailed)
		if tag := strings.TrimPrefix(got.header.Get("ETag"), "W/"); tag != strings.TrimPrefix(second, "W/") {
			t.Errorf("%s: the 412 has the ETag %s; want %s", method, tag, second)
		}
	}
	v.with("If-None-Match", first).send(t, "GET "+at, "").is(t, http.StatusOK)
	v.with("If-Match", second).send(t, "DELETE "+at, "").is(t, http.StatusNoContent)
}

// testTakesOut: a server that stops, or that nginx's file names as down, still answers
// and gets no new requests.
func (f *front) testTakesOut(t *testing.T, v visitor, servers []*instance) {
	f.takesOut(servers[0])
	untilSo(t, "one server gets all requests", func() bool { return f.reach(v, servers) == [2]int{0, 50} })
	if got := healthOf(servers[0].address, "/livez"); got != http.StatusOK {
		t.Errorf("the server that gets no requests answers %d at /livez; want 200, or the test shows nothing", got)
	}
}

// testNoServer: without any server the proxy answers with a problem too.
func testNoServer(t *testing.T, v visitor, servers []*instance) {
	for _, s := range servers {
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
	var got answer
	untilSo(t, "the proxy reports that no server answers", func() bool {
		got = v.send(t, "GET /api/products", "")
		return got.status == http.StatusServiceUnavailable || got.status == http.StatusBadGateway
	})
	if kind := got.header.Get("Content-Type"); kind != "application/problem+json" || !strings.Contains(got.body, fmt.Sprintf(`"status":%d`, got.status)) {
		t.Errorf("without a server the answer is %d, %q: %s", got.status, kind, got.body)
	}
	if got.status == http.StatusServiceUnavailable && got.header.Get("Retry-After") == "" {
		t.Error("a 503 has no Retry-After")
	}
}
