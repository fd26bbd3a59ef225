package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
)

const freePort = "TRESTLE_METRICS_ADDR=127.0.0.1:0"

// metricsBase is where a server that runs serves its metrics.
func (s *running) metricsBase() string {
	return "http://" + s.log.find(regexp.MustCompile(`msg="serving metrics" address=(\S+)`))[1]
}

// plainRequest returns the status and the body of a plain request.
func plainRequest(t *testing.T, method, url string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	got, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: waitLimit}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got.StatusCode, string(body)
}

// TestMetricsAreServedApart from the API, and end with the server.
func TestMetricsAreServedApart(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		var metrics string
		t.Run("serving", func(t *testing.T) {
			s := r.start(t, freePort)
			metrics = s.metricsBase()
			plainRequest(t, "GET", s.base+"/api/")
			plainRequest(t, "GET", s.base+"/nowhere")
			for _, test := range []struct {
				method, url string
				status      int
				says        string
			}{
				{"GET", metrics + "/metrics", 200, `http_requests_total{method="GET",route="/api/",status="200"} 1`},
				{"GET", metrics + "/metrics", 200, `http_requests_total{method="GET",route="",status="404"} 1`},
				{"GET", metrics + "/metrics", 200, `go_sql_max_open_connections{db_name=`},
				{"HEAD", metrics + "/metrics", 200, ""},
				{"POST", metrics + "/metrics", 405, ""},
				{"GET", metrics + "/", 404, ""},
				{"GET", metrics + "/api/", 404, ""},
				{"GET", s.base + "/metrics", 404, "not_found"},
			} {
				if status, body := plainRequest(t, test.method, test.url); status != test.status || !strings.Contains(body, test.says) {
					t.Errorf("%s %s answers %d; want %d, %s:\n%s", test.method, test.url, status, test.status, test.says, body)
				}
			}
		})
		if c, err := net.Dial("tcp", strings.TrimPrefix(metrics, "http://")); err == nil {
			c.Close()
			t.Error("metrics are served after the server's end")
		}
	})
}

// TestNothingWatchesWithoutSettings: no listener, and no metrics beside the API.
func TestNothingWatchesWithoutSettings(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		s := r.start(t)
		if status, _ := plainRequest(t, "GET", s.base+"/metrics"); status != http.StatusNotFound || strings.Contains(s.log.String(), "serving metrics") {
			t.Errorf("/metrics is %d: %s", status, s.log)
		}
	})
}

// TestWatchingThatCannotBegin: the error is reported before the server serves.
func TestWatchingThatCannotBegin(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	for name, test := range map[string]struct {
		env  string
		code int
		says string
	}{
		"metrics at an address in use":   {"TRESTLE_METRICS_ADDR=" + taken.Addr().String(), exitFailure, "set TRESTLE_METRICS_ADDR to another address"},
		"metrics at no address":          {"TRESTLE_METRICS_ADDR=9464", exitUsage, "TRESTLE_METRICS_ADDR is \"9464\": it must be a host and a port"},
		"metrics where the API is":       {"TRESTLE_METRICS_ADDR=127.0.0.1:8080", exitUsage, "the API is served there"},
		"a collector without a scheme":   {"OTEL_EXPORTER_OTLP_ENDPOINT=hidden:4318", exitUsage, "OTEL_EXPORTER_OTLP_ENDPOINT: it must be a URL"},
		"a collector with a password":    {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://a:hidden@b/", exitUsage, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: it must not contain a user"},
		"a sampler that there is not":    {"OTEL_TRACES_SAMPLER=sometimes", exitUsage, `"sometimes" is not a sampler`},
		"a ratio that is none":           {"OTEL_TRACES_SAMPLER=traceidratio OTEL_TRACES_SAMPLER_ARG=2", exitUsage, "a number from 0 to 1"},
		"a time that is none":            {"TRESTLE_SLOW=soon", exitUsage, "TRESTLE_SLOW is \"soon\""},
		"a time that is less than none":  {"TRESTLE_SLOW=-1s", exitUsage, "from 0s to 1h0m0s"},
		"a variable that is misspelt":    {"TRESTLE_METRIC_ADDR=127.0.0.1:0 TRESTLE_PAGE_SIZE=x", exitUsage, "did you mean TRESTLE_METRICS_ADDR?"},
		"metrics of a port that is none": {"TRESTLE_METRICS_ADDR=:70000", exitUsage, "from 0 to 65535"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := newRig(t, sqliteURL(t), strings.Fields(test.env)...).run("serve --migrate")
			got.is(t, test.code, test.says)
			if strings.Contains(got.stderr, "hidden") || strings.Contains(got.stderr, "msg=serving ") {
				t.Errorf("it shows a secret, or serves: %s", got.stderr)
			}
		})
	}
}

// A receiver keeps what is sent to a collector, as it is.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	raw strings.Builder
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, sent *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		_, _ = io.Copy(&r.raw, sent.Body)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.raw.String()
}

