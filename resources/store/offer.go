package store

import (
	"reflect"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// An offer is a variant with what its product adds to it, as it was read.
type offer struct {
	Variant `bun:",extend"`
	Name    string // the product's, as everything below
	Slug    string
	Brand   *string
	Image   *string
	Live    bool // the product is published and the variant not archived
}

// offerColumns are those of an offer, of the variant v and its product p: none
// that a later program added, whose rows this one could not scan.
func offerColumns(db *sqldb.DB) schema.QueryAppender {
	return bun.SafeQuery("?, p.name, p.slug, p.brand, p.image_url AS image, (p.published AND NOT v.archived) AS live",
		columns{db.Table(reflect.TypeFor[Variant]()).Fields, "v."})
}

// held are offers by variant, locked together with their products, and as fresh
// as the lock.
type held map[uuid.UUID]*offer

// hold locks variants and their products, in the one order in which all do,
// and reads them as they are then. Variants that do not exist are left out. Their
// keys stay as they are, so others may put them into carts meanwhile.
func hold(c *framework.Call, variants ...uuid.UUID) (held, error) {
	// The products come first in FROM: PostgreSQL locks a row's tables in that
	// order.
	db := c.Session().DB()
	q := c.DB.NewSelect().
		TableExpr("products AS p").
		Join("JOIN variants AS v ON v.product_id = p.id").
		ColumnExpr("?", offerColumns(db)).
		Where("v.id IN (?)", sqldb.List(variants)).
		OrderExpr("p.id, v.id")
	var rows []*offer
	if err := read(c, db.Kind().ForNoKeyUpdate(q), &rows); err != nil {
		return nil, err
	}
	return holding(rows), nil
}

// holding are offers by variant.
func holding(rows []*offer) held {
	all := make(held, len(rows))
	for _, row := range rows {
		all[row.ID] = row
	}
	return all
}
