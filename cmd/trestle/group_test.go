package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
)

// words runs a command whose words may hold spaces.
func (r *rig) words(words ...string) result {
	r.t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), words, r.env, strings.NewReader(""), &stdout, &stderr)
	return result{code, stdout.String(), stderr.String()}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		for _, name := range []string{"a", "b"} {
			r.with(horse+"\n", "user create --email "+name+"@example.com").is(t, exitOK)
		}
		made := r.words("group", "create", "night shift", "patients.view", "appointments.view")
		made.is(t, exitOK, `Created the group "night shift".`)
		r.words("group", "create", "night shift").is(t, exitFailure, "A group with the name night shift exists already.")
		r.words("group", "create", "  ").is(t, exitFailure, "A group needs a name.")
		r.ok("group create Kitchen")
		for range 2 { // a second time changes nothing
			r.words("group", "join", "night shift", "--email", "a@example.com").is(t, exitOK)
			r.words("group", "join", "--email", "b@example.com", "night shift").is(t, exitOK)
			r.ok("group join Kitchen --email a@example.com")
			r.ok("group leave Kitchen --email a@example.com")
			r.ok("group grant Kitchen meals.view")
			r.words("group", "revoke", "night shift", "patients.view").is(t, exitOK)
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
		r.ok("migrate up")
		r.with(horse+"\n", "user create --email a@example.com").is(t, exitOK)
		r.ok("group create night")
		const misspelt, strange = "no endpoint asks for patients.veiw; did you mean patients.view?", "no endpoint asks for x.y; trestle routes shows what each asks for"
		for _, command := range []string{"group create day", "group grant night", "user grant --email a@example.com"} {
			got := r.run(command + " patients.veiw doctors.add x.y")
			got.is(t, exitOK, misspelt, strange)
			if strings.Contains(got.stderr, "asks for doctors.add") {
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
		r.ok("migrate up")
		r.with(horse+"\n", "user create --email a@example.com").is(t, exitOK)
		r.ok("group create Reception")
		for name, says := range map[string]string{
			"Receptoin": `no group has the name "Receptoin"; did you mean "Reception"?`,
			"reception": `no group has the name "reception"; did you mean "Reception"?`,
			"Kitchen":   `no group has the name "Kitchen"; trestle group list shows them`,
			"":          `no group has the name ""; trestle group list shows them`,
		} {
			r.words("group", "grant", name, "a.view").is(t, exitFailure, says)
			r.words("group", "revoke", name, "a.view").is(t, exitFailure, says)
			r.words("group", "join", name, "--email", "a@example.com").is(t, exitFailure, says)
			r.words("group", "leave", name, "--email", "a@example.com").is(t, exitFailure, says)
		}
		if list := r.ok("group list"); !regexp.MustCompile(`Reception +- +0\n$`).MatchString(list) {
			t.Errorf("the one group was changed: %s", list)
		}
	})
}
