package resources_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/resources"
)

// both runs a test on both databases, migrated.
func both(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		if err := db.Migrate(context.Background(), nil, resources.Migrations()...); err != nil {
			t.Fatal(err)
		}
		test(t, db)
	})
}

// serve serves all services with pages of size rows; an anonymous client.
func serve(t *testing.T, db *sqldb.DB, size int) (*framework.API, *frameworktest.Client) {
	t.Helper()
	config := resources.Config(db, size)
	config.Log = slog.New(slog.DiscardHandler)
	api := framework.New(config)
	resources.Register(api)
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return api, frameworktest.New(t, handler)
}

// token makes a user and its token.
func token(t *testing.T, db *sqldb.DB, email string) string {
	t.Helper()
	users, err := auth.NewUsers(auth.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	user, err := users.CreateUser(ctx, db.Session(), auth.NewUser{Email: email, Password: "a long walk in May"})
	if err != nil {
		t.Fatal(err)
	}
	plain, _, err := users.IssueToken(ctx, db.Session(), user.ID, "test", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return plain.Reveal()
}

// The page size is one setting for every list of every service.
func TestPageSizeIsOneSetting(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := token(t, db, "ada@clinic.example")
		for _, size := range []int{1, 2, 3} {
			_, client := serve(t, db, size)
			client = client.As(ada)
			client.Post("/api/patients/", map[string]string{"name": "Asha", "phone": "+91 50000 00000"}).Expect(201)
			client.Post("/api/patients/", map[string]string{"name": "Asha", "phone": "+91 50000 00000"}).Expect(201)
			var list struct{ Results []any }
			if client.Get("/api/patients/").Expect(200).JSON(&list); len(list.Results) != size {
				t.Errorf("with pages of %d a page has %d rows", size, len(list.Results))
			}
			client.Get("/api/patients/?page_size=50&limit=50").Expect(200).Header("Trestle-Ignored", "limit, page_size").JSON(&list)
			if len(list.Results) != size {
				t.Errorf("a client made a page of %d rows; the setting says %d", len(list.Results), size)
			}
		}
	})
}

// What a program serves, endpoint by endpoint: nothing is open but the root.
func TestEndpoints(t *testing.T) {
	want := strings.TrimSpace(`
GET /api/: anyone, public
GET /api/patients/: authenticated, own, unless patients.view|add|change|delete
POST /api/patients/: authenticated, own, unless patients.view|add|change|delete
GET /api/patients/{id}/: authenticated, own, unless patients.view|add|change|delete
PUT /api/patients/{id}/: authenticated, own, unless patients.view|add|change|delete
PATCH /api/patients/{id}/: authenticated, own, unless patients.view|add|change|delete
DELETE /api/patients/{id}/: authenticated, own, unless patients.view|add|change|delete
GET /api/patients/{id}/appointments/: authenticated, own, unless patients.view|add|change|delete
GET /api/appointments/: authenticated, via patient, unless appointments.view|add|change|delete
POST /api/appointments/: authenticated, via patient, unless appointments.view|add|change|delete
GET /api/appointments/{id}/: authenticated, via patient, unless appointments.view|add|change|delete
PUT /api/appointments/{id}/: authenticated, via patient, unless appointments.view|add|change|delete
PATCH /api/appointments/{id}/: authenticated, via patient, unless appointments.view|add|change|delete
DELETE /api/appointments/{id}/: authenticated, via patient, unless appointments.view|add|change|delete
GET /api/doctors/: authenticated, public
GET /api/doctors/{id}/: authenticated, public
GET /api/manage/doctors/: doctors.add|change|delete to write, public
POST /api/manage/doctors/: doctors.add|change|delete to write, public
GET /api/manage/doctors/{id}/: doctors.add|change|delete to write, public
PUT /api/manage/doctors/{id}/: doctors.add|change|delete to write, public
PATCH /api/manage/doctors/{id}/: doctors.add|change|delete to write, public
DELETE /api/manage/doctors/{id}/: doctors.add|change|delete to write, public`)
	both(t, func(t *testing.T, db *sqldb.DB) {
		api, client := serve(t, db, 20)
		var got []string
		for _, r := range api.Routes() {
			got = append(got, fmt.Sprintf("%s %s: %s, %s", r.Method, r.Path, r.Permission, r.Scope))
			path := strings.ReplaceAll(r.Path, "{id}", "00000000-0000-7000-8000-000000000000")
			if r.Name != "root" {
				client.Do(r.Method, path, nil).Expect(401).Code("authentication_required").Header("WWW-Authenticate", `Token realm="api"`)
			}
		}
		if joined := strings.Join(got, "\n"); joined != want {
			t.Errorf("the endpoints are\n%s\nwant\n%s", joined, want)
		}
	})
}

// The migrations go down again, and up once more.
func TestMigrationsGoDownAndUp(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ctx := context.Background()
		for undone := "all"; undone != ""; {
			migration, err := db.MigrateDown(ctx, nil, resources.Migrations()...)
			if err != nil {
				t.Fatal(err)
			}
			undone = migration.ID
		}
		if err := db.Migrate(ctx, nil, resources.Migrations()...); err != nil {
			t.Fatal(err)
		}
		_, client := serve(t, db, 20)
		client.As(token(t, db, "ada@clinic.example")).Get("/api/patients/").Expect(200)
	})
}
