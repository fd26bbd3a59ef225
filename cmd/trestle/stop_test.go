package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

// onBothURLs runs a test on the address of a fresh database of each kind.
func onBothURLs(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":     sqliteURL,
		"postgresql": func(t *testing.T) string { return postgres.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, database(t))
		})
	}
}

// A diary is the table of a server's credentials, seen from outside.
type diary struct {
	t  *testing.T
	db *sqldb.DB
}

func openDiary(t *testing.T, url string) diary {
	t.Helper()
	db, err := sqldb.Open(url, sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return diary{t, db}
}

// used counts the rows of a table whose time is not before another.
func (d diary) used(table, column string, since time.Time) int64 {
	d.t.Helper()
	n, err := d.db.Session().IDB().NewSelect().Table(table).Where("? >= ?", bun.Ident(column), since).Count(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	return n
}

// TestLastUseIsWrittenWhenTheServerStops, which otherwise is written once a
// minute.
func TestLastUseIsWrittenWhenTheServerStops(t *testing.T) {
	t.Parallel()
	program := buildProgram(t)
	onBothURLs(t, func(t *testing.T, url string) {
		began := time.Now().UTC().Add(-time.Second).Truncate(time.Second)
		s := startProgram(t, program, url)
		v, d := visit(t, s.base(t), nil), openDiary(t, url)
		password := passwordsOf(t, s.before)[triedOut]
		session := signIn(t, v, "", fmt.Sprintf(`{"email": %q, "password": %q}`, triedOut, password))
		d.age("auth_sessions", "last_seen_at", began.Add(-10*time.Minute)) // a use within a minute is not written
		if d.used("auth_sessions", "last_seen_at", began)+d.used("auth_tokens", "last_used_at", began) != 0 {
			t.Fatal("the uses are there before they were made")
		}
		v.with("Authorization", "Token "+s.token(t)).send(t, "GET /api/patients/", "").is(t, http.StatusOK)
		v.with("Cookie", session.Name+"="+session.Value).send(t, "GET /api/patients/", "").is(t, http.StatusOK)
		s.stop(t)
		if n := d.used("auth_tokens", "last_used_at", began); n != 1 {
			t.Errorf("%d tokens are used; want 1", n)
		}
		if n := d.used("auth_sessions", "last_seen_at", began); n != 1 {
			t.Errorf("%d sessions are used; want 1", n)
		}
	})
}

// age sets the time of every row.
func (d diary) age(table, column string, to time.Time) {
	d.t.Helper()
	in := d.db.Session()
	if _, err := in.Exec(d.t.Context(), in.IDB().NewUpdate().Table(table).Set("? = ?", bun.Ident(column), to).Where("1 = 1")); err != nil {
		d.t.Fatal(err)
	}
}

// TestARequestUnderWayIsAnsweredWhenTheServerStops, and its token's use is
// written.
func TestARequestUnderWayIsAnsweredWhenTheServerStops(t *testing.T) {
	t.Parallel()
	program := buildProgram(t)
	onBothURLs(t, func(t *testing.T, url string) {
		began := time.Now().UTC().Add(-time.Second).Truncate(time.Second)
		s := startProgram(t, program, url)
		connection, err := net.Dial("tcp", strings.TrimPrefix(s.base(t), "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer connection.Close()
		const body = `{"name": "Zara", "phone": "555 0100"}`
		fmt.Fprintf(connection, "POST /api/patients/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token %s\r\n"+
			"Content-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n", s.token(t), len(body))
		answers := bufio.NewReader(connection)
		if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
			t.Fatalf("the server answers %q, %v", line, err)
		}
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		s.stderr.await(t, "msg=stopping")
		if strings.Contains(s.stderr.String(), "msg=stopped") {
			t.Error("it has stopped before the request under way")
		}
		fmt.Fprint(connection, body)
		answer, err := io.ReadAll(answers)
		if err != nil || !strings.Contains(string(answer), "201 Created") || !strings.Contains(string(answer), `"Zara"`) {
			t.Errorf("the request under way is answered %q, %v", answer, err)
		}
		if err := s.wait(); err != nil || !strings.Contains(s.stderr.String(), "msg=stopped") {
			t.Errorf("it ends with %v: %s", err, s.stderr)
		}
		if n := openDiary(t, url).used("auth_tokens", "last_used_at", began); n != 1 {
			t.Errorf("%d tokens are used; want 1", n)
		}
	})
}
