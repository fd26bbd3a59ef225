package resources_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"trestle.example/framework/sqldb"
	"trestle.example/resources"
)

// The page size is one setting for every list of every service.
func TestPageSizeIsOneSetting(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		w := serve(t, db, 20).withPeople()
		ada := w.wallet(w.user())
		for _, size := range []int{1, 2, 3} {
			client := ada.show(serve(t, db, size).client, byToken)
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

// What a program serves, endpoint by endpoint: nothing is open but the root,
// the catalogue and the ways to sign in.
func TestEndpoints(t *testing.T) {
	want := strings.TrimSpace(`
GET /api/: anyone, public
POST /api/auth/register: anyone, own
POST /api/auth/login: anyone, own
POST /api/auth/logout: authenticated, own
GET /api/auth/me: authenticated, own
POST /api/auth/token: anyone, own
DELETE /api/auth/token: authenticated, own
GET /api/auth/session: anyone, own
POST /api/auth/session: anyone, own
DELETE /api/auth/session: anyone, own
POST /api/auth/jwt: anyone, own
POST /api/auth/jwt/refresh: anyone, own
POST /api/auth/jwt/revoke: anyone, own
PATCH /api/auth/me: authenticated, own
POST /api/auth/password: authenticated, own
POST /api/auth/email: authenticated, own
DELETE /api/auth/me: authenticated, own
POST /api/auth/password/reset: anyone, own
POST /api/auth/password/reset/confirm: anyone, own
POST /api/auth/email/verify: anyone, own
POST /api/auth/email/verification: authenticated, own
GET /api/patients/: authenticated, own, unless patients.view|add|change|delete
POST /api/patients/: authenticated, own, unless patients.view|add|change|delete
GET /api/patients/{id}/: authenticated, own, unless patients.view|add|change|delete
PUT /api/patients/{id}/: authenticated, own, unless patients.view|add|change|delete
PATCH /api/patients/{id}/: authenticated, own, unless patients.view|add|change|delete
DELETE /api/patients/{id}/: authenticated, own, unless patients.view|add|change|delete
GET /api/patients/{id}/appointments/: authenticated, own, unless patients.view|add|change|delete
POST /api/patients/bulk/: authenticated, own, unless patients.view|add|change|delete
POST /api/patients/bulk/each/: authenticated, own, unless patients.view|add|change|delete
PATCH /api/patients/bulk/: authenticated, own, unless patients.view|add|change|delete
PATCH /api/patients/bulk/each/: authenticated, own, unless patients.view|add|change|delete
GET /api/patients/{id}/history/: patients.audit, own, unless patients.view|add|change|delete
GET /api/appointments/: authenticated, via patient, unless appointments.view|add|change|delete
POST /api/appointments/: authenticated, via patient, unless appointments.view|add|change|delete
GET /api/appointments/{id}/: authenticated, via patient, unless appointments.view|add|change|delete
PUT /api/appointments/{id}/: authenticated, via patient, unless appointments.view|add|change|delete
PATCH /api/appointments/{id}/: authenticated, via patient, unless appointments.view|add|change|delete
DELETE /api/appointments/{id}/: authenticated, via patient, unless appointments.view|add|change|delete
GET /api/appointments/calendar/: authenticated, via patient, unless appointments.view|add|change|delete
GET /api/appointments/{id}/history/: appointments.audit, via patient, unless appointments.view|add|change|delete
GET /api/doctors/: authenticated, public
GET /api/doctors/{id}/: authenticated, public
GET /api/manage/doctors/: doctors.add|change|delete to write, public
POST /api/manage/doctors/: doctors.add|change|delete to write, public
GET /api/manage/doctors/{id}/: doctors.add|change|delete to write, public
PUT /api/manage/doctors/{id}/: doctors.add|change|delete to write, public
PATCH /api/manage/doctors/{id}/: doctors.add|change|delete to write, public
DELETE /api/manage/doctors/{id}/: doctors.add|change|delete to write, public
GET /api/categories: anyone, where
GET /api/products: anyone, where
GET /api/products/{slug}: anyone, where
GET /api/cart: authenticated, own
DELETE /api/cart: authenticated, own
POST /api/cart/items: authenticated, own
PATCH /api/cart/items/{id}: authenticated, own
DELETE /api/cart/items/{id}: authenticated, own
GET /api/orders: authenticated, own
POST /api/orders: authenticated, own
GET /api/orders/{id}: authenticated, own
POST /api/orders/{id}/cancel: authenticated, own
POST /api/admin/products: staff, public
PATCH /api/admin/products/{id}: staff, public
GET /api/admin/variants: staff, public
PATCH /api/admin/variants/{id}/stock: staff, public
GET /api/admin/orders: staff, public
POST /api/admin/orders/{id}/confirm: staff, public
POST /api/admin/orders/{id}/pack: staff, public
POST /api/admin/orders/{id}/dispatch: staff, public
POST /api/admin/orders/{id}/deliver: staff, public`)
	both(t, func(t *testing.T, db *sqldb.DB) {
		var got []string
		for _, r := range serve(t, db, 20).api.Routes() {
			got = append(got, fmt.Sprintf("%s %s: %s, %s", r.Method, r.Path, r.Permission, r.Scope))
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
		w := serve(t, db, 20).withPeople()
		w.wallet(w.user()).show(w.client, byToken).Get("/api/patients/").Expect(200)
	})
}
