package main

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// never are queries that must find nothing. Ids of movements
// grow while their variant is locked, so they have the order of the changes.
var never = map[string]string{
	"a stock that is not what was put there less what is in orders": `
		SELECT format('%s has %s, %s were put there, %s are in orders', v.sku, v.stock, put, sold)
		FROM variants AS v
		CROSS JOIN LATERAL (SELECT COALESCE(sum(delta), 0) AS put FROM stock_movements WHERE variant_id = v.id AND kind = 'set') AS m
		CROSS JOIN LATERAL (
			SELECT COALESCE(sum(i.quantity), 0) AS sold FROM order_items AS i JOIN orders AS o ON o.id = i.order_id
			WHERE i.variant_id = v.id AND o.status <> 'cancelled'
		) AS s
		WHERE v.stock <> put - sold OR v.stock < 0`,
	"a stock that is not what its movements come to": `
		SELECT format('%s has %s, its movements come to %s', v.sku, v.stock, sum(m.delta))
		FROM variants AS v LEFT JOIN stock_movements AS m ON m.variant_id = v.id
		GROUP BY v.id HAVING v.stock IS DISTINCT FROM sum(m.delta)`,
	"a movement after which there is not what there was, and the movement": `
		SELECT format('movement %s of %s by %s leaves %s', id, variant_id, delta, stock_after)
		FROM (SELECT *, sum(delta) OVER (PARTITION BY variant_id ORDER BY id) AS so_far FROM stock_movements) AS m
		WHERE stock_after <> so_far OR stock_after < 0`,
	"an item that was taken, or given back by its cancellation, not exactly once": `
		WITH due AS (
			SELECT order_id, variant_id, 'order' AS kind, -quantity AS delta FROM order_items
			UNION ALL
			SELECT i.order_id, i.variant_id, 'cancel', i.quantity FROM order_items AS i
			JOIN orders AS o ON o.id = i.order_id WHERE o.status = 'cancelled'
		), made AS (SELECT order_id, variant_id, kind, delta FROM stock_movements WHERE order_id IS NOT NULL)
		SELECT format('missing: %s', d) FROM (TABLE due EXCEPT ALL TABLE made) AS d
		UNION ALL
		SELECT format('too much: %s', m) FROM (TABLE made EXCEPT ALL TABLE due) AS m`,
	"a slot whose bookings are not its orders that live, or too many": `
		SELECT format('slot %s: %s booked of %s, %s orders', s.starts_at, s.booked, s.capacity, count(o.id))
		FROM delivery_slots AS s LEFT JOIN orders AS o ON o.slot_id = s.id AND o.status <> 'cancelled'
		GROUP BY s.id HAVING s.booked <> count(o.id) OR s.booked > s.capacity`,
	"an order that does not come to its items": `
		SELECT format('%s: %s units for %s', o.number, o.item_count, o.total_paise)
		FROM orders AS o LEFT JOIN order_items AS i ON i.order_id = o.id
		GROUP BY o.id
		HAVING o.item_count IS DISTINCT FROM sum(i.quantity) OR o.total_paise - o.delivery_fee_paise IS DISTINCT FROM sum(i.line_total_paise)`,
	"an order whose time of cancellation is not as its status": `
		SELECT number FROM orders WHERE (status = 'cancelled') <> (cancelled_at IS NOT NULL)`,
	"a buyer who has not as many orders as keys of orders": `
		SELECT format('%s: %s keys, %s orders', COALESCE(k.caller, o.user_id), k.n, o.n)
		FROM (SELECT caller, count(*) AS n FROM idempotency_keys WHERE route = 'POST /api/orders' GROUP BY caller) AS k
		FULL JOIN (SELECT CAST(user_id AS text) AS user_id, count(*) AS n FROM orders GROUP BY user_id) AS o ON o.user_id = k.caller
		WHERE k.n IS DISTINCT FROM o.n`,
	"a key that was claimed and never answered": `
		SELECT format('%s %s', route, key) FROM idempotency_keys WHERE status = 0`,
	"a product that does not repeat its cheapest variant": `
		SELECT p.name FROM products AS p JOIN variants AS v ON v.id = p.cheapest_variant_id
		WHERE p.in_stock <> v.in_stock OR p.price_paise <> v.price_paise
			OR p.in_stock <> (SELECT bool_or(stock > 0) FROM variants WHERE product_id = p.id)`,
}

// audit checks, when all clients are quiet, that everything is as the answers to
// clients were, in the database and over HTTP.
func (l *load) audit() {
	l.t.Helper()
	l.poll("no transaction is open", func() bool { return l.sessions("state LIKE 'idle in transaction%'") == 0 })
	for _, what := range slices.Sorted(maps.Keys(never)) {
		var found []string
		l.must(l.db.NewRaw(never[what]).Scan(l.ctx, &found))
		for _, one := range found {
			l.t.Errorf("there is %s: %s", what, one)
		}
	}
	l.auditOrders()
	l.auditCarts()
	l.auditConfirmed()
	for _, r := range l.desk {
		r.audit()
		r.auditHistory()
	}
	l.reader.audit()
	for _, b := range l.buyers {
		b.auditShown()
	}
}

