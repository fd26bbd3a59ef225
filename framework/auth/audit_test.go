package auth_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
)

// wants checks the lines of the audit log since the last call, each as "event level
// attribute=value ...". Each line must also have the id of the request and the address of
// the client, and nothing more.
func (d *desk) wants(r *frameworktest.Response, address string, want ...string) {
	d.Helper()
	lines := d.log.Take(d.T)
	if len(lines) != len(want) {
		d.Errorf("the audit log has %d lines, want %d: %v", len(lines), len(want), lines)
		return
	}
	id := r.Headers().Get("X-Request-Id")
	for i, line := range lines {
		if line["msg"] != "audit" || line["request"] != id || line["address"] != address {
			d.Errorf("the line %v is not of the request %s from %s", line, id, address)
		}
		said := []string{text(line["event"]), text(line["level"])}
		for _, name := range slices.Sorted(maps.Keys(line)) {
			if !slices.Contains([]string{"event", "level", "time", "msg", "request", "address"}, name) {
				said = append(said, fmt.Sprintf("%s=%v", name, line[name]))
			}
		}
		if got := strings.Join(said, " "); got != want[i] {
			d.Errorf("line %d is %q; want %q", i+1, got, want[i])
		}
	}
}

func TestAudit(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		asha, gone := d.user("asha@example.com"), d.inactive()
		id, goneID := " user="+asha.ID.String(), " user="+gone.ID.String()
		const here = "198.51.100.7"
		at := func(c *frameworktest.Client) *frameworktest.Client { return c.With("X-Forwarded-For", here) }
		d.Client = at(d.Client)

		r := d.Post(register, credentialsOf("bela@example.com", goodPassword)).Expect(http.StatusCreated)
		bela, err := d.service.Users.FindUser(d.Context(), d.db.Session(), "bela@example.com")
		must(d.T, err)
		d.wants(r, here, "registered INFO user="+bela.ID.String(), "token_issued INFO user="+bela.ID.String())
		d.wants(d.Post(register, credentialsOf("bela@example.com", goodPassword)).Expect(http.StatusConflict), here)
		d.wants(d.Post(register, credentialsOf("b", "x")).Expect(http.StatusBadRequest), here)

		for _, path := range []string{login, token} {
			d.wants(d.Post(path, right).Expect(http.StatusOK), here, "login INFO scheme=Token"+id, "token_issued INFO"+id)
		}
		d.wants(d.Post(jwtPath, right).Expect(http.StatusOK), here, "login INFO scheme=JWT"+id)
		b := d.tab()
		d.wants(b.do(http.MethodGet, nil), here)
		d.wants(b.do(http.MethodPost, right).Expect(http.StatusOK), here, "login INFO scheme=Session"+id)

		for path, scheme := range map[string]string{login: "Token", token: "Token", jwtPath: "JWT", sessionPath: "Session"} {
			failed := "login_failed INFO reason=%s scheme=" + scheme
			for _, c := range []struct{ email, password, want string }{
				{"asha@example.com", "another four words walk", fmt.Sprintf(failed, "password") + id},
				{"nobody@example.com", goodPassword, fmt.Sprintf(failed, "unknown")},
				{"typed my passw0rd here", goodPassword, fmt.Sprintf(failed, "unknown")},
				{"gone@example.com", goodPassword, fmt.Sprintf(failed, "inactive") + goneID},
				{"gone@example.com", "another four words walk", fmt.Sprintf(failed, "password") + goneID},
				{"asha@example.com", strings.Repeat("x", 5000), fmt.Sprintf(failed, "password")},
			} {
				r := d.attempt(path, credentialsOf(c.email, c.password)).Expect(http.StatusUnauthorized).Lacks("unknown", "inactive", goneID, id)
				d.wants(r, here, c.want)
			}
		}

		opaque, other, pair := d.as("Token "+d.token(asha)), d.as("Token "+d.token(asha)), d.pair(asha)
		d.wants(opaque.Post(logout, nil).Expect(http.StatusNoContent), here, "logout INFO scheme=Token"+id)
		d.wants(other.Delete(token).Expect(http.StatusNoContent), here, "token_revoked INFO"+id)
		d.wants(d.as("Bearer "+pair.Access).Post(logout, nil).Expect(http.StatusNoContent), here, "logout INFO scheme=JWT"+id)
		d.wants(at(b.client()).Post(logout, nil).Expect(http.StatusNoContent), here, "logout INFO scheme=Session"+id)
		b = d.signedIn()
		d.log.Take(d.T)
		d.wants(b.do(http.MethodDelete, nil).Expect(http.StatusNoContent), here, "logout INFO scheme=Session"+id)
		d.wants(b.do(http.MethodDelete, nil).Expect(http.StatusNoContent), here)

		first := d.pair(asha)
		d.wants(d.refresh(first.Refresh).Expect(http.StatusOK), here)
		d.wants(d.refresh(first.Refresh).Expect(http.StatusUnauthorized), here)
		d.clock.turn(10 * time.Second)
		d.wants(d.refresh(first.Refresh).Expect(http.StatusUnauthorized), here, "refresh_reused WARN"+id)
		d.wants(d.refresh("a.b.c").Expect(http.StatusUnauthorized), here)
		last := d.pair(asha)
		d.wants(d.Post(revokePath, map[string]any{"refresh": last.Refresh}).Expect(http.StatusNoContent), here, "jwt_revoked INFO"+id)

		d.wants(d.as("Token trs_x").Get(me).Expect(http.StatusUnauthorized), here)
		d.wants(d.Get(me).Expect(http.StatusUnauthorized), here)
	})
}

