package auth

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"testing"
	"time"

	"trestle.example/framework/sqldb"
)

func TestIssueToken(t *testing.T) {
	shape := regexp.MustCompile(`^trs_[A-Za-z0-9_-]{43}$`)
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		seen := map[string]bool{}
		for _, c := range []struct {
			name       string
			life, want time.Duration
		}{
			{"default life", 0, 30 * 24 * time.Hour},
			{"an hour", time.Hour, time.Hour},
			{"a year", 365 * 24 * time.Hour, 365 * 24 * time.Hour},
		} {
			w.Run(c.name, func(t *testing.T) {
				secret, record, err := w.users.IssueToken(w.ctx, w.s, user, " "+c.name, c.life)
				if err != nil {
					t.Fatal(err)
				}
				plain := secret.Reveal()
				if !shape.MatchString(plain) || seen[plain] {
					t.Errorf("the token is %q", plain)
				}
				seen[plain] = true
				if record.Prefix != plain[:8] || record.Name != c.name || record.UserID != user.ID {
					t.Errorf("the record is %+v", record)
				}
				if !record.CreatedAt.Equal(w.now) || !record.ExpiresAt.Equal(w.now.Add(c.want)) {
					t.Errorf("it lives from %v to %v", record.CreatedAt, record.ExpiresAt)
				}
			})
		}
		_, _, err := w.users.IssueToken(w.ctx, w.s, user, "", -time.Second)
		wantInput(w.T, err, "expires_in", "min")
	})
}

// TestIssueTokenRejectsUsersWhoMayNotSignIn: a token for an account that changed after its
// password was checked would survive the change.
func TestIssueTokenRejectsUsersWhoMayNotSignIn(t *testing.T) {
	onBoth(t, func(w *world) {
		before, gone := w.user("asha@example.com"), w.user("gone@example.com")
		w.now = w.now.Add(time.Second)
		w.must(w.users.SetPassword(w.ctx, w.s, before.ID, "other words that walk"))
		w.must(w.users.SetActive(w.ctx, w.s, gone.ID, false))
		inactive, err := w.users.UserByID(w.ctx, w.s, gone.ID)
		w.must(err)
		for name, user := range map[string]User{
			"a user whose password was changed since": before,
			"a user who was deactivated":              inactive,
			"a user who does not exist":               {ID: newID(), IsActive: true},
			"nobody":                                  {},
		} {
			w.Run(name, func(t *testing.T) {
				_, _, err := w.users.IssueToken(w.ctx, w.s, user, "", 0)
				tokens, _ := w.users.ListTokens(w.ctx, w.s, user.ID)
				if !errors.Is(err, ErrWrongCredentials) || len(tokens) != 0 {
					t.Errorf("the error is %v, tokens are %v", err, tokens)
				}
			})
		}
	})
}

func TestListTokens(t *testing.T) {
	onBoth(t, func(w *world) {
		user, other := w.user("asha@example.com"), w.user("other@example.com")
		none, err := w.users.ListTokens(w.ctx, w.s, user.ID)
		if err != nil || none == nil || len(none) != 0 {
			w.Errorf("without tokens the list is %#v, %v", none, err)
		}
		first := w.token(user, time.Minute)
		w.now = w.now.Add(time.Hour)
		second := w.token(user, 0)
		w.token(other, 0)
		list, err := w.users.ListTokens(w.ctx, w.s, user.ID)
		w.must(err)
		if len(list) != 2 || list[0].Prefix != first[:8] || list[1].Prefix != second[:8] {
			w.Fatalf("the list is %+v", list)
		}
		if list[1].ExpiresAt == nil || !list[1].ExpiresAt.Equal(w.now.Add(DefaultTokenLife)) || list[1].LastUsedAt != nil {
			w.Errorf("the second is %+v", list[1])
		}
	})
}

func TestRevokingATokenTakesEffectAtOnce(t *testing.T) {
	onBoth(t, func(w *world) {
		user, other := w.user("asha@example.com"), w.user("other@example.com")
		kept, theirs := w.token(user, 0), w.token(other, 0)
		byPlain, byID := w.token(user, 0), w.token(user, 0)
		list, err := w.users.ListTokens(w.ctx, w.s, user.ID)
		w.must(err)

		w.admits(byPlain, true)
		w.must(w.users.RevokeToken(w.ctx, w.s, byPlain))
		w.admits(byPlain, false)
		wantNotFound(w.T, w.users.RevokeToken(w.ctx, w.s, byPlain))

		last := list[2]
		wantNotFound(w.T, w.users.RevokeTokenByID(w.ctx, w.s, other.ID, last.ID))
		w.admits(byID, true)
		w.must(w.users.RevokeTokenByID(w.ctx, w.s, user.ID, last.ID))
		w.admits(byID, false)

		w.admits(kept, true)
		w.must(w.users.RevokeTokens(w.ctx, w.s, user.ID))
		w.admits(kept, false)
		w.admits(theirs, true)
	})
}

func TestDeletingAUserDeletesTheirTokens(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		token := w.token(user, 0)
		w.must(w.users.Grant(w.ctx, w.s, user.ID, "patients.view"))
		_, err := w.s.Exec(w.ctx, w.s.IDB().NewDelete().Model(&user).Where("u.id = ?", user.ID))
		w.must(err)
		w.admits(token, false)
		list, err := w.users.ListTokens(w.ctx, w.s, user.ID)
		if err != nil || len(list) != 0 {
			w.Errorf("%+v, %v remain", list, err)
		}
	})
}

// TestOnlyAHashOfATokenIsKept: no column of the table contains the token.
func TestOnlyAHashOfATokenIsKept(t *testing.T) {
	onBoth(t, func(w *world) {
		token := w.token(w.user("asha@example.com"), 0)
		rows, err := w.s.Query(w.ctx, w.s.IDB().NewSelect().TableExpr("auth_tokens").ColumnExpr("auth_tokens.*"))
		w.must(err)
		defer func() { _ = rows.Close() }()
		columns, err := rows.Columns()
		w.must(err)
		if !rows.Next() {
			w.Fatal("the table is empty")
		}
		values := make([]any, len(columns))
		places := make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		w.must(rows.Scan(places...))
		for i, v := range values {
			if bytes.Contains(fmt.Appendf(nil, "%s", v), []byte(token[8:20])) {
				w.Errorf("column %s holds the token", columns[i])
			}
		}
	})
}

// TestMigrations: the migrations can be undone and run again on both databases.
func TestMigrations(t *testing.T) {
	onBoth(t, func(w *world) {
		applied := func() int {
			status, err := w.db.MigrationStatus(w.ctx, Migrations())
			w.must(err)
			n := 0
			for _, m := range status {
				if m.Namespace != "auth" || m.Changed {
					w.Errorf("migration %+v", m)
				}
				if !m.AppliedAt.IsZero() {
					n++
				}
			}
			return n
		}
		all := applied()
		for left := all; left > 0; left-- {
			_, err := w.db.MigrateDown(w.ctx, nil, Migrations())
			w.must(err)
		}
		if applied() != 0 {
			w.Errorf("%d are left", applied())
		}
		w.must(w.db.Migrate(w.ctx, func(sqldb.Migration, time.Duration) {}, Migrations()))
		if applied() != all || all == 0 {
			w.Errorf("%d of %d are applied again", applied(), all)
		}
		w.user("asha@example.com")
	})
}