// TestNothingSecretIsTold: the credentials, answers, queries and bodies of a client
// are not in the log, the metrics or the traces of a server. It has a mail server: without
// one, mails go to the log.
func TestNothingSecretIsTold(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		spans := newReceiver(t)
		var (
			log, metrics string
			k            = &keeper{}
			path         = k.word()
		)
		t.Run("serving", func(t *testing.T) {
			s := r.start(t, freePort, "TRESTLE_SMTP_URL="+aMailServer, "TRESTLE_MAIL_FROM="+aSender, "OTEL_EXPORTER_OTLP_ENDPOINT="+spans.URL, "TRESTLE_LOG_LEVEL=debug", "TRESTLE_SLOW=0")
			k.sendsSecrets(t, s.base, path)
			_, metrics = plainRequest(t, "GET", s.metricsBase()+"/metrics")
			log = s.log.String()
		})
		for what, test := range map[string]struct{ text, has string }{
			"the log":     {log, "path=/api/auth/login"},
			"the metrics": {metrics, `route="/api/auth/login"`},
			"the traces":  {spans.String(), "POST /api/auth/login"},
		} {
			if !strings.Contains(test.text, test.has) {
				t.Errorf("%s does not even have %q: %s", what, test.has, test.text)
			}
			for i, secret := range k.secrets {
				if strings.Contains(strings.ToLower(test.text), strings.ToLower(secret)) && (what != "the log" || secret != path) {
					t.Errorf("%s has secret %d, %s", what, i, secret)
				}
			}
		}
		if !strings.Contains(spans.String(), "trestle.request_id") || len(k.secrets) < 15 {
			t.Errorf("there are %d secrets, or no spans", len(k.secrets))
		}
	})
}

// A keeper has secrets that must not be in any output.
type keeper struct{ secrets []string }

// word is one more, which is nowhere else.
func (k *keeper) word() string {
	k.secrets = append(k.secrets, "canary"+strings.ReplaceAll(uuid.NewString(), "-", ""))
	return k.secrets[len(k.secrets)-1]
}

// keep adds a secret that the server made.
func (k *keeper) keep(t *testing.T, secret string) string {
	t.Helper()
	if len(secret) < 20 {
		t.Fatalf("%q is no secret", secret)
	}
	k.secrets = append(k.secrets, secret)
	return secret
}

// sendsSecrets sends secrets wherever a client can put them.
func (k *keeper) sendsSecrets(t *testing.T, base, path string) {
	t.Helper()
	v := visit(t, base, nil)
	password := k.word()
	email := k.word() + "@example.org"
	account := `{"email": "` + email + `", "password": "` + password + `"}`
	k.keep(t, v.send(t, "POST /api/auth/register", account).is(t, http.StatusCreated).member(t, "token"))
	v.send(t, "POST /api/auth/register", account).is(t, http.StatusConflict)
	v.send(t, "POST /api/auth/login", `{"email": "`+email+`", "password": "`+k.word()+`"}`).is(t, http.StatusUnauthorized)
	token := k.keep(t, v.send(t, "POST /api/auth/login", account).is(t, http.StatusOK).member(t, "token"))
	pair := v.send(t, "POST /api/auth/jwt", account).is(t, http.StatusOK)
	access, refresh := k.keep(t, pair.member(t, "access")), k.keep(t, pair.member(t, "refresh"))
	v.send(t, "POST /api/auth/jwt/refresh", `{"refresh": "`+refresh+`"}`).is(t, http.StatusOK)
	session := signIn(t, v, "", account)
	k.keep(t, session.Value)

	mine := v.with("Authorization", "Token "+token, "User-Agent", k.word(), "Referer", "http://a.example/"+k.word(), "Tracestate", "x="+k.word())
	mine.send(t, "GET /api/patients/?search="+k.word(), "").is(t, http.StatusOK)
	mine.send(t, "GET /api/patients/?"+k.word()+"=1&token="+k.word(), "").is(t, http.StatusOK)
	mine.send(t, "POST /api/patients/", `{"name": "`+k.word()+`", "phone": "`+k.keep(t, k.word()[:30])+`"}`).is(t, http.StatusCreated)
	mine.send(t, "POST /api/patients/", `{"name": "`+k.word()+`", "`+k.word()+`": 1`).is(t, http.StatusBadRequest)
	v.with("Authorization", "Bearer "+access).send(t, "GET /api/auth/me", "").is(t, http.StatusOK)
	v.with("Authorization", "Token "+k.word()).send(t, "GET /api/patients/", "").is(t, http.StatusUnauthorized)
	v.with("Authorization", "Basic "+k.word()).send(t, "GET /api/patients/", "").is(t, http.StatusUnauthorized)
	v.with("Cookie", "sessionid="+k.word()).send(t, "GET /api/patients/", "").is(t, http.StatusUnauthorized)
	v.with("Cookie", session.Name+"="+session.Value, "X-CSRFToken", k.word()).send(t, "POST /api/patients/", `{}`).is(t, http.StatusForbidden)
	plainRequest(t, "GET", base+"/api/"+path+"/?password="+k.word())
	plainRequest(t, strings.ToUpper(k.word()), base+"/api/patients/")
}

// TestAWatchLeavesNothingBehind when its server stops. It is not run beside others
// that watch.
func TestAWatchLeavesNothingBehind(t *testing.T) {
	spans := newReceiver(t)
	t.Run("serving", func(t *testing.T) {
		s := newRig(t, sqliteURL(t)).start(t, freePort, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT="+spans.URL+"/spans")
		plainRequest(t, "GET", s.base+"/api/")
		plainRequest(t, "GET", s.metricsBase()+"/metrics")
	})
	if !strings.Contains(spans.String(), "GET /api/") {
		t.Error("the spans that were left are not sent")
	}
	patient, end := context.WithTimeout(t.Context(), waitLimit)
	defer end()
	stacks := make([]byte, 1<<20)
	for {
		all := string(stacks[:runtime.Stack(stacks, true)])
		if !strings.Contains(all, "opentelemetry") && !strings.Contains(all, "serveMetrics") && !strings.Contains(all, "client_golang") {
			return
		}
		if patient.Err() != nil {
			t.Fatalf("there are still\n%s", all)
		}
		runtime.Gosched()
	}
}
