package store_test

import (
	"fmt"
	"slices"
	"strings"

	"trestle.example/resources/store/internal/rows"
)

// longReason is longer than a reason may be.
var longReason = strings.Repeat("x", 501)

// modelNames are what products are called, few and alike, with their slugs.
var modelNames = map[string]string{
	"Atta": "atta", "atta": "atta", "Atta 2": "atta-2", "Crème Fraîche": "creme-fraiche", "Toor Dal (split)": "toor-dal-split",
	"Tea's Best": "teas-best", "दही": "product",
}

var (
	modelPrices = []int64{1, 99, 100, 4_500, 4_500, 4_500, 9_000, 10_000_000}
	modelStocks = []int64{0, 0, 1, 2, 3, 5, 8, 20, 60, 60, 200}
)

func (x *trial) anyName() string {
	if x.chance(20) {
		return fmt.Sprint("Rice ", x.count)
	}
	return one(x.dice, "Atta", "atta", "Atta 2", "Crème Fraîche", "Toor Dal (split)", "Tea's Best", "दही")
}

// anyVariant draws a variant, as often as not one that is in a cart.
func (x *trial) anyVariant() *modelVariant {
	if wanted := x.wanted(); len(wanted) > 0 && x.chance(50) {
		return one(x.dice, wanted...)
	}
	return one(x.dice, x.model.variants()...)
}

// freshCode is a code that no variant has.
func (x *trial) freshCode() string { return fmt.Sprintf("Code-%d-%d", x.count, x.IntN(1_000_000)) }

// takenCode is another variant's, in another case.
func (x *trial) takenCode() string {
	return one(x.dice, strings.ToUpper, strings.ToLower)(one(x.dice, x.model.variants()...).sku)
}

func (x *trial) newVariant() fields {
	v := fields{"sku": x.freshCode(), "label": one(x.dice, "500 g", "1 kg"), "unit": one(x.dice, "g", "kg", "piece"), "pricePaise": one(x.dice, modelPrices[:7]...)}
	if x.chance(40) {
		v["mrpPaise"] = v["pricePaise"].(int64) + one[int64](x.dice, 0, 1, 500)
	}
	return v
}

// anyCategory is one that may be new, with a name that others have too.
func (x *trial) anyCategory() fields {
	n := x.IntN(6)
	return fields{"slug": fmt.Sprint("shelf-", n), "name": one(x.dice, "Shelf", "shelf", fmt.Sprint("Shelf ", n))}
}

func (x *trial) createProduct() asking {
	in := fields{"name": x.anyName(), "category": x.anyCategory()}
	var variants []fields
	for range 1 + x.IntN(3) {
		v := x.newVariant()
		v["stock"] = one(x.dice, modelStocks...)
		variants = append(variants, v)
	}
	in["variants"] = variants
	if x.chance(30) {
		in["brand"], in["description"], in["imageUrl"] = one[any](x.dice, nil, "Tata"), "Good.", one[any](x.dice, nil, "https://img.example/a.png")
	}
	switch {
	case x.chance(10):
		in["published"] = false
	case x.chance(20):
		in["slug"] = fmt.Sprint("choice-", x.count)
	}
	if x.chance(40) && len(x.model.products) > 0 {
		x.spoil(in)
	}
	return x.keyed(x.creating(in))
}

func (x *trial) creating(in fields) asking {
	return asking{
		who: "staff", staff: true, method: "POST", path: "/api/admin/products", route: "create", body: in,
		faults: func() []string { return faultsOfProduct(in) }, does: func() verdict { return x.model.createProduct(in) },
	}
}

// spoil makes one thing wrong with a new product.
func (x *trial) spoil(in fields) {
	v := one(x.dice, bodyVariants(in)...)
	switch x.IntN(9) {
	case 0:
		in["name"] = "  "
	case 1:
		in["category"] = fields{"slug": "nowhere"}
	case 2:
		in["prise"] = 1
	case 3, 4:
		in["slug"] = one(x.dice, x.model.products...).slug
	case 5, 6:
		v["sku"] = x.takenCode()
	case 7:
		v["pricePaise"] = int64(0)
		delete(v, "mrpPaise")
	case 8:
		v["pricePaise"], v["mrpPaise"] = int64(2), int64(1)
	}
}

// patchProduct draws a change or two of a product, or one thing that is wrong.
func (x *trial) patchProduct() asking {
	in := fields{}
	var p *modelProduct
	if !x.chance(5) {
		p = x.anyVariant().product
	}
	switch {
	case p == nil:
		in["brand"] = "None"
	case x.chance(35):
		x.mistake(p, in)
	default:
		for range 1 + x.IntN(2) {
			x.change(p, in)
		}
		if x.chance(30) {
			in["version"] = p.version
		}
	}
	path := pathOf("api", "admin", "products", (*identity)(nil))
	if p != nil {
		path = pathOf("api", "admin", "products", &p.id)
	}
	return asking{
		who: "staff", staff: true, method: "PATCH", path: path, body: in,
		faults: func() []string { return faultsOfProduct(in) }, does: func() verdict { return x.model.patchProduct(p, in) },
	}
}

