package store_test

import (
	"context"
	"testing"

	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/internal/rows"
	"trestle.example/resources/store/internal/storetest"
)

// TestTheDatabaseRefuses: the constraints of the tables reject invalid rows,
// independently of the program.
func TestTheDatabaseRefuses(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		v := s.Shelve(storetest.Good{Name: "Atta", MRP: 5_000, Stock: 9}, storetest.Good{Name: "Dal", Stock: 9})
		s.Shelve(storetest.Good{Name: "Salt", Stock: 9})
		for range 2 {
			s.ClientOf("ada").Post("/api/orders/"+s.OrderOne("ada", v[0])+"/cancel", nil).Expect(200)
		}
		s.OrderOne("bob", v[0])
		s.AddToCart("ada", v[0], 1).Expect(201)
		s.AddToCart("ada", v[1], 1).Expect(201)
		const again = "INSERT INTO stock_movements (id, variant_id, kind, delta, stock_after, order_id, actor, reason, request_id, created_at) " +
			"SELECT ?, variant_id, kind, delta, stock_after, order_id, actor, reason, request_id, created_at FROM stock_movements WHERE "
		for _, c := range []struct {
			name, statement string
			want            sqldb.FaultKind
		}{
			{"a price of nothing", "UPDATE variants SET price_paise = 0", sqldb.Check},
			{"a price that is too high", "UPDATE variants SET price_paise = 10000001, mrp_paise = NULL", sqldb.Check},
			{"a price above the list price", "UPDATE variants SET price_paise = 5001 WHERE mrp_paise = 5000", sqldb.Check},
			{"a list price that is too high", "UPDATE variants SET mrp_paise = 10000001", sqldb.Check},
			{"a unit that there is not", "UPDATE variants SET unit = 'lb'", sqldb.Check},
			{"a stock below nothing", "UPDATE variants SET stock = -1", sqldb.Check},
			{"what is sold out, in stock", "UPDATE variants SET stock = 0", sqldb.Check},
			{"one code for two variants", "UPDATE variants SET sku_folded = 'one'", sqldb.Unique},
			{"a variant that was sold, deleted", "DELETE FROM variants", sqldb.ForeignKey},
			{"a product that was sold, deleted", "DELETE FROM products", sqldb.ForeignKey},
			{"one slug for two products", "UPDATE products SET slug = 'one'", sqldb.Unique},
			{"one slug for two categories", "UPDATE categories SET slug = 'one'", sqldb.Unique},
			{"fewer products than none", "UPDATE categories SET product_count = -1", sqldb.Check},
			{"a line of none", "UPDATE cart_items SET quantity = 0", sqldb.Check},
			{"a line of too many", "UPDATE cart_items SET quantity = 51", sqldb.Check},
			{"one variant in two lines", "UPDATE cart_items SET variant_id = (SELECT id FROM variants ORDER BY id LIMIT 1)", sqldb.Unique},
			{"a slot with more orders than places", "UPDATE delivery_slots SET booked = capacity + 1", sqldb.Check},
			{"a slot with fewer orders than none", "UPDATE delivery_slots SET booked = -1", sqldb.Check},
			{"one number for two orders", "UPDATE orders SET number = 'AAAAAAAA'", sqldb.Unique},
			{"a status that there is not", "UPDATE orders SET status = 'lost'", sqldb.Check},
			{"a total that is no sum", "UPDATE orders SET total_paise = total_paise - 1", sqldb.Check},
			{"an item of none", "UPDATE order_items SET quantity = 0, line_total_paise = 0", sqldb.Check},
			{"an item at another price than its own", "UPDATE order_items SET line_total_paise = line_total_paise - 1", sqldb.Check},
			{"a kind of movement that there is not", "UPDATE stock_movements SET kind = 'gift'", sqldb.Check},
			{"a movement to less than nothing", "UPDATE stock_movements SET stock_after = -1", sqldb.Check},
			{"a stock that is given back twice", again + "kind = 'cancel' LIMIT 1", sqldb.Unique},
			{"a stock that is taken twice", again + "kind = 'order' LIMIT 1", sqldb.Unique},
			{"a stock that no order gives back", "UPDATE stock_movements SET order_id = NULL WHERE kind = 'cancel'", sqldb.Check},
			{"an order that sets a stock", "UPDATE stock_movements SET kind = 'set' WHERE kind = 'order'", sqldb.Check},
		} {
			t.Run(c.name, func(t *testing.T) {
				_, err := s.DB.NewRaw(c.statement, rows.NewID()).Exec(context.Background())
				if fault, _ := sqldb.Classify(err); fault.Kind != c.want {
					t.Errorf("%s: %v, which is %s; want %s", c.statement, err, fault.Kind, c.want)
				}
			})
		}
		s.Exec(again+"kind = 'set' LIMIT 1", rows.NewID()) // staff may set a stock twice
	})
}
