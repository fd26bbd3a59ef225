package catalogue

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/internal/rows"
)

// A MovementKind is why a stock changed.
type MovementKind string

// The kinds of movements: staff set a stock, an order takes from it, a cancelled order
// returns to it.
const (
	StockSet       MovementKind = "set"
	StockOrdered   MovementKind = "order"
	StockCancelled MovementKind = "cancel"
)

// A StockMovement is one change of a variant's stock. The sum of a variant's
// deltas is its stock. Movements are added and never changed.
//
// Movements are in the order of their ids, which are drawn while the variant is locked.
// CreatedAt is the time of the request: of two movements the later one may have the
// earlier time, if its request waited for the lock.
type StockMovement struct {
	bun.BaseModel `bun:"table:stock_movements"`

	ID         uuid.UUID `bun:",pk"`
	VariantID  uuid.UUID
	Kind       MovementKind
	Delta      int64
	StockAfter int64
	OrderID    *uuid.UUID
	Actor      uuid.UUID
	Reason     string
	RequestID  uuid.UUID
	CreatedAt  time.Time
}

// A StockChange changes the stocks of variants whose offers the transaction has
// locked.
type StockChange struct {
	Kind   MovementKind
	Order  *uuid.UUID // the order that is the cause, nil if staff are
	Reason string
	Deltas map[uuid.UUID]int64 // by variant, none of them zero
}

// Apply changes the stocks, and stores a movement for each.
func (s StockChange) Apply(c *framework.Call, offers Offers) error {
	movements, err := s.ApplyUnrecorded(c, offers)
	if err != nil || len(movements) == 0 {
		return err
	}
	return rows.Insert(c, movements...)
}

// ApplyUnrecorded changes the stocks, and returns the movements, which the caller
// stores. If a stock reaches zero or leaves it, the cheapest variant of its product
// is chosen again. It does not check that there is enough: the caller has, under
// the lock.
func (s StockChange) ApplyUnrecorded(c *framework.Call, offers Offers) ([]*StockMovement, error) {
	if len(s.Deltas) == 0 {
		return nil, nil
	}
	ids := slices.SortedFunc(maps.Keys(s.Deltas), rows.CompareIDs)
	crossed := map[uuid.UUID]bool{}
	movements := make([]*StockMovement, 0, len(ids))
	for _, id := range ids {
		o := offers[id]
		before := o.Stock
		o.Stock += s.Deltas[id]
		o.InStock = o.Stock > 0
		if (before > 0) != o.InStock {
			crossed[o.ProductID] = true
		}
		movements = append(movements, &StockMovement{
			ID: rows.NewID(), VariantID: id, Kind: s.Kind, Delta: s.Deltas[id], StockAfter: o.Stock,
			OrderID: s.Order, Actor: framework.IDOf[uuid.UUID](c), Reason: s.Reason, RequestID: c.ID, CreatedAt: c.Now,
		})
	}
	if err := writeStocks(c, ids, offers); err != nil {
		return nil, err
	}
	return movements, ChooseCheapest(c, c.Session(), slices.Collect(maps.Keys(crossed))...)
}

// writeStocks stores the stocks of offers in one statement.
func writeStocks(c *framework.Call, ids []uuid.UUID, offers Offers) error {
	q := c.DB.NewUpdate().Table("variants").Set("updated_at = ?", sqldb.Param(c.Now)).Where("id IN (?)", sqldb.List(ids))
	q = q.Set("stock = ?", sqldb.Choose("stock", "id", ids, func(id uuid.UUID) any { return offers[id].Stock }))
	q = q.Set("in_stock = ?", sqldb.Choose("in_stock", "id", ids, func(id uuid.UUID) any { return offers[id].InStock }))
	_, err := c.Session().Exec(c, q)
	return err
}

// ChooseCheapest writes the columns that products copy of their cheapest variants.
// The products are locked.
func ChooseCheapest(ctx context.Context, s *sqldb.Session, products ...uuid.UUID) error {
	if len(products) == 0 {
		return nil
	}
	cheapest := s.IDB().NewSelect().TableExpr("variants AS v").Column("v.id", "v.price_paise", "v.in_stock").
		Where("v.product_id = products.id").
		OrderExpr("v.archived, v.in_stock DESC, v.price_paise, v.position, v.id").Limit(1)
	slices.SortFunc(products, rows.CompareIDs)
	_, err := s.Exec(ctx, s.IDB().NewUpdate().Table("products").
		Set("(cheapest_variant_id, price_paise, in_stock) = (?)", cheapest).
		Where("id IN (?)", sqldb.List(products)))
	return err
}
