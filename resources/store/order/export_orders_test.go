package order_test

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"trestle.example/resources/store/internal/storetest"
)

// TestExportOfOrders: staff get all orders as CSV and NDJSON. Buyers and visitors do not, and have no export of their own orders.
func TestExportOfOrders(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Stock: 90})[0]
		var ids []string
		for range 3 {
			ids = append(ids, s.OrderOne("ada", v))
		}
		confirmed := s.OrderOne("eve", v, storetest.OrderActions[0])
		ids = append(ids, confirmed)
		slices.Reverse(ids)
		staff := s.ClientOf("staff")
		table := func(query string) (rows [][]string) {
			rows, err := csv.NewReader(strings.NewReader(staff.Get("/api/admin/orders?format=csv" + query).Expect(200).Body())).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			return rows
		}
		rows := table("")
		for _, name := range []string{"number", "totalPaise", "deliverySlot.startsAt", "deliveryAddress.city", "items", "notes"} {
			if !slices.Contains(rows[0], name) {
				t.Errorf("there is no column %q in %q", name, rows[0])
			}
		}
		for i, id := range ids {
			if rows[i+1][0] != id || !json.Valid([]byte(rows[i+1][slices.Index(rows[0], "items")])) {
				t.Errorf("row %d is %q; want that of the order %s", i+1, rows[i+1], id)
			}
		}
		if len(rows) != 5 {
			t.Errorf("there are %d rows; want the header and 4", len(rows))
		}
		if rows = table("&status=confirmed"); len(rows) != 2 || rows[1][0] != confirmed {
			t.Errorf("the confirmed orders are %q", rows)
		}
		lines := staff.With("Accept", "application/x-ndjson").Get("/api/admin/orders").Expect(200).Header("Content-Disposition", "attachment; filename=orders.ndjson").Body()
		if n := strings.Count(lines, "\n"); n != 4 {
			t.Errorf("there are %d lines; want 4", n)
		}
		staff.Get("/api/admin/orders?format=csv&page=2").Expect(400).Fault("page", "invalid_parameter")
		s.ClientOf("ada").Get("/api/admin/orders?format=csv").Expect(403)
		s.As("").Get("/api/admin/orders?format=csv").Expect(401)
		s.ClientOf("ada").Get("/api/orders?format=csv").Expect(200).Header("Trestle-Ignored", "format").Header("Content-Type", "application/json")
	})
}
