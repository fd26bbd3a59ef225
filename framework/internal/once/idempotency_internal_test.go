package once

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/internal/table"
	"trestle.example/framework/sqldb"
)

// TestRunPurges deletes keys every hour, the first time after a minute. It reports an error and
// continues.
// ownMigrations are the framework's own.
func ownMigrations() sqldb.Migrations {
	return sqldb.Migrations{Namespace: "framework", FS: os.DirFS("../../migrations")}
}

func TestRunPurges(t *testing.T) {
	db, err := sqldb.Open("sqlite://"+filepath.Join(t.TempDir(), "test.db"), sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	purges := 0
	db.Observe(func(_ context.Context, e sqldb.Event) {
		if strings.Contains(e.SQL, "DELETE FROM idempotency_keys") && e.Err == nil {
			purges++
		}
	})
	var reported []error
	ctx, stop := context.WithCancel(t.Context())
	minutes, ended := make(chan time.Time), make(chan struct{})
	go func() {
		defer close(ended)
		Keyring{table.NewRegistry(table.Options{DB: db, Now: time.Now})}.runAt(ctx, minutes, func(err error) { reported = append(reported, err) })
	}()
	minute := func(times int) {
		for range times {
			minutes <- time.Time{}
		}
	}
	minute(1) // there is no table yet
	minute(1)
	if err := db.Migrate(t.Context(), nil, ownMigrations()); err != nil {
		t.Fatal(err)
	}
	minute(59 + 60 + 59)
	stop()
	<-ended
	if len(reported) != 1 || !strings.Contains(reported[0].Error(), "old idempotency keys could not be deleted") || purges != 2 {
		t.Errorf("it purged %d times, want 2, and reported %v", purges, reported)
	}
}

// TestRunGoesOnAfterAPanic reports the panic with its stack.
func TestRunGoesOnAfterAPanic(t *testing.T) {
	db, err := sqldb.Open("sqlite://"+filepath.Join(t.TempDir(), "test.db"), sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(t.Context(), nil, ownMigrations()); err != nil {
		t.Fatal(err)
	}
	asked := 0
	keys := Keyring{table.NewRegistry(table.Options{DB: db, Now: func() time.Time {
		if asked++; asked == 1 {
			panic("no clock")
		}
		return time.Now()
	}})}
	var reported []error
	ctx, stop := context.WithCancel(t.Context())
	minutes, ended := make(chan time.Time), make(chan struct{})
	go func() {
		defer close(ended)
		keys.runAt(ctx, minutes, func(err error) { reported = append(reported, err) })
	}()
	for range 62 {
		minutes <- time.Time{}
	}
	stop()
	<-ended
	if asked != 2 || len(reported) != 1 {
		t.Fatalf("it purged %d times, want 2, and reported %v", asked, reported)
	}
	if text := reported[0].Error(); !strings.Contains(text, "old idempotency keys ended in a panic: no clock\ngoroutine ") || !strings.Contains(text, "idempotency_internal_test.go:") {
		t.Errorf("it reported %s; want the panic and its stack", text)
	}
}
