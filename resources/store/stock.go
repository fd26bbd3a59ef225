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

// A held variant is locked together with its product, and as fresh as the
// lock.
type held struct {
	Variant `bun:",extend"`
	Name    string // the product's, as everything below
	Slug    string
	Brand   *string
	Image   *string
	Live    bool // the product is published and the variant not archived
}

// heldColumns are those of a held variant, of the variant v and its product p.
const heldColumns = "v.*, p.name, p.slug, p.brand, p.image_url AS image, (p.published AND NOT v.archived) AS live"

// hold locks variants and their products, in the one order in which all do,
// and reads them as they are then. Variants that do not exist are left out.
func hold(c *framework.Call, variants ...uuid.UUID) (map[uuid.UUID]*held, error) {
	// The products come first in FROM: PostgreSQL locks a row's tables in that
	// order.
	q := c.DB.NewSelect().
		TableExpr("products AS p").
		Join("JOIN variants AS v ON v.product_id = p.id").
		ColumnExpr(heldColumns).
		Where("v.id IN (?)", sqldb.List(variants)).
		OrderExpr("p.id, v.id")
	var rows []*held
	if err := read(c, c.Session().DB().Kind().ForUpdate(q), &rows); err != nil {
		return nil, err
	}
	all := make(map[uuid.UUID]*held, len(rows))
	for _, row := range rows {
		all[row.ID] = row
	}
	return all, nil
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

// apply changes the stocks, writes the movements down, and chooses the cheapest
// variant anew where a stock came to zero or from it. It does not check that
// there is enough: the caller did, holding the rows.
func (m move) apply(c *framework.Call, rows map[uuid.UUID]*held) error {
	if len(m.deltas) == 0 {
		return nil
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
		return err
	}
	if err := insert(c, movements...); err != nil {
		return err
	}
	return choose(c, c.Session(), slices.Collect(maps.Keys(crossed))...)
}

// writeStocks stores the stocks of rows in one statement.
func writeStocks(c *framework.Call, ids []uuid.UUID, rows map[uuid.UUID]*held) error {
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
	cheapest := func(column string) *bun.SelectQuery {
		return s.IDB().NewSelect().TableExpr("variants AS v").ColumnExpr("v.?", bun.Ident(column)).
			Where("v.product_id = products.id").Where("NOT v.archived").
			OrderExpr("v.in_stock DESC, v.price_paise, v.position, v.id").Limit(1)
	}
	slices.SortFunc(products, compareIDs)
	_, err := s.Exec(ctx, s.IDB().NewUpdate().Table("products").
		Set("cheapest_variant_id = (?)", cheapest("id")).
		Set("price_paise = (?)", cheapest("price_paise")).
		Set("in_stock = (?)", cheapest("in_stock")).
		Where("id IN (?)", sqldb.List(products)))
	return err
}

func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

func compareIDs(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }
