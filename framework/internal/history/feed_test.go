package history_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/internal/history"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestFollow: a reader that follows the entries while 16 callers change rows gets each entry exactly once, and the
// entries of a row in the order of its changes.
func TestFollow(t *testing.T) {
	const writers, changes = 16, 12
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		var rows []string
		for n := range 4 { // several callers change each row
			rows = append(rows, idOf(as("ada"), fields{"name": fmt.Sprint("row ", n)}))
		}
		var all sync.WaitGroup
		for n := range writers {
			all.Go(func() {
				random := rand.New(rand.NewPCG(seed, uint64(n)))
				for i := range changes {
					at := []string{"/api/patients/", "/api/desk/"}[random.IntN(2)] // those of the desk are sent together
					as("ada").Patch(at+rows[random.IntN(len(rows))]+"/", fields{"phone": fmt.Sprint(n, "-", i)}).Expect(200)
				}
			})
		}
		done := make(chan struct{})
		go func() { all.Wait(); close(done) }()

		var got []framework.HistoryEvent
		for place, last := "", false; ; {
			select {
			case <-done:
				last = true
			default:
			}
			held, failed := history.HeldBack(t.Context(), db)
			events, next, err := framework.FollowHistory(t.Context(), db, place, 1+len(got)%7)
			if err = cmp.Or(failed, err); err != nil {
				t.Fatal(err)
			}
			if place = next; len(events) == 0 && last && held == 0 {
				break
			}
			got = append(got, events...)
		}
		seen, value := map[string]bool{}, map[string]string{}
		for _, e := range got {
			if seen[e.ID.String()] {
				t.Errorf("the entry %s comes twice", e.ID)
			}
			seen[e.ID.String()] = true
			if from := string(e.Changes["phone"].From); from != value[e.Key] {
				t.Errorf("an entry of row %s changes %s, and the entry before it left %s", e.Key, from, value[e.Key])
			}
			value[e.Key] = string(e.Changes["phone"].To)
		}
		if n := apitest.Count(t, db, "row_history"); len(got) != n || n != len(rows)+writers*changes {
			t.Errorf("the reader gets %d of %d entries; %d are expected", len(got), n, len(rows)+writers*changes)
		}
	})
}

// TestFollowWaits: an entry whose transaction is not the oldest is left out until the older ones have ended, because one of
// them may store an entry that belongs before it. SQLite has one writer at a time, so nothing waits.
func TestFollowWaits(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB, as func(string) *frameworktest.Client) {
		if db.Kind() == sqldb.SQLite {
			return
		}
		ada := as("ada")
		first := idOf(ada, fields{"name": "first"})
		apitest.History(t, db)
		err := db.InTx(t.Context(), func(ctx context.Context, s *sqldb.Session) error {
			if _, err := s.IDB().NewRaw("UPDATE stars SET user_id = user_id; SELECT pg_current_xact_id()").Exec(ctx); err != nil {
				return err
			}
			second := idOf(ada, fields{"name": "second"})
			if got := follow(t, db, 10); len(got) != 1 || got[0].Key != first {
				t.Errorf("while an older transaction runs, the entries are %v; want that of %s, and not that of %s", got, first, second)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := apitest.History(t, db); len(got) != 2 {
			t.Errorf("after it, there are %d entries; want 2", len(got))
		}
	})
}

// TestPlaces: a text that is no place is an error that says what is right.
func TestPlaces(t *testing.T) {
	for _, text := range []string{"x", "[1]", "[1,2,3]", `["1","2"]`, "null", "{}"} {
		if _, err := history.ReadPlace(text); err == nil || !strings.Contains(err.Error(), "is no place in a history") {
			t.Errorf("%q: got %v", text, err)
		}
	}
	for _, place := range []history.Place{{}, {SafeAt: 5, Seq: 7}} {
		if got, err := history.ReadPlace(place.Text()); got != place || err != nil {
			t.Errorf("%v is read as %v, %v", place, got, err)
		}
	}
	if !slices.Equal([]string{(history.Place{SafeAt: 1, Seq: 2}).Text()}, []string{"[1,2]"}) {
		t.Error("the text of a place has changed, and programs have stored it")
	}
}
