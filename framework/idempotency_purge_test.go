package framework_test

import (
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

// TestPurgeGoesInBatches: of more old keys than one statement deletes all go,
// and the others stay.
func TestPurgeGoesInBatches(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		if _, err := db.NewRaw(`
			INSERT INTO idempotency_keys (caller, route, key, fingerprint, status, location, created_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
			SELECT ?, 'POST /api/orders/', CAST(i AS text), ?, 201, '', CASE WHEN i % 5 = 0 THEN CAST(? AS `+timestamp(db)+`) ELSE ? END FROM n`,
			idOf("ada"), []byte{1}, now, now.Add(-24*time.Hour)).Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		c := config(db)
		c.Now = func() time.Time { return now }
		api := framework.New(c)
		var got int64
		var err error
		said := frameworktest.CountStatements(db).During(func() { got, err = api.Purge(t.Context()) })
		if err != nil || got != 2000 || len(said) != 3 {
			t.Errorf("%d keys were purged in %d statements, want 2000 in 3: %v", got, len(said), err)
		}
		keysKept(t, db, 500)
	})
}

func timestamp(db *sqldb.DB) string {
	if db.Kind() == sqldb.PostgreSQL {
		return "timestamptz"
	}
	return "text"
}

// TestPurgeSparesWhatIsClaimedAnew: a key that is claimed again while Purge
// deletes its old self stays.
func TestPurgeSparesWhatIsClaimedAnew(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n, h := &tally{}, newHeld()
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		c := config(db)
		c.Now = func() time.Time { return now }
		ada := serve(t, c, n.resources()...).as("ada")
		ada.under("k").post("/api/orders/", fields{"text": "a"}).is(201)
		now = now.Add(25 * time.Hour)
		h.hold(n)
		var second *answer
		claimed, purged := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(claimed)
			second = ada.under("k").post("/api/orders/", fields{"text": "b"})
		}()
		<-h.begun
		go func() {
			defer close(purged)
			if got, err := framework.New(c).Purge(t.Context()); err != nil || got != 0 {
				t.Errorf("%d keys were purged, want none: %v", got, err)
			}
		}()
		h.let <- nil
		<-claimed
		<-purged
		ada.under("k").post("/api/orders/", fields{"text": "b"}).replays(second.is(201).fresh())
		n.ran(t, 2)
	})
}

// TestMigrationsGoDownAndUp again, with nothing left between.
func TestMigrationsGoDownAndUp(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		for _, want := range []string{"framework/0005_reads", "framework/0004_history", "framework/0003_idempotency_versions", "framework/0002_idempotency_callers", "framework/0001_idempotency_keys"} {
			undone, err := db.MigrateDown(t.Context(), nil, framework.Migrations())
			if err != nil || undone.String() != want {
				t.Errorf("%s was undone: %v; want %s", undone, err, want)
			}
		}
		keepKeys(t, db)
		keysKept(t, db, 0)
	})
}

// TestKeysBehindAPooler: the same where nothing is prepared and values are
// quoted.
func TestKeysBehindAPooler(t *testing.T) {
	db := openLibrary(t, postgres.Database(t), sqldb.Options{NoPrepare: true})
	n := &tally{}
	ada := serve(t, config(db), n.resources()...).as("ada")
	path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/"
	key := `it's\a"key?`
	for range 2 {
		ada.under(key).post("/api/orders/", fields{"text": "it's ? \\ \"é"}).is(201).says(`{"run":1,"text":"it's ? \\ \"é"}`)
	}
	n.ran(t, 1)
	removed := ada.under(key).delete(path).is(204).fresh()
	ada.under(key).delete(path).replays(removed)
	ada.under(key).post("/api/orders/", fields{"text": "its"}).refuses(422, "idempotency_key_reused")
	n.ran(t, 1)
}
