package console_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
)

// A doorstep is a desk whose console makes the first superuser, with a clock and a log.
type doorstep struct {
	*desk

	mu    sync.Mutex
	after time.Duration // since the start of the test
	log   bytes.Buffer
}

// Write implements [io.Writer] for the log.
func (d *doorstep) Write(line []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log.Write(line)
}

// said returns the log.
func (d *doorstep) said() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log.String()
}

func (d *doorstep) now() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Now().Add(d.after)
}

func (d *doorstep) wait(duration time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.after += duration
}

// openDoorstep serves a desk without users, as one of several processes on a database. check is the policy for passwords, nil for none.
func openDoorstep(t *testing.T, db *sqldb.DB, check func(context.Context, string, auth.PasswordOwner) error) *doorstep {
	t.Helper()
	d := &doorstep{}
	log := slog.New(slog.NewJSONHandler(d, &slog.HandlerOptions{Level: slog.LevelDebug}))
	identity, err := auth.New(auth.Config{
		Hashes: auth.HashOptions{Write: auth.Bcrypt(4)}, Log: log, Now: d.now, Passwords: auth.PasswordPolicy{Check: check},
		Rates: map[string]throttle.Rate{auth.ScopeLoginAddress: {Limit: 6, Per: time.Hour}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Migrate(t.Context(), nil, framework.Migrations(), auth.Migrations(), tables()); err != nil {
		t.Fatal(err)
	}
	api := deskAPI(db, identity, func(c *framework.Config) { c.Log, c.Now = log, d.now })
	api.AddConsoleSignIn(identity.ConsoleSignIn())
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	d.desk = &desk{t: t, db: db, identity: identity, url: server.URL}
	return d
}

// offer returns the path of a new link.
func (d *doorstep) offer() string {
	d.t.Helper()
	token, err := d.identity.OfferFirstSuperuser(d.t.Context(), d.db.Session())
	if err != nil || len(token.Reveal()) < 26 { // in base32
		d.t.Fatalf("the token has %d characters: %v", len(token.Reveal()), err)
	}
	return "/admin/~first/" + token.Reveal()
}

// superusers returns the addresses of the superusers.
func (d *doorstep) superusers() (all []string) {
	d.t.Helper()
	err := d.db.Session().IDB().NewSelect().Model((*auth.User)(nil)).Column("email").Where("is_superuser").Where("is_staff").Where("is_active").Order("email").Scan(d.t.Context(), &all)
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

// onDoorsteps runs a test with a desk without users on each database.
func onDoorsteps(t *testing.T, test func(t *testing.T, d *doorstep)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) { test(t, openDoorstep(t, db, nil)) })
}

// TestFirstSuperuser: a link leads to a form that makes the superuser and signs in. Then the link has ended.
func TestFirstSuperuser(t *testing.T) {
	onDoorsteps(t, func(t *testing.T, d *doorstep) {
		d.user("asha@example.com", false)
		link, b := d.offer(), d.browser()
		opened := b.get(link)
		opened.to("/admin/~first")
		if policy := opened.header.Get("Referrer-Policy"); policy != "no-referrer" {
			t.Errorf("the link has the Referrer-Policy %q", policy)
		}
		b.get("/admin/~first").is(200).says("Make the first superuser", `name="email"`, `type="password"`).lacks(strings.TrimPrefix(link, "/admin/~first/"), "<nav")
		for name, wrong := range map[string]struct {
			email, password string
			status          int
			says            string
		}{
			"nothing":                   {"", "", 400, `id="field-email-error"`},
			"no e-mail address":         {"boss", password, 400, `id="field-email-error"`},
			"a password that is short":  {"boss@example.com", "short", 400, `id="field-password-error"`},
			"a password that is common": {"boss@example.com", "password1", 400, `id="field-password-error"`},
			"the address of another":    {"Asha@example.com", password, 409, "A user with this e-mail exists already."},
		} {
			got := b.submit("/admin/~first", url.Values{"email": {wrong.email}, "password": {wrong.password}})
			if got.status != wrong.status || !strings.Contains(got.body, wrong.says) || wrong.password != "" && strings.Contains(got.body, wrong.password) {
				t.Errorf("%s: %d %s", name, got.status, got.body)
			}
		}
		if all := d.superusers(); len(all) > 0 {
			t.Fatalf("wrong forms made %s", all)
		}
		b.submit("/admin/~first", url.Values{"email": {"Boss@Example.com"}, "password": {password}}).to("/admin/")
		b.get("/admin/").is(200).says("boss@example.com", `href="/admin/tickets/"`)
		b.get("/admin/agents/").is(200).says("agents/~post")
		if all := d.superusers(); fmt.Sprint(all) != "[boss@example.com]" {
			t.Errorf("the superusers are %s", all)
		}
		for _, again := range []*browser{b, d.browser()} {
			again.get(link).is(404)
			again.get("/admin/~first").is(404)
		}
		d.signedIn("boss@example.com")
		if said := d.said(); strings.Contains(said, strings.TrimPrefix(link, "/admin/~first/")) || strings.Contains(said, "example.com") || !strings.Contains(said, `"event":"user_created"`) {
			t.Errorf("the log has a secret or lacks the event: %s", said)
		}
		if token, err := d.identity.OfferFirstSuperuser(t.Context(), d.db.Session()); err != nil || token.Reveal() != "" {
			t.Errorf("there is a superuser and another link: %v", err)
		}
	})
}

// TestTheLinkStaysEnded: a link that ended because of a superuser does not work again when that user is disabled.
func TestTheLinkStaysEnded(t *testing.T) {
	onDoorsteps(t, func(t *testing.T, d *doorstep) {
		link, boss := d.offer(), d.user("boss@example.com", true)
		d.browser().get(link).is(404)
		if err := d.identity.Users.SetActive(t.Context(), d.db.Session(), boss.ID, false); err != nil {
			t.Fatal(err)
		}
		d.browser().get(link).is(404)
	})
}

// TestLinksToTheFirstSuperuser: a wrong link and one that has ended are answered alike, as any address that does not exist.
func TestLinksToTheFirstSuperuser(t *testing.T) {
	const unchanged, escaped = "", "with %7E for ~"
	for name, test := range map[string]struct {
		before func(d *doorstep)
		link   string // in place of the one that was offered
		status int
	}{
		"the link":                 {func(*doorstep) {}, unchanged, 303},
		"the link with an escape":  {func(*doorstep) {}, escaped, 303},
		"the link after 59 min":    {func(d *doorstep) { d.wait(59 * time.Minute) }, unchanged, 303},
		"the link after an hour":   {func(d *doorstep) { d.wait(time.Hour) }, unchanged, 404},
		"an earlier link":          {func(d *doorstep) { d.offer() }, unchanged, 404},
		"another token":            {func(*doorstep) {}, "/admin/~first/AAAAAAAAAAAAAAAAAAAAAAAAAA", 404},
		"no token":                 {func(*doorstep) {}, "/admin/~first/", 404},
		"neither token nor cookie": {func(*doorstep) {}, "/admin/~first", 404},
		"a path below":             {func(*doorstep) {}, "/admin/~first/a/b", 404},
		"there is a user":          {func(d *doorstep) { d.user("asha@example.com", false) }, unchanged, 303},
		"there is a superuser":     {func(d *doorstep) { d.user("boss@example.com", true) }, unchanged, 404},
		"a superuser was made and disabled since": {func(d *doorstep) {
			if err := d.identity.Users.SetActive(d.t.Context(), d.db.Session(), d.user("boss@example.com", true).ID, false); err != nil {
				d.t.Fatal(err)
			}
		}, unchanged, 404},
	} {
		t.Run(name, func(t *testing.T) {
			onDoorsteps(t, func(t *testing.T, d *doorstep) {
				link := d.offer()
				test.before(d)
				switch test.link {
				case unchanged:
				case escaped:
					link = strings.Replace(link, "~", "%7E", 1)
				default:
					link = test.link
				}
				b := d.browser()
				got, other := b.get(link).is(test.status), d.browser().get("/admin/~first/no-such-token").is(404)
				if got.status == 404 && got.body != strings.ReplaceAll(other.body, "/admin/~first/no-such-token", link) {
					t.Errorf("a link that has ended:\n%s\nanother address:\n%s", got.body, other.body)
				}
				if got.status == 404 {
					d.user("ravi@example.com", false)
					if unknown := d.signedIn("ravi@example.com").get("/admin/no/such/page"); unknown.status != 404 || !strings.Contains(unknown.body, "The API has no such address.") {
						t.Errorf("an unknown page: %d %s", unknown.status, unknown.body)
					}
					got.says("The API has no such address.")
				}
			})
		})
	}
}

// TestFormsOfTheFirstSuperuser: a form counts only from its own page, with the token of the link, and as often as a sign-in.
func TestFormsOfTheFirstSuperuser(t *testing.T) {
	onDoorsteps(t, func(t *testing.T, d *doorstep) {
		link, b := d.offer(), d.browser()
		b.get(link).is(303)
		form := b.form("/admin/~first", url.Values{"email": {"boss@example.com"}, "password": {password}})
		forged := url.Values{"email": {"boss@example.com"}, "password": {password}}
		for name, send := range map[string]func() *seen{
			"without a token of the session": func() *seen { return b.send(http.MethodPost, "/admin/~first", forged) },
			"from another origin":            func() *seen { return b.send(http.MethodPost, "/admin/~first", form, "Origin", "https://evil.example") },
			"from no origin":                 func() *seen { return b.send(http.MethodPost, "/admin/~first", form, "Origin", "null") },
			"from another site":              func() *seen { return b.send(http.MethodPost, "/admin/~first", form, "Sec-Fetch-Site", "cross-site") },
		} {
			if got := send(); got.status != http.StatusForbidden {
				t.Errorf("%s: status %d; want 403", name, got.status)
			}
		}
		d.browser().send(http.MethodPost, "/admin/~first", form).is(404) // without the cookie of the link
		d.browser().send(http.MethodPost, "/api/auth/first/superuser", nil, "X-First-Token", strings.TrimPrefix(link, "/admin/~first/")).is(404)
		late := d.browser()
		late.get(link).is(303)
		for range 6 {
			late.submit("/admin/~first", url.Values{"email": {"boss@example.com"}, "password": {"short"}}).is(400)
		}
		late.submit("/admin/~first", url.Values{"email": {"boss@example.com"}, "password": {password}}).is(429)
		late.submit("/admin/~sign-in", url.Values{"email": {"boss@example.com"}, "password": {password}}).is(429) // it is the same rate
		if all := d.superusers(); len(all) > 0 {
			t.Errorf("the superusers are %s", all)
		}
		d.wait(time.Hour)
		late.send(http.MethodPost, "/admin/~first", form).is(404)
	})
}

// TestOneFirstSuperuser: of several forms at once, of one link and of the links of two processes, one makes the superuser. All of them
// have passed the first check before one is stored. On PostgreSQL none is stored before all of their transactions wait.
func TestOneFirstSuperuser(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		const forms = 4
		var checked atomic.Int64
		every := make(chan struct{})
		all := func(ctx context.Context, _ string, _ auth.PasswordOwner) error {
			if checked.Add(1) == forms {
				close(every)
			}
			select {
			case <-every:
				return nil
			case <-ctx.Done(): // that of the request
				return ctx.Err()
			}
		}
		processes := []*doorstep{openDoorstep(t, db, all), openDoorstep(t, db, all)}
		type entry struct {
			b    *browser
			form url.Values
		}
		var entries []entry
		for i, d := range processes {
			link := d.offer()
			for j := range 2 {
				b := d.browser()
				b.get(link).is(303)
				entries = append(entries, entry{b, b.form("/admin/~first", url.Values{"email": {fmt.Sprintf("boss%d%d@example.com", i, j)}, "password": {password}})})
			}
		}
		release := func() error { return nil }
		if db.Kind() == sqldb.PostgreSQL {
			release = holdUsers(t, db, forms)
		}
		statuses := make([]int, len(entries))
		var done sync.WaitGroup
		for i, e := range entries {
			done.Go(func() { statuses[i] = e.b.send(http.MethodPost, "/admin/~first", e.form).status })
		}
		if err := release(); err != nil {
			t.Error(err)
		}
		done.Wait()
		slices.Sort(statuses)
		if want := []int{303, 404, 404, 404}; !slices.Equal(statuses, want) {
			t.Errorf("the statuses are %v; want %v", statuses, want)
		}
		if made := processes[0].superusers(); len(made) != 1 {
			t.Errorf("the superusers are %s; want one", made)
		}
	})
}

// holdUsers keeps all transactions from adding users, until the returned function has seen that some of them wait.
func holdUsers(t *testing.T, db *sqldb.DB, waiting int) (release func() error) {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), "LOCK TABLE auth_users IN SHARE MODE"); err != nil {
		t.Fatal(err)
	}
	return func() error {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		for n := 0; n < waiting; {
			if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database WHERE NOT l.granted AND d.datname = current_database()").Scan(&n); err != nil {
				return errors.Join(err, tx.Rollback())
			}
		}
		return tx.Rollback()
	}
}
