package main

import (
	"regexp"
	"strings"
	"testing"
)

func TestGroups(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		for _, name := range []string{"a", "b"} {
			r.with(horse+"\n", "user create --email "+name+"@example.com").is(t, exitOK)
		}
		made := r.call("group", "create", "night shift", "patients.view", "appointments.view")
		made.is(t, exitOK, `Created the group "night shift".`)
		r.call("group", "create", "night shift").is(t, exitFailure, "A group with the name night shift exists already.")
		r.call("group", "create", "  ").is(t, exitFailure, "A group needs a name.")
		r.ok("group create Kitchen")
		for range 2 { // a second time changes nothing
			r.call("group", "join", "night shift", "--email", "a@example.com").is(t, exitOK)
			r.call("group", "join", "--email", "b@example.com", "night shift").is(t, exitOK)
			r.ok("group join Kitchen --email a@example.com")
			r.ok("group leave Kitchen --email a@example.com")
			r.ok("group grant Kitchen meals.view")
			r.call("group", "revoke", "night shift", "patients.view").is(t, exitOK)
		}
		id := strings.TrimSpace(made.stdout)
		list := r.ok("group list")
		for _, row := range []string{
			`ID +NAME +PERMISSIONS +MEMBERS`,
			`[0-9a-f-]{36} +Kitchen +meals.view +0`,
			regexp.QuoteMeta(id) + ` +night shift +appointments.view +2`,
		} {
			if !regexp.MustCompile(`(?m)^` + row + `$`).MatchString(list) {
				t.Errorf("the list is %q; want a row like %s", list, row)
			}
		}
		if n := strings.Count(list, "\n"); n != 3 {
			t.Errorf("%d lines: %q", n, list)
		}
	})
}

// TestPermissionsThatNothingAsksFor are granted, with a warning: they may be a
// misspelling, or for what is to come.
func TestPermissionsThatNothingAsksFor(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.inhabited()
		r.ok("group create night")
		const misspelt, strange = "no endpoint of the API requires patients.veiw; did you mean patients.view?", "no endpoint of the API requires x.y; trestle routes lists what each requires"
		for _, command := range []string{"group create day", "group grant night", "user grant --email a@example.com"} {
			got := r.run(command + " patients.veiw doctors.add x.y")
			got.is(t, exitOK, misspelt, strange)
			if strings.Contains(got.stderr, "requires doctors.add") {
				t.Errorf("%s warns of a permission that is asked for: %q", command, got.stderr)
			}
		}
		if got := r.run("group grant night patients.view"); strings.Contains(got.stderr, "no endpoint") {
			t.Errorf("what is asked for is warned of: %q", got.stderr)
		}
	})
}

func TestGroupsThatAreNotThere(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.inhabited()
		r.ok("group create Reception")
		for name, says := range map[string]string{
			"Receptoin": `no group has the name "Receptoin"; did you mean "Reception"?`,
			"reception": `no group has the name "reception"; did you mean "Reception"?`,
			"Kitchen":   `no group has the name "Kitchen"; trestle group list shows them`,
			"":          `no group has the name ""; trestle group list shows them`,
		} {
			r.call("group", "grant", name, "a.view").is(t, exitFailure, says)
			r.call("group", "revoke", name, "a.view").is(t, exitFailure, says)
			r.call("group", "join", name, "--email", "a@example.com").is(t, exitFailure, says)
			r.call("group", "leave", name, "--email", "a@example.com").is(t, exitFailure, says)
		}
		if list := r.ok("group list"); !regexp.MustCompile(`Reception +- +0\n$`).MatchString(list) {
			t.Errorf("the one group was changed: %s", list)
		}
	})
}
