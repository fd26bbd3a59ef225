package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
)

// auditHistory checks that each patient has one entry for its creation and one for each change that an answer reported, in
// order, and that no other patient has an entry.
func (r *registrar) auditHistory() {
	r.t.Helper()
	var rows []struct{ ID, Phone, Entries, Last string }
	r.must(r.db.NewRaw(`
		SELECT p.id, p.phone, COALESCE(string_agg(h.change, ' ' ORDER BY h.seq), '') AS entries,
			COALESCE((array_agg(CAST(h.changes AS jsonb) #>> '{phone,to}' ORDER BY h.seq DESC))[1], '') AS last
		FROM patients AS p LEFT JOIN row_history AS h ON h.viewset = 'patients' AND h.row_key = CAST(p.id AS text)
		WHERE p.owner_id = ? GROUP BY p.id, p.phone`, r.user).Scan(r.ctx, &rows))
	for _, one := range rows {
		if want := "created" + strings.Repeat(" updated", r.changes[one.ID]); one.Entries != want || one.Last != one.Phone {
			r.t.Errorf("the patient %s was changed %d times and has the phone %q; its history is %q and ends with %q", one.ID, r.changes[one.ID], one.Phone, one.Entries, one.Last)
		}
		if phone, changed := r.phones[one.ID]; changed && phone != one.Phone {
			r.t.Errorf("the patient %s has the phone %q; want %q", one.ID, one.Phone, phone)
		}
	}
	var extra []string
	r.must(r.db.NewRaw(`
		SELECT h.row_key FROM row_history AS h
		WHERE h.caller = ? AND NOT EXISTS (SELECT 1 FROM patients AS p WHERE CAST(p.id AS text) = h.row_key)`, r.user.String()).Scan(r.ctx, &extra))
	if len(extra) > 0 {
		r.t.Errorf("there are entries of patients that do not exist: %v", extra)
	}
}

// A follower reads all entries while requests store them, and goes on behind the last one after each blow.
type follower struct {
	*load

	place string
	read  map[uuid.UUID]bool
	last  map[string]string // the phone of each patient after the entry that was read last
}

// step reads some entries. Without any, and while the database is away, it waits for a moment.
func (f *follower) step() bool {
	n, err := f.next()
	if err == nil && n > 0 {
		return !f.t.Failed()
	}
	select {
	case <-time.After(again):
		return true
	case <-f.ctx.Done():
		return false
	}
}

// next reads some entries, and checks that each is new, and that those of a patient are in the order of its changes.
func (f *follower) next() (int, error) {
	events, place, err := framework.FollowHistory(f.ctx, f.db, f.place, 200)
	if err != nil || len(events) == 0 {
		return 0, err
	}
	f.place = place
	for _, e := range events {
		if f.read[e.ID] {
			f.wrong("the entry %s is read twice", e.ID)
		}
		f.read[e.ID] = true
		phone := e.Changes["phone"]
		if from := string(phone.From); from != f.last[e.Key] {
			f.wrong("an entry of the patient %s changes the phone %s, and the one before it left %s", e.Key, from, f.last[e.Key])
		}
		f.last[e.Key] = string(phone.To)
	}
	return len(events), nil
}

// audit checks that no entry was missed.
func (f *follower) audit() {
	f.t.Helper()
	var stored []uuid.UUID
	f.must(f.db.NewRaw("SELECT id FROM row_history").Scan(f.ctx, &stored))
	f.poll(fmt.Sprintf("a reader reads the last of %d entries", len(stored)), func() bool {
		for {
			n, err := f.next()
			f.must(err)
			if n == 0 {
				break
			}
		}
		return len(f.read) >= len(stored)
	})
	for _, id := range stored {
		if !f.read[id] {
			f.t.Errorf("the entry %s was missed", id)
		}
	}
	if len(f.read) != len(stored) {
		f.t.Errorf("%d entries were read, and %d are there", len(f.read), len(stored))
	}
}
