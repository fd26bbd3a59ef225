package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/pgbouncer"
	"trestle.example/internal/testserver/postgres"
)

// TestPooler runs pgbouncer with its file of deploy/, between the program and
// PostgreSQL, for a role with the settings that the file names.
func TestPooler(t *testing.T) {
	t.Parallel()
	p := newPooled(t)
	p.admin(fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD '%s'", p.role, somePhrase))
	p.admin(fmt.Sprintf("ALTER DATABASE %q OWNER TO %s", p.name, p.role))
	for _, line := range regexp.MustCompile(`ALTER ROLE trestle SET [^;]+;`).FindAllString(project(t, "deploy/pgbouncer.ini"), -1) {
		p.admin(strings.Replace(line, "trestle", p.role, 1))
	}
	url := p.start()
	r := newRig(t, url, "TRESTLE_PREPARE=off")
	r.ok("migrate up")
	r.ok("seed --patients 50 --appointments 20 --products 20")
	r.ok("doctor")
	v := visit(t, r.start(t).base, nil, "Authorization", "Token "+tokenOf(r, triedOut))
	for range 20 { // each may have another connection of the pooler
		v.send(t, "POST /api/patients/", `{"name": "Zara Pooled", "phone": "555 0100"}`).is(t, 201)
		v.send(t, "GET /api/patients/?search=zara", "").is(t, 200, "Zara Pooled")
	}
	db, err := sqldb.Open(url, sqldb.Options{NoPrepare: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for setting, want := range map[string]string{"statement_timeout": "10s", "lock_timeout": "5s", "client_connection_check_interval": "100ms"} {
		var got string
		if err := db.DB.DB.QueryRowContext(t.Context(), "SHOW "+setting).Scan(&got); err != nil || got != want {
			t.Errorf("behind the pooler %s is %q, %v; want %s", setting, got, err, want)
		}
	}
}

// A pooled is a database, a role that the test makes, and what is between.
type pooled struct {
	t          *testing.T
	direct     *url.URL // the database, as an administrator
	name, role string   // of the database, and of the role
	db         *sqldb.DB
}

func newPooled(t *testing.T) *pooled {
	t.Helper()
	p := &pooled{t: t, role: fmt.Sprintf("pooled_%d", time.Now().UnixNano())}
	server := os.Getenv("TEST_DATABASE_URL")
	t.Cleanup(func() { // after its database was dropped
		if server == "" {
			return
		}
		if db, err := sqldb.Open(server, sqldb.Options{}); err == nil {
			_, _ = db.ExecContext(context.WithoutCancel(t.Context()), "DROP ROLE IF EXISTS "+p.role)
			_ = db.Close()
		}
	})
	database := postgres.Database(t)
	direct, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	p.direct, p.name = direct, strings.TrimPrefix(direct.Path, "/")
	if p.db, err = sqldb.Open(database, sqldb.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.db.Close() })
	return p
}

// admin runs a statement as an administrator.
func (p *pooled) admin(statement string) {
	p.t.Helper()
	if _, err := p.db.ExecContext(p.t.Context(), statement); err != nil {
		p.t.Fatal(err)
	}
}

// start starts the pooler, and returns the database's URL through it.
func (p *pooled) start() string {
	p.t.Helper()
	program, err := pgbouncer.Program()
	if err != nil {
		p.t.Fatal(err)
	}
	folder := p.t.TempDir()
	users, file := filepath.Join(folder, "userlist.txt"), filepath.Join(folder, "pgbouncer.ini")
	address := freeAddress(p.t, rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0)))
	port := p.direct.Port()
	if port == "" {
		port = "5432"
	}
	text := deployed(p.t, "pgbouncer.ini",
		"trestle = host=10.0.0.20 port=5432 dbname=trestle", fmt.Sprintf("trestle = host=%s port=%s dbname=%s", p.direct.Hostname(), port, p.name),
		"listen_port = 6432", "listen_port = "+portOf(address), "/etc/pgbouncer/userlist.txt\n", users+"\n",
		"server_tls_sslmode = verify-full", "server_tls_sslmode = prefer", "server_tls_ca_file = /etc/ssl/certs/ca-certificates.crt\n", "")
	putFile(p.t, users, p.secret())
	putFile(p.t, file, text)
	return p.run(program, file, users, address)
}

// secret is what the command in deploy/pgbouncer.ini writes.
func (p *pooled) secret() (line string) {
	p.t.Helper()
	query := regexp.MustCompile(`psql -Atc "(.+)" >`).FindStringSubmatch(project(p.t, "deploy/pgbouncer.ini"))
	if query == nil {
		p.t.Fatal("deploy/pgbouncer.ini has no command for the password")
	}
	text := strings.ReplaceAll(strings.Replace(query[1], "'trestle'", "'"+p.role+"'", 1), `\"`, `"`) // as a shell reads it
	if err := p.db.DB.DB.QueryRowContext(p.t.Context(), text).Scan(&line); err != nil {
		p.t.Fatal(err)
	}
	return line + "\n"
}

// run starts the program, which does not run as root.
func (p *pooled) run(program, file, users, address string) string {
	p.t.Helper()
	cmd, said := exec.Command(program, file), newLogged()
	if os.Geteuid() == 0 {
		for _, shared := range []string{filepath.Dir(filepath.Dir(file)), filepath.Dir(file)} {
			if err := os.Chmod(shared, 0o755); err != nil {
				p.t.Fatal(err)
			}
		}
		for _, shared := range []string{file, users} {
			if err := os.Chmod(shared, 0o644); err != nil {
				p.t.Fatal(err)
			}
		}
		cmd = exec.Command(program, "-u", "nobody", file)
	}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if p.t.Failed() {
			p.t.Logf("the pooler said: %s", said)
		}
	})
	untilSo(p.t, "the pooler listens", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	through := url.URL{Scheme: "postgres", User: url.UserPassword(p.role, somePhrase), Host: address, Path: "/trestle", RawQuery: "sslmode=disable"}
	return through.String()
}
