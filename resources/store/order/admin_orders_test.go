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

// Each status allows one step of staff, and no other.
func TestStepsOfAnOrder(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 90})[0]
		statuses := []string{"placed", "confirmed", "packed", "out_for_delivery", "delivered"}
		for i, status := range statuses {
			for j, action := range storetest.OrderActions {
				id := s.OrderOne("ada", v, storetest.OrderActions[:i]...)
				if i != j {
					allowed := "[]"
					if i < len(storetest.OrderActions) {
						allowed = `["` + storetest.OrderActions[i] + `"]`
					}
					s.TakeStep(id, action).Expect(409).Code("illegal_transition").Contains(fmt.Sprintf(`"details":{"status":"%s","allowed":%s}`, status, allowed))
					s.ClientOf("ada").Get("/api/orders/" + id).Contains(`"status":"` + status + `"`)
					continue
				}
				s.TurnClock(time.Minute)
				s.TakeStep(id, action).Expect(200).Contains(`"status":"` + statuses[i+1] + `"`)
			}
		}
		id := s.OrderOne("ada", v)
		s.ClientOf("ada").Post("/api/orders/"+id+"/cancel", nil).Expect(200)
		for _, action := range storetest.OrderActions {
			s.TakeStep(id, action).Expect(409).Code("illegal_transition").Contains(`"details":{"status":"cancelled","allowed":[]}`)
		}
		s.Audit()
	})
}

// TestTheHistoryOfAnOrder: an order lists when it reached each status, the first one first.
func TestTheHistoryOfAnOrder(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 9})[0]
		for _, c := range []struct {
			actions []string
			cancel  bool
			want    string
		}{
			{nil, false, "placed"},
			{nil, true, "placed cancelled"},
			{storetest.OrderActions[:1], true, "placed confirmed cancelled"},
			{storetest.OrderActions, false, "placed confirmed packed out_for_delivery delivered"},
		} {
			s.AddToCart("ada", v, 1)
			id := storetest.IDOf(s.PlaceOrder("ada"))
			for _, action := range c.actions {
				s.TurnClock(time.Minute)
				s.TakeStep(id, action).Expect(200)
			}
			s.TurnClock(time.Minute)
			if c.cancel {
				s.ClientOf("ada").Post("/api/orders/"+id+"/cancel", nil).Expect(200)
			}
			var placed order.OrderView
			s.ClientOf("ada").Get("/api/orders/" + id).JSON(&placed)
			var names []string
			for _, change := range placed.StatusHistory {
				names = append(names, string(change.Status))
			}
			sorted := slices.IsSortedFunc(placed.StatusHistory, func(a, b order.StatusChange) int { return a.At.Compare(b.At) })
			if strings.Join(names, " ") != c.want || !sorted {
				t.Errorf("the history: %v; want %s", placed.StatusHistory, c.want)
			}
		}
	})
}

func TestOrdersForStaff(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 90})[0]
		s.AddToCart("ada", v, 2)
		adas := storetest.IDOf(s.ClientOf("ada").Post("/api/orders", fields{"deliveryAddress": storetest.AddressBody(), "notes": "Ring twice."}).Expect(201))
		s.TurnClock(time.Second)
		bobs := s.OrderOne("bob", v, "confirm")
		const orders = "/api/admin/orders"
		step := orders + "/" + adas + "/confirm"
		frameworktest.Run(t, s.ClientOf("staff"), []frameworktest.Scenario{
			{Name: "all of them", Path: orders, Status: 200, Contains: []string{`{"items":[{"id":"` + bobs, adas, `"notes":"Ring twice."`, `"page":1,"limit":20,"total":2,"totalPages":1,"hasNext":false}`}, Lacks: []string{"userId"}},
			{Name: "page by page", Path: orders + "?limit=1&page=2", Status: 200, Contains: []string{adas, `"total":2`}, Lacks: []string{bobs}},
			{Name: "of a status", Path: orders + "?status=confirmed", Status: 200, Contains: []string{bobs, `"total":1`}, Lacks: []string{adas}},
			{Name: "of a status that none has", Path: orders + "?status=cancelled", Status: 200, Contains: []string{`"items":[]`}},
			{Name: "of a status that there is not", Path: orders + "?status=lost", Status: 400, Faults: map[string]string{"status": "invalid_parameter"}},
			{Name: "by a misspelt parameter", Path: orders + "?state=placed", Status: 400, Faults: map[string]string{"state": "invalid_parameter"}},
			{Name: "no page", Path: orders + "?page=-1", Status: 400, Faults: map[string]string{"page": "invalid_parameter"}},
			{Name: "anonymously", Path: orders, Headers: map[string]string{"Authorization": ""}, Status: 401, Code: "authentication_required"},
			{Name: "as a customer", Path: orders, As: s.PersonOf("ada").Token, Status: 403, Code: "forbidden"},
			{Name: "as a superuser who is no staff", Path: orders, As: s.PersonOf("root").Token, Status: 403, Code: "forbidden"},
			{Name: "a step as a customer", Method: "POST", Path: step, As: s.PersonOf("ada").Token, Status: 403, Code: "forbidden"},
			{Name: "a step anonymously", Method: "POST", Path: step, Headers: map[string]string{"Authorization": ""}, Status: 401},
			{Name: "a step with a status", Method: "POST", Path: step, Body: fields{"status": "delivered"}, Status: 400, Code: "unknown_field", Faults: map[string]string{"/status": "unknown_field"}},
			{Name: "a step of an order that is not there", Method: "POST", Path: orders + "/" + rows.NewID().String() + "/confirm", Status: 404},
			{Name: "a step that there is not", Method: "POST", Path: orders + "/" + adas + "/refund", Status: 404},
			{Name: "cancelling is the buyer's", Method: "POST", Path: orders + "/" + adas + "/cancel", Status: 404},
			{Name: "a step by reading", Path: step, Status: 405, Answers: map[string]string{"Allow": "POST, OPTIONS"}},
			{Name: "a status of one's own choice", Method: "PATCH", Path: orders + "/" + adas, Body: fields{"status": "delivered"}, Status: 404},
			{Name: "placing for others", Method: "POST", Path: orders, Body: fields{}, Status: 405, Answers: map[string]string{"Allow": "GET, HEAD, OPTIONS"}},
			{Name: "a step", Method: "POST", Path: step, Body: fields{}, Headers: map[string]string{"Idempotency-Key": "k"}, Status: 200, Contains: []string{`"status":"confirmed"`, `"notes":"Ring twice."`, `"quantity":2`}},
			{Name: "the same again", Method: "POST", Path: step, Body: fields{}, Headers: map[string]string{"Idempotency-Key": "k"}, Status: 200, Answers: map[string]string{"Idempotent-Replayed": "true"}},
			{Name: "the same without its key", Method: "POST", Path: step, Body: fields{}, Status: 409, Code: "illegal_transition"},
		})
	})
}
