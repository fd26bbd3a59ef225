package order_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/store/internal/rows"
	"trestle.example/resources/store/internal/storetest"
	"trestle.example/resources/store/order"
)

func TestCancelling(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 9}, storetest.Good{Stock: 9})
		for i, status := range []string{"placed", "confirmed", "packed", "out_for_delivery", "delivered"} {
			before := s.StockOf(v[0])
			id := s.OrderOne("ada", v[0], storetest.OrderActions[:i]...)
			path := "/api/orders/" + id
			s.ClientOf("ada").Get(path).Contains(fmt.Sprintf(`"status":"%s","canCancel":%v`, status, i < 2))
			if i >= 2 {
				s.ClientOf("ada").Post(path+"/cancel", nil).Expect(409).Code("order_not_cancellable").
					Contains(fmt.Sprintf(`"details":{"status":"%s","cancellableFrom":["placed","confirmed"]}`, status))
				if s.StockOf(v[0]) != before-1 {
					t.Errorf("stock %d after a refused cancellation; want %d", s.StockOf(v[0]), before-1)
				}
				continue
			}
			s.TurnClock(time.Minute)
			cancelled := s.ClientOf("ada").Post(path+"/cancel", nil).Expect(200).Contains(`"status":"cancelled","canCancel":false`).Lacks(`"cancelledAt":null`)
			if read := s.ClientOf("ada").Get(path); read.Body() != cancelled.Body() {
				t.Errorf("read:\n%s\ncancelled:\n%s", read.Body(), cancelled.Body())
			}
			if s.StockOf(v[0]) != before {
				t.Errorf("stock %d after a cancellation; want %d", s.StockOf(v[0]), before)
			}
			s.ClientOf("ada").Post(path+"/cancel", nil).Expect(409).Code("order_not_cancellable").Contains(`"status":"cancelled"`)
		}
		s.Audit()
	})
}

func TestHowToCancel(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 50}, storetest.Good{Stock: 1})
		path := func() string { return "/api/orders/" + s.OrderOne("ada", v[0]) + "/cancel" }
		bobs := "/api/orders/" + s.OrderOne("bob", v[0]) + "/cancel"
		frameworktest.Run(t, s.ClientOf("ada"), []frameworktest.Scenario{
			{Name: "without a body", Method: "POST", Path: path(), Status: 200},
			{Name: "with an empty object", Method: "POST", Path: path(), Body: fields{}, Status: 200},
			{Name: "with a reason", Method: "POST", Path: path(), Body: fields{"reason": "Changed my mind."}, Status: 200, Lacks: []string{"Changed my mind"}},
			{Name: "to another status", Method: "POST", Path: path(), Body: fields{"status": "delivered"}, Status: 200, Contains: []string{`"status":"cancelled"`}, Answers: map[string]string{"Trestle-Ignored": "/status"}},
			{Name: "with a novel", Method: "POST", Path: path(), Body: fields{"reason": strings.Repeat("x", 501)}, Status: 400, Faults: map[string]string{"/reason": "max"}},
			{Name: "with a list", Method: "POST", Path: path(), Body: "[]", Status: 400, Code: "invalid_json"},
			{Name: "another's", Method: "POST", Path: bobs, Status: 404, Code: "not_found"},
			{Name: "another's, as staff", Method: "POST", Path: bobs, As: s.PersonOf("staff").Token, Status: 404, Code: "not_found"},
			{Name: "another's, as a superuser", Method: "POST", Path: bobs, As: s.PersonOf("root").Token, Status: 404, Code: "not_found"},
			{Name: "one that is not there", Method: "POST", Path: "/api/orders/" + rows.NewID().String() + "/cancel", Status: 404},
			{Name: "what is no id", Method: "POST", Path: "/api/orders/x/cancel", Status: 404},
			{Name: "by reading", Path: path(), Status: 405, Answers: map[string]string{"Allow": "POST, OPTIONS"}},
			{Name: "anonymously", Method: "POST", Path: path(), Headers: map[string]string{"Authorization": ""}, Status: 401},
		})
		keyed := s.ClientOf("ada").With("Idempotency-Key", "once")
		at := path()
		first := keyed.Post(at, nil).Expect(200)
		if again := keyed.Post(at, nil).Expect(200).Header("Idempotent-Replayed", "true"); again.Body() != first.Body() {
			t.Error("a repeated cancellation answers as the first")
		}
		var reasons []string
		s.Must(s.DB.NewSelect().Table("stock_movements").Column("reason").Where("kind = 'cancel' AND reason <> ''").Scan(t.Context(), &reasons))
		if !slices.Equal(reasons, []string{"Changed my mind."}) {
			t.Errorf("reasons kept: %q", reasons)
		}

		s.Sibling(v[1])
		sold := s.OrderOne("ada", v[1])
		s.Exec("UPDATE variants SET archived = (1 = 1) WHERE id = ?", v[1].ID)
		s.ClientOf("ada").Post("/api/orders/"+sold+"/cancel", nil).Expect(200)
		if s.StockOf(v[1]) != 1 {
			t.Error("what is archived is restocked too")
		}
		s.Audit()
	})
}

func TestListingOrders(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 90})[0]
		var ids []string
		for range 5 {
			ids = append(ids, s.OrderOne("ada", v))
			s.TurnClock(time.Second)
		}
		slices.Reverse(ids)
		bobs := s.OrderOne("bob", v)
		list := func(client *frameworktest.Client, query string) (got []string) {
			var page struct {
				Items []order.OrderView `json:"items"`
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
			{"ada", "?status=delivered&ordering=placedAt&user=" + s.PersonOf("bob").ID.String(), ids},
			{"bob", "", []string{bobs}},
			{"eve", "", nil},
			{"staff", "", nil},
			{"root", "", nil},
		} {
			if got := list(s.ClientOf(c.name), c.query); !slices.Equal(got, c.want) {
				t.Errorf("%s lists %s: %v; want %v", c.name, c.query, got, c.want)
			}
		}
		mine, others := "/api/orders/"+ids[0], "/api/orders/"+bobs
		frameworktest.Run(t, s.ClientOf("ada"), []frameworktest.Scenario{
			{Name: "the envelope", Path: "/api/orders?limit=2&page=2", Status: 200, Contains: []string{`"page":2,"limit":2,"total":5,"totalPages":3,"hasNext":true}`}},
			{Name: "a limit too large", Path: "/api/orders?limit=900", Status: 200, Contains: []string{`"limit":100`}},
			{Name: "no page", Path: "/api/orders?page=0&limit=x", Status: 400, Faults: map[string]string{"page": "invalid_parameter", "limit": "invalid_parameter"}},
			{Name: "one", Path: mine, Status: 200, Contains: []string{ids[0]}},
			{Name: "one, by the other form of its path", Path: mine + "/", Status: 200},
			{Name: "another's", Path: others, Status: 404, Code: "not_found"},
			{Name: "another's, as staff", Path: others, As: s.PersonOf("staff").Token, Status: 404},
			{Name: "another's, as a superuser", Path: others, As: s.PersonOf("root").Token, Status: 404},
			{Name: "one that is not there", Path: "/api/orders/" + rows.NewID().String(), Status: 404},
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

// TestLoggedOutIsOut: after logging out the very next request is rejected.
func TestLoggedOutIsOut(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		s.AddToCart("ada", s.Shelve(storetest.Good{Stock: 9})[0], 1)
		s.ClientOf("ada").Post("/api/auth/logout", nil).Expect(204)
		for _, path := range []string{"/api/cart", "/api/orders"} {
			s.ClientOf("ada").Get(path).Expect(401)
		}
		s.ClientOf("ada").Delete("/api/cart").Expect(401)
		s.PlaceOrder("ada").Expect(401)
	})
}
