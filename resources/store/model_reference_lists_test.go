package store_test

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// live are the variants on sale.
func (p *modelProduct) live() (list []*modelVariant) {
	for _, v := range p.variants {
		if !v.archived {
			list = append(list, v)
		}
	}
	return list
}

// card is the variant that lists show: the cheapest of those in stock, of all
// if none is; the first of those that cost the same.
func (p *modelProduct) card() *modelVariant {
	shown := slices.DeleteFunc(p.live(), func(v *modelVariant) bool { return v.stock == 0 })
	if len(shown) == 0 {
		shown = p.live()
	}
	best := shown[0]
	for _, v := range shown {
		if v.price < best.price {
			best = v
		}
	}
	return best
}

func (v *modelVariant) summary() fields {
	return fields{
		"id": &v.id, "sku": v.sku, "label": v.label, "unit": v.unit, "pricePaise": v.price, "mrpPaise": nothingOr(v.mrp), "inStock": v.stock > 0,
	}
}

func (p *modelProduct) summary() fields {
	return fields{
		"id": &p.id, "slug": p.slug, "name": p.name, "brand": nothingOr(p.brand), "imageUrl": nothingOr(p.image),
		"category": fields{"slug": p.category.slug, "name": p.category.name}, "cheapestVariant": p.card().summary(),
	}
}

func (p *modelProduct) detail() fields {
	view, variants := p.summary(), []any{}
	for _, v := range p.live() {
		variants = append(variants, v.summary())
	}
	view["description"], view["variants"] = nothingOr(p.description), variants
	return view
}

func (p *modelProduct) staffView() fields {
	view, variants := p.summary(), []any{}
	for _, v := range p.variants {
		one := v.summary()
		one["stock"], one["archived"] = v.stock, v.archived
		variants = append(variants, one)
	}
	view["description"], view["variants"] = nothingOr(p.description), variants
	view["published"], view["version"] = p.published, p.version
	return view
}

func (m *model) readProduct(slug string) verdict {
	switch p := m.bySlug(slug); {
	case p == nil:
		return notFound("unknown")
	case !p.published:
		return notFound("unpublished")
	default:
		return succeeds(200, "", p.detail())
	}
}

// A modelQuestion has the parameters of a list as they are sent.
type modelQuestion map[string]string

// number is a parameter that is one, or another value if it is absent.
func (q modelQuestion) number(name string, otherwise int) int {
	if n, err := strconv.Atoi(q[name]); err == nil {
		return n
	}
	return otherwise
}

// faults are those of the parameters.
func (q modelQuestion) faults() (faults []string) {
	wrong := func(names ...string) {
		for _, name := range names {
			faults = append(faults, name+" invalid_parameter")
		}
	}
	for _, name := range []string{"page", "limit"} {
		if q.number(name, 1) < 1 {
			wrong(name)
		}
	}
	if low := q["minPaise"]; low != "" && q["maxPaise"] != "" && q.number("minPaise", 0) > q.number("maxPaise", 0) {
		wrong("minPaise", "maxPaise")
	}
	if q["sort"] != "" && !slices.Contains(modelSorts, q["sort"]) {
		wrong("sort")
	}
	if q["status"] != "" && q["status"] != "cancelled" && !slices.Contains(modelWay, q["status"]) {
		wrong("status")
	}
	return faults
}

var modelSorts = []string{"price_asc", "price_desc", "name_asc", "newest", "relevance"}

// page answers one page of all that match.
func (q modelQuestion) page(all []any, usual int) verdict {
	page, limit := q.number("page", 1), min(q.number("limit", usual), 100)
	pages := (len(all) + limit - 1) / limit
	from, to := min((page-1)*limit, len(all)), min(page*limit, len(all))
	outcome := "one page"
	switch {
	case len(all) == 0:
		outcome = "of nothing"
	case from == to:
		outcome = "past the end"
	case pages > 1:
		outcome = "one page of several"
	}
	return succeeds(200, outcome, fields{
		"items": append([]any{}, all[from:to]...), "page": page, "limit": limit, "total": len(all), "totalPages": pages, "hasNext": page < pages,
	})
}

func (m *model) listProducts(q modelQuestion) verdict {
	var found []*modelProduct
	for _, p := range m.products {
		if p.published && p.matches(q) {
			found = append(found, p)
		}
	}
	// What is alike stays in the order in which it was made or, where the order falls, the newest is first.
	slices.SortStableFunc(found, func(a, b *modelProduct) int {
		switch q["sort"] {
		case "price_asc":
			return cmp.Compare(a.card().price, b.card().price)
		case "price_desc":
			return cmp.Or(cmp.Compare(b.card().price, a.card().price), cmp.Compare(slices.Index(m.products, b), slices.Index(m.products, a)))
		case "newest":
			return cmp.Compare(slices.Index(m.products, b), slices.Index(m.products, a))
		}
		return strings.Compare(a.name, b.name)
	})
	views := make([]any, len(found))
	for i, p := range found {
		views[i] = p.summary()
	}
	return q.page(views, 20)
}

// matches: what is filtered by is what the list shows of the product.
func (p *modelProduct) matches(q modelQuestion) bool {
	price := int(p.card().price)
	return (q["category"] == "" || q["category"] == p.category.slug) && (q["inStock"] != "true" || p.card().stock > 0) &&
		price >= q.number("minPaise", 0) && price <= q.number("maxPaise", price)
}

func (m *model) listCategories(q modelQuestion) verdict {
	counts := map[*modelCategory]int{}
	for _, p := range m.products {
		if p.published {
			counts[p.category]++
		}
	}
	sorted := slices.DeleteFunc(slices.Clone(m.categories), func(c *modelCategory) bool { return counts[c] == 0 })
	slices.SortStableFunc(sorted, func(a, b *modelCategory) int { return strings.Compare(a.name, b.name) })
	views := make([]any, len(sorted))
	for i, c := range sorted {
		views[i] = fields{"slug": c.slug, "name": c.name, "imageUrl": nil, "productCount": counts[c]}
	}
	return q.page(views, 100)
}

// listOrders lists a buyer's orders, the newest first.
func (m *model) listOrders(b *modelBuyer, q modelQuestion) verdict {
	var views []any
	for _, o := range slices.Backward(b.orders) {
		views = append(views, o.view())
	}
	return q.page(views, 20)
}

// listAllOrders lists the orders of all buyers for staff.
func (m *model) listAllOrders(q modelQuestion) verdict {
	var views []any
	for _, o := range slices.Backward(m.orders) {
		if q["status"] == "" || q["status"] == o.status {
			views = append(views, o.staffView())
		}
	}
	return q.page(views, 20)
}
