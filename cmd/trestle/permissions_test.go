package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestPermissions: the table and the JSON have the same content as routes.
func TestPermissions(t *testing.T) {
	t.Parallel()
	r := newRig(t, "postgres://app:hidden@127.0.0.1:1/app") // no connection is possible
	for flags, columns := range map[string][]string{
		"":                                    {"anonymous", "user", "staff", "superuser"},
		"--holding patients.view,doctors.add": {"anonymous", "user", "staff", "superuser", "holder"},
	} {
		var rows []struct {
			Method, Path, ViewSet, Name, Permission, Scope, Writers string
			Access                                                  map[string]string
		}
		text := r.ok("permissions --json " + flags)
		for _, key := range []string{"method", "path", "viewset", "name", "permission", "scope", "access"} {
			if !strings.Contains(text, `"`+key+`": `) {
				t.Errorf("the JSON has no key %q", key)
			}
		}
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&rows); err != nil {
			t.Fatal(err)
		}
		table := strings.Split(strings.TrimSpace(r.ok("permissions "+flags)), "\n")
		routes := strings.Split(strings.TrimSpace(r.ok("routes")), "\n")
		if len(table) != len(rows)+1 || len(table) != len(routes) {
			t.Fatalf("%d lines for %d rows and %d lines of routes; want a heading and one each", len(table), len(rows), len(routes))
		}
		if want := "METHOD PATH " + strings.ToUpper(strings.Join(columns, " ")); strings.Join(strings.Fields(table[0]), " ") != want {
			t.Errorf("the heading is %q; want %q", table[0], want)
		}
		slices.Sort(columns)
		for i, row := range rows {
			want := []string{row.Method, row.Path}
			for _, column := range strings.Fields(table[0])[2:] {
				want = append(want, row.Access[strings.ToLower(column)])
			}
			if got := strings.Fields(table[i+1]); !slices.Equal(got, want) {
				t.Errorf("the line is %q; the JSON says %q", got, want)
			}
			if got := slices.Sorted(maps.Keys(row.Access)); !slices.Equal(got, columns) {
				t.Errorf("%s %s has the columns %q; want %q", row.Method, row.Path, got, columns)
			}
			for _, said := range []string{row.Method, row.Path, row.ViewSet, row.Name, row.Permission, row.Scope} {
				if !strings.Contains(routes[i+1], said) {
					t.Errorf("routes says %q; %q is missing there", routes[i+1], said)
				}
			}
		}
	}
}

// TestPermissionsOfTheClinic: a few rows of each kind, as they are printed.
func TestPermissionsOfTheClinic(t *testing.T) {
	t.Parallel()
	var lines []string
	for line := range strings.Lines(newRig(t, sqliteURL(t)).ok("permissions --holding patients.view,doctors.add")) {
		lines = append(lines, strings.Join(strings.Fields(line), "|"))
	}
	for _, want := range []string{
		"METHOD|PATH|ANONYMOUS|USER|STAFF|SUPERUSER|HOLDER",
		"GET|/api/|allowed|allowed|allowed|allowed|allowed",
		"GET|/api/patients/|refused|scoped|scoped|allowed|allowed",
		"DELETE|/api/patients/{id}/|refused|scoped|scoped|allowed|scoped",
		"GET|/api/appointments/|refused|scoped|scoped|allowed|scoped",
		"GET|/api/doctors/|refused|allowed|allowed|allowed|allowed",
		"POST|/api/manage/doctors/|refused|refused|refused|allowed|allowed",
		"DELETE|/api/manage/doctors/{id}/|refused|refused|refused|allowed|refused",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line is %q:\n%s", want, strings.Join(lines, "\n"))
		}
	}
}
