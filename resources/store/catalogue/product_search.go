package catalogue

import (
	"context"

	"trestle.example/framework/ranked"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/internal/rows"
)

// productSearch is ?q= of products. Every change by staff stores the words of the
// product; a program that stores products past the API calls IndexProducts.
var productSearch = ranked.Index{Terms: "product_terms", Grams: "product_grams", Param: "q"}

// words are the texts by which a product is found. Its category and all its variants
// are loaded.
func (p *Product) words() []ranked.Field {
	fields := []ranked.Field{
		{Text: p.Name, Weight: 8},
		{Text: rows.OrBlank(p.Brand), Weight: 4},
		{Text: p.Category.Name, Weight: 2},
		{Text: rows.OrBlank(p.Description), Weight: 1},
	}
	for _, v := range onSale(p.Variants) {
		fields = append(fields, ranked.Field{Text: v.SKU, Weight: 2, Exact: true})
	}
	return fields
}

// IndexProducts stores the words by which products are found. Their categories and
// all their variants are loaded.
func IndexProducts(ctx context.Context, s *sqldb.Session, products ...*Product) error {
	return productSearch.PutAll(ctx, s, func(yield func(ranked.Row) bool) {
		for _, p := range products {
			if !yield(ranked.Row{Key: p.ID, Fields: p.words()}) {
				return
			}
		}
	})
}
