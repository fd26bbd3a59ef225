package auth

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/sqldb"
)

// tokens returns a scheme that records uses, as one process has it.
func (w *world) tokens() *Tokens { return NewTokens(TokenOptions{Now: w.clock}) }

// uses sends a token to a scheme that records uses.
func (w *world) uses(tokens *Tokens, token string) {
	w.Helper()
	caller, err := tokens.scheme.identify(w.ctx, w.s, w.now, http.Header{"Authorization": {"Token " + token}})
	if err != nil || caller.Anonymous() {
		w.Errorf("the token finds %v, %v", caller, err)
	}
}

// lastUsed returns the stored last use of the only token of a user.
func (w *world) lastUsed(user User) *time.Time {
	w.Helper()
	list, err := w.users.ListTokens(w.ctx, w.s, user.ID)
	w.must(err)
	if len(list) != 1 {
		w.Fatalf("the user has %d tokens", len(list))
	}
	return list[0].LastUsedAt
}

func TestUsesOfATokenAreWrittenOnceAMinute(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		token, began := w.token(user, 0), w.now
		one, two := w.tokens(), w.tokens() // two processes
		for _, c := range []struct {
			name       string
			at         time.Duration
			statements int
			used       time.Duration
		}{
			{"the first use, at once", 0, 2, 0},
			{"within the minute", 59 * time.Second, 0, 0},
			{"after it", time.Minute, 2, time.Minute},
			{"in the next", 90 * time.Second, 0, time.Minute},
			{"much later", time.Hour, 2, time.Hour},
		} {
			w.Run(c.name, func(t *testing.T) {
				w.now = began.Add(c.at)
				for range 3 {
					w.uses(one, token)
					w.uses(two, token)
				}
				sent := w.statements(func() {
					w.must(one.Flush(w.ctx, w.db))
					w.must(two.Flush(w.ctx, w.db))
					w.must(one.Flush(w.ctx, w.db))
				})
				if used := w.lastUsed(user); len(sent) != c.statements || used == nil || !used.Equal(began.Add(c.used)) {
					t.Errorf("%d statements, the last use is %v", len(sent), used)
				}
			})
		}
	})
}

func TestTwoProcessesWriteATokenOnceAMinuteTogether(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		token, began := w.token(user, 0), w.now
		one, two := w.tokens(), w.tokens()
		for _, c := range []struct {
			name           string
			first, written time.Duration // the second use comes half a minute after the first
		}{
			{"its first use", 0, 0},
			{"a later one", 2 * time.Minute, 2 * time.Minute},
		} {
			w.Run(c.name, func(t *testing.T) {
				w.now = began.Add(c.first)
				w.uses(one, token)
				w.now = w.now.Add(30 * time.Second)
				w.uses(two, token)
				w.must(one.Flush(w.ctx, w.db))
				w.must(two.Flush(w.ctx, w.db))
				if used := w.lastUsed(user); used == nil || !used.Equal(began.Add(c.written)) {
					t.Errorf("the last use is %v; want %v", used, began.Add(c.written))
				}
			})
		}
	})
}