func TestAuditOfLimits(t *testing.T) {
	set := rates(map[string]throttle.Rate{auth.ScopeLogin: {Limit: 1, Per: time.Minute}, auth.ScopeLoginAddress: {Limit: 3, Per: time.Minute}})
	onDesk(t, set, func(d *desk) {
		asha := d.user("asha@example.com")
		address := "127.0.0.1"
		d.wants(d.Post(login, wrong), address, "login_failed INFO reason=password scheme=Token user="+asha.ID.String())
		d.wants(d.Post(login, right).Expect(http.StatusTooManyRequests), address, "login_throttled INFO scheme=Token")
		d.wants(d.Post(jwtPath, right).Expect(http.StatusTooManyRequests), address, "login_throttled INFO scheme=JWT")
		d.wants(d.Post(login, credentialsOf("bela@example.com", goodPassword)).Expect(http.StatusTooManyRequests), address, "login_throttled INFO scheme=Token")
	})
}

// TestAuditComesLast: a line is written after its change is committed. No statement
// follows it.
func TestAuditComesLast(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		user := d.user("asha@example.com")
		var late []string
		d.db.Observe(func(_ context.Context, e sqldb.Event) {
			if d.log.String() != "" {
				late = append(late, e.SQL)
			}
		})
		b := d.signedIn()
		d.log.Take(d.T)
		first, opaque := d.pair(user), d.token(user)
		d.refreshed(first.Refresh)
		d.clock.turn(10 * time.Second)
		for name, send := range map[string]func() *frameworktest.Response{
			"registered":   func() *frameworktest.Response { return d.Post(register, credentialsOf("b@example.com", goodPassword)) },
			"login":        func() *frameworktest.Response { return d.Post(login, right) },
			"login by JWT": func() *frameworktest.Response { return d.Post(jwtPath, right) },
			"login failed": func() *frameworktest.Response { return d.Post(login, wrong) },
			"logout":       func() *frameworktest.Response { return d.as("Token "+opaque).Post(logout, nil) },
			"reuse":        func() *frameworktest.Response { return d.refresh(first.Refresh) },
			"a browser":    func() *frameworktest.Response { return b.do(http.MethodDelete, nil) },
		} {
			late = nil
			send()
			if lines := d.log.Take(d.T); len(lines) == 0 || len(late) != 0 {
				d.Errorf("%s: after the line %v the statements %q", name, lines, late)
			}
		}
	})
}

// TestAuditDoesNotBlameTheClient: a failure of the server is neither a failed login nor a
// limit.
func TestAuditDoesNotBlameTheClient(t *testing.T) {
	onDesk(t, func(c *auth.Config, _ *framework.Config) { c.Counters = broken{} }, func(d *desk) {
		d.user("asha@example.com")
		d.wants(d.Post(login, right).Expect(http.StatusInternalServerError), "127.0.0.1")
		if d.hashes.Load() != 1 { // the hash of the account
			d.Error("a password was checked before it was counted")
		}
	})
}

func TestAnOutageIsNotAFailedLogin(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		d.user("asha@example.com")
		must(d.T, d.db.Close())
		for _, path := range []string{register, login, token, jwtPath} {
			r := d.Post(path, right).Lacks("sql", "closed", "asha")
			if r.Status() != http.StatusServiceUnavailable && r.Status() != http.StatusInternalServerError {
				r.Expect(http.StatusServiceUnavailable)
			}
			d.wants(r, "127.0.0.1")
		}
	})
}