// change draws one thing that is to be otherwise.
func (x *trial) change(p *modelProduct, in fields) {
	switch n := x.IntN(17); {
	case n < 3:
		v := x.named(p, in)
		v["pricePaise"] = one(x.dice, modelPrices...)
		if x.chance(70) {
			v["mrpPaise"] = one[any](x.dice, nil, v["pricePaise"].(int64)+500)
		}
	case n == 3:
		x.named(p, in)["mrpPaise"] = one[any](x.dice, nil, int64(4_500), int64(10_000_000))
	case n == 4, n == 14:
		in["published"] = x.chance(70)
	case n == 5, n == 15, n == 16:
		x.named(p, in)["archived"] = x.chance(50)
	case n == 6:
		in["name"] = x.anyName()
	case n == 7:
		in[one(x.dice, "brand", "description")] = one[any](x.dice, nil, "Tata", "Wagh")
	case n == 8:
		in["imageUrl"] = one[any](x.dice, nil, "https://img.example/b.png")
	case n == 9:
		in["category"] = x.anyCategory()
	case n == 10 && len(p.variants) < 5:
		in["variants"] = append(bodyVariants(in), x.newVariant())
	case n == 11:
		x.named(p, in)["sku"] = x.freshCode()
	case n == 12:
		v := x.named(p, in)
		v["label"], v["unit"] = one(x.dice, "500 g", "2 kg"), one(x.dice, "g", "dozen")
	default:
		in["slug"] = one(x.dice, p.slug, fmt.Sprint("choice-", x.count))
	}
}

// named is a variant of a product as the body names it, added if it did not.
func (x *trial) named(p *modelProduct, in fields) fields {
	id := one(x.dice, p.variants...).id.text
	for _, v := range bodyVariants(in) {
		if v["id"] == id {
			return v
		}
	}
	v := fields{"id": id}
	in["variants"] = append(bodyVariants(in), v)
	return v
}

// mistake draws one thing that a change may have wrong.
func (x *trial) mistake(p *modelProduct, in fields) {
	v := one(x.dice, p.variants...)
	other := one(x.dice, x.model.variants()...)
	named := fields{"id": v.id.text}
	switch x.IntN(13) {
	case 0:
		in["name"] = " "
	case 1:
		in["version"], in["brand"] = p.version+one[int64](x.dice, 1, 2), "Late"
	case 2:
		in["slug"] = one(x.dice, x.model.products...).slug
	case 3:
		named["sku"] = x.takenCode()
	case 4:
		named["sku"] = one(x.dice, p.variants...).sku
		in["variants"] = []fields{{"label": "1 l", "id": one(x.dice, p.variants...).id.text}}
	case 5:
		in["variants"] = []fields{x.newVariant()}
		bodyVariants(in)[0]["sku"] = v.sku
	case 6:
		in["category"] = fields{"slug": "nowhere"}
	case 7:
		for _, each := range p.variants {
			in["variants"] = append(bodyVariants(in), fields{"id": each.id.text, "archived": true})
		}
		return
	case 8:
		named["id"] = one(x.dice, rows.NewID().String(), other.id.text)
	case 9:
		in["variants"] = []fields{{"id": v.id.text, "label": "1 l"}}
	case 10:
		named["pricePaise"] = int64(10_000_000)
	case 11:
		named["prise"], in["prise"] = 1, 1
		delete(named, "prise")
	case 12:
		named["mrpPaise"], named["pricePaise"] = int64(98), int64(99)
	}
	in["variants"] = append(bodyVariants(in), named)
}

func (x *trial) setStock() asking {
	in := fields{"stock": one(x.dice, modelStocks...)}
	var v *modelVariant
	path := pathOf("api", "admin", "variants", (*identity)(nil), "stock")
	if !x.chance(5) {
		v = x.anyVariant()
		path = pathOf("api", "admin", "variants", &v.id, "stock")
	}
	switch {
	case v != nil && x.chance(15):
		in["stock"] = int64(0)
	case v != nil && x.chance(30):
		in["expectedStock"] = max(0, v.stock+one[int64](x.dice, 0, 0, 1, -1))
	case v != nil && x.chance(10):
		in["stock"] = one[int64](x.dice, -1, 1_000_001)
	}
	if x.chance(20) {
		in["reason"] = "Counted."
	}
	return asking{
		who: "staff", staff: true, method: "PATCH", path: path, body: in,
		faults: func() []string { return faultsOfStock(in) }, does: func() verdict { return x.model.setStock(v, in) },
	}
}

func (x *trial) listAllOrders() asking {
	q := x.anyPage()
	if x.chance(60) {
		q["status"] = one(x.dice, append(modelWay, "cancelled", "lost")...)
	}
	return asking{who: "staff", staff: true, method: "GET", path: "/api/admin/orders?" + q.query(), faults: q.faults, does: func() verdict { return x.model.listAllOrders(q) }}
}

// step draws an action for a late order, more often the next one of an order
// that is still on its way.
func (x *trial) step() asking {
	var o *modelOrder
	action := one(x.dice, modelActions...)
	if all := x.model.orders; len(all) > 0 && !x.chance(5) {
		o = x.onItsWay(all[max(0, len(all)-12):])
		if next := slices.Index(modelWay, o.status); next >= 0 && next < len(modelActions) && x.chance(60) {
			action = modelActions[next]
		}
	}
	return x.keyed(asking{
		who: "staff", staff: true, method: "POST", path: orderPath("/api/admin/orders", o) + "/" + action, route: action,
		does: func() verdict { return x.model.step(o, action) },
	})
}

// onItsWay draws one of orders, some of them for having come far.
func (x *trial) onItsWay(late []*modelOrder) *modelOrder {
	if x.chance(35) {
		return often(x.dice, late, func(o *modelOrder) bool { return slices.Index(modelWay, o.status) >= 2 })
	}
	return often(x.dice, late, func(o *modelOrder) bool { return o.status == "placed" || o.status == "confirmed" })
}
