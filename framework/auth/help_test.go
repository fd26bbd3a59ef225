package auth

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

const goodPassword = "four unrelated words walk"

// A world is a database with the tables of this package, and a clock that the test sets.
type world struct {
	*testing.T
	ctx   context.Context
	db    *sqldb.DB
	s     *sqldb.Session
	users *Users
	now   time.Time
}

// onBoth runs a test on SQLite and on PostgreSQL.
func onBoth(t *testing.T, test func(*world)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		test(newWorld(t, "sqlite://"+filepath.Join(t.TempDir(), "auth.db")))
	})
	t.Run("postgresql", func(t *testing.T) {
		test(newWorld(t, postgres.Database(t)))
	})
}

func newWorld(t *testing.T, url string) *world {
	t.Helper()
	db, err := sqldb.Open(url, sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	w := &world{T: t, ctx: t.Context(), db: db, s: db.Session()}
	w.now = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	w.users, err = NewUsers(Options{Now: w.clock})
	w.must(err)
	w.must(db.Migrate(w.ctx, nil, Migrations()))
	return w
}

func (w *world) clock() time.Time { return w.now }

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) user(email string) User {
	w.Helper()
	user, err := w.users.CreateUser(w.ctx, w.s, NewUser{Email: email, Name: "Asha", Password: goodPassword})
	w.must(err)
	return user
}

func (w *world) token(user User, life time.Duration) string {
	w.Helper()
	secret, _, err := w.users.IssueToken(w.ctx, w.s, user, "laptop", life)
	w.must(err)
	return secret.Reveal()
}

// wantInput checks that err rejects one field for one reason.
func wantInput(t *testing.T, err error, field, code string) {
	t.Helper()
	var input *InputError
	if !errors.As(err, &input) || input.Field != field || input.Code != code {
		t.Fatalf("error is %v; want %s of %s", err, code, field)
	}
}

func wantNotFound(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, ErrNotFound) {
		t.Fatalf("error is %v; want one that wraps ErrNotFound", err)
	}
}

func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }
