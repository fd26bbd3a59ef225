package config

import (
	"errors"
	"log/slog"
	"net/netip"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"trestle.example/framework/auth"
	"trestle.example/framework/throttle"
)

// configOf reads the settings of a server.
func configOf(t *testing.T, args []string, env ...string) (Config, error) {
	t.Helper()
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	table := Table{Program: "trestle"}
	table.AddFlags(flags, true)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return table.Read(flags, envOf(env))
}

// envOf returns variables by their names.
func envOf(pairs []string) map[string]string {
	env := map[string]string{}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	return env
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	got, err := configOf(t, nil, "TRESTLE_ADDR=", "DATABASE_URL=") // empty is absent
	if err != nil {
		t.Fatal(err)
	}
	file, err := filepath.Abs("data/trestle.db")
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Program: "trestle",
		Addr:    "127.0.0.1:8080", DatabaseURL: "sqlite://" + file, PageSize: 20,
		StatementTimeout: 10 * time.Second, QueueTimeout: 2 * time.Second, RequestTimeout: 15 * time.Second, Prepare: true, logLevel: slog.LevelInfo,
		rates: map[string]throttle.Rate{}, PasswordMin: 8, tokenLife: auth.DefaultTokenLife,
		oidcConfig:    oidcConfig{oidcScopes: []string{"profile", "email"}},
		limitConfig:   limitConfig{MaxConns: 2048, drainDelay: -1, Compress: true},
		observeConfig: observeConfig{Slow: time.Second},
		Own:           map[string]any{},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v; want %+v", got, want)
	}
}

func TestAFlagBeatsAVariableBeatsADefault(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args, env []string
		want      int
	}{
		"neither":                               {nil, nil, 20},
		"the variable":                          {nil, []string{"TRESTLE_PAGE_SIZE=30"}, 30},
		"the flag":                              {[]string{"--page-size=40"}, nil, 40},
		"both":                                  {[]string{"--page-size=40"}, []string{"TRESTLE_PAGE_SIZE=30"}, 40},
		"a variable wrong that a flag replaces": {[]string{"--page-size=40"}, []string{"TRESTLE_PAGE_SIZE=no"}, 40},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := configOf(t, test.args, test.env...)
			if err != nil || got.PageSize != test.want {
				t.Errorf("page size %d, %v; want %d", got.PageSize, err, test.want)
			}
		})
	}
}

func TestEverySettingFromItsVariable(t *testing.T) {
	t.Parallel()
	got, err := configOf(t, nil,
		"TRESTLE_ADDR=[::1]:09", "DATABASE_URL=postgres://h/db", "TRESTLE_PUBLIC_URL=https://api.example.org/", "TRESTLE_HOSTS= a.example, ::1,,[::2]",
		"TRESTLE_PAGE_SIZE=7", "TRESTLE_DB_CONNS=8", "TRESTLE_STATEMENT_TIMEOUT=2s", "TRESTLE_REQUEST_TIMEOUT=3s", "TRESTLE_PREPARE=OFF",
		"TRESTLE_LOG=json", "TRESTLE_LOG_LEVEL=Warn", "TRESTLE_ENV=production",
		"TRESTLE_TLS_CERT=a.pem", "TRESTLE_TLS_KEY=b.pem", "TRESTLE_TRUSTED_PROXIES=10.1.2.3/8, 127.0.0.1,::1,,2001:db8::/32",
		"TRESTLE_TRUSTED_ORIGINS=https://app.example.org, http://localhost:5173", "TRESTLE_JWT_KEYS=a:HS256:hidden",
		"TRESTLE_PASSWORD_MIN=12", "TRESTLE_TOKEN_LIFE=1h", "TRESTLE_RATES=login=5/min, anon=50/hour", "REDIS_URL=redis://:hidden@localhost:6379/1",
		"TRESTLE_SMTP_URL=smtps://shop:hidden@mail.example.org", "TRESTLE_MAIL_FROM=Shop <shop@example.org>",
		"TRESTLE_OIDC_ISSUER=https://id.example.org", "TRESTLE_OIDC_CLIENT_ID=clinic", "TRESTLE_OIDC_CLIENT_SECRET=hidden", "TRESTLE_OIDC_SCOPES=email, groups", "TRESTLE_OIDC_REGISTER=on", "TRESTLE_OIDC_LINK_EMAIL=yes",
		"TRESTLE_MAX_CONNS=100", "TRESTLE_QUEUE_TIMEOUT=500ms", "TRESTLE_DRAIN_DELAY=2s", "TRESTLE_CORS_ORIGINS=https://a.example, https://b.example:8443", "TRESTLE_COMPRESS=off",
		"TRESTLE_METRICS_ADDR=:09464", "TRESTLE_SLOW=250ms", "OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://c/spans",
		"OTEL_SERVICE_NAME=clinic", "OTEL_TRACES_SAMPLER=traceidratio", "OTEL_TRACES_SAMPLER_ARG=0.5")
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Program: "trestle",
		Addr:    "[::1]:9", DatabaseURL: "postgres://h/db", PublicURL: "https://api.example.org", Hosts: []string{"a.example", "::1", "[::2]"},
		PageSize: 7, DBConns: 8, StatementTimeout: 2 * time.Second, QueueTimeout: 500 * time.Millisecond, RequestTimeout: 3 * time.Second,
		logJSON: true, logLevel: slog.LevelWarn, Production: true,
		TLSCert: "a.pem", TLSKey: "b.pem",
		TrustedProxies: []netip.Prefix{
			netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.1/32"),
			netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("2001:db8::/32"),
		},
		trustedOrigins: []string{"https://app.example.org", "http://localhost:5173"},
		JWTKeys:        auth.NewSecret("a:HS256:hidden"), PasswordMin: 12, tokenLife: time.Hour,
		SMTPURL: auth.NewSecret("smtps://shop:hidden@mail.example.org"), MailFrom: "Shop <shop@example.org>",
		rates:    map[string]throttle.Rate{"login": {Limit: 5, Per: time.Minute}, "anon": {Limit: 50, Per: time.Hour}},
		RedisURL: "redis://:hidden@localhost:6379/1",
		oidcConfig: oidcConfig{
			oidcIssuer: "https://id.example.org", oidcClientID: "clinic", oidcSecret: auth.NewSecret("hidden"), oidcScopes: []string{"email", "groups"},
			oidcRegister: true, oidcLinkEmail: true,
		},
		limitConfig: limitConfig{
			MaxConns: 100, drainDelay: 2 * time.Second, CORSOrigins: []string{"https://a.example", "https://b.example:8443"},
		},
		observeConfig: observeConfig{
			MetricsAddr: ":9464", Slow: 250 * time.Millisecond, otlpEndpoint: "http://c:4318", tracesEndpoint: "http://c/spans",
			ServiceName: "clinic", Sampler: "traceidratio", SamplerArg: "0.5",
		},
		Own: map[string]any{},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v; want %+v", got, want)
	}
}

