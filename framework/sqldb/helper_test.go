package sqldb

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/migrate"
	"trestle.example/framework/sqldb/internal/share"
	"trestle.example/internal/testserver/postgres"
)

// eachKind runs a test on both databases; url is a fresh one of that kind.
func eachKind(t *testing.T, test func(t *testing.T, url string)) {
	t.Run("SQLite", func(t *testing.T) { test(t, sqliteURL(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, postgresURL(t)) })
}

func postgresURL(tb testing.TB) string { return postgres.Database(tb) }

func sqliteURL(tb testing.TB) string {
	return "sqlite://" + filepath.Join(tb.TempDir(), "test.db")
}

// eachDB runs a test on a fresh database of both kinds.
func eachDB(t *testing.T, test func(t *testing.T, db *DB)) {
	eachKind(t, func(t *testing.T, url string) { test(t, open(t, url, Options{})) })
}

func open(tb testing.TB, url string, o Options) *DB {
	tb.Helper()
	db, err := Open(url, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Errorf("closing: %v", err)
		}
	})
	return db
}

// script runs statements, rendered as a migration would be.
func script(tb testing.TB, db *DB, source string) {
	tb.Helper()
	text, err := migrate.Render("script", source, db.Kind())
	if err != nil {
		tb.Fatal(err)
	}
	for _, s := range migrate.Split(text) {
		if _, err := db.DB.DB.ExecContext(background(tb), s); err != nil {
			tb.Fatalf("%s: %v", s, err)
		}
	}
}

// background is the context of a test that must end long before it does.
func background(tb testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	tb.Cleanup(cancel)
	return ctx
}

// one reads the single value of a statement through a session.
func one[T any](tb testing.TB, s *Session, query string, args ...any) T {
	tb.Helper()
	v, err := oneOf[T](background(tb), s, query, args...)
	if err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	return v
}

func oneOf[T any](ctx context.Context, s *Session, query string, args ...any) (v T, err error) {
	rows, err := s.Query(ctx, s.db.NewRaw(query, args...))
	if err != nil {
		return v, err
	}
	defer rows.Close()
	if rows.Next() {
		err = rows.Scan(&v)
	}
	if err == nil {
		err = rows.Err()
	}
	return v, err
}

func run(tb testing.TB, s *Session, query string, args ...any) {
	tb.Helper()
	if _, err := s.Exec(background(tb), s.db.NewRaw(query, args...)); err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
}

func writeFile(tb testing.TB, path, content string) {
	tb.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// eventually looks again and again until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for range 10_000 {
		if so() {
			return
		}
		<-time.After(time.Millisecond)
	}
	t.Fatalf("it is never so that %s", what)
}

// render is a statement as its text and the values beside it.
func (db *DB) render(q schema.QueryAppender) (string, []any, error) { return db.statements.Render(q) }

// waiters waits until so many wait for the next execution of a key.
func waiters[T any](t *testing.T, s *share.Group[T], key share.Key, want int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d wait", want), func() bool { return s.Waiting(key) == want })
}
