package store

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A MovementKind says why a stock changed.
type MovementKind string

// Staff set a stock; an order takes from it; a cancelled order gives back.
const (
	StockSet       MovementKind = "set"
	StockOrdered   MovementKind = "order"
	StockCancelled MovementKind = "cancel"
)

// A StockMovement is one change of a variant's stock. The sum of a variant's
// deltas is its stock. Movements are added and never changed.
//
// Their order is that of their ids, which are drawn while the variant is locked.
// CreatedAt is when the request came: one that waited for the lock may be the
// later movement with the earlier time.
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

// read runs a query and scans its rows.
func read(c *framework.Call, q schema.QueryAppender, rows any) error {
	result, err := c.Session().Query(c, q)
	if err != nil {
		return err
	}
	defer func() { _ = result.Close() }()
	return c.Session().DB().ScanRows(c, result, rows)
}

// A move is what a transaction does to the stocks of variants that it holds.
type move struct {
	kind   MovementKind
	order  *uuid.UUID
	reason string
	deltas map[uuid.UUID]int64 // by variant, not zero
}

// apply is what shift does, written down.
func (m move) apply(c *framework.Call, rows held) error {
	movements, err := m.shift(c, rows)
	if err != nil || len(movements) == 0 {
		return err
	}
	return insert(c, movements...)
}

// shift changes the stocks, chooses the cheapest variant anew where a stock came
// to zero or from it, and returns the movements, which are still to be stored. It
// does not check that there is enough: the caller did, holding the rows.
func (m move) shift(c *framework.Call, rows held) ([]*StockMovement, error) {
	if len(m.deltas) == 0 {
		return nil, nil
	}
	ids := slices.SortedFunc(maps.Keys(m.deltas), compareIDs)
	crossed := map[uuid.UUID]bool{}
	movements := make([]*StockMovement, 0, len(ids))
	for _, id := range ids {
		row := rows[id]
		before := row.Stock
		row.Stock += m.deltas[id]
		row.InStock = row.Stock > 0
		if (before > 0) != row.InStock {
			crossed[row.ProductID] = true
		}
		movements = append(movements, &StockMovement{
			ID: newID(), VariantID: id, Kind: m.kind, Delta: m.deltas[id], StockAfter: row.Stock,
			OrderID: m.order, Actor: c.Caller.ID, Reason: m.reason, RequestID: c.ID, CreatedAt: c.Now,
		})
	}
	if err := writeStocks(c, ids, rows); err != nil {
		return nil, err
	}
	return movements, choose(c, c.Session(), slices.Collect(maps.Keys(crossed))...)
}

// writeStocks stores the stocks of rows in one statement.
func writeStocks(c *framework.Call, ids []uuid.UUID, rows held) error {
	q := c.DB.NewUpdate().Table("variants").Set("updated_at = ?", sqldb.Param(c.Now)).Where("id IN (?)", sqldb.List(ids))
	q = q.Set("stock = ?", sqldb.Choose("stock", "id", ids, func(id uuid.UUID) any { return rows[id].Stock }))
	q = q.Set("in_stock = ?", sqldb.Choose("in_stock", "id", ids, func(id uuid.UUID) any { return rows[id].InStock }))
	_, err := c.Session().Exec(c, q)
	return err
}

// choose sets what products repeat of their cheapest variants. The products
// are locked.
func choose(ctx context.Context, s *sqldb.Session, products ...uuid.UUID) error {
	if len(products) == 0 {
		return nil
	}
	cheapest := s.IDB().NewSelect().TableExpr("variants AS v").Column("v.id", "v.price_paise", "v.in_stock").
		Where("v.product_id = products.id").
		OrderExpr("v.archived, v.in_stock DESC, v.price_paise, v.position, v.id").Limit(1)
	slices.SortFunc(products, compareIDs)
	_, err := s.Exec(ctx, s.IDB().NewUpdate().Table("products").
		Set("(cheapest_variant_id, price_paise, in_stock) = (?)", cheapest).
		Where("id IN (?)", sqldb.List(products)))
	return err
}

func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

func compareIDs(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }
