//go:build unix

package postgres

import (
	"testing"
)

// TestStandby: rows written on the primary are read on the standby, unless it is paused
// or halted, and until it is promoted.
func TestStandby(t *testing.T) {
	t.Parallel()
	cluster, standby := Replicated(t)
	write := func(name string) {
		t.Helper()
		if err := execute(mustParse(t, cluster.URL()), "CREATE TABLE "+name+" (id int)"); err != nil {
			t.Fatal(err)
		}
	}
	has := func(name string) bool {
		return queryText(t, standby.URL(), "SELECT to_regclass('"+name+"') IS NOT NULL") == "true"
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write("first")
	await(t, "the first table on the standby", func() bool { return has("first") })
	if got := queryText(t, standby.URL(), "SELECT pg_is_in_recovery()"); got != "true" {
		t.Errorf("in recovery: %s", got)
	}

	must(standby.Pause())
	await(t, "the replay to be paused", func() bool { return queryText(t, standby.URL(), "SELECT pg_get_wal_replay_pause_state()") == "paused" })
	write("second")
	if has("second") {
		t.Error("a paused standby has rows that were written since")
	}
	must(standby.Continue())
	await(t, "the second table on the standby", func() bool { return has("second") })

	must(standby.Halt())
	await(t, "the standby to be gone", func() bool { return ping(standby.URL()) != nil })
	write("third")
	must(standby.Resume())
	await(t, "the standby to be back", func() bool { return ping(standby.URL()) == nil })
	await(t, "the third table on the standby", func() bool { return has("third") })

	must(standby.Promote())
	if got := queryText(t, standby.URL(), "SELECT pg_is_in_recovery()"); got != "false" {
		t.Errorf("in recovery after it was promoted: %s", got)
	}
	write("fourth")
	if has("fourth") {
		t.Error("a promoted server has rows that the old primary wrote since")
	}
	must(standby.Stop())
	if ping(standby.URL()) == nil {
		t.Error("the standby answers after Stop")
	}
}
