package catalogue_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"trestle.example/framework/ranked"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/rows"
	"trestle.example/resources/store/internal/storetest"
)

// warehouse stores many products without the API, in 50 categories, and has
// PostgreSQL analyze them. SQLite has no statistics, as in a new
// store.
func (s *site) warehouse(products int) {
	s.T.Helper()
	ctx := context.Background()
	words := ranked.Index{Terms: "product_terms", Grams: "product_grams"}
	start := time.Now().UTC().Truncate(time.Microsecond).Add(-time.Hour)
	shelves := make([]catalogue.Category, 50)
	for i := range shelves {
		shelves[i] = catalogue.Category{ID: rows.NewID(), Slug: fmt.Sprintf("shelf-%d", i), Name: fmt.Sprintf("Shelf %d", i), ProductCount: int64(products / 50)}
	}
	s.Store(&shelves)
	for from := 0; from < products; from += 1000 {
		s.Must(s.DB.InTx(ctx, func(ctx context.Context, session *sqldb.Session) error {
			var batch []catalogue.Product
			var variants []catalogue.Variant
			for i := from; i < from+1000; i++ {
				v := catalogue.Variant{
					ID: rows.NewID(), ProductID: rows.NewID(), SKU: fmt.Sprintf("SKU%d", i), SKUFolded: fmt.Sprintf("sku%d", i), Label: "1 kg", Unit: catalogue.Kilogram,
					PricePaise: int64(100 + i*7919%50_000), Stock: int64(i % 3), InStock: i%3 > 0, CreatedAt: start, UpdatedAt: start,
				}
				variants = append(variants, v)
				batch = append(batch, catalogue.Product{
					ID: v.ProductID, Slug: fmt.Sprintf("product-%d", i), Name: fmt.Sprintf("Name%d of product", i*7919%1000), CategoryID: shelves[i%50].ID,
					Published: i%10 > 0, Version: 1, CheapestVariantID: v.ID, PricePaise: v.PricePaise, InStock: v.InStock,
					CreatedAt: start.Add(time.Duration(i) * time.Millisecond), UpdatedAt: start,
				})
			}
			for _, list := range []any{&batch, &variants} {
				if _, err := session.IDB().NewInsert().Model(list).Exec(ctx); err != nil {
					return err
				}
			}
			return words.PutAll(ctx, session, func(yield func(ranked.Row) bool) {
				for _, p := range batch {
					if !yield(ranked.Row{Key: p.ID, Fields: []ranked.Field{{Text: p.Name, Weight: 8}, {Text: "Shelf", Weight: 2}}}) {
						return
					}
				}
			})
		}))
	}
	if s.DB.Kind() == sqldb.PostgreSQL {
		s.Exec("ANALYZE")
	}
}

// A listener keeps the last statement that finds products, and not only their
// number or what is shown of them.
type listener struct {
	mu   sync.Mutex
	last sqldb.Event
}

func (l *listener) hear(_ context.Context, e sqldb.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	byKeys := strings.Contains(e.SQL, " ORDER BY CASE ")
	if strings.HasPrefix(e.SQL, `SELECT "product"`) && !byKeys || strings.HasPrefix(e.SQL, "WITH trestle_matched ") {
		l.last = e
	}
}

// TestIndexesServe: among 20,000 products a page is found by an index in its
// order, without a scan and a sort of all products.
func TestIndexesServe(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a large catalogue")
	}
	both(t, func(t *testing.T, s *site) {
		heard := &listener{}
		s.DB.Observe(heard.hear)
		s.warehouse(20_000)
		for _, c := range []struct {
			name, path, index string
			few               bool // are left to sort
		}{
			{"by name", "/api/products", "products_name", false},
			{"by name, a later page", "/api/products?page=20", "products_name", true}, // its own rows
			{"by name, in stock", "/api/products?inStock=true", "products_name", false},
			{"cheapest first", "/api/products?sort=price_asc", "products_price", false},
			{"dearest first", "/api/products?sort=price_desc", "products_price", false},
			{"newest first", "/api/products?sort=newest", "products_created", false},
			{"within bounds, cheapest first", "/api/products?minPaise=1000&maxPaise=9000&sort=price_asc", "products_price", false},
			{"within bounds, dearest first, in stock", "/api/products?maxPaise=9000&sort=price_desc&inStock=true", "products_price", false},
			{"within narrow bounds", "/api/products?minPaise=1000&maxPaise=1010", "products_price", true},
			{"a category", "/api/products?category=shelf-7", "products_category_name", false},
			{"a category, cheapest first", "/api/products?category=shelf-7&sort=price_asc", "products_category_price", false},
			{"a category within bounds, dearest first", "/api/products?category=shelf-7&minPaise=1000&maxPaise=9000&sort=price_desc", "products_category_price", false},
			{"a category, newest first", "/api/products?category=shelf-7&sort=newest", "products_c", true}, // by either column, few are left to sort
			{"a category in stock", "/api/products?category=shelf-7&inStock=true", "products_category_name", false},
			{"newest first, in stock", "/api/products?sort=newest&inStock=true", "products_created", false},
			{"a lower bound, by name", "/api/products?minPaise=49000", "products_", true},
			{"relevance without a search", "/api/products?sort=relevance", "products_name", false},
			{"a category that is not there", "/api/products?category=toys", "products_category_name", false},
			{"a search", "/api/products?q=name123", "product_terms_term", true},
			{"a search for several words", "/api/products?q=product+name77", "product_terms_term", true},
			{"a search in another order", "/api/products?q=name123&sort=price_asc", "product_terms_term", true},
			{"a search with filters", "/api/products?q=name123&category=shelf-7&inStock=true&minPaise=1&sort=newest", "product_terms_term", true},
			{"a search for what is misspelt", "/api/products?q=proudct+name123", "product_terms_term", true},
			{"one product", "/api/products/product-123", "slug", false},
		} {
			t.Run(c.name, func(t *testing.T) {
				s := s.on(t)
				s.Get(c.path).Expect(200)
				plan := s.PlanOf(heard.last)
				if !storetest.ServedBy(plan, c.index, c.few) {
					t.Errorf("%s is not served by %s:\n%s", c.path, c.index, plan)
				}
			})
		}
	})
}
