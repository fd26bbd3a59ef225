package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb"
	"trestle.example/resources/internal/demo"
)

// SeedOptions says how much demo data [Seed] makes.
type SeedOptions struct {
	// Products is how many products there are, each in one to four variants.
	// Defaults to SeedProducts.
	Products int
	// Customers are users who ordered: each has orders in every state, and the
	// first also something in the cart. Defaults to none.
	Customers []uuid.UUID
	// Staff is the user who is noted as having set the stocks. Defaults to the
	// zero id, nobody's.
	Staff uuid.UUID
}

// seedRows is how many products are stored together, seedTuples how many rows
// one statement inserts: SQLite takes long to bind many values.
const (
	seedRows   = 500
	seedTuples = 64
)

// Seed inserts a demo store, and calls progress, which may be nil, as products
// are done. The same options always make the same rows, with the same ids. What
// is there already, by its id, slug or sku, is left as it is, and orders take no
// more than there is in stock. The session must be a transaction's.
func Seed(ctx context.Context, s *sqldb.Session, o SeedOptions, progress func(done, total int)) error {
	switch {
	case !s.InTx():
		return errors.New("store.Seed: the session is not a transaction's; demo data is stored as a whole or not at all")
	case o.Products < 0:
		return fmt.Errorf("store.SeedOptions: Products is %d; use 0 for the default, %d", o.Products, SeedProducts)
	case o.Products == 0:
		o.Products = SeedProducts
	}
	if progress == nil {
		progress = func(int, int) {}
	}
	return (&seeding{SeedOptions: o, Session: s}).run(ctx, progress)
}

// A seeding is demo data on its way into the tables.
type seeding struct {
	SeedOptions
	*sqldb.Session

	shelves map[string]*Category // by slug
	counts  map[uuid.UUID]int64  // of published products, by category
}

// run locks what others may hold in the order that the package comment gives:
// carts, products with their variants, slots, and the counts of categories last.
func (s *seeding) run(ctx context.Context, progress func(done, total int)) error {
	if err := s.openShelves(ctx); err != nil {
		return err
	}
	for first := 0; first < s.Products; first += seedRows {
		last := min(first+seedRows, s.Products)
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
	var made []*Category
	var slugs []string
	for i, shelf := range seedShelves[:min(len(seedShelves), s.Products)] {
		image := seedImages + "categories/" + shelf.slug + ".webp"
		made = append(made, &Category{ID: demo.ID(demo.Dice(shelfSeeds, i), seedOpening), Slug: shelf.slug, Name: shelf.name, ImageURL: &image})
		slugs = append(slugs, shelf.slug)
	}
	if err := insertSeeds(ctx, s.Session, " ON CONFLICT (slug) DO NOTHING", made...); err != nil {
		return err
	}
	var known []*Category
	q := s.IDB().NewSelect().Model(&known).Where("slug IN (?)", sqldb.List(slugs))
	if err := s.read(ctx, q, &known); err != nil {
		return err
	}
	s.shelves, s.counts = map[string]*Category{}, map[uuid.UUID]int64{}
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
	slices.SortFunc(ids, compareIDs)
	for _, id := range ids {
		q := s.IDB().NewUpdate().Table("categories").
			Set("product_count = product_count + ?", sqldb.Param(s.counts[id])).Where("id = ?", sqldb.Param(id))
		if _, err := s.Exec(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// read runs a query and scans its rows.
func (s *seeding) read(ctx context.Context, q schema.QueryAppender, rows any) error {
	result, err := s.Query(ctx, q)
	if err != nil {
		return err
	}
	defer func() { _ = result.Close() }()
	return s.DB().ScanRows(ctx, result, rows)
}

// insertSeeds stores rows; onConflict, if not empty, says what becomes of those
// that are there already.
func insertSeeds[M any](ctx context.Context, s *sqldb.Session, onConflict string, rows ...*M) error {
	table := s.DB().Table(reflect.TypeFor[M]())
	for some := range slices.Chunk(rows, seedTuples) {
		q := bun.SafeQuery("INSERT INTO ? (?) VALUES ?"+onConflict, bun.Ident(table.Name), columns{fields: table.Fields}, tuples[M]{table, some})
		if _, err := s.Exec(ctx, q); err != nil {
			return err
		}
	}
	return nil
}
