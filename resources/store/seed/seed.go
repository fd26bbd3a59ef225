package seed

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"trestle.example/framework/sqldb"
	"trestle.example/resources/internal/demo"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/rows"
)

// Options sets how much demo data [Insert] makes.
type Options struct {
	// Products is the number of products, each in one to four variants. Defaults to
	// DefaultProducts.
	Products int
	// Customers are the users with orders: each has orders in every status, and the
	// first also a filled cart. Defaults to none.
	Customers []uuid.UUID
	// Staff is the user who set the stocks. Defaults to the zero id, which
	// is no user's.
	Staff uuid.UUID
}

// productsAtOnce is how many products are stored together.
const productsAtOnce = 500

// Insert inserts a demo store. It calls progress, which may be nil, whenever products
// are stored. The same options always make the same rows, with the same ids. A row
// that is stored already, by its id, slug or sku, stays as it is, and orders take no
// more than there is in stock. The session must be a transaction's.
func Insert(ctx context.Context, s *sqldb.Session, o Options, progress func(done, total int)) error {
	switch {
	case !s.InTx():
		return errors.New("seed.Insert: the session is not a transaction's; demo data is stored as a whole or not at all")
	case o.Products < 0:
		return fmt.Errorf("seed.Options: Products is %d; use 0 for the default, %d", o.Products, DefaultProducts)
	case o.Products == 0:
		o.Products = DefaultProducts
	}
	if progress == nil {
		progress = func(int, int) {}
	}
	return (&seeding{Options: o, Session: s}).run(ctx, progress)
}

// A seeding is demo data on its way into the tables.
type seeding struct {
	Options
	*sqldb.Session

	shelves map[string]*catalogue.Category // by slug
	counts  map[uuid.UUID]int64            // of published products, by category
}

// run locks rows in the order that the comment of package store gives: carts,
// products with their variants, slots, and the counts of categories last.
func (s *seeding) run(ctx context.Context, progress func(done, total int)) error {
	if err := s.openShelves(ctx); err != nil {
		return err
	}
	for first := 0; first < s.Products; first += productsAtOnce {
		last := min(first+productsAtOnce, s.Products)
		if err := s.storeProducts(ctx, first, last); err != nil {
			return fmt.Errorf("inserting demo products: %w", err)
		}
		progress(last, s.Products)
	}
	if err := s.sell(ctx); err != nil {
		return fmt.Errorf("inserting demo orders: %w", err)
	}
	return s.count(ctx)
}

// openShelves makes the categories that the products need, and reads them.
func (s *seeding) openShelves(ctx context.Context) error {
	var made []*catalogue.Category
	var slugs []string
	for i, shelf := range demoCategories[:min(len(demoCategories), s.Products)] {
		image := imageRoot + "categories/" + shelf.slug + ".webp"
		made = append(made, &catalogue.Category{ID: demo.ID(demo.Dice(shelfSeeds, i), opening), Slug: shelf.slug, Name: shelf.name, ImageURL: &image})
		slugs = append(slugs, shelf.slug)
	}
	if err := rows.InsertIn(ctx, s.Session, " ON CONFLICT (slug) DO NOTHING", made...); err != nil {
		return err
	}
	var known []*catalogue.Category
	q := s.IDB().NewSelect().Model(&known).Where("slug IN (?)", sqldb.List(slugs))
	if err := rows.ReadIn(ctx, s.Session, q, &known); err != nil {
		return err
	}
	s.shelves, s.counts = map[string]*catalogue.Category{}, map[uuid.UUID]int64{}
	for _, c := range known {
		s.shelves[c.Slug] = c
	}
	return nil
}

// count adds the new products to the counts of their categories.
func (s *seeding) count(ctx context.Context) error {
	ids := make([]uuid.UUID, 0, len(s.counts))
	for id := range s.counts {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, rows.CompareIDs)
	for _, id := range ids {
		q := s.IDB().NewUpdate().Table("categories").
			Set("product_count = product_count + ?", sqldb.Param(s.counts[id])).Where("id = ?", sqldb.Param(id))
		if _, err := s.Exec(ctx, q); err != nil {
			return err
		}
	}
	return nil
}
