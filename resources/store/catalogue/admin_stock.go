package catalogue

import (
	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/page"
	"trestle.example/resources/store/internal/rows"
)

// StockInput sets a stock.
type StockInput struct {
	Stock         int64   `json:"stock" validate:"required,min=0,max=1000000" doc:"How many there are, without those of placed orders." example:"120"`
	Reason        *string `json:"reason" validate:"max=500" doc:"Is kept with the change." example:"Counted"`
	ExpectedStock *int64  `json:"expectedStock" validate:"min=0"                      doc:"What the stock must be, or nothing is changed." example:"null"`
}

// A StockView is a variant with its stock, for staff.
type StockView struct {
	ID      uuid.UUID `json:"id"      doc:"The variant's id."`
	SKU     string    `json:"sku"     doc:"The store's code for it."                              example:"TOOR-1KG"`
	Stock   int64     `json:"stock"   doc:"How many there are, without those of placed orders." example:"120"`
	InStock bool      `json:"inStock" doc:"Whether there is one at all."`
}

// A VariantStock is a variant in the list of stocks, for staff.
type VariantStock struct {
	StockView

	Product  string `json:"product"  from:"product.name" doc:"The product's name." example:"Toor dal"`
	Label    string `json:"label"    doc:"The size as customers read it." example:"1 kg"`
	Archived bool   `json:"archived" doc:"Whether it was taken off the shelf."`
}

// AdminVariants serves /admin/variants, for staff: the stocks of variants.
//
// A variant is locked after its product, so the function begins its
// transaction itself.
var AdminVariants = framework.ViewSet[Variant]{
	Name:       "variants",
	Under:      "admin",
	Doc:        "The stock of variants, for staff. The list begins with the least stock.",
	Verbs:      framework.Verbs{List: framework.Shows[VariantStock]()},
	Scope:      framework.Public(),
	Relations:  framework.Relations{"product": framework.OfRow},
	Filters:    []framework.Filter{filter.Max("maxStock", "stock"), filter.Exact("archived")},
	Ordering:   framework.Ordering{Default: "stock,id"},
	Unindexed:  []string{"stock", "archived"}, // a store has some thousand variants, which staff list now and then
	Pagination: page.Screen{},
	Models:     []any{(*StockMovement)(nil)},
	Permission: framework.Staff(),
	Strict:     framework.Strict,
	Slash:      framework.WithoutSlash,
	Actions: []framework.Action[Variant]{
		framework.Patch("stock", setStock).ID("setVariantStock").Untransacted().Refuses(codeStockChanged).
			Doc("Set the stock of a variant. Sales in the meantime are overwritten, unless expectedStock has the number that was read before."),
	},
}

// setStock serves PATCH /admin/variants/{id}/stock. A stock that stays the same makes no
// movement.
func setStock(c *framework.Call, v *Variant, in StockInput) (view StockView, err error) {
	err = c.InTx(func(c *framework.Call) error {
		offers, err := LockOffers(c, c.Session(), v.ID)
		if err != nil {
			return err
		}
		row := offers[v.ID] // variants are never deleted
		if in.ExpectedStock != nil && *in.ExpectedStock != row.Stock {
			return framework.Conflict(codeStockChanged, "The stock is not what was expected; details has what it is.").
				With(StockDetails{row.Stock})
		}
		set := StockChange{Kind: StockSet, Reason: rows.OrBlank(in.Reason), Deltas: map[uuid.UUID]int64{}}
		if in.Stock != row.Stock {
			set.Deltas[v.ID] = in.Stock - row.Stock
		}
		if err := set.Apply(c, offers); err != nil {
			return err
		}
		view = StockView{ID: row.ID, SKU: row.SKU, Stock: row.Stock, InStock: row.InStock}
		return nil
	})
	return view, err
}
