package auth

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb"
)

// ids returns the ids of all rows of a table.
func (w *world) ids(table bun.Ident) []uuid.UUID {
	w.Helper()
	rows := []struct{ ID uuid.UUID }{}
	w.must(scanAll(w.ctx, w.s, w.s.IDB().NewSelect().TableExpr("?", table).Column("id"), &rows))
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	return sorted(ids...)
}

func sorted(ids ...uuid.UUID) []uuid.UUID {
	return slices.SortedFunc(slices.Values(ids), func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
}

// purges checks which rows of a table remain after a purge, and the count.
func (w *world) purges(table bun.Ident, purge func(context.Context, *sqldb.Session) (int64, error), living []uuid.UUID) {
	w.Helper()
	before := w.ids(table)
	n, err := purge(w.ctx, w.s)
	w.must(err)
	if left := w.ids(table); !slices.Equal(left, living) || int(n) != len(before)-len(left) {
		w.Errorf("of %d rows %d were purged, and %v remain; want %v", len(before), n, left, living)
	}
}

func TestExpiredTokensArePurged(t *testing.T) {
	onBoth(t, func(w *world) {
		user, tokens := w.user("asha@example.com"), w.tokens()
		began := w.now
		endless := w.endless(user)
		w.issued(user, time.Second)
		w.issued(user, time.Hour)
		little := w.issued(user, time.Hour+time.Microsecond)
		usual := w.issued(user, 0)

		w.purges("auth_tokens", (&Tokens{clock: func() time.Time { return began }}).Purge, w.ids("auth_tokens"))
		w.now = began.Add(time.Hour)
		w.purges("auth_tokens", tokens.Purge, sorted(endless, little, usual))
		w.purges("auth_tokens", tokens.Purge, sorted(endless, little, usual))
		w.now = began.Add(time.Hour + time.Second)
		w.purges("auth_tokens", tokens.Purge, sorted(endless, usual))
		w.now = began.Add(1000 * DefaultTokenLife)
		w.purges("auth_tokens", tokens.Purge, sorted(endless))
	})
}

// issued makes a token and returns its id.
func (w *world) issued(user User, life time.Duration) uuid.UUID {
	w.Helper()
	_, record, err := w.users.IssueToken(w.ctx, w.s, user, "", life)
	w.must(err)
	return record.ID
}

// endless makes a token that never expires.
func (w *world) endless(user User) uuid.UUID {
	w.Helper()
	id := w.issued(user, time.Second)
	_, err := w.s.Exec(w.ctx, w.s.IDB().NewUpdate().Table("auth_tokens").Set("expires_at = NULL").Where("id = ?", id))
	w.must(err)
	return id
}

func TestExpiredLoginsArePurged(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		user, other := w.user("asha@example.com"), w.user("other@example.com")
		began := w.now
		w.refresh(w.login(user)) // with a replaced token
		w.login(other)
		w.pass(time.Microsecond)
		later := w.login(other).Family
		used := w.login(user)
		all := w.ids("auth_jwt_families")
		w.pass(12 * time.Hour)
		w.refresh(used)

		w.now = began.Add(24*time.Hour - time.Microsecond)
		w.purges("auth_jwt_families", w.jwt.Purge, all)
		w.now = began.Add(24 * time.Hour)
		w.purges("auth_jwt_families", w.jwt.Purge, sorted(later, used.Family))
		w.pass(time.Microsecond)
		w.purges("auth_jwt_families", w.jwt.Purge, sorted(used.Family))
		w.pass(24 * time.Hour)
		w.purges("auth_jwt_families", w.jwt.Purge, nil)
		var left int
		w.must(w.s.IDB().NewSelect().TableExpr("auth_jwt_superseded").ColumnExpr("count(*)").Scan(w.ctx, &left))
		if left != 0 {
			w.Errorf("%d replaced tokens are stored", left)
		}
	})
}

// session stores a session that began and was used before the given durations, and
// returns its id.
func (w *world) session(user User, began, used time.Duration) uuid.UUID {
	w.Helper()
	id := newID()
	_, err := w.s.Exec(w.ctx, w.s.IDB().NewInsert().Model(&sessionWithHash{
		SessionRecord: SessionRecord{ID: id, UserID: user.ID, CreatedAt: w.now.Add(-began), LastSeenAt: w.now.Add(-used)},
		KeyHash:       hashToken(newKey()),
	}))
	w.must(err)
	return id
}

func TestEndedSessionsArePurged(t *testing.T) {
	const (
		day  = 24 * time.Hour
		bit  = time.Microsecond
		idle = DefaultIdleLife
		life = DefaultSessionLife
	)
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		sessions := w.site(SessionOptions{}).sessions
		var living []uuid.UUID
		for _, c := range []struct {
			name        string
			began, used time.Duration // ago
			lives       bool
		}{
			{"a new one", 0, 0, true},
			{"one at the end of its idle life", idle, idle, false},
			{"one just before it", idle - bit, idle - bit, true},
			{"one that was used just before it", 13 * day, idle - bit, true},
			{"one that was used, but too long ago", 13 * day, idle, false},
			{"one just before its life", life - bit, 0, true},
			{"one in use at the end of its total life", life, 0, false},
			{"one forgotten long ago", 100 * day, 100 * day, false},
			{"one of another server, whose clock is ahead", -time.Minute, -time.Minute, true},
		} {
			if id := w.session(user, c.began, c.used); c.lives {
				living = append(living, id)
			}
		}
		list, err := sessions.List(w.ctx, w.s, user.ID)
		w.must(err)
		if len(list) != len(living) {
			w.Errorf("%d sessions are listed", len(list))
		}
		// One by one, so that each is found among live ones.
		w.purges("auth_sessions", func(ctx context.Context, s *sqldb.Session) (int64, error) {
			return purge(ctx, s, 1, sessions.expired()...)
		}, sorted(living...))
	})
}

// TestPurgeHasIndexes: an index begins with each column by which a purge finds its rows.
func TestPurgeHasIndexes(t *testing.T) {
	onBoth(t, func(w *world) {
		sessions := w.site(SessionOptions{}).sessions
		all := append(sessions.expired(), w.tokens().expired())
		for _, e := range append(all, expiredRows{table: "auth_jwt_families", column: "expires_at"}, expiredRows{table: "auth_mail_links", column: "expires_at"}) {
			indexes, err := w.db.Indexes(w.ctx, string(e.table))
			w.must(err)
			if !slices.ContainsFunc(indexes, func(i sqldb.Index) bool { return i.Columns[0].Name == string(e.column) && i.Where == "" }) {
				w.Errorf("no index of %s begins with %s", e.table, e.column)
			}
		}
	})
}

// TestPurgeGoesInBatches: a large backlog is deleted in small transactions, the oldest
// rows first.
func TestPurgeGoesInBatches(t *testing.T) {
	for _, c := range []struct {
		name             string
		batch            int64
		deletes, commits int
		inTx             bool
		stop             bool // after the first commit
		purged           int
	}{
		{"of one row", 1, 6, 6, false, false, 5},
		{"of two", 2, 3, 3, false, false, 5},
		{"without a remainder", 5, 2, 2, false, false, 5},
		{"larger than there are rows", 1000, 1, 1, false, false, 5},
		{"in a transaction of the caller", 2, 3, 1, true, false, 5},
		{"the second of which fails", 2, 1, 1, false, true, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			onBoth(t, func(w *world) {
				user, tokens := w.user("asha@example.com"), w.tokens()
				all := []uuid.UUID{w.endless(user)}
				for i := range 6 { // the last to expire first
					all = slices.Insert(all, 0, w.issued(user, time.Duration(6-i)*time.Hour))
				}
				w.now = w.now.Add(5 * time.Hour)
				ctx, cancel := context.WithCancel(w.ctx)
				defer cancel()
				deletes, commits := w.countsPurging(func() {
					if c.stop {
						cancel()
					}
				})
				n, err := int64(0), error(nil)
				if c.inTx {
					err = w.db.InTx(ctx, func(ctx context.Context, tx *sqldb.Session) error {
						n, err = purge(ctx, tx, c.batch, tokens.expired())
						return err
					})
				} else {
					n, err = purge(ctx, w.s, c.batch, tokens.expired())
				}
				if (err != nil) != c.stop || c.stop && !strings.Contains(err.Error(), "of auth_tokens could not be deleted, after 2 rows") {
					w.Errorf("the error is %v", err)
				}
				if left := w.ids("auth_tokens"); int(n) != c.purged || !slices.Equal(left, sorted(all[c.purged:]...)) {
					w.Errorf("%d were purged, and %v of %v remain", n, left, all)
				}
				if *deletes != c.deletes || *commits != c.commits {
					w.Errorf("%d DELETE in %d transactions", *deletes, *commits)
				}
			})
		})
	}
}

// countsPurging counts statements from now on, and calls fn after each commit.
func (w *world) countsPurging(fn func()) (deletes, commits *int) {
	deletes, commits = new(int), new(int)
	w.db.Observe(func(_ context.Context, e sqldb.Event) {
		switch {
		case e.SQL == "COMMIT":
			*commits++
			fn()
		case strings.HasPrefix(e.SQL, "DELETE "):
			*deletes++
		}
	})
	return deletes, commits
}