// auditOrders: the orders in the database are those that answers to buyers contained,
// and no others.
func (l *load) auditOrders() {
	l.t.Helper()
	var rows []struct {
		UserID, ID, Number, Status, Items string
		TotalPaise                        int64
	}
	l.must(l.db.NewRaw(`
		SELECT o.user_id, o.id, o.number, o.status, o.total_paise,
			string_agg(format('%s %s %s', i.variant_id, i.quantity, i.unit_price_paise), ', ' ORDER BY i.position) AS items
		FROM orders AS o JOIN order_items AS i ON i.order_id = o.id GROUP BY o.id`).Scan(l.ctx, &rows))
	stored := map[string]*ledger{}
	for _, r := range rows {
		if stored[r.UserID] == nil {
			stored[r.UserID] = newLedger()
		}
		stored[r.UserID].add(r.ID, r.Status, receipt{r.Number, r.TotalPaise, r.Items})
	}
	for _, b := range l.buyers {
		b.agrees("the database", stored[b.user.String()])
		delete(stored, b.user.String())
	}
	if len(stored) > 0 {
		l.t.Errorf("there are orders of nobody: %v", stored)
	}
}

// A ledger is a buyer's orders as the database or the API has them.
type ledger struct {
	orders    map[string]receipt
	cancelled map[string]bool
}

func newLedger() *ledger { return &ledger{map[string]receipt{}, map[string]bool{}} }

func (g *ledger) add(id, status string, r receipt) {
	g.orders[id] = r
	if status == "cancelled" {
		g.cancelled[id] = true
	}
}

// agrees compares a ledger with the answers that the buyer got.
func (b *buyer) agrees(whose string, known *ledger) {
	b.t.Helper()
	if known == nil {
		known = newLedger()
	}
	for id, told := range b.orders {
		if got, there := known.orders[id]; got != told || known.cancelled[id] != b.cancelled[id] {
			b.t.Errorf("%s was told of order %s %+v, cancelled: %t; %s has it: %t, %+v, cancelled: %t",
				b.user, id, told, b.cancelled[id], whose, there, got, known.cancelled[id])
		}
	}
	for id, got := range known.orders {
		if _, told := b.orders[id]; !told {
			b.t.Errorf("%s has an order %s %+v that %s was never told of", whose, id, got, b.user)
		}
	}
}

// auditCarts: what is in a cart is what its buyer put there and neither ordered
// nor took out.
func (l *load) auditCarts() {
	l.t.Helper()
	var rows []struct {
		UserID, VariantID string
		Quantity          int64
	}
	l.must(l.db.NewRaw("SELECT user_id, variant_id, quantity FROM cart_items").Scan(l.ctx, &rows))
	stored := map[string]map[string]int64{}
	for _, r := range rows {
		if stored[r.UserID] == nil {
			stored[r.UserID] = map[string]int64{}
		}
		stored[r.UserID][r.VariantID] += r.Quantity
	}
	for _, b := range l.buyers {
		if got := stored[b.user.String()]; !maps.Equal(got, b.cart) {
			l.t.Errorf("the cart of %s holds %v; want %v", b.user, got, b.cart)
		}
	}
}

// auditConfirmed: an order whose confirmation was answered was confirmed.
func (l *load) auditConfirmed() {
	l.t.Helper()
	var ids []string
	l.must(l.db.NewRaw("SELECT id FROM orders WHERE confirmed_at IS NOT NULL").Scan(l.ctx, &ids))
	slices.Sort(ids)
	if told := slices.Sorted(slices.Values(l.clerk.confirmed)); !slices.Equal(ids, told) {
		l.t.Errorf("%d orders are confirmed; the clerk was told of %d", len(ids), len(told))
	}
}

// auditShown: the server shows the buyer the same cart and the same orders.
func (b *buyer) auditShown() {
	b.t.Helper()
	shown := newLedger()
	for page, total := 1, 1; len(shown.orders) < total; page++ {
		var list struct {
			Items []orderShown
			Total int
		}
		got := b.visitor.send(b.t, fmt.Sprintf("GET /api/orders?limit=100&page=%d", page), "").is(b.t, http.StatusOK)
		if !b.read(wish{request: "GET /api/orders"}, got, &list) || len(list.Items) == 0 {
			break
		}
		for _, o := range list.Items {
			shown.add(o.ID, o.Status, o.receipt())
		}
		total = list.Total
	}
	b.agrees("the list", shown)
	b.holds(wish{request: "GET /api/cart"}, b.visitor.send(b.t, "GET /api/cart", "").is(b.t, http.StatusOK))
}
