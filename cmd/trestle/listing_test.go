package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework/sqldb"
)

// Every command that lists prints JSON with the same rows as its table.
func TestListsAsJSON(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		if path := sqldb.File(strings.TrimPrefix(r.env[0], "DATABASE_URL=")); path != "" {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o600); err != nil { // an empty database
				t.Fatal(err)
			}
		}
		pending := r.run("migrate status --json")
		pending.is(t, exitNeedsAction, "trestle migrate up")
		if !strings.Contains(pending.stdout, `"appliedAt": null`) {
			t.Errorf("a pending migration is\n%s", pending.stdout)
		}
		r.ok("migrate up")
		for _, list := range []string{"user list", "group list"} {
			if got := strings.TrimSpace(r.ok(list + " --json")); got != "[]" {
				t.Errorf("an empty %s is %q; want an empty array", list, got)
			}
		}
		for _, name := range []string{"zoe", "asha"} {
			r.with(horse+"\n", "user create --email "+name+"@example.com").is(t, exitOK)
		}
		r.ok("group create nurses patients.view")
		secret := strings.TrimSpace(r.ok("token create --email asha@example.com"))
		for _, c := range []struct {
			list, members string
			rows          int
			first         string
		}{
			{"user list", "createdAt email id isActive isStaff isSuperuser name", 2, "zoe@example.com"},
			{"group list", "id members name permissions", 1, "patients.view"},
			{"token list --email asha@example.com", "createdAt expiresAt id lastUsedAt name prefix", 1, secret[:8]},
			{"migrate status", "appliedAt breaking changed id name namespace unknown", len(strings.Split(strings.TrimSpace(r.ok("migrate status")), "\n")) - 1, "framework"},
		} {
			got := r.ok(c.list + " --json")
			var rows []map[string]any
			if err := json.Unmarshal([]byte(got), &rows); err != nil {
				t.Errorf("%s --json is no JSON array: %v\n%s", c.list, err, got)
				continue
			}
			if len(rows) != c.rows {
				t.Errorf("%s --json has %d rows; want %d", c.list, len(rows), c.rows)
			}
			for i, row := range rows {
				if members := strings.Join(slices.Sorted(maps.Keys(row)), " "); members != c.members {
					t.Errorf("%s --json: a row has %s; want %s", c.list, members, c.members)
				}
				if i == 0 && !strings.Contains(fmt.Sprint(row), c.first) {
					t.Errorf("%s --json begins with %v; want %s in it", c.list, row, c.first)
				}
			}
			if strings.Contains(got, secret) {
				t.Errorf("%s --json has the token itself", c.list)
			}
		}
	})
}

// The version command prints of what the program was built.
func TestVersionCommand(t *testing.T) {
	t.Parallel()
	r := newRig(t, "")
	r.run("version").is(t, exitOK)
	if got := r.ok("version"); !strings.HasPrefix(got, "trestle ") || !strings.Contains(got, "\ngo1.") {
		t.Errorf("it prints %q", got)
	}
	var printed struct{ Go string }
	if err := json.Unmarshal([]byte(r.ok("version --json")), &printed); err != nil || !strings.HasPrefix(printed.Go, "go1.") {
		t.Errorf("as JSON it is %+v, %v", printed, err)
	}
}
