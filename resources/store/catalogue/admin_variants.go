package catalogue

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/internal/rows"
)

// VariantInput makes a variant of a new product.
type VariantInput struct {
	SKU        string `json:"sku"        validate:"required,line,max=64"        doc:"The code of the store, unique regardless of case." example:"TOOR-1KG"`
	Label      string `json:"label"      validate:"required,line,max=80"        doc:"The size as customers read it."                         example:"1 kg"`
	Unit       Unit   `json:"unit"       validate:"required"                    doc:"What it is measured or counted in."                     example:"kg"`
	PricePaise int64  `json:"pricePaise" validate:"required,min=1,max=10000000" doc:"The price in paise: 100 are 1 rupee."                   example:"14900"`
	MRPPaise   *int64 `json:"mrpPaise"   validate:"min=1,max=10000000"          doc:"The list price in paise, not below the price; null for none." example:"16500"`
	Stock      int64  `json:"stock"      validate:"min=0,max=1000000"           doc:"How many there are."                                    example:"120"`
}

// Check implements [framework.Checker].
func (in VariantInput) Check() []framework.Fault {
	return belowPrice("/mrpPaise", in.MRPPaise, in.PricePaise)
}

// VariantPatch changes the variant that it names, or adds one if it names none.
// Stock is set by a request of its own.
type VariantPatch struct {
	ID         framework.Optional[uuid.UUID] `json:"id"         doc:"A variant of this product; without it a new one is added."`
	SKU        framework.Optional[string]    `json:"sku"        validate:"filled,line,max=64"`
	Label      framework.Optional[string]    `json:"label"      validate:"filled,line,max=80"`
	Unit       framework.Optional[Unit]      `json:"unit"       doc:"What it is measured or counted in."`
	PricePaise framework.Optional[int64]     `json:"pricePaise" validate:"min=1,max=10000000" doc:"The price in paise: 100 are 1 rupee." example:"14900"`
	MRPPaise   framework.Optional[*int64]    `json:"mrpPaise"   validate:"min=1,max=10000000" doc:"The list price in paise, not below the price; null for none." example:"16500"`
	Archived   framework.Optional[bool]      `json:"archived"   doc:"True takes it off the shelf, false puts it back."`
}

// Check implements [framework.Checker].
func (in VariantPatch) Check() (faults []framework.Fault) {
	if !in.ID.Given {
		faults = append(faults, in.missing()...)
	}
	if in.PricePaise.Given {
		faults = append(faults, belowPrice("/mrpPaise", in.MRPPaise.Value, in.PricePaise.Value)...)
	}
	return faults
}

// missing lists the faults of members that a new variant needs and that are absent.
func (in VariantPatch) missing() (faults []framework.Fault) {
	for _, member := range []struct {
		name  string
		given bool
	}{{"sku", in.SKU.Given}, {"label", in.Label.Given}, {"unit", in.Unit.Given}, {"pricePaise", in.PricePaise.Given}} {
		if !member.given {
			faults = append(faults, framework.Fault{Pointer: "/" + member.name, Code: "required", Detail: "is required of a new variant"})
		}
	}
	return faults
}

// AdminVariant is a variant as staff see it.
type AdminVariant struct {
	VariantSummary

	Stock    int64 `json:"stock"    doc:"How many there are, without those of placed orders." example:"120"`
	Archived bool  `json:"archived" doc:"Whether it was taken off the shelf."`
}

// belowPrice is the fault of a list price that is less than the price.
func belowPrice(pointer string, mrp *int64, price int64) []framework.Fault {
	if mrp == nil || *mrp >= price {
		return nil
	}
	return []framework.Fault{{Pointer: pointer, Code: "min", Detail: fmt.Sprintf("must be at least the price, %d", price)}}
}

// aboveListPrice is the fault of a price that is more than the list price.
func aboveListPrice(pointer string, price int64, mrp *int64) []framework.Fault {
	if mrp == nil || price <= *mrp {
		return nil
	}
	return []framework.Fault{{Pointer: pointer, Code: "max", Detail: fmt.Sprintf("must be at most the list price, %d", *mrp)}}
}

// repeatedSKUs lists the faults of codes that a body gives to two variants. Empty
// codes do not count.
func repeatedSKUs(codes []string) (faults []framework.Fault) {
	seen := map[string]bool{}
	for i, code := range codes {
		folded := sqldb.Fold(code)
		if code != "" && seen[folded] {
			faults = append(faults, framework.Fault{Pointer: pointer(i, "sku"), Code: "unique", Detail: "is given to another variant of the body already"})
		}
		seen[folded] = true
	}
	return faults
}

// pointer is a place in an element of the body's variants.
func pointer(at int, member string) string { return fmt.Sprintf("/variants/%d/%s", at, member) }

// variant is the new variant that the input describes.
func (in VariantInput) variant(c *framework.Call, product uuid.UUID, position int64) *Variant {
	v := &Variant{
		ID: rows.NewID(), ProductID: product, Label: in.Label, Unit: in.Unit, PricePaise: in.PricePaise, MRPPaise: in.MRPPaise,
		Stock: in.Stock, InStock: in.Stock > 0, Position: position, CreatedAt: c.Now, UpdatedAt: c.Now,
	}
	v.SetSKU(in.SKU)
	return v
}

// onto copies the given members to a variant.
func (in VariantPatch) onto(v *Variant) {
	v.SetSKU(in.SKU.Or(v.SKU))
	v.Label, v.Unit = in.Label.Or(v.Label), in.Unit.Or(v.Unit)
	v.PricePaise, v.MRPPaise = in.PricePaise.Or(v.PricePaise), in.MRPPaise.Or(v.MRPPaise)
	v.Archived = in.Archived.Or(v.Archived)
}

// SetSKU sets the variant's code, and the folded one that must be unique.
func (v *Variant) SetSKU(sku string) { v.SKU, v.SKUFolded = sku, sqldb.Fold(sku) }

// inOrder sorts variants by position, archived ones included.
func inOrder(variants []*Variant) []*Variant {
	return slices.SortedFunc(slices.Values(variants), byPosition)
}
