package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/google/uuid"

	"trestle.example/resources/store/internal/rows"
)

// dice draw.
type dice struct{ *rand.Rand }

// chance is true so many times of a hundred.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

// one draws one of several.
func one[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }

// often draws one of several that is as it should be, if there is one, more
// often than not.
func often[T any](d dice, of []T, should func(T) bool) T {
	if good := slices.DeleteFunc(slices.Clone(of), func(v T) bool { return !should(v) }); len(good) > 0 && d.chance(70) {
		return one(d, good...)
	}
	return one(d, of...)
}

// An operation is a kind of request. Its outcomes are all that it can have.
type operation struct {
	name     string
	weight   int // how often it is drawn, against the others
	draw     func(x *trial) asking
	outcomes []string
}

func (x *trial) operation(name string) operation {
	return x.table[slices.IndexFunc(x.table, func(o operation) bool { return o.name == name })]
}

// Operations that are also sent without a draw.
const (
	readingCart   = "read the cart"
	makingProduct = "make a product"
	listingAll    = "list all orders"
	addingItem    = "add an item"
	placingOrder  = "place an order"
)

// Outcomes that several operations have.
const (
	unsigned    = "401 authentication_required"
	notStaff    = "403 forbidden"
	badBody     = "400 validation_failed"
	badQuestion = "400 invalid_parameter"
	otherBody   = "422 idempotency_key_reused"
)

var pages = []string{"200 one page", "200 one page of several", "200 past the end", badQuestion}

// operations are all there are.
func operations() []operation {
	return slices.Concat(cartOperations(), orderOperations(), staffOperations(), catalogueOperations())
}

func cartOperations() []operation {
	const adding, changing = "409 insufficient_stock, ", "404 not_found, "
	return []operation{
		{readingCart, 5, func(x *trial) asking { return x.readCart(x.anyBuyer()) }, []string{"200 with lines", "200 empty", unsigned}},
		{addingItem, 26, (*trial).addItem, []string{
			"201 a new line", "201 more of a line", "201 repeated", "404 variant_not_found, unknown", "404 variant_not_found, unpublished", "404 variant_not_found, archived",
			"409 quantity_limit", adding + "insufficient_stock", adding + "out_of_stock", badBody, unsigned, otherBody,
		}},
		{"change a line", 15, (*trial).changeLine, []string{
			"200 more", "200 fewer", changing + "unknown", changing + "another's", changing + "gone",
			adding + "insufficient_stock", adding + "out_of_stock", "409 item_unavailable", badBody, unsigned,
		}},
		{"remove a line", 4, (*trial).removeLine, []string{"200", changing + "unknown", changing + "another's", changing + "gone", unsigned}},
		{"empty the cart", 3, (*trial).emptyCart, []string{"200 of lines", "200 of nothing", unsigned}},
	}
}

func orderOperations() []operation {
	const slot = "409 slot_unavailable, "
	return []operation{
		{placingOrder, 16, (*trial).place, []string{
			"201 the earliest slot", "201 a slot of choice", "201 repeated", "400 validation_failed, no address", badBody, "409 cart_empty", "409 cart_changed",
			"409 insufficient_stock", "409 item_unavailable", slot + "unknown", slot + "closed", slot + "full",
			"409 order_limit, slot", "409 order_limit, user", unsigned, otherBody,
		}},
		{"read an order", 5, (*trial).readOrder, []string{"200", "404 not_found, unknown", "404 not_found, another's", unsigned}},
		{"list orders", 3, (*trial).listOrders, append(pages, "200 of nothing", unsigned)},
		{"cancel an order", 10, (*trial).cancel, []string{
			"200 placed", "200 confirmed", "200 repeated", "404 not_found, unknown", "404 not_found, another's",
			"409 order_not_cancellable, twice", "409 order_not_cancellable, packed or later", badBody, unsigned, otherBody,
		}},
	}
}

func staffOperations() []operation {
	const invalid, step = badBody + ", ", "409 illegal_transition, "
	return []operation{
		{makingProduct, 5, (*trial).createProduct, []string{
			"201 with a slug of its name", "201 with a numbered slug", "201 with a slug of choice", "201 repeated", badBody, invalid + "no such category",
			"400 unknown_field", "409 slug_taken", "409 sku_taken", unsigned, notStaff, otherBody,
		}},
		{"change a product", 13, (*trial).patchProduct, []string{
			"200 changed", "200 no change", "404 not_found", badBody, invalid + "no such category", invalid + "no such variant", invalid + "a variant twice",
			invalid + "price above list price", "400 unknown_field", "409 version_conflict", "409 last_variant", "409 slug_taken", "409 sku_taken", unsigned, notStaff,
		}},
		{"set a stock", 9, (*trial).setStock, []string{"200 whatever it was", "200 as expected", "404 not_found", "409 stock_changed", badBody, unsigned, notStaff}},
		{listingAll, 4, (*trial).listAllOrders, append(pages, "200 of nothing", unsigned, notStaff)},
		{"take a step", 11, (*trial).step, []string{
			"200 confirmed", "200 packed", "200 out_for_delivery", "200 delivered", "200 repeated", "404 not_found", step + "placed", step + "confirmed", step + "packed",
			step + "out_for_delivery", step + "delivered", step + "cancelled", unsigned, notStaff, otherBody,
		}},
	}
}

func catalogueOperations() []operation {
	return []operation{
		{"read a product", 3, (*trial).readProduct, []string{"200", "404 not_found, unknown", "404 not_found, unpublished"}},
		{"list products", 10, (*trial).listProducts, append(pages, "200 of nothing")},
		{"list categories", 3, (*trial).listCategories, pages},
	}
}

// keyed gives a request a key, now and then: a new one, or one that the same
// caller sent to the same route before.
func (x *trial) keyed(a asking) asking {
	if !x.chance(35) {
		return a
	}
	a.key = fmt.Sprint("key-", x.count)
	if x.chance(35) {
		var used []asking
		for _, before := range x.sent {
			if before.asking.who == a.who && before.asking.route == a.route && x.model.certain(before.asking) {
				used = append(used, before.asking)
			}
		}
		if len(used) > 0 {
			a.key = one(x.dice, used...).key
		}
	}
	return a
}

// certain reports whether a key is clearly within its time, or over it.
func (m *model) certain(a asking) bool {
	known := m.keys[a.keyed()]
	return known == nil || (m.now.Sub(known.at)-keyLife).Abs() > nearly
}

func idFrom(id identity) uuid.UUID { return uuid.MustParse(id.text) }

// pathOf is a path under which a thing is, or would be if there were one.
func pathOf(parts ...any) string {
	var path strings.Builder
	for _, part := range parts {
		if id, ok := part.(*identity); ok {
			part = rows.NewID()
			if id != nil {
				part = id.text
			}
		}
		fmt.Fprint(&path, "/", part)
	}
	return path.String()
}
