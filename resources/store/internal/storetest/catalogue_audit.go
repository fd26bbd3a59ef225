package storetest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/resources/store/catalogue"
)

// Raw is JSON that is sent as it is.
type Raw string

// MarshalJSON implements [json.Marshaler].
func (r Raw) MarshalJSON() ([]byte, error) { return []byte(r), nil }

var _ json.Marshaler = Raw("")

// CatalogueTables are the tables that a change of the catalogue writes.
var CatalogueTables = []string{
	"categories", "products", "variants", "stock_movements", "product_changes", "product_terms", "product_grams",
}

// CatalogueContents is all rows of the catalogue, as text.
func (s *Site) CatalogueContents() string {
	s.T.Helper()
	var text strings.Builder
	for _, table := range CatalogueTables {
		fmt.Fprintf(&text, "%s:\n", table)
		for _, row := range s.RowsOf(table) {
			fmt.Fprintln(&text, row)
		}
	}
	return text.String()
}

// RowsOf is the rows of a table, by column, in the order of their first column.
func (s *Site) RowsOf(table string) (all []map[string]any) {
	s.T.Helper()
	s.Must(s.DB.NewSelect().TableExpr("?", bun.Ident(table)).ColumnExpr("*").OrderExpr("1, 2").Scan(context.Background(), &all)) //nolint:unqueryvet // every column there is
	return all
}

// StoredProducts is all products as they are stored, with their variants by position.
func (s *Site) StoredProducts() (all []*catalogue.Product) {
	s.T.Helper()
	s.Must(s.DB.NewSelect().Model(&all).Relation("Category").Relation("Variants").OrderExpr("product.id").Scan(context.Background()))
	for _, p := range all {
		slices.SortFunc(p.Variants, func(a, b *catalogue.Variant) int { return cmp.Compare(a.Position, b.Position) })
	}
	return all
}

// CheapestOf is the variant that a product must show, computed without the columns that
// are copies: the cheapest in stock, else the cheapest, ties by position, then id.
func CheapestOf(p *catalogue.Product) *catalogue.Variant {
	var best *catalogue.Variant
	for _, v := range p.Variants { // in order of position
		switch {
		case v.Archived:
		case best == nil, v.Stock > 0 && best.Stock == 0, (v.Stock > 0) == (best.Stock > 0) && v.PricePaise < best.PricePaise:
			best = v
		}
	}
	return best
}

// auditCards: products repeat what their cards show.
func (s *Site) auditCards() {
	s.T.Helper()
	for _, p := range s.StoredProducts() {
		if v := CheapestOf(p); v != nil && (p.CheapestVariantID != v.ID || p.PricePaise != v.PricePaise || p.InStock != (v.Stock > 0)) {
			s.T.Errorf("%s repeats %s, %d, in stock %v; its cheapest is %s, %d, stock %d", p.Name, p.CheapestVariantID, p.PricePaise, p.InStock, v.ID, v.PricePaise, v.Stock)
		}
	}
}

// AuditCatalogue checks the invariants of the catalogue: products copy their cheapest
// variant, categories count their products, and every product has a variant on sale,
// variants with positions of their own, and prices within list prices.
func (s *Site) AuditCatalogue() {
	s.T.Helper()
	s.auditCards()
	counts := map[uuid.UUID]int64{}
	for _, p := range s.StoredProducts() {
		if p.Published {
			counts[p.CategoryID]++
		}
		if CheapestOf(p) == nil {
			s.T.Errorf("%s has no variant on sale", p.Name)
		}
		s.auditVariants(p)
	}
	var categories []catalogue.Category
	s.Must(s.DB.NewSelect().Model(&categories).Scan(context.Background()))
	for _, c := range categories {
		if c.ProductCount != counts[c.ID] {
			s.T.Errorf("%s counts %d products and has %d", c.Name, c.ProductCount, counts[c.ID])
		}
	}
}

func (s *Site) auditVariants(p *catalogue.Product) {
	s.T.Helper()
	positions := map[int64]bool{}
	for _, v := range p.Variants {
		if positions[v.Position] || v.PricePaise < 1 || v.MRPPaise != nil && *v.MRPPaise < v.PricePaise || strings.HasPrefix(v.SKUFolded, " ") {
			s.T.Errorf("%s has the variant %+v", p.Name, v)
		}
		positions[v.Position] = true
	}
}
