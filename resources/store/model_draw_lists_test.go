package store_test

import (
	"fmt"
	"strconv"

	"trestle.example/resources/store/internal/storetest"
)

func (q modelQuestion) query() string {
	var pairs []string
	for name, value := range q {
		pairs = append(pairs, name, value)
	}
	return storetest.QueryOf(pairs...)
}

// anyPage draws a page and a limit, or none; some are wrong.
func (x *trial) anyPage() modelQuestion {
	q := modelQuestion{}
	if x.chance(60) {
		q["limit"] = strconv.Itoa(one(x.dice, 1, 2, 3, 5, 10))
	}
	if x.chance(50) {
		q["page"] = strconv.Itoa(one(x.dice, 1, 2, 3, 4, 500))
	}
	switch {
	case x.chance(10):
		q[one(x.dice, "page", "limit")] = one(x.dice, "0", "-1")
	case x.chance(3):
		q["limit"] = "900"
	}
	return q
}

func (x *trial) readProduct() asking {
	slug := one(x.dice, "choice-1", "nothing", "atta-9")
	if len(x.model.products) > 0 && !x.chance(10) {
		p := one(x.dice, x.model.products...)
		if x.chance(20) {
			p = often(x.dice, x.model.products, func(p *modelProduct) bool { return !p.published })
		}
		slug = p.slug
	}
	return asking{
		who: x.anyCaller(), open: true, method: "GET", path: "/api/products/" + slug, does: func() verdict { return x.model.readProduct(slug) },
	}
}

// anyCaller draws a caller, or "" for an anonymous one.
func (x *trial) anyCaller() string { return one(x.dice, "", "", "staff", x.anyBuyer().name) }

func (x *trial) listProducts() asking {
	q := x.anyPage()
	if x.chance(25) {
		q["category"] = fmt.Sprint("shelf-", x.IntN(8))
	}
	for _, name := range []string{"minPaise", "maxPaise"} {
		if x.chance(20) {
			q[name] = strconv.FormatInt(one(x.dice, append(modelPrices, 0, 98, 101, 4_499, 4_501)...), 10)
		}
	}
	if x.chance(40) {
		q["inStock"] = one(x.dice, "true", "true", "false")
	}
	if x.chance(80) {
		q["sort"] = one(x.dice, modelSorts...)
	}
	if x.chance(2) {
		q["sort"] = "best"
	}
	return asking{
		who: x.anyCaller(), open: true, method: "GET", path: "/api/products?" + q.query(), faults: q.faults, does: func() verdict { return x.model.listProducts(q) },
	}
}

func (x *trial) listCategories() asking {
	q := x.anyPage()
	return asking{
		who: x.anyCaller(), open: true, method: "GET", path: "/api/categories?" + q.query(), faults: q.faults, does: func() verdict { return x.model.listCategories(q) },
	}
}
