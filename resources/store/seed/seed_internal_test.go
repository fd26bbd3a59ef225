package seed

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"trestle.example/resources/store/cart"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/delivery"
	"trestle.example/resources/store/internal/rows"
	"trestle.example/resources/store/order"
)

func TestSeedShelvesAreFull(t *testing.T) {
	t.Parallel()
	for _, shelf := range demoCategories {
		if n := len(shelf.goods) * len(demoCategories); n != DefaultProducts {
			t.Errorf("%d shelves like %s have %d goods; want %d", len(demoCategories), shelf.name, n, DefaultProducts)
		}
	}
}

// TestSeedProductsKeepTheRulesOfTheStore: a product is made of its number alone, so the test
// needs no database. It checks every seventh of some hundred thousand products.
func TestSeedProductsKeepTheRulesOfTheStore(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	once := func(i int, what, value string) {
		if other, there := seen[what+value]; there {
			t.Errorf("products %d and %d have the same %s, %q", other, i, what, value)
		}
		seen[what+value] = i
	}
	for i := 0; i < 250_000; i += 7 {
		p := newProduct(i)
		once(i, "id", string(p.ID[:]))
		once(i, "slug", p.Slug)
		once(i, "name of one brand", rows.OrBlank(p.Brand)+" "+p.Name)
		checkProduct(t, p)
		for _, v := range p.Variants {
			once(i, "id", string(v.ID[:]))
			once(i, "sku", v.SKUFolded)
			checkVariant(t, p, v)
		}
	}
}

// word is what names are made of.
var word = regexp.MustCompile(`^\(?[A-Z][a-z]+\)?$|^No\.$|^\d+$`)

// checkProduct holds a product to what POST /api/admin/products takes, and to
// what people can read.
func checkProduct(t *testing.T, p *catalogue.Product) {
	t.Helper()
	var slug catalogue.Slug
	if err := slug.UnmarshalText([]byte(p.Slug)); err != nil {
		t.Errorf("the slug %q %v", p.Slug, err)
	}
	for w := range strings.FieldsSeq(p.Name) {
		if !word.MatchString(w) {
			t.Errorf("the name %q has the word %q", p.Name, w)
		}
	}
	for what, text := range map[string]struct {
		text        *string
		least, most int
	}{"name": {&p.Name, 3, 200}, "brand": {p.Brand, 3, 120}, "description": {p.Description, 10, 10_000}} {
		if text.text == nil {
			continue
		}
		if n := utf8.RuneCountInString(*text.text); n < text.least || n > text.most || strings.TrimSpace(*text.text) != *text.text {
			t.Errorf("the %s of %s is %q", what, p.Slug, *text.text)
		}
	}
	if p.ImageURL != nil {
		var image catalogue.ImageURL
		if err := image.UnmarshalText([]byte(*p.ImageURL)); err != nil || !strings.HasPrefix(*p.ImageURL, "https://images.store.example/") {
			t.Errorf("the picture %q: %v", *p.ImageURL, err)
		}
	}
	if n := len(p.Variants); n < 1 || n > 4 || p.Version != 1 || p.ID.Version() != 7 {
		t.Errorf("%s: %d variants, version %d, id %s", p.Slug, n, p.Version, p.ID)
	}
	again := *p
	again.CopyCheapest()
	if again.CheapestVariantID != p.CheapestVariantID || again.PricePaise != p.PricePaise || again.InStock != p.InStock {
		t.Errorf("%s: the cheapest is not that of its variants", p.Slug)
	}
	if p.CreatedAt.Before(opening) || !p.CreatedAt.Before(today) {
		t.Errorf("%s was made at %s", p.Slug, p.CreatedAt)
	}
}

// labels are an amount and a unit, in words.
var labels = map[catalogue.Unit]*regexp.Regexp{
	catalogue.Gram: regexp.MustCompile(`^\d+ g$`), catalogue.Kilogram: regexp.MustCompile(`^\d+ kg$`),
	catalogue.Millilitre: regexp.MustCompile(`^\d+ ml$`), catalogue.Litre: regexp.MustCompile(`^\d+ l$`),
	catalogue.Piece: regexp.MustCompile(`^(1 piece|\d+ pieces)$`), catalogue.Pack: regexp.MustCompile(`^(1 pack|\d+ packs)$`),
	catalogue.Dozen: regexp.MustCompile(`^\d+ dozen$`), catalogue.Bunch: regexp.MustCompile(`^(1 bunch|\d+ bunches)$`),
}