func TestWrongValues(t *testing.T) {
	t.Parallel()
	for pair, says := range map[string]string{
		"TRESTLE_ADDR=8080":                                                     "a host and a port",
		"TRESTLE_ADDR=localhost:http":                                           "from 0 to 65535",
		"TRESTLE_ADDR=:70000":                                                   "from 0 to 65535",
		"TRESTLE_ADDR=a/b:1":                                                    "a name or an IP address",
		"TRESTLE_PUBLIC_URL=api.example.org":                                    "begins with https://",
		"TRESTLE_PUBLIC_URL=ftp://api.example.org":                              "begins with https://",
		"TRESTLE_PUBLIC_URL=https://":                                           "begins with https://",
		"TRESTLE_PUBLIC_URL=https://a.example?x=1":                              "nothing of a user, a query or a fragment",
		"TRESTLE_PUBLIC_URL=https://a:hidden@b":                                 "nothing of a user, a query or a fragment",
		"TRESTLE_HOSTS=https://a.example":                                       "without scheme, port or path",
		"TRESTLE_HOSTS=a.example:8080":                                          "without scheme, port or path",
		"TRESTLE_HOSTS=*.example":                                               "without scheme, port or path",
		"TRESTLE_PAGE_SIZE=0":                                                   "from 1 to 1000",
		"TRESTLE_PAGE_SIZE=twenty":                                              "from 1 to 1000",
		"TRESTLE_DB_CONNS=-1":                                                   "a whole number from 1 to 10000, or auto",
		"TRESTLE_DB_CONNS=0":                                                    "a whole number from 1 to 10000, or auto",
		"TRESTLE_STATEMENT_TIMEOUT=10":                                          "a time with its unit",
		"TRESTLE_STATEMENT_TIMEOUT=1ms":                                         "from 100ms to 1h0m0s",
		"TRESTLE_REQUEST_TIMEOUT=2m":                                            "from 100ms to 50s",
		"TRESTLE_PREPARE=maybe":                                                 "on or off",
		"TRESTLE_MAX_CONNS=0":                                                   "from 16 to 1000000",
		"TRESTLE_QUEUE_TIMEOUT=1ms":                                             "from 10ms to 1m0s",
		"TRESTLE_QUEUE_TIMEOUT=15s":                                             "but TRESTLE_REQUEST_TIMEOUT is 15s",
		"TRESTLE_QUEUE_TIMEOUT=never":                                           "a time with its unit",
		"TRESTLE_DRAIN_DELAY=3":                                                 "a time with its unit",
		"TRESTLE_DRAIN_DELAY=2m":                                                "from 0s to 1m0s",
		"TRESTLE_CORS_ORIGINS=*":                                                "not written as browsers send it",
		"TRESTLE_CORS_ORIGINS=null":                                             "not written as browsers send it",
		"TRESTLE_CORS_ORIGINS=https://a.example/":                               "not written as browsers send it",
		"TRESTLE_CORS_ORIGINS=https://*.example":                                "not written as browsers send it",
		"TRESTLE_LOG=xml":                                                       "text or json",
		"TRESTLE_LOG_LEVEL=loud":                                                "debug, info, warn or error",
		"TRESTLE_ENV=prod":                                                      "development or production",
		"TRESTLE_TRUSTED_PROXIES=10.0.0.0/33":                                   `"10.0.0.0/33" must be a network`,
		"TRESTLE_TRUSTED_PROXIES=proxy.example":                                 `"proxy.example" must be a network`,
		"TRESTLE_TRUSTED_PROXIES=::1,fe80::1%eth0":                              `"fe80::1%eth0" must be a network`,
		"TRESTLE_TRUSTED_PROXIES=::ffff:10.0.0.1":                               `"::ffff:10.0.0.1" must be a network`,
		"TRESTLE_TRUSTED_PROXIES=::ffff:1.0.0.0/104":                            `"::ffff:1.0.0.0/104" must be a network`,
		"TRESTLE_TRUSTED_PROXIES=0.0.0.0/0":                                     "contains every address",
		"TRESTLE_TRUSTED_PROXIES=::1,::/0":                                      "contains every address",
		"TRESTLE_TRUSTED_ORIGINS=app.example.org":                               "a scheme and a host in lower case",
		"TRESTLE_TRUSTED_ORIGINS=https://a.test/":                               "without a path",
		"TRESTLE_TRUSTED_ORIGINS=https://*.a.test":                              "a usual port or *",
		"TRESTLE_TRUSTED_ORIGINS=https://a:hidden@b.test":                       `"https://***@b.test" is not written`,
		"TRESTLE_PASSWORD_MIN=7":                                                "from 8 to 128",
		"TRESTLE_PASSWORD_MIN=129":                                              "from 8 to 128",
		"TRESTLE_TOKEN_LIFE=720":                                                "a time with its unit",
		"TRESTLE_TOKEN_LIFE=1s":                                                 "from 1m0s to 8784h0m0s",
		"TRESTLE_MAIL_FROM=shop":                                                "an e-mail address, with or without a name",
		"TRESTLE_RATES=login":                                                   `"login" names no rate`,
		"TRESTLE_RATES=postgres://app:hidden@db/shop":                           `"postgres://***@db/shop" names no rate`,
		"TRESTLE_RATES=http://a:hidden,x=hidden@b/?c=d":                         `no throttle scope "http://***@b/?c"`,
		"OTEL_TRACES_SAMPLER=http://a:hidden-and-much-longer-than-a-sampler@b/": `"http://***@b/" is not a sampler`,
		"TRESTLE_RATES=logn=5/min":                                              `there is no throttle scope "logn"; did you mean "login"?`,
		"TRESTLE_RATES=login=5/min,login=6/min":                                 `"login" has two rates`,
		"TRESTLE_RATES=login=0/min,user=1/week":                                 `begins with "0"; write a whole number from 1 to 1000000, as in 100/min; throttle scope "user"`,
	} {
		t.Run(pair, func(t *testing.T) {
			t.Parallel()
			name, _, _ := strings.Cut(pair, "=")
			_, err := configOf(t, nil, pair)
			if err == nil {
				t.Fatal("it is taken")
			}
			for _, words := range []string{name + " is ", says, "for example " + name + "="} {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("%q; want it to say %q", err, words)
				}
			}
			if strings.Contains(err.Error(), "hidden") {
				t.Errorf("it shows a password: %v", err)
			}
		})
	}
}

// TestAWrongValueThatIsRightWithoutItsPassword: the error of Read repeats the value, and is not
// shown.
func TestAWrongValueThatIsRightWithoutItsPassword(t *testing.T) {
	t.Parallel()
	table := Table{Program: "trestle", Own: []Setting{{Flag: "shop", Variable: "SHOP", Example: "http://shop", Usage: "`URL`", Read: func(_ *Config, value string) error {
		if strings.Contains(value, "hidden") {
			return errors.New(value)
		}
		return nil
	}}}}
	_, err := table.Read(pflag.NewFlagSet("test", pflag.ContinueOnError), envOf([]string{"SHOP=http://a:hidden@shop"}))
	if want := `SHOP is "http://***@shop": it must not contain a user or a password; for example SHOP=http://shop`; err == nil || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
}

func TestEveryExampleIsRight(t *testing.T) {
	t.Parallel()
	for _, s := range (Table{Program: "trestle"}).Settings() {
		if s.Example == "" {
			continue
		}
		if err := s.Read(new(Table{Program: "trestle"}.newConfig()), s.Example); err != nil {
			t.Errorf("the example of %s: %v", s.Variable, err)
		}
	}
}
