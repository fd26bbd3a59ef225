package catalogue_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/proving"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/storetest"
)

// crowded runs a test on both databases in which requests meet. None may be
// ended by a deadlock, not even one that is retried: there is an order in which
// all lock.
func crowded(t *testing.T, test func(t *testing.T, s *site)) {
	t.Helper()
	both(t, func(t *testing.T, s *site) {
		s.DB.Observe(func(_ context.Context, e sqldb.Event) {
			if fault, _ := sqldb.Classify(e.Err); fault.Kind == sqldb.Retry {
				t.Errorf("a statement is to be retried: %v\n%s", e.Err, e.SQL)
			}
		})
		s.PersonOf("staff")
		test(t, s)
		s.Audit()
		s.AuditCatalogue()
	})
}

func (s *site) expectTally(answers []*frameworktest.Response, want map[string]int) {
	s.T.Helper()
	if got := storetest.Tally(answers); !maps.Equal(got, want) {
		s.T.Errorf("the answers are %v; want %v", got, want)
	}
}

// TestNamesAtOnce: products of one name get slugs of their own, without a gap.
func TestNamesAtOnce(t *testing.T) {
	crowded(t, func(t *testing.T, s *site) {
		const n = 50
		staff := s.ClientOf("staff")
		s.expectTally(storetest.Together(n, func(int) *frameworktest.Response {
			return staff.Post(storetest.ProductsPath, storetest.ProductBody("Dal", nil))
		}), map[string]int{"201": n})
		want := []string{"dal"}
		for i := 2; i <= n; i++ {
			want = append(want, fmt.Sprintf("dal-%d", i))
		}
		var slugs []string
		for _, p := range s.StoredProducts() {
			slugs = append(slugs, p.Slug)
		}
		slices.Sort(want)
		if slices.Sort(slugs); !slices.Equal(slugs, want) {
			t.Errorf("the slugs are %q", slugs)
		}
	})
}

// TestCodesAtOnce: of several requests for one code, or one slug, one gets it;
// the others are answered with the taken names.
func TestCodesAtOnce(t *testing.T) {
	crowded(t, func(t *testing.T, s *site) {
		const n = 20
		staff := s.ClientOf("staff")
		answers := storetest.Together(n, func(i int) *frameworktest.Response {
			return staff.Post(storetest.ProductsPath, storetest.ProductBody(fmt.Sprintf("P%d", i), fields{"variants": []fields{storetest.VariantBody(fmt.Sprintf("FREE-%d", i), nil), storetest.VariantBody("ONE", nil)}}))
		})
		s.expectTally(answers, map[string]int{"201": 1, "409 sku_taken": n - 1})
		for _, r := range answers {
			if r.Status() == 409 {
				r.Fault("/variants/1/sku", "not_unique").Lacks("/variants/0")
			}
		}
		s.expectTally(storetest.Together(n, func(int) *frameworktest.Response {
			return staff.Post(storetest.ProductsPath, storetest.ProductBody("Slug", fields{"slug": "one"}))
		}),
			map[string]int{"201": 1, "409 slug_taken": n - 1})
	})
}

// TestCodesInOppositeOrders: requests for the same codes, for new variants or for existing
// ones, in any order, do not deadlock: one gets them all.
func TestCodesInOppositeOrders(t *testing.T) {
	crowded(t, func(t *testing.T, s *site) {
		const n, codes = 10, 12
		staff := s.ClientOf("staff")
		products := make([]catalogue.AdminProduct, n)
		for i := range products {
			products[i] = s.CreateProduct("Tea", fields{"variants": storetest.VariantBodies(fmt.Sprintf("OWN-%d", i), codes)})
		}
		for round := range proving.Rounds(2, 30) {
			renamed := func(i int) (list []fields) {
				for at, v := range products[i].Variants {
					list = append(list, fields{"id": v.ID, "sku": fmt.Sprintf("RENAMED-%d-%d", round, at)})
				}
				if i%2 == 0 {
					slices.Reverse(list)
				}
				return list
			}
			s.expectTally(storetest.Together(n, func(i int) *frameworktest.Response {
				return s.PatchProduct(products[i], fields{"variants": renamed(i)})
			}),
				map[string]int{"200": 1, "409 sku_taken": n - 1})
			s.expectTally(storetest.Together(n, func(i int) *frameworktest.Response {
				list := storetest.VariantBodies(fmt.Sprintf("NEW-%d", round), codes)
				if i%2 == 0 {
					slices.Reverse(list)
				}
				return staff.Post(storetest.ProductsPath, storetest.ProductBody(fmt.Sprintf("P%d-%d", round, i), fields{"variants": list}))
			}), map[string]int{"201": 1, "409 sku_taken": n - 1})
		}
	})
}