func checkVariant(t *testing.T, p *catalogue.Product, v *catalogue.Variant) {
	t.Helper()
	label := labels[v.Unit]
	switch {
	case label == nil || !label.MatchString(v.Label) || len(v.Label) > 80:
		t.Errorf("%s: the label %q of unit %q", p.Slug, v.Label, v.Unit)
	case len(v.SKU) < 10 || len(v.SKU) > 64 || v.SKUFolded != strings.ToLower(v.SKU):
		t.Errorf("%s: the sku %q, %q", p.Slug, v.SKU, v.SKUFolded)
	case v.PricePaise < 100 || v.PricePaise > 10_000_000 || v.PricePaise%100 != 0:
		t.Errorf("%s: the price %d", p.Slug, v.PricePaise)
	case v.MRPPaise != nil && (*v.MRPPaise < v.PricePaise || *v.MRPPaise > 10_000_000):
		t.Errorf("%s: the list price %d of %d", p.Slug, *v.MRPPaise, v.PricePaise)
	case v.Stock < 0 || v.Stock > 1_000_000 || v.InStock != (v.Stock > 0):
		t.Errorf("%s: the stock %d", p.Slug, v.Stock)
	case v.ProductID != p.ID || v.ID.Version() != 7 || v.Archived:
		t.Errorf("%s: the variant %+v", p.Slug, v)
	}
}

// A larger size costs more, and never more than so many small ones.
func TestSeedPricesAgree(t *testing.T) {
	t.Parallel()
	for i := range 10 * DefaultProducts {
		p := newProduct(i)
		_, _, first := parseLabel(p.Variants[0].Label)
		for n, v := range p.Variants[1:] {
			if _, _, size := parseLabel(v.Label); v.PricePaise <= p.Variants[n].PricePaise || v.PricePaise*first > (p.Variants[0].PricePaise+100)*size {
				t.Errorf("%s: %s for %d, %s for %d", p.Slug, p.Variants[0].Label, p.Variants[0].PricePaise, v.Label, v.PricePaise)
			}
		}
	}
}

// Each order is one that could have been placed: its times follow each other,
// its slot was open, and its items were in stock.
func TestSeedOrdersCouldHaveBeen(t *testing.T) {
	t.Parallel()
	s := seeding{Options: Options{Products: DefaultProducts, Customers: make([]uuid.UUID, 200)}}
	arrivals := map[uuid.UUID]time.Time{}
	for i := range DefaultProducts {
		for _, v := range newProduct(i).Variants {
			arrivals[v.ID] = arrivalOf(i)
		}
	}
	numbers := map[string]bool{}
	for customer := range s.Customers {
		for n, status := range orderStatuses {
			d := s.draft(customer, n)
			checkTimes(t, d, status)
			if numbers[d.Number] {
				t.Errorf("two orders have the number %s", d.Number)
			}
			numbers[d.Number] = true
			for _, w := range d.wishes {
				if arrived, there := arrivals[w.variant]; !there || arrived.After(d.PlacedAt) || w.quantity < 1 || w.quantity > cart.MaxQuantity {
					t.Errorf("an order of %s asks for %d of what arrived at %s", d.PlacedAt, w.quantity, arrived)
				}
			}
			checkAddress(t, d.Address)
		}
	}
}

func checkTimes(t *testing.T, d *draft, status order.Status) {
	t.Helper()
	if !slices.ContainsFunc(delivery.OpenSlots(d.PlacedAt), func(open delivery.DeliverySlot) bool { return open.ID == d.slot.ID }) {
		t.Errorf("the slot at %s was not open at %s", d.slot.StartsAt, d.PlacedAt)
	}
	history := []order.StatusChange{{Status: order.Placed, At: d.PlacedAt}}
	for _, status := range slices.Concat(reachable, []order.Status{order.Cancelled}) {
		if at := *d.ReachedAt(status); at != nil {
			history = append(history, order.StatusChange{Status: status, At: *at})
		}
	}
	if last := history[len(history)-1]; d.Status != status || last.Status != status || last.At.After(today) {
		t.Errorf("an order that is %s has come to %s at %s", status, last.Status, last.At)
	}
	for i, change := range history[1:] {
		if !change.At.After(history[i].At) {
			t.Errorf("an order that is %s: %v", status, history)
		}
	}
	if d.DeliveredAt != nil && (d.DeliveredAt.Before(d.slot.StartsAt) || d.DeliveredAt.After(d.slot.EndsAt)) {
		t.Errorf("an order for %s was delivered at %s", d.slot.StartsAt, d.DeliveredAt)
	}
}

// checkAddress reads an address as POST /api/orders does.
func checkAddress(t *testing.T, a delivery.Address) {
	t.Helper()
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var read delivery.Address
	if err := json.Unmarshal(text, &read); err != nil || read != a || a.Name == "" || a.Line1 == "" || a.City == "" || a.State == "" {
		t.Errorf("%s: %v", text, err)
	}
}
