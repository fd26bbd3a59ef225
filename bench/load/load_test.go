package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/resources"
)

const (
	holderToken = "trs_holder-of-the-permission-in-the-tests-00000"
	ownerToken  = "trs_owner-of-all-the-rows-in-the-tests-00000000"
)

// files are a clinic whose one doctor is booked three times at nine, and once a
// minute later.
var files = map[string]string{
	"doctors.csv":  "id,name\n7,Dr. Sen\n",
	"patients.csv": "id,name,phone,city,created_at\n1,Asha Rao,+1-555-0001,Salem,2022-01-01T10:00:00Z\n300,\"Müller, Jo\",+1-555-0300,Dover,2022-01-02T10:00:00Z\n",
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

func settingsFor(dir string) settings {
	return settings{database: "unused", data: dir, token: holderToken, ownerToken: ownerToken}
}

// serve is the API over a loaded database.
func serve(t *testing.T, db *sqldb.DB) *frameworktest.Client {
	t.Helper()
	identity, err := resources.Identity(auth.Config{Log: slog.New(slog.DiscardHandler)})
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
		if err := load(t.Context(), db, settingsFor(folder(t, nil))); err != nil {
			t.Fatal(err)
		}
		client := serve(t, db)
		const muller, booking = "/api/patients/00000000-0000-7000-8000-00000000012c/", "/api/appointments/00000000-0000-7000-8000-000000000005/"
		for name, token := range map[string]string{"the holder of the permissions": holderToken, "the owner": ownerToken} {
			t.Run(name, func(t *testing.T) {
				c := client.On(t).As(token)
				c.Get("/api/patients/").Expect(200).Contains(`"count":2`)
				c.Get(muller).Expect(200).Contains("Müller, Jo", "+1-555-0300", "Dover", "2022-01-02T10:00:00Z")
				c.Get("/api/patients/?search=MÜLLER").Expect(200).Contains(`"count":1`)
				c.Get("/api/appointments/?status=booked&min_fee=20").Expect(200).Contains(`"count":3`, "20.50")
				c.Get(muller+"appointments/").Expect(200).Contains("2022-03-01T09:00:00Z", "2022-03-01T09:01:00Z", "2022-03-01T09:02:00Z")
				c.Patch(booking, map[string]any{"notes": "seen"}).Expect(200)
				c.Patch(muller, map[string]any{"city": "Dover"}).Expect(200)
			})
		}
		t.Run("nobody else", func(t *testing.T) {
			client.On(t).Get("/api/patients/").Expect(401)
			client.On(t).As(strings.Replace(ownerToken, "owner", "other", 1)).Get("/api/patients/").Expect(401)
		})
	})
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
		{"a time that is none", map[string]string{"patients.csv": "id,name,phone,city,created_at\n1,A,1,B,today\n"}, []string{"patients.csv", "today"}},
		{"a fee that is none", map[string]string{"appointments.csv": "id,patient,doctor,status,fee,starts_at\n1,1,7,booked,x,2022-03-01T09:00:00Z\n"}, []string{"appointments.csv", "number"}},
		{"a status that the schema does not know", map[string]string{"appointments.csv": "id,patient,doctor,status,fee,starts_at\n1,1,7,late,1,2022-03-01T09:00:00Z\n"}, []string{"constraint"}},
	}
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				err := load(t.Context(), db, settingsFor(folder(t, c.instead)))
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
	whole := settingsFor("folder")
	for name, o := range map[string]settings{
		"no database": {data: whole.data, token: whole.token, ownerToken: whole.ownerToken}, "no data": {database: "x", token: "x", ownerToken: "x"},
		"no token": {database: "x", data: "x", ownerToken: "x"}, "no token of the owner": {database: "x", data: "x", token: "x"},
	} {
		if err := run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "BENCH_OWNER_TOKEN") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
