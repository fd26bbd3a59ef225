package seed

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/rows"
)

// storeProducts stores the products from the number first to before last, except those
// that are stored already.
func (s *seeding) storeProducts(ctx context.Context, first, last int) error {
	products := make([]*catalogue.Product, 0, last-first)
	for i := first; i < last; i++ {
		p := newProduct(i)
		p.Category = s.shelves[categoryOf(i).slug]
		p.CategoryID = p.Category.ID
		products = append(products, p)
	}
	products, err := s.missing(ctx, products)
	if err != nil || len(products) == 0 {
		return err
	}
	if err := rows.InsertIn(ctx, s.Session, "", products...); err != nil {
		return err
	}
	if err := s.storeVariants(ctx, products); err != nil {
		return err
	}
	for _, p := range products {
		if p.Published {
			s.counts[p.CategoryID]++
		}
	}
	return catalogue.IndexProducts(ctx, s.Session, products...)
}

// storeVariants stores the variants of products, and the movements of their first stocks.
func (s *seeding) storeVariants(ctx context.Context, products []*catalogue.Product) error {
	var variants []*catalogue.Variant
	var movements []*catalogue.StockMovement
	for _, p := range products {
		for _, v := range p.Variants {
			variants = append(variants, v)
			if v.Stock > 0 {
				movements = append(movements, &catalogue.StockMovement{
					ID: relatedID(v.ID, 1), VariantID: v.ID, Kind: catalogue.StockSet, Delta: v.Stock, StockAfter: v.Stock,
					Actor: s.Staff, CreatedAt: v.CreatedAt,
				})
			}
		}
	}
	if err := rows.InsertIn(ctx, s.Session, "", variants...); err != nil {
		return err
	}
	return rows.InsertIn(ctx, s.Session, "", movements...)
}

// missing lists the products that are not stored: no row has their id, their slug or a
// sku of their variants.
func (s *seeding) missing(ctx context.Context, products []*catalogue.Product) ([]*catalogue.Product, error) {
	var ids []uuid.UUID
	var slugs, skus []string
	for _, p := range products {
		ids, slugs = append(ids, p.ID), append(slugs, p.Slug)
		for _, v := range p.Variants {
			skus = append(skus, v.SKUFolded)
		}
	}
	var same []*catalogue.Product
	q := s.IDB().NewSelect().Model((*catalogue.Product)(nil)).Column("id", "slug").
		Where("id IN (?) OR slug IN (?)", sqldb.List(ids), sqldb.List(slugs))
	if err := rows.ReadIn(ctx, s.Session, q, &same); err != nil {
		return nil, err
	}
	var sold []*catalogue.Variant
	q = s.IDB().NewSelect().Model((*catalogue.Variant)(nil)).Column("sku_folded").Where("sku_folded IN (?)", sqldb.List(skus))
	if err := rows.ReadIn(ctx, s.Session, q, &sold); err != nil {
		return nil, err
	}
	taken := map[any]bool{}
	for _, p := range same {
		taken[p.ID], taken[p.Slug] = true, true
	}
	for _, v := range sold {
		taken[v.SKUFolded] = true
	}
	return slices.DeleteFunc(products, func(p *catalogue.Product) bool {
		return taken[p.ID] || taken[p.Slug] || slices.ContainsFunc(p.Variants, func(v *catalogue.Variant) bool { return taken[v.SKUFolded] })
	}), nil
}
