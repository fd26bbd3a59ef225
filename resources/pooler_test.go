package resources_test

import (
	"sync"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/pgbouncer"
	"trestle.example/internal/testserver/postgres"
	"trestle.example/resources"
)

// twoProcesses are two worlds with one database, which each reaches by a pooler
// that gives a connection to each transaction. Both migrate it at once.
func twoProcesses(t *testing.T) (a, b *world) {
	t.Helper()
	url := pgbouncer.Pooled(t, postgres.Database(t))
	var dbs [2]*sqldb.DB
	var all sync.WaitGroup
	for i := range dbs {
		db, err := sqldb.Open(url, sqldb.Options{NoPrepare: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		dbs[i] = db
		all.Go(func() {
			if err := db.Migrate(t.Context(), nil, resources.Migrations()...); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	return serve(t, dbs[0], 20).withPeople(), serve(t, dbs[1], 20)
}

// TestTwoProcessesThroughAPooler: a user of one process is a user of the other, a write at
// one is visible at the other, and a repeated Idempotency-Key is executed once.
func TestTwoProcessesThroughAPooler(t *testing.T) {
	a, b := twoProcesses(t)
	owner := a.user()
	s := a.stage(owner)
	k := a.wallet(owner)
	for _, scheme := range []string{bySession, byToken, byBearer} {
		here, there := k.show(a.client, scheme), k.show(b.client, scheme)
		there.Get("/api/auth/me").Expect(200).Contains(owner.ID.String())
		var made fields
		here.Post("/api/patients/", fields{"name": "New", "phone": "12345"}).Expect(201).JSON(&made)
		at := "/api/patients/" + made["id"].(string) + "/"
		there.Get(at).Expect(200).Contains(`"name":"New"`)
		there.Patch(at, fields{"name": "Changed"}).Expect(200)
		here.Get(at).Expect(200).Contains(`"name":"Changed"`)
		here.Get("/api/patients/?search=changed").Expect(200).Contains(made["id"].(string))
		here.Delete(at).Expect(204)
		there.Get(at).Expect(404)
	}
	t.Run("one key at both is one order", func(t *testing.T) {
		var answers [8]*frameworktest.Response
		var all sync.WaitGroup
		for i := range answers {
			client := k.show([]*world{a, b}[i%2].client, byToken).With("Idempotency-Key", "once")
			all.Go(func() { answers[i] = client.Post("/api/orders", fields{"deliveryAddress": addressOf(mark)}) })
		}
		all.Wait()
		for _, r := range answers {
			if r.Expect(201); r.Body() != answers[0].Body() {
				t.Errorf("two answers to one order:\n%s\n%s", r.Body(), answers[0].Body())
			}
		}
		if n, err := a.db.NewSelect().Table("orders").Where("user_id = ?", owner.ID).Count(t.Context()); err != nil || n != int64(len(s.orders)+1) {
			t.Errorf("there are %d orders, %v; want the %d from before and one", n, err, len(s.orders))
		}
	})
	t.Run("who signs out at one is out at the other", func(t *testing.T) {
		for _, scheme := range []string{bySession, byToken} {
			k.show(b.client, scheme).Post("/api/auth/logout", nil).Expect(204)
			k.show(a.client, scheme).Get("/api/auth/me").Expect(401)
		}
	})
}