// TestPurgeKeepsRowsThatAreExtendedMeanwhile: a row that is extended between its selection
// and its deletion stays.
func TestPurgeKeepsRowsThatAreExtendedMeanwhile(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		sessions := w.site(SessionOptions{}).sessions
		used, dead := w.session(user, 3*time.Hour, 3*time.Hour), w.session(user, 3*time.Hour, 3*time.Hour)
		purged := make(chan int64, 1)
		w.must(w.db.InTx(w.ctx, func(ctx context.Context, tx *sqldb.Session) error {
			_, err := tx.Exec(ctx, tx.IDB().NewUpdate().Table("auth_sessions").Set("last_seen_at = ?", w.now).Where("id = ?", used))
			w.must(err)
			go func() {
				n, err := sessions.Purge(w.ctx, w.db.Session())
				if err != nil {
					w.Error(err)
				}
				purged <- n
			}()
			w.waitsForLock(purged)
			return nil
		}))
		if n := <-purged; n != 1 || !slices.Equal(w.ids("auth_sessions"), sorted(used)) {
			w.Errorf("%d of %v and %v were purged; %v remain", n, used, dead, w.ids("auth_sessions"))
		}
	})
}

// waitsForLock returns when a statement waits for a locked row. SQLite has one writer,
// and others wait before they read.
func (w *world) waitsForLock(done chan int64) {
	w.Helper()
	if w.db.Kind() != sqldb.PostgreSQL {
		return
	}
	for waiting := 0; waiting == 0; {
		if len(done) > 0 {
			w.Fatal("no statement waited")
		}
		w.must(w.s.IDB().NewSelect().TableExpr("pg_stat_activity").ColumnExpr("count(*)").
			Where("wait_event_type = 'Lock' AND datname = current_database()").Scan(w.ctx, &waiting))
	}
}

// house has all housekeepers of a server.
type house struct {
	*jwtWorld

	sessions *Sessions
	tokens   *Tokens
	user     User
	reported []error
	ticks    chan time.Time
}

func houseOnBoth(t *testing.T, test func(*house)) {
	t.Helper()
	jwtOnBoth(t, func(w *jwtWorld) {
		test(&house{
			jwtWorld: w, sessions: w.site(SessionOptions{}).sessions, tokens: w.world.tokens(),
			user: w.world.user("asha@example.com"), ticks: make(chan time.Time),
		})
	})
}

// keep runs the housekeepers while during runs, and until they have ended. more run
// before the others.
func (h *house) keep(ctx context.Context, during func(), more ...housekeeper) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		runHousekeepingAt(ctx, h.db, h.ticks, func(err error) { h.reported = append(h.reported, err) }, append(more, h.sessions, h.tokens, h.jwt)...)
	}()
	during()
	cancel()
	<-done
}

// tick lets minutes pass. When it returns, all ticks except the last have been handled.
func (h *house) tick(n int) {
	for range n {
		h.ticks <- h.now
	}
}

// rows are the tables of credentials with their numbers of rows.
func (h *house) rows() [3]int {
	return [3]int{len(h.ids("auth_sessions")), len(h.ids("auth_tokens")), len(h.ids("auth_jwt_families"))}
}

// mortal adds a credential of each kind that expires within a day.
func (h *house) mortal() {
	h.session(h.user, 0, 0)
	h.issued(h.user, time.Hour)
	h.login(h.user)
}

func TestHousekeeping(t *testing.T) {
	houseOnBoth(t, func(h *house) {
		token := h.token(h.user, 1000*time.Hour)
		h.mortal()
		h.pass(48 * time.Hour)
		used := h.now
		h.uses(h.tokens, token)
		h.keep(h.ctx, func() {
			h.tick(2)
			if rows := h.rows(); rows != [3]int{0, 1, 0} {
				h.Errorf("after a minute the tables have %v rows", rows)
			}
			if last := h.lastUsed(h.user); last == nil || !last.Equal(used) {
				h.Errorf("after a minute the last use is %v", last)
			}
			h.mortal()
			h.pass(48 * time.Hour)
			h.tick(58)
			if rows := h.rows(); rows != [3]int{1, 2, 1} {
				h.Errorf("before the hour is over the tables have %v rows", rows)
			}
			h.tick(2)
			if rows := h.rows(); rows != [3]int{0, 1, 0} {
				h.Errorf("after an hour the tables have %v rows", rows)
			}
			h.uses(h.tokens, token)
		})
		if last := h.lastUsed(h.user); last == nil || !last.Equal(h.now) {
			h.Errorf("at the end the last use is %v", last)
		}
		if len(h.reported) != 0 {
			h.Errorf("reported: %v", h.reported)
		}
	})
}

