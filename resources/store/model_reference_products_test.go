package store_test

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// bodyVariants are the variants that a body names.
func bodyVariants(in fields) []fields {
	list, _ := in["variants"].([]fields)
	return list
}

func inVariant(i int, member, code string) string {
	return fmt.Sprintf("/variants/%d/%s %s", i, member, code)
}

// faultsOfProduct are those of a body that makes or changes a product. A new
// product needs more than a change, and its variants may have a stock.
func faultsOfProduct(in fields) (faults []string) {
	if name, given := in["name"].(string); given && strings.TrimSpace(name) == "" {
		faults = append(faults, "/name required")
	}
	if _, given := in["prise"]; given {
		faults = append(faults, "/prise unknown_field")
	}
	seen := map[string]bool{}
	for i, v := range bodyVariants(in) {
		price, priced := v["pricePaise"].(int64)
		mrp, listed := v["mrpPaise"].(int64)
		switch {
		case priced && price < 1:
			faults = append(faults, inVariant(i, "pricePaise", "min"))
		case listed && mrp > 10_000_000:
			faults = append(faults, inVariant(i, "mrpPaise", "max"))
		case priced && listed && mrp < price:
			faults = append(faults, inVariant(i, "mrpPaise", "min"))
		}
		sku, _ := v["sku"].(string)
		if folded := strings.ToLower(sku); sku != "" && seen[folded] {
			faults = append(faults, inVariant(i, "sku", "unique"))
		} else {
			seen[folded] = true
		}
	}
	return faults
}

// createProduct makes a product, all of it or nothing.
func (m *model) createProduct(in fields) verdict {
	p := &modelProduct{published: true, version: 1, name: in["name"].(string)}
	category := p.shelve(m, in["category"].(fields))
	if category == nil {
		return invalid("no such category", []string{"/category/slug invalid_reference"})
	}
	p.put(in)
	outcome := "with a slug of its name"
	if slug, given := in["slug"].(string); given {
		outcome = "with a slug of choice"
		if m.bySlug(slug) != nil {
			return refuses(409, "slug_taken", "", nil, "/slug not_unique")
		}
	} else if p.slug = m.freeSlug(p.name); p.slug != slugFor(p.name) {
		outcome = "with a numbered slug"
	}
	var stocks []int64
	for _, given := range bodyVariants(in) {
		v := &modelVariant{product: p}
		v.put(given)
		stock, _ := given["stock"].(int64)
		p.variants, stocks = append(p.variants, v), append(stocks, stock)
	}
	if taken := m.takenCodes(p, in); len(taken) > 0 {
		return refuses(409, "sku_taken", "", nil, taken...)
	}
	m.keep(category)
	m.products = append(m.products, p)
	for i, v := range p.variants {
		m.moves(v, "set", stocks[i], nil, "staff", "")
	}
	return succeeds(201, outcome, p.staffView())
}

// shelve finds the category that a body names, or makes it if the body has a
// name for it; nil if it cannot.
func (p *modelProduct) shelve(m *model, in fields) *modelCategory {
	slug := in["slug"].(string)
	name, named := in["name"].(string)
	p.category = m.category(slug)
	if p.category == nil && named {
		p.category = &modelCategory{slug, name}
	}
	return p.category
}

// keep keeps a category that may be new.
func (m *model) keep(c *modelCategory) {
	if !slices.Contains(m.categories, c) {
		m.categories = append(m.categories, c)
	}
}

// put takes over what a body says of a product itself.
func (p *modelProduct) put(in fields) {
	if name, given := in["name"].(string); given {
		p.name = strings.TrimSpace(name)
	}
	if slug, given := in["slug"].(string); given {
		p.slug = slug
	}
	if published, given := in["published"].(bool); given {
		p.published = published
	}
	for name, part := range map[string]**string{"brand": &p.brand, "description": &p.description, "imageUrl": &p.image} {
		if value, given := in[name]; given {
			*part = nil
			if text, ok := value.(string); ok {
				*part = &text
			}
		}
	}
}

// put takes over what a body says of a variant, but its stock.
func (v *modelVariant) put(in fields) {
	for name, part := range map[string]*string{"sku": &v.sku, "label": &v.label, "unit": &v.unit} {
		if text, given := in[name].(string); given {
			*part = text
		}
	}
	if price, given := in["pricePaise"].(int64); given {
		v.price = price
	}
	if mrp, given := in["mrpPaise"]; given {
		v.mrp = nil
		if price, ok := mrp.(int64); ok {
			v.mrp = &price
		}
	}
	if archived, given := in["archived"].(bool); given {
		v.archived = archived
	}
}

func (m *model) bySlug(slug string) *modelProduct {
	for _, p := range m.products {
		if p.slug == slug {
			return p
		}
	}
	return nil
}

// freeSlug is the first of name, name-2, name-3 and so on that no product has.
func (m *model) freeSlug(name string) string {
	slug := slugFor(name)
	for n := 2; m.bySlug(slug) != nil; n++ {
		slug = fmt.Sprintf("%s-%d", slugFor(name), n)
	}
	return slug
}

// slugFor is the slug of a name whose letters are ASCII, but for those that
// modelNames has.
func slugFor(name string) string {
	if slug, known := modelNames[name]; known {
		return slug
	}
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(words, "-")
}

