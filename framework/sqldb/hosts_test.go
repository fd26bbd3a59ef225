package sqldb

import (
	"context"
	"database/sql"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"trestle.example/internal/testserver/postgres"
)

// hostOfURL is where a server listens.
func hostOfURL(t *testing.T, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// ofHosts is the URL of a database by several hosts.
func ofHosts(raw string, hosts []string, target string) string {
	before, after, _ := strings.Cut(raw, "@")
	_, name, _ := strings.Cut(after, "/")
	name, _, _ = strings.Cut(name, "?")
	return before + "@" + strings.Join(hosts, ",") + "/" + name + "?sslmode=disable&target_session_attrs=" + target
}

// dead is an address at which nothing listens, and silent one at which nothing answers.
func dead(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// TestSeveralHosts: which of them a connection leads to.
func TestSeveralHosts(t *testing.T) {
	cluster, standby := postgres.Replicated(t)
	at := map[string]string{
		"dead": dead(t), "silent": silent(t), "standby": hostOfURL(t, standby.URL()), "primary": hostOfURL(t, cluster.URL()),
	}
	for _, c := range []struct{ hosts, target, leads string }{
		{"dead standby primary", "read-write", "primary"},
		{"silent standby primary", "read-write", "primary"},
		{"standby primary dead", "primary", "primary"},
		{"dead standby primary", "", "standby"},
		{"dead standby primary", "any", "standby"},
		{"dead primary standby", "standby", "standby"},
		{"primary standby", "read-only", "standby"},
		{"primary standby", "prefer-standby", "standby"},
		{"primary dead", "prefer-standby", "primary"},
		{"primary", "read-write", "primary"},
		{"standby", "read-write", "the server is a standby, and target_session_attrs wants read-write"},
		{"dead primary", "standby", "the server is a primary, and target_session_attrs wants standby"},
		{"dead", "read-write", "connection refused"},
	} {
		t.Run(c.hosts+" "+c.target, func(t *testing.T) {
			var hosts []string
			for name := range strings.FieldsSeq(c.hosts) {
				hosts = append(hosts, at[name])
			}
			db := open(t, ofHosts(cluster.URL(), hosts, c.target), Options{MaxConns: 1})
			inRecovery, err := oneOf[bool](background(t), db.Session(), "SELECT pg_is_in_recovery()")
			if err != nil {
				if f, _ := Classify(err); !strings.Contains(err.Error(), c.leads) || f.Kind != Unavailable {
					t.Errorf("%v; want an error that says %s", err, c.leads)
				}
				return
			}
			if leads := map[bool]string{true: "standby", false: "primary"}[inRecovery]; leads != c.leads {
				t.Errorf("it leads to the %s; want %s", leads, c.leads)
			}
		})
	}
}

// TestAnotherPrimary: when the standby was promoted, writes go there, and nothing is read
// from the former primary, even if it is only cut off and still considers itself primary.
func TestAnotherPrimary(t *testing.T) {
	for name, fails := range map[string]func(*testing.T, *postgres.Cluster, *valve){
		"the primary is killed": func(t *testing.T, c *postgres.Cluster, v *valve) {
			if err := c.Stop(); err != nil {
				t.Fatal(err)
			}
		},
		"the primary is cut off": func(t *testing.T, c *postgres.Cluster, v *valve) { v.shut() },
	} {
		t.Run(name, func(t *testing.T) {
			cluster, standby := postgres.Replicated(t)
			script(t, open(t, cluster.URL(), Options{}), "CREATE TABLE t (n {{bigint}})")
			v := newValve(t, "127.0.0.1:0", hostOfURL(t, cluster.URL()))
			db := open(t, ofHosts(cluster.URL(), []string{v.Addr().String(), hostOfURL(t, standby.URL())}, "read-write"), Options{MaxConns: 4})
			var idle []*sql.Conn
			for range 4 {
				c, err := db.DB.DB.Conn(background(t))
				if err != nil {
					t.Fatal(err)
				}
				idle = append(idle, c)
			}
			for _, c := range idle {
				_ = c.Close()
			}
			run(t, db.Session(), "INSERT INTO t VALUES (1)")
			replica := open(t, standby.URL(), Options{})
			eventually(t, "the standby has the row", func() bool {
				n, err := oneOf[int](background(t), replica.Session(), "SELECT n::int FROM t")
				return err == nil && n == 1
			})
			fails(t, cluster, v)
			if err := standby.Promote(); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			eventually(t, "a row is written", func() bool {
				ctx, cancel := context.WithTimeout(background(t), 10*time.Second)
				defer cancel()
				_, err := db.Session().Exec(ctx, db.NewRaw("INSERT INTO t VALUES (2)"))
				return err == nil
			})
			t.Logf("a row was written %s after the promotion", time.Since(began))
			for range 8 {
				if got := one[int](t, db.Session(), "SELECT count(*)::int FROM t WHERE n = 2"); got == 0 {
					t.Error("a read does not find the row")
				}
			}
		})
	}
}