func TestErrorsDoNotEndTheHousekeeping(t *testing.T) {
	houseOnBoth(t, func(h *house) {
		token, used := h.token(h.user, 1000*time.Hour), h.now
		h.uses(h.tokens, token)
		h.mortal()
		h.pass(48 * time.Hour)
		h.rename("auth_tokens", "away")
		h.keep(h.ctx, func() { h.tick(3) })
		h.rename("away", "auth_tokens")
		if rows := h.rows(); rows != [3]int{0, 2, 0} {
			h.Errorf("the tables have %v rows", rows)
		}
		if len(h.reported) < 4 { // from the first tick, the second and the end; the third may be cut short
			h.Errorf("reported: %v", h.reported)
		}
		for i, err := range h.reported {
			want := "last_used_at of auth_tokens could not be written"
			if i == 1 {
				want = "expired rows of auth_tokens could not be deleted"
			}
			if _, known := sqldb.Classify(err); !known || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), token) {
				h.Errorf("reported: %v; want %q and the cause", err, want)
			}
		}

		h.reported = nil
		h.keep(h.ctx, func() { h.tick(2) })
		if last := h.lastUsed(h.user); last == nil || !last.Equal(used) || len(h.reported) != 0 {
			h.Errorf("after the table exists again the last use is %v; reported: %v", last, h.reported)
		}
	})
}

// A faulty housekeeper always panics, and counts its calls.
type faulty struct{ flushed, purged int }

func (f *faulty) Flush(context.Context, *sqldb.DB) error {
	f.flushed++
	panic("at a flush")
}

func (f *faulty) Purge(context.Context, *sqldb.Session) (int64, error) {
	f.purged++
	panic("at a purge")
}

func TestPanicsDoNotEndTheHousekeeping(t *testing.T) {
	houseOnBoth(t, func(h *house) {
		h.uses(h.tokens, h.token(h.user, 1000*time.Hour))
		h.mortal()
		h.pass(48 * time.Hour)
		f := &faulty{}
		h.keep(h.ctx, func() {
			h.tick(62)
			if rows := h.rows(); rows != [3]int{0, 1, 0} {
				h.Errorf("the tables have %v rows", rows)
			}
			if h.lastUsed(h.user) == nil {
				h.Error("the last use is not written")
			}
		}, f)
		if f.flushed != 63 || f.purged != 2 || len(h.reported) != 65 {
			h.Errorf("%d flushes and %d purges are tried, and %d reported; want 63, 2 and 65", f.flushed, f.purged, len(h.reported))
		}
		for _, err := range h.reported {
			if !strings.Contains(err.Error(), "panicked: at a ") || !strings.Contains(err.Error(), "housekeeping_test.go:") {
				h.Errorf("reported: %v; want the panic and its stack", err)
			}
		}
	})
}

func (h *house) rename(table, to bun.Ident) {
	h.Helper()
	_, err := h.s.Exec(h.ctx, h.s.IDB().NewRaw("ALTER TABLE ? RENAME TO ?", table, to))
	h.must(err)
}

// TestStoppingWhileItWrites: a server that stops during a flush still writes all uses and
// reports no error.
func TestStoppingWhileItWrites(t *testing.T) {
	houseOnBoth(t, func(h *house) {
		token := h.token(h.user, 0)
		h.uses(h.tokens, token)
		ctx, stop := context.WithCancel(h.ctx)
		h.db.Observe(func(_ context.Context, e sqldb.Event) {
			if strings.HasPrefix(e.SQL, "UPDATE ") {
				stop()
			}
		})
		h.keep(ctx, func() { h.tick(1); <-ctx.Done() })
		if last := h.lastUsed(h.user); last == nil || !last.Equal(h.now) || len(h.reported) != 0 {
			h.Errorf("the last use is %v; reported: %v", last, h.reported)
		}
	})
}

// TestRunFlushesAtTheEnd: each Run also works alone, and flushes before it returns.
func TestRunFlushesAtTheEnd(t *testing.T) {
	houseOnBoth(t, func(h *house) {
		h.uses(h.tokens, h.token(h.user, 0))
		ended, cancel := context.WithCancel(h.ctx)
		cancel()
		report := func(err error) { h.Errorf("reported: %v", err) }
		h.tokens.Run(ended, h.db, report)
		h.jwt.Run(ended, h.db, report)
		if last := h.lastUsed(h.user); last == nil || !last.Equal(h.now) {
			h.Errorf("the last use is %v", last)
		}
	})
}