// takenCodes are the places in a body of codes that another variant has: one of
// another product, or one of this product that keeps it.
func (m *model) takenCodes(p *modelProduct, in fields) (faults []string) {
	for i, given := range bodyVariants(in) {
		sku, named := given["sku"].(string)
		if !named {
			continue
		}
		owners := 0
		for _, v := range append(m.others(p), p.variants...) {
			if strings.EqualFold(v.sku, sku) {
				owners++
			}
		}
		if owners > 1 {
			faults = append(faults, inVariant(i, "sku", "not_unique"))
		}
	}
	return faults
}

// others are the variants of the other products.
func (m *model) others(p *modelProduct) (all []*modelVariant) {
	for _, v := range m.variants() {
		if v.product.id.text != p.id.text {
			all = append(all, v)
		}
	}
	return all
}

// patchProduct changes what a body names, all of it or nothing.
func (m *model) patchProduct(p *modelProduct, in fields) verdict {
	if p == nil {
		return notFound("")
	}
	if version, given := in["version"].(int64); given && version != p.version {
		return refuses(409, "version_conflict", "", fields{"currentVersion": p.version})
	}
	next := p.copied()
	why, faults := next.merge(in)
	if category, given := in["category"].(fields); given && next.shelve(m, category) == nil {
		why, faults = "no such category", append(faults, "/category/slug invalid_reference")
	}
	next.put(in)
	switch {
	case len(faults) > 0:
		return invalid(why, faults)
	case len(next.live()) == 0:
		return refuses(409, "last_variant", "", nil)
	case next.says() == p.says():
		return succeeds(200, "no change", p.staffView())
	case next.slug != p.slug && m.bySlug(next.slug) != nil:
		return refuses(409, "slug_taken", "", nil, "/slug not_unique")
	}
	if taken := m.takenCodes(next, in); len(taken) > 0 {
		return refuses(409, "sku_taken", "", nil, taken...)
	}
	m.keep(next.category)
	p.become(next)
	return succeeds(200, "changed", p.staffView())
}

// merge brings variants to what a body says: an id names one, none adds one,
// and what is not named stays.
func (p *modelProduct) merge(in fields) (why string, faults []string) {
	named := map[*modelVariant]bool{}
	for i, given := range bodyVariants(in) {
		v := &modelVariant{product: p}
		if id, known := given["id"].(string); known {
			v = p.variant(id)
			switch {
			case v == nil:
				why, faults = "no such variant", append(faults, inVariant(i, "id", "invalid_reference"))
				continue
			case named[v]:
				why, faults = "a variant twice", append(faults, inVariant(i, "id", "unique"))
				continue
			}
		} else {
			p.variants = append(p.variants, v)
		}
		named[v] = true
		v.put(given)
		if v.mrp != nil && *v.mrp < v.price {
			place, code := "pricePaise", "max"
			if _, given := given["mrpPaise"]; given {
				place, code = "mrpPaise", "min"
			}
			why, faults = "price above list price", append(faults, inVariant(i, place, code))
		}
	}
	return why, faults
}

func (p *modelProduct) variant(id string) *modelVariant {
	for _, v := range p.variants {
		if v.id.text == id {
			return v
		}
	}
	return nil
}

// copied is the product with variants of its own, to be changed in its place.
func (p *modelProduct) copied() *modelProduct {
	next := *p
	next.variants = nil
	for _, v := range p.variants {
		same := *v
		next.variants = append(next.variants, &same)
	}
	return &next
}

// become makes the product what its copy is. Its variants stay those that lines
// and orders know.
func (p *modelProduct) become(next *modelProduct) {
	kept := p.variants
	*p = *next
	p.version++
	for i, v := range p.variants {
		if i < len(kept) {
			*kept[i] = *v
			p.variants[i] = kept[i]
		}
		p.variants[i].product = p
	}
}

// says is all that staff see of a product, ids apart.
func (p *modelProduct) says() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%q %q %v %v %v %v %v", p.slug, p.name, nothingOr(p.brand), nothingOr(p.description), nothingOr(p.image), *p.category, p.published)
	for _, v := range p.variants {
		fmt.Fprintf(&text, "; %q %q %q %d %v %d %v", v.sku, v.label, v.unit, v.price, nothingOr(v.mrp), v.stock, v.archived)
	}
	return text.String()
}

// faultsOfStock are those of a body that sets a stock.
func faultsOfStock(in fields) (faults []string) {
	switch stock := in["stock"].(int64); {
	case stock < 0:
		return []string{"/stock min"}
	case stock > 1_000_000:
		return []string{"/stock max"}
	}
	return nil
}

// setStock sets how many there are.
func (m *model) setStock(v *modelVariant, in fields) verdict {
	if v == nil {
		return notFound("")
	}
	outcome := "whatever it was"
	if expected, given := in["expectedStock"].(int64); given {
		outcome = "as expected"
		if expected != v.stock {
			return refuses(409, "stock_changed", "", fields{"currentStock": v.stock})
		}
	}
	reason, _ := in["reason"].(string)
	m.moves(v, "set", in["stock"].(int64)-v.stock, nil, "staff", reason)
	return succeeds(200, outcome, fields{"id": &v.id, "sku": v.sku, "stock": v.stock, "inStock": v.stock > 0})
}
