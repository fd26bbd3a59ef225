package auth

import (
	"context"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/sqldb"
)

func TestSessionOptions(t *testing.T) {
	for _, c := range []struct {
		name    string
		options SessionOptions
		refused string // a part of the error, "" for none
	}{
		{"none", SessionOptions{}, ""},
		{"the least idle life", SessionOptions{IdleLife: 5 * time.Minute}, ""},
		{"an idle life above the usual life", SessionOptions{IdleLife: 30 * 24 * time.Hour}, ""},
		{"an idle life that is shorter than the time between writes", SessionOptions{IdleLife: time.Minute}, "IdleLife is 1m0s"},
		{"a negative idle life", SessionOptions{IdleLife: -time.Hour}, "IdleLife"},
		{"a life below the idle life", SessionOptions{Life: time.Hour}, "Life (1h0m0s) cannot be shorter than IdleLife (2h0m0s)"},
		{"a negative life", SessionOptions{Life: -time.Hour}, "Life"},
		{"origins", SessionOptions{TrustedOrigins: []string{"https://app.example.org", "http://localhost:3000", "http://[::1]:3000"}}, ""},
		{"null", SessionOptions{TrustedOrigins: []string{"null"}}, `"null"`},
		{"a star", SessionOptions{TrustedOrigins: []string{"*"}}, `"*"`},
		{"a star for a name", SessionOptions{TrustedOrigins: []string{"https://*.example.org"}}, "TrustedOrigins"},
		{"a name alone", SessionOptions{TrustedOrigins: []string{"app.example.org"}}, "TrustedOrigins"},
		{"nothing", SessionOptions{TrustedOrigins: []string{""}}, "TrustedOrigins"},
		{"a path", SessionOptions{TrustedOrigins: []string{"https://app.example.org/"}}, "TrustedOrigins"},
		{"a query", SessionOptions{TrustedOrigins: []string{"https://app.example.org?"}}, "TrustedOrigins"},
		{"upper case", SessionOptions{TrustedOrigins: []string{"https://App.example.org"}}, "TrustedOrigins"},
		{"the usual port", SessionOptions{TrustedOrigins: []string{"https://app.example.org:443"}}, "TrustedOrigins"},
		{"a user", SessionOptions{TrustedOrigins: []string{"https://me@app.example.org"}}, "TrustedOrigins"},
		{"another scheme", SessionOptions{TrustedOrigins: []string{"file://app"}}, "TrustedOrigins"},
		{"two in one", SessionOptions{TrustedOrigins: []string{"https://a.test,https://b.test"}}, "TrustedOrigins"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := NewSessions(c.options)
			if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
				t.Errorf("got %v; want %q in it", err, c.refused)
			}
		})
	}
}

func TestHowLongASessionLives(t *testing.T) {
	const day = 24 * time.Hour
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		for _, c := range []struct {
			name     string
			options  SessionOptions
			every    time.Duration // how often it is used and written until then
			until    time.Duration
			admitted bool
		}{
			{"at once", SessionOptions{}, 0, 0, true},
			{"just before its idle life", SessionOptions{}, 0, 2*time.Hour - time.Microsecond, true},
			{"at its idle life", SessionOptions{}, 0, 2 * time.Hour, false},
			{"used each hour, on the third day", SessionOptions{}, time.Hour, 3 * day, true},
			{"used each hour, just before its life", SessionOptions{}, time.Hour, 14*day - time.Microsecond, true},
			{"used each hour, at its life", SessionOptions{}, time.Hour, 14 * day, false},
			{"a shorter idle life", SessionOptions{IdleLife: 10 * time.Minute}, 0, 10 * time.Minute, false},
			{"a shorter idle life, used", SessionOptions{IdleLife: 10 * time.Minute}, 9 * time.Minute, time.Hour, true},
			{"a shorter life, used", SessionOptions{IdleLife: time.Hour, Life: 3 * time.Hour}, 30 * time.Minute, 3 * time.Hour, false},
		} {
			w.Run(c.name, func(*testing.T) {
				s := w.site(c.options)
				w.must(s.sessions.EndAll(w.ctx, w.s, user.ID))
				b, began := s.signedIn(user.Email), w.now
				for c.every > 0 && w.now.Add(c.every).Before(began.Add(c.until)) {
					w.now = w.now.Add(c.every)
					b.admitted(true)
					w.must(s.sessions.Flush(w.ctx, w.db))
				}
				w.now = began.Add(c.until)
				list, err := s.sessions.List(w.ctx, w.s, user.ID)
				w.must(err)
				if (len(list) == 1) != c.admitted {
					w.Errorf("%d sessions are listed", len(list))
				}
				b.admitted(c.admitted)
				n, err := s.sessions.Purge(w.ctx, w.s)
				w.must(err)
				if (n == 0) != c.admitted {
					w.Errorf("%d sessions were purged", n)
				}
			})
		}
	})
}