// TestCodesOfNewAndOfRenamedVariants: requests for the same codes do not deadlock if each
// uses for a new variant the code that the other uses for an existing one. A request that
// writes a variant and one that takes its code do not deadlock either.
func TestCodesOfNewAndOfRenamedVariants(t *testing.T) {
	crowded(t, func(t *testing.T, s *site) {
		const n = 8
		staff := s.ClientOf("staff")
		products := make([]catalogue.AdminProduct, n)
		for i := range products {
			products[i] = s.CreateProduct("Tea", fields{"variants": []fields{storetest.VariantBody(fmt.Sprintf("OWN-%d", i), nil)}})
		}
		for round := range proving.Rounds(8, 80) {
			code := func(letter string) string { return fmt.Sprintf("%s-%d", letter, round) }
			s.expectTally(storetest.Together(n, func(i int) *frameworktest.Response {
				renamed, fresh := "C", "M"
				if i%2 == 0 {
					renamed, fresh = fresh, renamed
				}
				p := products[i]
				return s.PatchProduct(p, fields{"variants": []fields{{"id": p.Variants[0].ID, "sku": code(renamed)}, storetest.VariantBody(code(fresh), nil)}})
			}), map[string]int{"200": 1, "409 sku_taken": n - 1})
			z := s.CreateProduct("Tea", fields{"variants": []fields{storetest.VariantBody(code("Z"), nil)}})
			answers := storetest.Together(2, func(i int) *frameworktest.Response {
				if i == 0 {
					return s.PatchProduct(z, fields{"variants": []fields{{"id": z.Variants[0].ID, "label": "Box"}, storetest.VariantBody(code("A"), nil)}})
				}
				return staff.Post(storetest.ProductsPath, storetest.ProductBody("Tea", fields{"variants": []fields{storetest.VariantBody(code("A"), nil), storetest.VariantBody(code("Z"), nil)}}))
			})
			answers[0].Expect(200)
			answers[1].Expect(409).Code("sku_taken").Fault("/variants/1/sku", "not_unique")
		}
	})
}

// TestCodesThatAreGivenUp: a request for a code that another request is giving up is
// rejected, and the two do not deadlock.
func TestCodesThatAreGivenUp(t *testing.T) {
	crowded(t, func(t *testing.T, s *site) {
		const n, codes = 6, 12
		staff := s.ClientOf("staff")
		for round := range proving.Rounds(5, 50) {
			code := func(letter string, i int) string { return fmt.Sprintf("%s-%d-%d", letter, round, i) }
			p := s.CreateProduct("Tea", fields{"variants": storetest.VariantBodies(fmt.Sprintf("X-%d", round), codes)})
			change := []fields{storetest.VariantBody(code("N", 0), nil)}
			for i, v := range p.Variants {
				change = append(change, fields{"id": v.ID, "sku": code("B", i)})
			}
			s.expectTally(storetest.Together(n, func(i int) *frameworktest.Response {
				if i == 0 {
					return s.PatchProduct(p, fields{"variants": change})
				}
				return staff.Post(storetest.ProductsPath, storetest.ProductBody("Tea", fields{"variants": []fields{storetest.VariantBody(code("N", 0), nil), storetest.VariantBody(code("X", i), nil)}}))
			}), map[string]int{"200": 1, "409 sku_taken": n - 1})
		}
	})
}

// TestCategoriesAtOnce: a category that several make at once is one, and counts
// them all; products that change places in opposite ways do not meet in a
// circle.
func TestCategoriesAtOnce(t *testing.T) {
	crowded(t, func(t *testing.T, s *site) {
		const n = 20
		staff := s.ClientOf("staff")
		products := make([]catalogue.AdminProduct, n)
		answers := storetest.Together(n, func(i int) *frameworktest.Response {
			return staff.Post(storetest.ProductsPath, storetest.ProductBody(fmt.Sprintf("P%d", i), fields{"category": fields{"slug": fmt.Sprintf("c%d", i%2), "name": "C"}}))
		})
		s.expectTally(answers, map[string]int{"201": n})
		for i, r := range answers {
			products[i] = s.ProductOf(r)
		}
		list := storetest.ListOf[catalogue.CategoryView](s.Get("/api/categories"))
		if len(list.Items) != 2 || list.Items[0].ProductCount != n/2 || list.Items[1].ProductCount != n/2 {
			t.Errorf("the categories are %+v", list.Items)
		}
		for round := range proving.Rounds(3, 30) {
			s.expectTally(storetest.Together(n, func(i int) *frameworktest.Response {
				return s.PatchProduct(products[i], fields{"category": fields{"slug": fmt.Sprintf("c%d", (i+round+1)%2)}, "published": (i+round)%5 != 0})
			}), map[string]int{"200": n})
		}
	})
}

