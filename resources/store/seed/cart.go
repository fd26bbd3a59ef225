package seed

import (
	"context"
	"slices"

	"trestle.example/framework/sqldb"
	"trestle.example/resources/internal/demo"
	"trestle.example/resources/store/cart"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/rows"
)

// cartLines is the number of lines in the first customer's cart.
const cartLines = 4

// openCarts stores the missing carts as orders leave them: empty, with an address. It
// returns the wishes for the first customer's cart, none if that is stored already.
func (s *seeding) openCarts(ctx context.Context) ([]wish, error) {
	var known []*cart.Cart
	q := s.IDB().NewSelect().Model((*cart.Cart)(nil)).Column("user_id").Where("user_id IN (?)", sqldb.List(s.Customers))
	if err := rows.ReadIn(ctx, s.Session, q, &known); err != nil {
		return nil, err
	}
	var carts []*cart.Cart
	var basket []wish
	for i, customer := range s.Customers {
		if slices.ContainsFunc(known, func(c *cart.Cart) bool { return c.UserID == customer }) {
			continue
		}
		if i == 0 {
			basket = s.basket()
		}
		carts = append(carts, &cart.Cart{
			UserID: customer, Version: int64(len(orderStatuses)), LastAddress: &buyerAddresses[i%len(buyerAddresses)], UpdatedAt: today,
		})
	}
	return basket, rows.InsertIn(ctx, s.Session, " ON CONFLICT (user_id) DO NOTHING", carts...)
}

// basket lists wishes for the first customer's cart, more than it has lines: some are
// not in stock.
func (s *seeding) basket() []wish {
	return s.wishes(demo.Dice(cartSeeds, 0), today, 4*cartLines)
}

// fillCart stores lines of the first customer's cart, of variants with a large stock.
// The price of the first line has risen since.
func (s *seeding) fillCart(ctx context.Context, basket []wish, offers catalogue.Offers) error {
	var items []*cart.CartItem
	first := demo.ID(demo.Dice(cartSeeds, 1), today)
	for _, w := range basket {
		row := offers[w.variant]
		if row == nil || !row.Live || row.Stock < cart.MaxQuantity || len(items) == cartLines {
			continue
		}
		item := &cart.CartItem{
			ID: relatedID(first, len(items)), UserID: s.Customers[0], VariantID: w.variant, Quantity: w.quantity,
			SeenPricePaise: row.PricePaise, Seen: cart.SeenNow(row), CreatedAt: today,
		}
		if len(items) == 0 {
			item.SeenPricePaise -= row.PricePaise / 10
		}
		items = append(items, item)
	}
	return rows.InsertIn(ctx, s.Session, " ON CONFLICT DO NOTHING", items...)
}
