package store

import (
	"context"
	"slices"

	"trestle.example/framework/sqldb"
	"trestle.example/resources/internal/demo"
)

// seedCartLines is how many lines the first customer's cart has.
const seedCartLines = 4

// openCarts makes the carts that are not there, as orders leave them: empty,
// with an address. It returns what is to come into the first customer's,
// nothing if that was there already.
func (s *seeding) openCarts(ctx context.Context) ([]wish, error) {
	var known []*Cart
	q := s.IDB().NewSelect().Model((*Cart)(nil)).Column("user_id").Where("user_id IN (?)", sqldb.List(s.Customers))
	if err := ReadIn(ctx, s.Session, q, &known); err != nil {
		return nil, err
	}
	var carts []*Cart
	var basket []wish
	for i, customer := range s.Customers {
		if slices.ContainsFunc(known, func(c *Cart) bool { return c.UserID == customer }) {
			continue
		}
		if i == 0 {
			basket = s.basket()
		}
		carts = append(carts, &Cart{UserID: customer, Version: int64(len(seedStatuses)), LastAddress: &seedBuyers[i%len(seedBuyers)], UpdatedAt: seedToday})
	}
	return basket, InsertIn(ctx, s.Session, " ON CONFLICT (user_id) DO NOTHING", carts...)
}

// basket is what the first customer may have in the cart: of some of it there
// is not enough.
func (s *seeding) basket() []wish {
	return s.wishes(demo.Dice(cartSeeds, 0), seedToday, 4*seedCartLines)
}

// fillCart puts into the first customer's cart what there is plenty of. The
// first line was cheaper when it came in.
func (s *seeding) fillCart(ctx context.Context, basket []wish, offers Offers) error {
	var items []*CartItem
	first := demo.ID(demo.Dice(cartSeeds, 1), seedToday)
	for _, w := range basket {
		row := offers[w.variant]
		if row == nil || !row.Live || row.Stock < MaxQuantity || len(items) == seedCartLines {
			continue
		}
		item := &CartItem{
			ID: seedKin(first, len(items)), UserID: s.Customers[0], VariantID: w.variant, Quantity: w.quantity,
			SeenPricePaise: row.PricePaise, Seen: SeenNow(row), CreatedAt: seedToday,
		}
		if len(items) == 0 {
			item.SeenPricePaise -= row.PricePaise / 10
		}
		items = append(items, item)
	}
	return InsertIn(ctx, s.Session, " ON CONFLICT DO NOTHING", items...)
}