// TestTwoStaffAtOnce: changes of one product at once are all there afterwards;
// of those that name the version they are based on, one is done.
func TestTwoStaffAtOnce(t *testing.T) {
	crowded(t, func(t *testing.T, s *site) {
		p := s.CreateTea("tea")
		a, b := p.Variants[0].ID, p.Variants[1].ID
		for round := range proving.Rounds(5, 50) {
			price, mark := int64(1000+round), strconv.Itoa(round)
			changes := []fields{
				{"brand": mark},
				{"description": mark},
				{"variants": []fields{{"id": a, "pricePaise": price, "mrpPaise": price}}},
				{"variants": []fields{{"id": b, "pricePaise": 2 * price}}},
				{"variants": []fields{{"id": a, "label": mark}}},
				{"variants": []fields{storetest.VariantBody("NEW-"+mark, nil)}},
			}
			s.expectTally(storetest.Together(len(changes)+1, func(i int) *frameworktest.Response {
				if i == len(changes) {
					return s.SetStock(p.Variants[0], int64(10+round))
				}
				return s.PatchProduct(p, changes[i])
			}), map[string]int{"200": len(changes) + 1})
			now := s.ProductOf(s.PatchProduct(p, fields{}).Expect(200))
			v := now.Variants
			if *now.Brand != mark || *now.Description != mark || v[0].PricePaise != price || v[0].Label != mark || v[0].Stock != int64(10+round) ||
				v[1].PricePaise != 2*price || len(v) != len(p.Variants)+round+1 || now.Version != p.Version+int64(len(changes)*(round+1)) {
				t.Fatalf("something was lost: %+v", now)
			}
		}
		now := s.ProductOf(s.PatchProduct(p, fields{}).Expect(200))
		s.expectTally(storetest.Together(10, func(i int) *frameworktest.Response {
			return s.PatchProduct(p, fields{"version": now.Version, "name": fmt.Sprintf("Of %d", i)})
		}), map[string]int{"200": 1, "409 version_conflict": 9})
	})
}

// TestStocksAtOnce: every set is done and written down, one after the other; of
// those that expect the same stock, one is done.
func TestStocksAtOnce(t *testing.T) {
	crowded(t, func(t *testing.T, s *site) {
		const n = 50
		v := s.CreateProduct("Curd", nil).Variants[0]
		s.expectTally(storetest.Together(n, func(i int) *frameworktest.Response { return s.SetStock(v, int64(i+1)) }), map[string]int{"200": n})
		reached := map[int64]bool{}
		for _, m := range s.movements(v) {
			reached[m.StockAfter] = true
		}
		if len(reached) != n {
			t.Errorf("%d of %d sets are written down", len(reached), n)
		}
		s.SetStock(v, 5).Expect(200)
		staff := s.ClientOf("staff")
		s.expectTally(storetest.Together(n, func(i int) *frameworktest.Response {
			return staff.Patch(storetest.StockPath(v), fields{"stock": 100 + i, "expectedStock": 5})
		}), map[string]int{"200": 1, "409 stock_changed": n - 1})
	})
}

// TestStaffAgainstBuyers: staff change products, also two of them at once, while buyers buy
// them; no transactions deadlock.
func TestStaffAgainstBuyers(t *testing.T) {
	crowded(t, func(t *testing.T, s *site) {
		s.WidenSlots(1_000_000)
		one, two := s.CreateTea("one"), s.CreateTea("two")
		bought := []catalogue.AdminVariant{one.Variants[0], two.Variants[0]}
		buyers := []string{"asha", "bela", "chitra", "devi", "esha", "farah", "gita", "hema"}
		for _, name := range buyers {
			s.PersonOf(name)
		}
		for round := range proving.Rounds(3, 30) {
			for _, v := range bought {
				s.SetStock(v, 4).Expect(200)
			}
			for i, name := range buyers {
				for n := range bought {
					v := bought[(n+i)%2]
					s.ClientOf(name).Post("/api/cart/items", fields{"variantId": v.ID, "quantity": 1}).Expect(201)
				}
			}
			answers := storetest.Together(len(buyers)+4, func(i int) *frameworktest.Response {
				switch {
				case i < len(buyers):
					return s.PlaceOrder(buyers[i])
				case i%2 == 0:
					return s.PatchProduct([]catalogue.AdminProduct{one, two}[i/2%2], fields{"brand": fmt.Sprint(round, i), "variants": []fields{{"id": bought[i/2%2].ID, "label": fmt.Sprint(round, i)}}})
				}
				return s.SetStock(bought[i/2%2], 4)
			})
			for i, r := range answers {
				if status := r.Status(); i >= len(buyers) && status != 200 || status != 200 && status != 201 && status != 409 {
					t.Errorf("request %d is answered %d: %s", i, status, r.Body())
				}
			}
			s.Exec("DELETE FROM cart_items")
			s.DeliverAll()
		}
	})
}
