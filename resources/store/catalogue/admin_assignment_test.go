package catalogue_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/rows"
	"trestle.example/resources/store/internal/storetest"
)

// cells are all values of the catalogue by table, row and column.
func (s *site) cells() map[string]string {
	s.T.Helper()
	cells := map[string]string{}
	for _, table := range storetest.CatalogueTables {
		for _, row := range s.RowsOf(table) {
			key := fmt.Sprint(row["id"], row["key"], row["term"], row["gram"])
			for column, value := range row {
				cells[table+"."+column+" "+key] = fmt.Sprint(value)
			}
		}
	}
	return cells
}

// altered are the columns in which two states differ, and the tables that have
// more rows or fewer; the words of products follow from the rest.
func altered(before, after map[string]string) string {
	names := map[string]bool{}
	for _, states := range [][2]map[string]string{{before, after}, {after, before}} {
		for key, value := range states[0] {
			other, there := states[1][key]
			column, _, _ := strings.Cut(key, " ")
			table, _, _ := strings.Cut(column, ".")
			switch {
			case table == "product_terms" || table == "product_grams":
			case !there:
				names["+"+table] = true
			case other != value:
				names[column] = true
			}
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), " ")
}

// TestWhatARequestWrites: a request writes the columns that it names, and those
// that follow from them.
func TestWhatARequestWrites(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		s.CreateProduct("Other", fields{"category": fields{"slug": "staples", "name": "Staples"}})
		p := s.CreateTea("tea")
		a, b := p.Variants[0], p.Variants[1]
		const (
			always = "+product_changes products.updated_at products.version"
			sold   = always + " variants.updated_at"
		)
		of := func(v catalogue.AdminVariant, more fields) fields {
			change := fields{"id": v.ID}
			maps.Copy(change, more)
			return fields{"variants": []fields{change}}
		}
		for _, c := range []struct {
			name   string
			path   string // "" for the path of the product
			change fields
			want   string
		}{
			{"name", "", fields{"name": "Chai"}, always + " products.name"},
			{"slug", "", fields{"slug": "chai"}, always + " products.slug"},
			{"brand", "", fields{"brand": nil}, always + " products.brand"},
			{"description", "", fields{"description": "x"}, always + " products.description"},
			{"imageUrl", "", fields{"imageUrl": nil}, always + " products.image_url"},
			{"published", "", fields{"published": false}, always + " categories.product_count products.published"},
			{"category, of what is not published", "", fields{"category": fields{"slug": "staples"}}, always + " products.category_id"},
			{"published again", "", fields{"published": true}, always + " categories.product_count products.published"},
			{"category", "", fields{"category": fields{"slug": "drinks"}}, always + " categories.product_count products.category_id"},
			{"a category that is there, by another name", "", fields{"category": fields{"slug": "drinks", "name": "X"}}, ""},
			{"a new category", "", fields{"category": fields{"slug": "hot", "name": "Hot"}}, always + " +categories categories.product_count products.category_id"},
			{"sku", "", of(a, fields{"sku": "new"}), sold + " variants.sku variants.sku_folded"},
			{"label", "", of(a, fields{"label": "new"}), sold + " variants.label"},
			{"unit", "", of(a, fields{"unit": "kg"}), sold + " variants.unit"},
			{"mrpPaise", "", of(a, fields{"mrpPaise": nil}), sold + " variants.mrp_paise"},
			{"pricePaise of the cheapest", "", of(a, fields{"pricePaise": 4600}), sold + " products.price_paise variants.price_paise"},
			{"pricePaise of another", "", of(b, fields{"pricePaise": 1}), sold + " variants.price_paise"},
			{"archived, the cheapest", "", of(a, fields{"archived": true}), sold + " products.cheapest_variant_id products.in_stock products.price_paise variants.archived"},
			{"a new variant", "", fields{"variants": []fields{storetest.VariantBody("more", fields{"pricePaise": 5})}}, always + " +variants"},
			{"stock", storetest.StockPath(b), fields{"stock": 5, "reason": "x"}, "+stock_movements products.in_stock variants.in_stock variants.stock variants.updated_at"},
			{"more stock", storetest.StockPath(b), fields{"stock": 6}, "+stock_movements variants.stock variants.updated_at"},
			{"a new product", storetest.ProductsPath, storetest.ProductBody("New", fields{"category": fields{"slug": "hot"}}), "+product_changes +products +variants categories.product_count"},
			{"a new product in stock, not published", storetest.ProductsPath, storetest.ProductBody("New", fields{"published": false, "variants": []fields{storetest.VariantBody("NP", fields{"stock": 1})}}), "+product_changes +products +stock_movements +variants"},
		} {
			t.Run(c.name, func(t *testing.T) {
				s := s.on(t)
				before := s.cells()
				switch c.path {
				case storetest.ProductsPath:
					s.ClientOf("staff").Post(c.path, c.change).Expect(201)
				case "":
					s.PatchProduct(p, c.change).Expect(200)
				default:
					s.ClientOf("staff").Patch(c.path, c.change).Expect(200)
				}
				words := strings.Fields(c.want)
				slices.Sort(words)
				if got := altered(before, s.cells()); got != strings.Join(words, " ") {
					t.Errorf("it writes %s; want %s", got, words)
				}
				s.AuditCatalogue()
			})
		}
	})
}

