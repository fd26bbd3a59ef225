package seed_test

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/cart"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/delivery"
	"trestle.example/resources/store/internal/storetest"
	"trestle.example/resources/store/order"
	"trestle.example/resources/store/seed"
)

// seed makes demo data of so many products, whose customers are asha and ravi.
func (s *site) seed(products int) {
	s.T.Helper()
	s.seedFor(products, "asha", "ravi")
}

func (s *site) seedFor(products int, customers ...string) {
	s.T.Helper()
	o := seed.Options{Products: products, Staff: s.PersonOf("staff").ID}
	for _, name := range customers {
		o.Customers = append(o.Customers, s.PersonOf(name).ID)
	}
	s.Must(s.DB.InTx(context.Background(), func(ctx context.Context, in *sqldb.Session) error { return seed.Insert(ctx, in, o, nil) }))
}

// seededRows are all rows that seeding makes.
type seededRows struct {
	Categories []catalogue.Category
	Products   []catalogue.Product
	Variants   []catalogue.Variant
	Movements  []catalogue.StockMovement
	Slots      []delivery.DeliverySlot
	Orders     []order.Order
	Items      []order.OrderItem
	Carts      []cart.Cart
	CartItems  []cart.CartItem
	Terms      []term
	Grams      []gram
}

// What products are found by.
type (
	term struct {
		bun.BaseModel `bun:"table:product_terms"`

		Term   string
		Key    string
		Weight int
	}
	gram struct {
		bun.BaseModel `bun:"table:product_grams"`

		Term string
		Gram string
	}
)

func (s *site) seeded() (all seededRows) {
	s.T.Helper()
	for _, rows := range reflect.ValueOf(&all).Elem().Fields() {
		s.Must(s.DB.NewSelect().Model(rows.Addr().Interface()).OrderExpr("1, 2").Scan(context.Background()))
	}
	return all
}

// text is all rows, the users by their names: their ids are not the seed's.
func (s *site) text() string {
	s.T.Helper()
	all := s.seeded()
	inUTC(reflect.ValueOf(&all).Elem())
	text, err := json.MarshalIndent(all, "", " ")
	s.Must(err)
	plain := string(text)
	for _, name := range []string{"asha", "ravi", "staff"} {
		plain = strings.ReplaceAll(plain, s.PersonOf(name).ID.String(), name)
	}
	return plain
}

// inUTC brings all times of a value there.
func inUTC(v reflect.Value) {
	if at, ok := reflect.TypeAssert[time.Time](v); ok {
		v.Set(reflect.ValueOf(at.UTC()))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			inUTC(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			inUTC(v.Index(i))
		}
	case reflect.Struct:
		for field, value := range v.Fields() {
			if field.IsExported() {
				inUTC(value)
			}
		}
	}
}

// audited checks everything that must hold of a store, and that the movements
// of a variant are in the order of their times.
func (s *site) audited() {
	s.T.Helper()
	s.Audit()
	s.AuditCatalogue()
	last := map[uuid.UUID]time.Time{}
	for _, m := range s.seeded().Movements {
		if m.CreatedAt.Before(last[m.VariantID]) {
			s.T.Errorf("a movement %q at %s is behind one at %s", m.Kind, m.CreatedAt, last[m.VariantID])
		}
		last[m.VariantID] = m.CreatedAt
	}
}

