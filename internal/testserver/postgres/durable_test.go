//go:build unix

package postgres

import (
	"context"
	"errors"
	"testing"
	"time"
)

func startDurable(t *testing.T) *Durable {
	t.Helper()
	d, err := StartDurable(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Stop(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestADurableClusterFlushes(t *testing.T) {
	t.Parallel()
	d := startDurable(t)
	for _, setting := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
		await(t, setting+" to be on", func() bool { return queryText(t, d.URL(), "SHOW "+setting) == "on" })
	}
}

// TestADurableClusterKeepsAcknowledgedData in whichever way it was ended.
func TestADurableClusterKeepsAcknowledgedData(t *testing.T) {
	t.Parallel()
	d := startDurable(t)
	if err := d.execute("CREATE TABLE acknowledged (how text)"); err != nil {
		t.Fatal(err)
	}
	for how, down := range map[string]func(context.Context) error{"crashed": d.Crash, "shut": d.Shut} {
		if err := d.execute("INSERT INTO acknowledged VALUES ('" + how + "')"); err != nil {
			t.Fatal(err)
		}
		if err := down(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := ping(d.URL()); err == nil {
			t.Errorf("%s: it still answers", how)
		}
		if err := down(t.Context()); err == nil {
			t.Errorf("%s: it can be ended once more", how)
		}
		if err := d.Up(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := queryText(t, d.URL(), "SELECT count(*)::text FROM acknowledged WHERE how = '"+how+"'"); got != "1" {
			t.Errorf("%s: it has %s acknowledged rows; want 1", how, got)
		}
	}
}

func TestAFrozenClusterContinues(t *testing.T) {
	t.Parallel()
	d := startDurable(t)
	kept := open(t, d.URL())
	if err := kept.PingContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := d.Freeze(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := kept.PingContext(ctx); err == nil {
		t.Error("a connection of a frozen server answers")
	}
	if err := d.Thaw(); err != nil {
		t.Fatal(err)
	}
	if err := ping(d.URL()); err != nil {
		t.Errorf("it does not continue: %v", err)
	}
	if err := errors.Join(d.Freeze(), d.Stop()); err != nil {
		t.Errorf("a frozen server does not stop: %v", err)
	}
	if !isRemoved(d.URL(), d.dir) {
		t.Error("after Stop the server still answers or its folder is still there")
	}
}
