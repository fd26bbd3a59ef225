package order_test

import (
	"context"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/internal/rows"
	"trestle.example/resources/store/internal/storetest"
)

// An eavesdropper keeps the statements of a request, and not only their number.
type eavesdropper struct {
	mu    sync.Mutex
	heard []sqldb.Event
}

func (l *eavesdropper) hear(_ context.Context, e sqldb.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !e.Control {
		l.heard = append(l.heard, e)
	}
}

// during are the statements that ran while fn did.
func (l *eavesdropper) during(fn func()) []sqldb.Event {
	l.mu.Lock()
	l.heard = nil
	l.mu.Unlock()
	fn()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heard
}

var (
	// growing are the tables that have more and more rows.
	growing = regexp.MustCompile(`^(orders?|order_items?|carts?|cart_items?|variants?|products?|categor(y|ies)|stock_movements?|product_(terms|grams|changes)|idempotency_keys|c|i|v|p)$`)
	// step is one of a plan that reads a table, and how: of PostgreSQL the table
	// is behind "on", and a condition of its index in the next line.
	step = regexp.MustCompile(`(?m)^\s*(?:->\s+)?(Seq Scan|Index Scan(?: Backward)?|Index Only Scan(?: Backward)?|Bitmap Index Scan)(?: using (\w+))? on (\w+).*\n?(\s*Index Cond)?|^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?$`)
)

// wholly are the growing tables that a plan looks through from end to end,
// unless it walks along an index in the order of a page.
func wholly(plan, walks string) (names []string) {
	for _, found := range step.FindAllStringSubmatch(plan, -1) {
		kind, index, name, bounded := found[1], found[2]+found[6], found[3]+found[5], found[4] != ""
		if kind == "Bitmap Index Scan" || bounded || index != "" && index == walks || !growing.MatchString(name) {
			continue
		}
		names = append(names, name)
	}
	return names
}

// A lookup is a request, and which index serves its page, if it has one.
type lookup struct {
	as, method, path string
	body             any
	status           int
	index            string
	walks            bool // along the index from its end: nothing is left out
}

// isPage reports whether a statement reads the page.
func (l lookup) isPage(e sqldb.Event) bool {
	return l.index != "" && strings.Contains(e.SQL, "LIMIT")
}

// isOther reports whether this test ignores a statement: it identifies the
// caller, or counts all rows.
func (l lookup) isOther(e sqldb.Event) bool {
	return strings.Contains(e.SQL, "auth_tokens") || l.walks && strings.HasPrefix(e.SQL, "SELECT count(*)")
}

// finds are the tables that a statement looks through, and whether it reads the
// page in order by its index.
func (l lookup) finds(s *site, e sqldb.Event) (through []string, served bool) {
	without, walks := []string{"seqscan", "hashjoin", "mergejoin"}, ""
	if l.isPage(e) {
		without = append(without, "sort")
		if l.walks {
			walks = l.index
		}
	}
	plan := s.PlanOf(e, without...)
	if through = wholly(plan, walks); len(through) > 0 {
		s.T.Logf("%s\n%s", e.SQL, plan)
	}
	return through, l.isPage(e) && strings.Contains(plan, l.index) && !strings.Contains(plan, "Sort") && !strings.Contains(plan, "ORDER BY")
}

// TestIndexesServeLogs: what happened to a variant or a product is found in the
// order in which it happened.
func TestIndexesServeLogs(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		p := s.CreateTea("tea")
		heard := &eavesdropper{}
		s.DB.Observe(heard.hear)
		for _, c := range []struct {
			table, column string
			id            uuid.UUID
		}{{"stock_movements", "variant_id", p.Variants[0].ID}, {"product_changes", "product_id", p.ID}} {
			var last []uuid.UUID
			events := heard.during(func() {
				q := s.DB.NewSelect().Table(c.table).Column("id").Where("? = ?", bun.Ident(c.column), c.id).OrderExpr("id DESC").Limit(1)
				s.Must(q.Scan(context.Background(), &last))
			})
			plan := s.PlanOf(events[0], "seqscan", "sort")
			if len(last) != 1 || !strings.Contains(plan, c.table+"_"+strings.TrimSuffix(c.column, "_id")) || strings.Contains(plan, "Sort") || strings.Contains(plan, "ORDER BY") {
				t.Errorf("%d last in %s:\n%s", len(last), c.table, plan)
			}
		}
	})
}

