package catalogue

import (
	"context"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/internal/rows"
)

// An Offer is a variant with the columns of its product that a cart or an order
// needs, as they were read.
type Offer struct {
	Variant `bun:",extend"`
	Name    string // the product's, as everything below
	Slug    string
	Brand   *string
	Image   *string
	Live    bool // the product is published and the variant not archived
}

// OfferColumns lists the columns of an Offer, of the variant v and its product p.
func OfferColumns(db *sqldb.DB) schema.QueryAppender {
	return bun.SafeQuery("?, p.name, p.slug, p.brand, p.image_url AS image, (p.published AND NOT v.archived) AS live",
		rows.Columns[Variant](db, "v."))
}

// Offers are offers by the id of their variant. Variants and products are locked,
// and as fresh as the lock.
type Offers map[uuid.UUID]*Offer

// LockOffers locks variants and their products until the transaction ends, and
// returns them as they are then. Every transaction locks in this order. Variants
// that do not exist are left out. The lock leaves keys alone, so that another
// transaction can refer to the variants meanwhile.
func LockOffers(ctx context.Context, s *sqldb.Session, variants ...uuid.UUID) (Offers, error) {
	// The products come first in FROM: PostgreSQL locks a row's tables in that
	// order.
	q := s.IDB().NewSelect().
		TableExpr("products AS p").
		Join("JOIN variants AS v ON v.product_id = p.id").
		ColumnExpr("?", OfferColumns(s.DB())).
		Where("v.id IN (?)", sqldb.List(variants)).
		OrderExpr("p.id, v.id")
	var found []*Offer
	if err := rows.ReadIn(ctx, s, s.DB().Kind().ForNoKeyUpdate(q), &found); err != nil {
		return nil, err
	}
	all := make(Offers, len(found))
	for _, o := range found {
		all[o.ID] = o
	}
	return all, nil
}
