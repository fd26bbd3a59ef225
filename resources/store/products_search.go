package store

import (
	"trestle.example/framework/ranked"
)

// productSearch is ?q= of products. Their words are stored with every change
// by staff; a program that stores products past the API calls it itself.
var productSearch = ranked.Index{Terms: "product_terms", Grams: "product_grams", Param: "q"}

// words are what a product is found by. Its category and all its variants were
// read.
func (p *Product) words() []ranked.Field {
	fields := []ranked.Field{
		{Text: p.Name, Weight: 8},
		{Text: valueOf(p.Brand), Weight: 4},
		{Text: p.Category.Name, Weight: 2},
		{Text: valueOf(p.Description), Weight: 1},
	}
	for _, v := range onSale(p.Variants) {
		fields = append(fields, ranked.Field{Text: v.SKU, Weight: 2, Exact: true})
	}
	return fields
}