// TestMassAssignment: fields that clients cannot set are rejected by name, and
// nothing is changed.
func TestMassAssignment(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		p := s.CreateTea("tea")
		before := s.CatalogueContents()
		own := []string{
			"id", "ID", "categoryId", "category_id", "productCount", "cheapestVariant", "cheapestVariantId", "pricePaise", "price_paise", "inStock", "stock",
			"createdAt", "created_at", "updatedAt", "actor", "requestId", "Name", "NAME", "__proto__",
		}
		ofVariants := []string{"ID", "productId", "product_id", "skuFolded", "sku_folded", "inStock", "position", "createdAt", "updatedAt", "Stock", "SKU", "price_paise", "product"}
		refused := func(name, pointer string, send func(member fields) int) {
			t.Run(name, func(t *testing.T) {
				for _, value := range []any{1, rows.NewID(), nil, true, fields{"slug": "x"}} {
					if status := send(fields{pointer: value}); status != 400 {
						t.Errorf("%s as %v is answered %d", pointer, value, status)
					}
				}
			})
		}
		staff := s.ClientOf("staff")
		for _, member := range own {
			refused("of a new product, "+member, member, func(more fields) int {
				return staff.Post(storetest.ProductsPath, storetest.ProductBody("New", more)).Code("unknown_field").Fault("/"+member, "unknown_field").Status()
			})
			refused("of a product, "+member, member, func(more fields) int {
				more["name"] = "Changed"
				return staff.Patch(storetest.AdminPath(p), more).Code("unknown_field").Fault("/"+member, "unknown_field").Status()
			})
		}
		refused("of a new product, version", "version", func(more fields) int {
			return staff.Post(storetest.ProductsPath, storetest.ProductBody("New", more)).Code("unknown_field").Status()
		})
		for _, member := range append(ofVariants, "id", "archived") {
			refused("of a variant of a new product, "+member, member, func(more fields) int {
				return staff.Post(storetest.ProductsPath, storetest.ProductBody("New", fields{"variants": []fields{storetest.VariantBody("V", more)}})).Code("unknown_field").Fault("/variants/0/"+member, "unknown_field").Status()
			})
		}
		for _, member := range append(ofVariants, "stock") {
			refused("of a variant, "+member, member, func(more fields) int {
				more["id"], more["label"] = p.Variants[0].ID, "Changed"
				return staff.Patch(storetest.AdminPath(p), fields{"variants": []fields{more}}).Code("unknown_field").Fault("/variants/0/"+member, "unknown_field").Status()
			})
		}
		for _, member := range []string{"id", "sku", "inStock", "delta", "kind", "actor", "pricePaise"} {
			refused("of a stock, "+member, member, func(more fields) int {
				more["stock"] = 7
				return staff.Patch(storetest.StockPath(p.Variants[0]), more).Code("unknown_field").Fault("/"+member, "unknown_field").Status()
			})
		}
		if after := s.CatalogueContents(); after != before {
			t.Errorf("a refusal changed something; before:\n%s\nafter:\n%s", before, after)
		}
	})
}
