package framework_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/sqldb"
)

// TestReplayOfARowThatIsNowAnothers: a stored answer about a row is not sent to a caller
// that can no longer see the row.
func TestReplayOfARowThatIsNowAnothers(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		ada := serve(t, config(db), n.resources()...).as("ada")
		path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/copy/"
		body := fields{"text": "secret"}
		first := ada.under("k").post(path, body).fresh()
		ada.under("k").post(path, body).replays(first)
		if _, err := db.NewUpdate().Table("books").Set("owner_id = ?", uuid.New()).Where("title = ?", "Emma").Exec(context.Background()); err != nil {
			t.Fatal(err)
		}
		ada.under("k").post(path, body).refuses(404, "not_found").lacks("secret")
		ada.under("k").post(path, fields{"text": ""}).refuses(404, "not_found")
		n.ran(t, 1)
	})
}

// TestACallerHasSoManyKeys: the answers of one caller do not fill the disk, and
// are still repeated when no further key is taken.
func TestACallerHasSoManyKeys(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		s := serve(t, config(db), n.resources()...)
		ada, bob := s.as("ada"), s.as("bob")
		first := ada.under("first").post("/api/orders/", fields{"text": "a"}).is(201).fresh()
		if _, err := db.NewRaw(`
			INSERT INTO idempotency_keys (caller, route, key, fingerprint, status, location, created_at)
			WITH RECURSIVE n (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < 10000)
			SELECT k.caller, k.route, 'made ' || n.n, k.fingerprint, 201, '', k.created_at FROM idempotency_keys AS k, n`).Exec(context.Background()); err != nil {
			t.Fatal(err)
		}
		ada.under("one-too-many").post("/api/orders/", fields{"text": "b"}).refuses(429, "rate_limited").head("Retry-After", "3600")
		ada.under("first").post("/api/orders/", fields{"text": "a"}).replays(first)
		ada.post("/api/orders/", fields{"text": "without"}).is(201)
		bob.under("his-first").post("/api/orders/", fields{"text": "c"}).is(201).fresh()
		n.ran(t, 3)
		if _, err := db.NewRaw("UPDATE idempotency_keys SET created_at = ?", time.Now().Add(-25*time.Hour)).Exec(context.Background()); err != nil {
			t.Fatal(err)
		}
		ada.under("when-they-are-over").post("/api/orders/", fields{"text": "d"}).is(201).fresh()
	})
}

// TestAKeyDoesNotMakeABodyDearer: a body that is nested too deeply is rejected before its
// members are sorted, because sorting takes longer with each level.
func TestAKeyDoesNotMakeABodyDearer(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		ada := serve(t, config(db), n.resources()...).as("ada")
		body := strings.Repeat(`{"z":`, 40) + `1` + strings.Repeat(`,"a":1}`, 40)
		ada.under("k").post("/api/orders/", body).refuses(400, "invalid_json")
		keysKept(t, db, 0)
		for i := range 3 {
			ada.under("k").post("/api/orders/", fmt.Sprintf(`{"text":"a","deep":{"z":%d,"a":1}}`, i/2)).is([]int{201, 201, 422}[i])
		}
		n.ran(t, 1)
	})
}