// TestIndexesServeRequests: for each request to the cart, for orders and by staff, each
// statement finds its rows by an index, and those of a page are in order by it.
// There are few rows, so PostgreSQL is set to avoid sequential scans and
// sorts where it can. SQLite prefers indexes anyway.
func TestIndexesServeRequests(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		tea := s.CreateTea("tea")
		v := s.Shelve(storetest.Good{Stock: 90}, storetest.Good{Stock: 90})
		for range 4 {
			s.OrderOne("ada", v[0])
		}
		order := "/" + s.OrderOne("ada", v[0])
		s.AddToCart("ada", v[0], 1).Expect(201)
		s.AddToCart("ada", v[1], 1).Expect(201)
		cart := s.CartOf("ada")
		item := func(i int) string { return "/api/cart/items/" + cart.Items[i].ID.String() }
		heard := &eavesdropper{}
		s.DB.Observe(heard.hear)
		for _, c := range []lookup{
			{"ada", "GET", "/api/orders?limit=2", nil, 200, "orders_user", false},
			{"ada", "GET", "/api/orders?limit=2&page=2", nil, 200, "orders_user", false},
			{"ada", "GET", "/api/orders" + order, nil, 200, "", false},
			{"staff", "GET", "/api/admin/orders?limit=2&page=2", nil, 200, "orders_placed", true},
			{"staff", "GET", "/api/admin/orders?limit=2&status=placed", nil, 200, "orders_status", false},
			{"ada", "GET", "/api/categories?limit=1", nil, 200, "categories_name", true},
			{"ada", "GET", "/api/cart", nil, 200, "", false},
			{"ada", "POST", "/api/cart/items", fields{"variantId": v[0].ID}, 201, "", false},
			{"ada", "POST", "/api/cart/items", fields{"variantId": tea.Variants[0].ID}, 201, "", false},
			{"ada", "PATCH", item(0), fields{"quantity": 3}, 200, "", false},
			{"ada", "DELETE", item(1), nil, 200, "", false},
			{"ada", "POST", "/api/orders", fields{}, 201, "", false},
			{"ada", "DELETE", "/api/cart", nil, 200, "", false},
			{"staff", "POST", "/api/admin/orders" + order + "/confirm", nil, 200, "", false},
			{"ada", "POST", "/api/orders" + order + "/cancel", nil, 200, "", false},
			{"staff", "PATCH", storetest.StockPath(tea.Variants[0]), fields{"stock": 0}, 200, "", false},
			{"staff", "PATCH", storetest.AdminPath(tea), fields{
				"name": "Chai", "slug": "chai", "category": fields{"slug": "hot", "name": "Hot"}, "variants": []fields{{"id": tea.Variants[0].ID, "sku": "C1"}, storetest.VariantBody("C2", nil)},
			}, 200, "", false},
			{"staff", "POST", storetest.ProductsPath, storetest.ProductBody("Chai", nil), 201, "", false},
		} {
			t.Run(c.method+" "+strings.ReplaceAll(c.path, order, "/ID"), func(t *testing.T) {
				s := s.on(t)
				client, paged := s.ClientOf(c.as), c.index == ""
				if c.method == "POST" {
					client = client.With("Idempotency-Key", rows.NewID().String())
				}
				for _, e := range heard.during(func() { client.Do(c.method, c.path, c.body).Expect(c.status) }) {
					if c.isOther(e) {
						continue
					}
					through, served := c.finds(s, e)
					if paged = paged || served; len(through) > 0 {
						t.Errorf("a statement looks through all %v", through)
					}
				}
				if !paged {
					t.Errorf("the page is not served by %s", c.index)
				}
			})
		}
	})
}