func TestUsesAreWrittenOnceAMinute(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		one, two := w.site(SessionOptions{}), w.site(SessionOptions{}) // two processes
		b := one.signedIn(user.Email)
		began := w.now
		for _, c := range []struct {
			name       string
			at         time.Duration
			statements int
			seen       time.Duration
		}{
			{"at once", 0, 0, 0},
			{"within the minute", 59 * time.Second, 0, 0},
			{"after it", time.Minute, 2, time.Minute},
			{"in the next", 90 * time.Second, 0, time.Minute},
			{"much later", time.Hour, 2, time.Hour},
		} {
			w.Run(c.name, func(t *testing.T) {
				w.now = began.Add(c.at)
				other := two.browser()
				other.cookies, other.token = b.cookies, b.token
				for range 3 {
					b.admitted(true)
					other.admitted(true)
				}
				sent := w.statements(func() {
					w.must(one.sessions.Flush(w.ctx, w.db))
					w.must(two.sessions.Flush(w.ctx, w.db))
					w.must(one.sessions.Flush(w.ctx, w.db))
				})
				list, err := one.sessions.List(w.ctx, w.s, user.ID)
				w.must(err)
				if len(sent) != c.statements || !list[0].LastSeenAt.Equal(began.Add(c.seen)) || !list[0].CreatedAt.Equal(began) {
					t.Errorf("%d statements, %+v", len(sent), list)
				}
			})
		}
	})
}

func TestTwoProcessesWriteOnceAMinuteTogether(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		one, two := w.site(SessionOptions{}), w.site(SessionOptions{})
		b, began := one.signedIn(user.Email), w.now
		other := two.browser()
		other.cookies, other.token = b.cookies, b.token
		w.now = began.Add(time.Minute)
		b.admitted(true)
		w.now = began.Add(90 * time.Second)
		other.admitted(true)
		w.must(one.sessions.Flush(w.ctx, w.db))
		w.must(two.sessions.Flush(w.ctx, w.db))
		list, err := one.sessions.List(w.ctx, w.s, user.ID)
		w.must(err)
		if !list[0].LastSeenAt.Equal(began.Add(time.Minute)) {
			w.Errorf("it was written again after half a minute: %v", list[0].LastSeenAt)
		}
	})
}

func TestRunWritesAndPurges(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		s := w.site(SessionOptions{})
		dead, b := s.signedIn(user.Email), s.browser()
		w.now = w.now.Add(3 * time.Hour)
		b.show()
		b.enter(user.Email, 200)
		w.now = w.now.Add(time.Hour)
		b.admitted(true)

		ctx, cancel := context.WithCancel(w.ctx)
		ticks, done := make(chan time.Time), make(chan struct{})
		go func() {
			defer close(done)
			runHousekeepingAt(ctx, w.db, ticks, func(err error) { w.Errorf("reported: %v", err) }, s.sessions)
		}()
		ticks <- w.now
		ticks <- w.now // received when the first tick is done
		var rows []SessionRecord
		w.must(scanAll(w.ctx, w.s, w.s.IDB().NewSelect().Model(&rows), &rows))
		if len(rows) != 1 || !rows[0].LastSeenAt.Equal(w.now) {
			w.Errorf("after a tick the rows are %+v", rows)
		}
		cancel()
		<-done
		dead.admitted(false)

		w.now = w.now.Add(time.Hour)
		b.admitted(true)
		s.sessions.Run(ctx, w.db, func(err error) { w.Errorf("reported: %v", err) }) // has ended: flushes and returns
		w.now = w.now.Add(90 * time.Minute)
		b.admitted(true)
	})
}

func TestRunReportsErrors(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		s := w.site(SessionOptions{})
		b := s.signedIn(user.Email)
		w.now = w.now.Add(time.Hour)
		b.admitted(true)
		_, err := w.s.Exec(w.ctx, w.s.IDB().NewRaw("ALTER TABLE auth_sessions RENAME TO away"))
		w.must(err)
		ended, cancel := context.WithCancel(w.ctx)
		cancel()
		var reported []error
		s.sessions.Run(ended, w.db, func(err error) { reported = append(reported, err) })
		if _, known := sqldb.Classify(reported[0]); len(reported) != 1 || strings.Contains(reported[0].Error(), b.key(sessionCookie)) {
			w.Errorf("reported %v, known: %v", reported, known)
		}
	})
}
