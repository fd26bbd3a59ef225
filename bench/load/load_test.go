package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/mail"
	"trestle.example/framework/sqldb"
	"trestle.example/resources"
)

const (
	holderToken = "trs_holder-of-the-permissions-in-the-tests-0000"
	ownerToken  = "trs_owner-of-one-of-the-rows-in-the-tests-00000"
)

// files are a clinic whose one doctor is booked three times at nine, and once a
// minute later. User 1 holds the permissions and owns patient 1; user 2 owns
// patient 300.
var files = map[string]string{
	"users.csv":    "id,holder,key,token\n1,1,k1," + holderToken + "\n2,0,k2," + ownerToken + "\n",
	"doctors.csv":  "id,name\n7,Dr. Sen\n",
	"patients.csv": "id,name,phone,city,created_at,owner\n1,Asha Rao,+1-555-0001,Salem,2022-01-01T10:00:00Z,1\n300,\"Müller, Jo\",+1-555-0300,Dover,2022-01-02T10:00:00Z,2\n",
	"appointments.csv": "id,patient,doctor,status,fee,starts_at\n" +
		"1,1,7,booked,20.50,2022-03-01T09:00:00Z\n" +
		"2,1,7,booked,0.25,2022-03-01T09:00:00Z\n" +
		"3,300,7,completed,500.00,2022-03-01T09:00:00Z\n" +
		"4,300,7,booked,20.00,2022-03-01T09:01:00Z\n" +
		"5,300,7,booked,20.00,2022-03-01T09:00:00Z\n",
}

// folder holds the files, some of them with another text.
func folder(t *testing.T, instead map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if other, given := instead[name]; given {
			text = other
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// serve is the API over a loaded database.
func serve(t *testing.T, db *sqldb.DB) *frameworktest.Client {
	t.Helper()
	identity, err := resources.Identity(auth.Config{Mailer: mail.Log{To: slog.New(slog.DiscardHandler)}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	config := resources.Config(db, 20, identity)
	config.Log = slog.New(slog.DiscardHandler)
	api := framework.New(config)
	resources.Register(api, identity)
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return frameworktest.New(t, handler)
}

func TestLoad(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		before := indexesOf(t, db)
		if err := load(t.Context(), db, folder(t, nil)); err != nil {
			t.Fatal(err)
		}
		if after := indexesOf(t, db); !slices.Equal(after, before) {
			t.Errorf("the indexes are %q; want %q", after, before)
		}
		client := serve(t, db)
		const asha, muller = "/api/patients/00000000-0000-7000-8000-000000000001/", "/api/patients/00000000-0000-7000-8000-00000000012c/"
		const booking = "/api/appointments/00000000-0000-7000-8000-000000000005/"
		for name, c := range map[string]struct {
			token           string
			patients, asked string
			asha            int
		}{
			"a holder of the permissions": {holderToken, `"count":2`, `"count":3`, 200},
			"an owner":                    {ownerToken, `"count":1`, `"count":2`, 404},
		} {
			t.Run(name, func(t *testing.T) {
				client := client.On(t).As(c.token)
				client.Get("/api/patients/").Expect(200).Contains(c.patients)
				client.Get(asha).Expect(c.asha)
				client.Get(muller).Expect(200).Contains("Müller, Jo", "+1-555-0300", "Dover", "2022-01-02T10:00:00Z")
				client.Get("/api/patients/?search=MÜLLER").Expect(200).Contains(`"count":1`)
				client.Get("/api/appointments/?status=booked&min_fee=20").Expect(200).Contains(c.asked)
				client.Get(muller+"appointments/").Expect(200).Contains("2022-03-01T09:00:00Z", "2022-03-01T09:01:00Z", "2022-03-01T09:02:00Z")
				client.Patch(booking, map[string]any{"notes": "seen"}).Expect(200)
				client.Patch(muller, map[string]any{"city": "Dover"}).Expect(200)
			})
		}
		t.Run("nobody else", func(t *testing.T) {
			client.On(t).Get("/api/patients/").Expect(401)
			client.On(t).As(strings.Replace(ownerToken, "owner", "other", 1)).Get("/api/patients/").Expect(401)
		})
	})
}

// indexesOf are those of the tables that are filled without them.
func indexesOf(t *testing.T, db *sqldb.DB) []string {
	t.Helper()
	if err := db.Migrate(t.Context(), nil, resources.Migrations()...); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, table := range []string{"patients", "appointments"} {
		list, err := db.Indexes(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range list {
			names = append(names, fmt.Sprintf("%+v", x))
		}
	}
	return names
}

// A load that fails leaves no rows behind.
func TestLoadRefuses(t *testing.T) {
	cases := []struct {
		name    string
		instead map[string]string
		want    []string
	}{
		{"a file without a column", map[string]string{"doctors.csv": "id\n7\n"}, []string{"doctors.csv", `no column "name"`}},
		{"an empty file", map[string]string{"patients.csv": ""}, []string{"patients.csv", "first line"}},
		{"an id that is none", map[string]string{"doctors.csv": "id,name\n-1,Dr. Sen\n"}, []string{"doctors.csv", "-1"}},
		{"a time that is none", map[string]string{"patients.csv": "id,name,phone,city,created_at,owner\n1,A,1,B,today,1\n"}, []string{"patients.csv", "today"}},
		{"a fee that is none", map[string]string{"appointments.csv": "id,patient,doctor,status,fee,starts_at\n1,1,7,booked,x,2022-03-01T09:00:00Z\n"}, []string{"appointments.csv", "number"}},
		{"a status that the schema does not know", map[string]string{"appointments.csv": "id,patient,doctor,status,fee,starts_at\n1,1,7,late,1,2022-03-01T09:00:00Z\n"}, []string{"constraint"}},
	}
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				err := load(t.Context(), db, folder(t, c.instead))
				for _, want := range c.want {
					if err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(want)) {
						t.Errorf("got %v; want %q in it", err, want)
					}
				}
				n, err := db.NewSelect().Table("auth_users").Count(t.Context())
				if err != nil || n != 0 {
					t.Errorf("%d users are left, %v", n, err)
				}
			})
		}
	})
}

func TestSettingsAreRequired(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]struct{ database, folder string }{"no database": {folder: "x"}, "no folder": {database: "x"}} {
		if err := run(t.Context(), o.database, o.folder); err == nil || !strings.Contains(err.Error(), "BENCH_DATA") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