func TestRequestsThatDoNotUseAToken(t *testing.T) {
	onBoth(t, func(w *world) {
		user, inactive := w.user("asha@example.com"), w.user("inactive@example.com")
		token, expired := w.token(user, 0), w.token(user, time.Second)
		theirs, revoked := w.token(inactive, 0), w.token(user, 0)
		w.must(w.users.SetActive(w.ctx, w.s, inactive.ID, false))
		w.must(w.users.RevokeToken(w.ctx, w.s, revoked))
		w.now = w.now.Add(time.Hour)
		recording := func() Token { return w.tokens().scheme }
		for _, c := range []struct {
			name          string
			scheme        Token
			authorization []string
			statements    int // statements of Flush
		}{
			{"a good token, for comparison", recording(), []string{"Token " + token}, 1},
			{"a good token where none is recorded", Token{Realm: "api"}, []string{"Token " + token}, 0},
			{"an expired token", recording(), []string{"Token " + expired}, 0},
			{"a token of an inactive user", recording(), []string{"Token " + theirs}, 0},
			{"a revoked token", recording(), []string{"Token " + revoked}, 0},
			{"an unknown token", recording(), []string{"Token " + newToken()}, 0},
			{"an impossible token", recording(), []string{"Token trs_"}, 0},
			{"a good token twice", recording(), []string{"Token " + token, "Token " + token}, 0},
			{"a good token for another scheme", recording(), []string{"Basic " + token}, 0},
			{"nothing", recording(), nil, 0},
		} {
			w.Run(c.name, func(t *testing.T) {
				sent := w.statements(func() {
					_, _ = c.scheme.identify(w.ctx, w.s, w.now, http.Header{"Authorization": c.authorization})
				})
				for _, e := range sent {
					if !strings.HasPrefix(e.SQL, "SELECT ") {
						t.Errorf("authenticating sent %s", e.SQL)
					}
				}
				tokens := &Tokens{scheme: c.scheme}
				if c.scheme.uses == nil {
					tokens = w.tokens()
				}
				sent = w.statements(func() { w.must(tokens.Flush(w.ctx, w.db)) })
				if len(sent) != c.statements {
					t.Errorf("Flush sent %+v", sent)
				}
			})
		}
		list, err := w.users.ListTokens(w.ctx, w.s, user.ID)
		w.must(err)
		if len(list) != 2 || list[0].LastUsedAt == nil || list[1].LastUsedAt != nil {
			w.Errorf("the tokens are %+v", list)
		}
	})
}

func TestUsesWaitForADatabaseThatFails(t *testing.T) {
	onBoth(t, func(w *world) {
		user, tokens := w.user("asha@example.com"), w.tokens()
		token := w.token(user, 0)
		began := w.now
		w.uses(tokens, token)
		gone, cancel := context.WithCancel(w.ctx)
		cancel()
		err := tokens.Flush(gone, w.db)
		if err == nil || !strings.Contains(err.Error(), "last_used_at of auth_tokens") {
			w.Errorf("the error is %v", err)
		}
		w.now = w.now.Add(time.Hour)
		w.must(tokens.Flush(w.ctx, w.db))
		if used := w.lastUsed(user); used == nil || !used.Equal(began) {
			w.Errorf("the last use is %v", used)
		}
	})
}

func TestAUseOfATokenThatWasRevokedSinceIsForgotten(t *testing.T) {
	onBoth(t, func(w *world) {
		user, tokens := w.user("asha@example.com"), w.tokens()
		token := w.token(user, 0)
		w.uses(tokens, token)
		w.must(w.users.RevokeToken(w.ctx, w.s, token))
		w.must(tokens.Flush(w.ctx, w.db))
		list, err := w.users.ListTokens(w.ctx, w.s, user.ID)
		w.must(err)
		sent := w.statements(func() { w.must(tokens.Flush(w.ctx, w.db)) })
		if len(list) != 0 || len(sent) != 0 {
			w.Errorf("the tokens are %+v, the next Flush sends %+v", list, sent)
		}
	})
}

// TestRecordingCostsNoStatement: Tokens, which records, sends the same statements as
// Token.
func TestRecordingCostsNoStatement(t *testing.T) {
	onBoth(t, func(w *world) {
		token, tokens := w.token(w.user("asha@example.com"), 0), w.tokens()
		sent := w.statements(func() {
			for range 3 {
				w.now = w.now.Add(time.Hour) // due to be written
				w.uses(tokens, token)
			}
		})
		if len(sent) != 3 {
			w.Errorf("%d statements were sent", len(sent))
		}
		for _, e := range sent {
			if !reading(e) {
				w.Errorf("the statement is %s with %d values", e.SQL, len(e.Args))
			}
		}
	})
}

func reading(e sqldb.Event) bool { return strings.HasPrefix(e.SQL, "SELECT ") && len(e.Args) == 2 }