func TestSeedMakesABelievableStore(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		s.seed(0)
		s.audited()
		all := s.seeded()
		counts := map[string]int{"categories": len(all.Categories), "products": len(all.Products), "carts": len(all.Carts)}
		for _, p := range all.Products {
			counts["in "+p.CategoryID.String()]++
			countSo(counts, map[string]bool{
				"unpublished": !p.Published, "out of stock": !p.InStock, "without a brand": p.Brand == nil,
				"without a picture": p.ImageURL == nil, "without a description": p.Description == nil,
			})
		}
		for _, v := range all.Variants {
			counts["variants"]++
			counts["unit "+string(v.Unit)]++
			countSo(counts, map[string]bool{"variants out of stock": v.Stock == 0, "without a list price": v.MRPPaise == nil})
		}
		for _, name := range []string{"asha", "ravi"} {
			for _, o := range all.Orders {
				countSo(counts, map[string]bool{name + " " + string(o.Status): o.UserID == s.PersonOf(name).ID})
			}
		}
		s.within(counts, map[string][2]int{
			"categories": {10, 10}, "products": {120, 120}, "unpublished": {3, 3}, "out of stock": {2, 10}, "without a brand": {12, 12},
			"without a picture": {5, 30}, "without a description": {5, 30}, "variants": {200, 360}, "variants out of stock": {16, 30},
			"without a list price": {12, 40}, "carts": {2, 2},
			"unit g": {5, 200}, "unit kg": {5, 200}, "unit ml": {5, 200}, "unit l": {5, 200}, "unit piece": {5, 200}, "unit pack": {2, 50},
			"unit dozen": {2, 50}, "unit bunch": {2, 50},
			"asha placed": {2, 2}, "asha confirmed": {2, 2}, "asha packed": {1, 1}, "asha out_for_delivery": {1, 1}, "asha delivered": {5, 5}, "asha cancelled": {2, 2},
			"ravi placed": {2, 2}, "ravi confirmed": {2, 2}, "ravi packed": {1, 1}, "ravi out_for_delivery": {1, 1}, "ravi delivered": {5, 5}, "ravi cancelled": {2, 2},
		})
		for _, c := range all.Categories {
			if n := counts["in "+c.ID.String()]; n != 12 {
				t.Errorf("%s has %d products; want 12", c.Name, n)
			}
		}
	})
}

// countSo counts what is so.
func countSo(counts map[string]int, so map[string]bool) {
	for what, is := range so {
		if is {
			counts[what]++
		}
	}
}

// within checks counts against the least and the most that each may be.
func (s *site) within(counts map[string]int, bounds map[string][2]int) {
	s.T.Helper()
	for what, b := range bounds {
		if counts[what] < b[0] || counts[what] > b[1] {
			s.T.Errorf("%s: %d; want %d to %d", what, counts[what], b[0], b[1])
		}
	}
}

// The demo is tried through the API, as those who come to see it will.
func TestSeedCanBeTried(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		s.seed(0)
		if got := s.ListProducts("").Total; got != 117 {
			t.Errorf("%d products are listed; want 117", got)
		}
		for q, want := range map[string]string{
			"atta": "Multigrain Atta; Whole Wheat Atta", "haldi": "Turmeric Powder", "Curd (Dahi)": "Curd (Dahi)", "turmerik": "Turmeric Powder; Ubtan Face Pack",
			"hou-000-009": "Dishwash Bar", "Peelavan Sunflower": "", // which is not published
		} {
			if got := storetest.NamesOf(s.ListProducts(storetest.QueryOf("q", q, "sort", "name_asc"))); got != want {
				t.Errorf("the search for %q finds %q; want %q", q, got, want)
			}
		}
		if got := storetest.NamesOf(s.ListProducts("q=atta&inStock=true&sort=price_asc")); got != "Multigrain Atta; Whole Wheat Atta" {
			t.Errorf("the cheapest atta is %q; want first that of which the small bag is in stock", got)
		}
		var shown cart.CartView
		s.ClientOf("asha").Get("/api/cart").Expect(200).JSON(&shown)
		if !shown.CanOrder || len(shown.Items) != 4 || shown.Items[0].PreviousPricePaise == nil || shown.Items[1].PreviousPricePaise != nil || shown.Checkout.LastAddress == nil {
			t.Errorf("asha's cart is %+v", shown)
		}
		s.ClientOf("asha").Post("/api/orders", fields{"expectedTotalPaise": shown.TotalPaise}).Expect(201)
		for name, want := range map[string]int{"asha": 14, "ravi": 13} {
			orders := storetest.ListOf[order.OrderView](s.ClientOf(name).Get("/api/orders"))
			if orders.Total != want {
				t.Errorf("%s has %d orders; want %d", name, orders.Total, want)
			}
			for _, o := range orders.Items {
				if o.CanCancel {
					s.ClientOf(name).Post("/api/orders/"+o.ID.String()+"/cancel", nil).Expect(200)
				}
			}
		}
		s.audited()
	})
}

func TestSeedIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	var texts []string
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		s := open(t, db)
		s.seed(700) // in two batches
		texts = append(texts, s.text())
	})
	if len(texts) == 2 && texts[0] != texts[1] {
		one, two := strings.Split(texts[0], "\n"), strings.Split(texts[1], "\n")
		for i := range min(len(one), len(two)) {
			if one[i] != two[i] {
				t.Fatalf("the two databases differ first here:\n%s\n%s", one[i], two[i])
			}
		}
		t.Fatal("one database has more rows than the other")
	}
}

func TestSeedAddsWhatIsMissing(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		s.seed(60)
		before := s.text()
		s.seed(60)
		if s.text() != before {
			t.Error("the second time changed something")
		}
		s.seed(130)
		s.audited()
		if all := s.seeded(); len(all.Products) != 130 || len(all.Orders) != 26 || len(all.Categories) != 10 {
			t.Errorf("%d products, %d orders, %d categories; want 130, 26, 10", len(all.Products), len(all.Orders), len(all.Categories))
		}
	})
}

// What was made or changed since stays as it is, and nothing of the seed that
// would be in its way is made.
func TestSeedLeavesWhatIsThere(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		taken := s.CreateProduct("Aata", fields{"slug": seed.Product(2).Slug, "category": fields{"slug": "staples", "name": "Flour"}})
		s.CreateProduct("Bhujia", fields{"variants": []fields{storetest.VariantBody(strings.ToLower(seed.Product(5).Variants[0].SKU), nil)}})
		own := s.ProductOf(s.ClientOf("staff").Post("/api/admin/products", storetest.ProductBody("Own", fields{"variants": []fields{storetest.VariantBody("own", fields{"stock": 9})}})).Expect(201))
		s.ClientOf("asha").Post("/api/cart/items", fields{"variantId": own.Variants[0].ID}).Expect(201)
		s.seed(0)
		all := s.seeded()
		if len(all.Products) != 3+118 || len(all.CartItems) != 1 || len(all.Categories) != 10 {
			t.Errorf("%d products, %d lines in carts, %d categories; want 121, 1 and 10", len(all.Products), len(all.CartItems), len(all.Categories))
		}
		var shown catalogue.ProductDetail
		s.Get("/api/products/" + taken.Slug).Expect(200).JSON(&shown)
		if shown.Name != "Aata" || shown.Category.Name != "Flour" {
			t.Errorf("the slug now names %+v", shown)
		}

		changed := seed.Product(3)
		s.ClientOf("staff").Patch("/api/admin/variants/"+changed.Variants[0].ID.String()+"/stock", fields{"stock": 0}).Expect(200)
		s.ClientOf("staff").Patch("/api/admin/products/"+changed.ID.String(), fields{"version": 1, "name": "Rai ka tel", "slug": "rai-ka-tel"}).Expect(200)
		before := s.text()
		s.seed(0)
		if s.text() != before {
			t.Error("seeding once more changed something")
		}
		s.audited()
	})
}

// Staff left little on the shelf: orders have what there is, and one that can
// have nothing is not made. A product that sells out is marked as such.
func TestSeedSellsNoMoreThanThereIs(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		s.seedFor(10)
		for i := range 10 {
			for _, v := range seed.Product(i).Variants {
				s.ClientOf("staff").Patch("/api/admin/variants/"+v.ID.String()+"/stock", fields{"stock": 1 + i%4}).Expect(200)
			}
		}
		s.seed(10)
		s.AuditRows() // without the log: demo orders are older than what staff did
		s.AuditCatalogue()
		all := s.seeded()
		soldOut := slices.IndexFunc(all.Products, func(p catalogue.Product) bool { return !p.InStock })
		if soldOut < 0 || len(all.Orders) == 0 || len(all.Orders) >= 26 || len(all.CartItems) != 0 {
			t.Errorf("%d orders, %d lines in the cart, product %d is sold out; want some orders, no lines, some product", len(all.Orders), len(all.CartItems), soldOut)
		}
	})
}

func TestSeedBooksNoFullSlot(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		full := delivery.OpenSlots(time.Date(2026, time.November, 20, 9, 0, 0, 0, time.UTC))[0] // what is out for delivery is in this one
		full.Booked = full.Capacity
		s.Store(&full)
		s.seed(0)
		all := s.seeded()
		if len(all.Orders) != 24 || slices.ContainsFunc(all.Orders, func(o order.Order) bool { return o.SlotID == full.ID }) {
			t.Errorf("%d orders, some in the full slot; want 24, none of them there", len(all.Orders))
		}
		for _, slot := range all.Slots {
			if slot.ID == full.ID && slot.Booked != full.Capacity {
				t.Errorf("the full slot has %d orders", slot.Booked)
			}
		}
	})
}

