package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trestle.example/internal/testserver/selfsigned"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	files := selfsigned.NewFiles(t)
	for name, env := range map[string][]string{"in the clear": nil, "by TLS": files.Env()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, r *rig) {
				s := r.start(t, env...)
				_, address, _ := strings.Cut(s.base, "://")
				asking := newRig(t, strings.TrimPrefix(r.env[0], "DATABASE_URL="), append(env, "TRESTLE_ADDR="+address)...)
				if said := asking.ok("health"); !strings.Contains(said, `"status"`) || strings.Count(said, "\n") != 1 {
					t.Errorf("it prints %q; want what the server says, in a line", said)
				}
			})
		})
	}
}

func TestHealthOfAServerThatIsNotReady(t *testing.T) {
	t.Parallel()
	var asked string
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method + " " + r.URL.String()
		http.Error(w, `{"status":"stopping"}`, http.StatusServiceUnavailable)
	}))
	defer busy.Close()
	address := strings.TrimPrefix(busy.URL, "http://")
	for name, test := range map[string]struct {
		env  []string
		code int
		says string
	}{
		"one that says so":        {[]string{"TRESTLE_ADDR=" + address}, exitFailure, `is not ready: 503 Service Unavailable: {"status":"stopping"}`},
		"one that is not there":   {[]string{"TRESTLE_ADDR=127.0.0.1:1"}, exitFailure, "the server at 127.0.0.1:1 does not answer"},
		"one with another TLS":    {append(selfsigned.NewFiles(t).Env(), "TRESTLE_ADDR="+address), exitFailure, "does not answer"},
		"one on any port":         {[]string{"TRESTLE_ADDR=:0"}, exitUsage, "set TRESTLE_ADDR to a port"},
		"a certificate not there": {[]string{"TRESTLE_ADDR=" + address, "TRESTLE_TLS_CERT=/nowhere.pem", "TRESTLE_TLS_KEY=/nowhere.pem"}, exitFailure, "the server's certificate cannot be read"},
		"a wrong setting":         {[]string{"TRESTLE_ADDR=x"}, exitUsage, "TRESTLE_ADDR"},
	} {
		t.Run(name, func(t *testing.T) {
			got := newRig(t, sqliteURL(t), test.env...).run("health")
			got.is(t, test.code, test.says)
			if got.stdout != "" {
				t.Errorf("it prints %q", got.stdout)
			}
		})
	}
	if asked != "GET /readyz" {
		t.Errorf("the server was asked %q; want GET /readyz", asked)
	}
}
