package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store"
)

func TestCancelling(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.shelve(good{stock: 9}, good{stock: 9})
		for i, status := range []string{"placed", "confirmed", "packed", "out_for_delivery", "delivered"} {
			before := s.stock(v[0])
			id := s.ordered("ada", v[0], way[:i]...)
			path := "/api/orders/" + id
			s.as("ada").Get(path).Contains(fmt.Sprintf(`"status":"%s","canCancel":%v`, status, i < 2))
			if i >= 2 {
				s.as("ada").Post(path+"/cancel", nil).Expect(409).Code("order_not_cancellable").
					Contains(fmt.Sprintf(`"details":{"status":"%s","cancellableFrom":["placed","confirmed"]}`, status))
				if s.stock(v[0]) != before-1 {
					t.Errorf("stock %d after a refused cancellation; want %d", s.stock(v[0]), before-1)
				}
				continue
			}
			s.wait(time.Minute)
			cancelled := s.as("ada").Post(path+"/cancel", nil).Expect(200).Contains(`"status":"cancelled","canCancel":false`).Lacks(`"cancelledAt":null`)
			if read := s.as("ada").Get(path); read.Body() != cancelled.Body() {
				t.Errorf("read:\n%s\ncancelled:\n%s", read.Body(), cancelled.Body())
			}
			if s.stock(v[0]) != before {
				t.Errorf("stock %d after a cancellation; want %d", s.stock(v[0]), before)
			}
			s.as("ada").Post(path+"/cancel", nil).Expect(409).Code("order_not_cancellable").Contains(`"status":"cancelled"`)
		}
		s.audit()
	})
}

func TestHowToCancel(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.shelve(good{stock: 50}, good{stock: 1})
		path := func() string { return "/api/orders/" + s.ordered("ada", v[0]) + "/cancel" }
		bobs := "/api/orders/" + s.ordered("bob", v[0]) + "/cancel"
		frameworktest.Run(t, s.as("ada"), []frameworktest.Scenario{
			{Name: "without a body", Method: "POST", Path: path(), Status: 200},
			{Name: "with an empty object", Method: "POST", Path: path(), Body: fields{}, Status: 200},
			{Name: "with a reason", Method: "POST", Path: path(), Body: fields{"reason": "Changed my mind."}, Status: 200, Lacks: []string{"Changed my mind"}},
			{Name: "to another status", Method: "POST", Path: path(), Body: fields{"status": "delivered"}, Status: 200, Contains: []string{`"status":"cancelled"`}, Answers: map[string]string{"Trestle-Ignored": "/status"}},
			{Name: "with a novel", Method: "POST", Path: path(), Body: fields{"reason": strings.Repeat("x", 501)}, Status: 400, Faults: map[string]string{"/reason": "max"}},
			{Name: "with a list", Method: "POST", Path: path(), Body: "[]", Status: 400, Code: "invalid_json"},
			{Name: "another's", Method: "POST", Path: bobs, Status: 404, Code: "not_found"},
			{Name: "another's, as staff", Method: "POST", Path: bobs, As: s.person("staff").token, Status: 404, Code: "not_found"},
			{Name: "another's, as a superuser", Method: "POST", Path: bobs, As: s.person("root").token, Status: 404, Code: "not_found"},
			{Name: "one that is not there", Method: "POST", Path: "/api/orders/" + newID().String() + "/cancel", Status: 404},
			{Name: "what is no id", Method: "POST", Path: "/api/orders/x/cancel", Status: 404},
			{Name: "by reading", Path: path(), Status: 405, Answers: map[string]string{"Allow": "POST, OPTIONS"}},
			{Name: "anonymously", Method: "POST", Path: path(), Headers: map[string]string{"Authorization": ""}, Status: 401},
		})
		keyed := s.as("ada").With("Idempotency-Key", "once")
		at := path()
		first := keyed.Post(at, nil).Expect(200)
		if again := keyed.Post(at, nil).Expect(200).Header("Idempotent-Replayed", "true"); again.Body() != first.Body() {
			t.Error("a repeated cancellation answers as the first")
		}
		var reasons []string
		s.must(s.db.NewSelect().Table("stock_movements").Column("reason").Where("kind = 'cancel' AND reason <> ''").Scan(t.Context(), &reasons))
		if !slices.Equal(reasons, []string{"Changed my mind."}) {
			t.Errorf("reasons kept: %q", reasons)
		}

		s.sibling(v[1])
		sold := s.ordered("ada", v[1])
		s.exec("UPDATE variants SET archived = (1 = 1) WHERE id = ?", v[1].ID)
		s.as("ada").Post("/api/orders/"+sold+"/cancel", nil).Expect(200)
		if s.stock(v[1]) != 1 {
			t.Error("what is archived is restocked too")
		}
		s.audit()
	})
}

func TestListingOrders(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.shelve(good{stock: 90})[0]
		var ids []string
		for range 5 {
			ids = append(ids, s.ordered("ada", v))
			s.wait(time.Second)
		}
		slices.Reverse(ids)
		bobs := s.ordered("bob", v)
		list := func(client *frameworktest.Client, query string) (got []string) {
			var page struct {
				Items []store.OrderView `json:"items"`
			}
			client.Get("/api/orders" + query).Expect(200).JSON(&page)
			for _, o := range page.Items {
				if len(o.Items) != 1 {
					t.Errorf("an order of a list has %d items", len(o.Items))
				}
				got = append(got, o.ID.String())
			}
			return got
		}
		for _, c := range []struct {
			name, query string
			want        []string
		}{
			{"ada", "", ids},
			{"ada", "?limit=2", ids[:2]},
			{"ada", "?limit=2&page=3", ids[4:]},
			{"ada", "?page=9", nil},
			{"ada", "?status=delivered&ordering=placedAt&user=" + s.person("bob").ID.String(), ids},
			{"bob", "", []string{bobs}},
			{"eve", "", nil},
			{"staff", "", nil},
			{"root", "", nil},
		} {
			if got := list(s.as(c.name), c.query); !slices.Equal(got, c.want) {
				t.Errorf("%s lists %s: %v; want %v", c.name, c.query, got, c.want)
			}
		}
		mine, others := "/api/orders/"+ids[0], "/api/orders/"+bobs
		frameworktest.Run(t, s.as("ada"), []frameworktest.Scenario{
			{Name: "the envelope", Path: "/api/orders?limit=2&page=2", Status: 200, Contains: []string{`"page":2,"limit":2,"total":5,"totalPages":3,"hasNext":true}`}},
			{Name: "a limit too large", Path: "/api/orders?limit=900", Status: 200, Contains: []string{`"limit":100`}},
			{Name: "no page", Path: "/api/orders?page=0&limit=x", Status: 400, Faults: map[string]string{"page": "invalid_parameter", "limit": "invalid_parameter"}},
			{Name: "one", Path: mine, Status: 200, Contains: []string{ids[0]}},
			{Name: "one, by the other form of its path", Path: mine + "/", Status: 200},
			{Name: "another's", Path: others, Status: 404, Code: "not_found"},
			{Name: "another's, as staff", Path: others, As: s.person("staff").token, Status: 404},
			{Name: "another's, as a superuser", Path: others, As: s.person("root").token, Status: 404},
			{Name: "one that is not there", Path: "/api/orders/" + newID().String(), Status: 404},
			{Name: "what is no id", Path: "/api/orders/1", Status: 404},
			{Name: "by its number", Path: "/api/orders/AAAAAAAA", Status: 404},
			{Name: "changing one", Method: "PATCH", Path: mine, Body: fields{"status": "delivered"}, Status: 405, Answers: map[string]string{"Allow": "GET, HEAD, OPTIONS"}},
			{Name: "replacing one", Method: "PUT", Path: mine, Body: fields{"status": "delivered"}, Status: 405},
			{Name: "deleting one", Method: "DELETE", Path: mine, Status: 405},
			{Name: "a step that is for staff", Method: "POST", Path: mine + "/confirm", Status: 404},
			{Name: "listing anonymously", Path: "/api/orders", Headers: map[string]string{"Authorization": ""}, Status: 401, Code: "authentication_required"},
			{Name: "reading anonymously", Path: mine, Headers: map[string]string{"Authorization": ""}, Status: 401},
		})
	})
}

// After logging out the very next request is refused.
func TestLoggedOutIsOut(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		s.puts("ada", s.shelve(good{stock: 9})[0], 1)
		s.as("ada").Post("/api/auth/logout", nil).Expect(204)
		for _, path := range []string{"/api/cart", "/api/orders"} {
			s.as("ada").Get(path).Expect(401)
		}
		s.as("ada").Delete("/api/cart").Expect(401)
		s.places("ada").Expect(401)
	})
}