// TestSeedProductsCouldBePosted: staff could have made every product. The test sends the
// bodies to the API of an empty store, and none may be rejected.
func TestSeedProductsCouldBePosted(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		for i := range seed.DefaultProducts {
			p := seed.Product(i)
			slug, name := seed.CategoryOf(i)
			body := fields{
				"name": p.Name, "slug": p.Slug, "brand": p.Brand, "description": p.Description, "imageUrl": p.ImageURL,
				"category": fields{"slug": slug, "name": name}, "published": p.Published,
			}
			var variants []fields
			for _, v := range p.Variants {
				variants = append(variants, fields{
					"sku": v.SKU, "label": v.Label, "unit": v.Unit, "pricePaise": v.PricePaise, "mrpPaise": v.MRPPaise, "stock": v.Stock,
				})
			}
			body["variants"] = variants
			got := s.ProductOf(s.ClientOf("staff").Post("/api/admin/products", body).Expect(201))
			if got.Name != p.Name || got.Slug != p.Slug || got.CheapestVariant.PricePaise != p.PricePaise || got.CheapestVariant.InStock != p.InStock {
				t.Errorf("product %d became %+v", i, got)
			}
		}
		s.audited()
	})
}

func TestSeedReportsItsProgress(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		var seen []int
		s.Must(s.DB.InTx(t.Context(), func(ctx context.Context, in *sqldb.Session) error {
			return seed.Insert(ctx, in, seed.Options{Products: 1100}, func(done, total int) { seen = append(seen, done, total) })
		}))
		if want := []int{500, 1100, 1000, 1100, 1100, 1100}; !slices.Equal(seen, want) {
			t.Errorf("it reports %v; want %v", seen, want)
		}
		if all := s.seeded(); len(all.Orders)+len(all.Carts) != 0 || len(all.Products) != 1100 {
			t.Errorf("without customers there are %d orders and %d carts", len(all.Orders), len(all.Carts))
		}
	})
}

func TestSeedOfFewProducts(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		for _, products := range []int{1, 3, 12} {
			s.seed(products)
			s.audited()
			if all := s.seeded(); len(all.Products) != products || len(all.Categories) != min(products, 10) {
				t.Errorf("%d products in %d categories; want %d", len(all.Products), len(all.Categories), products)
			}
		}
	})
}

func TestSeedRefuses(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		if err := seed.Insert(t.Context(), s.DB.Session(), seed.Options{}, nil); err == nil || !strings.Contains(err.Error(), "transaction") {
			t.Errorf("without a transaction: %v", err)
		}
		err := s.DB.InTx(t.Context(), func(ctx context.Context, in *sqldb.Session) error {
			return seed.Insert(ctx, in, seed.Options{Products: -1}, nil)
		})
		if err == nil || !strings.Contains(err.Error(), "Products is -1") {
			t.Errorf("fewer products than none: %v", err)
		}
		if all := s.seeded(); len(all.Categories) != 0 {
			t.Error("what was refused made rows")
		}
	})
}

// TestSeedsAreWithinLimits: demo data has no more orders of a customer than the
// API takes.
func TestSeedsAreWithinLimits(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		s.seedFor(100, "asha", "ravi", "meera", "imran", "devi")
		var orders []order.Order
		s.Must(s.DB.NewSelect().Model(&orders).Scan(context.Background()))
		inSlot, live := map[string]int{}, map[string]int{}
		for _, o := range orders {
			if o.Status != order.Delivered && o.Status != order.Cancelled {
				live[o.UserID.String()]++
				inSlot[o.UserID.String()+o.SlotID.String()]++
			}
		}
		for _, counts := range []struct {
			of   map[string]int
			most int
		}{{live, 20}, {inSlot, 3}} {
			for n := range maps.Values(counts.of) {
				if n > counts.most {
					t.Errorf("somebody has %d orders; at most %d are taken", n, counts.most)
				}
			}
		}
		if len(live) != 5 {
			t.Errorf("%d customers have orders on their way", len(live))
		}
	})
}
