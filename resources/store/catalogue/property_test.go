package catalogue_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/rows"
	"trestle.example/resources/store/internal/storetest"
)

// The words, prices and stocks of the property: few, so that questions find
// something and many products are alike.
var (
	shopWords  = []string{"Atta", "Dal", "Dahi", "Milk", "Milkmaid", "Rice", "Tea"}
	shopPrices = []int64{1, 99, 100, 101, 4500, 10_000_000}
	shopStocks = []int64{0, 0, 1, 7}
	shopShelf  = []string{"dairy", "staples", "drinks"}
)

func pick[T any](t *rapid.T, what string, from []T) T { return rapid.SampledFrom(from).Draw(t, what) }

// edit draws one change by staff and sends it. It may be rejected: a list price
// below the price, the last variant on sale.
func (s *site) edit(t *rapid.T, all []*catalogue.Product) {
	p := pick(t, "product", all)
	v := pick(t, "variant", p.Variants)
	change := fields{}
	switch rapid.IntRange(0, 9).Draw(t, "edit") {
	case 0, 1, 2:
		r := s.ClientOf("staff").Patch("/api/admin/variants/"+v.ID.String()+"/stock", fields{"stock": pick(t, "stock", shopStocks)})
		if r.Status() != 200 {
			t.Errorf("a stock is answered %d: %s", r.Status(), r.Body())
		}
		return
	case 3, 4:
		price := pick(t, "price", shopPrices)
		change["variants"] = []fields{{"id": v.ID, "pricePaise": price, "mrpPaise": pick(t, "mrp", []any{nil, price, price + 1})}}
	case 5:
		change["variants"] = []fields{{"id": v.ID, "pricePaise": pick(t, "price", shopPrices)}}
	case 6:
		change["variants"] = []fields{{"id": v.ID, "archived": rapid.Bool().Draw(t, "archived")}}
	case 7:
		change["published"] = rapid.Bool().Draw(t, "published")
	case 8:
		change["name"] = pick(t, "word", shopWords) + " " + pick(t, "word", shopWords)
		change["category"] = fields{"slug": pick(t, "shelf", shopShelf), "name": "Shelf"}
	case 9:
		if len(p.Variants) < 4 {
			change["variants"] = []fields{storetest.VariantBody("N"+rows.NewID().String()[24:], fields{"pricePaise": pick(t, "price", shopPrices)})}
		}
	}
	if r := s.ClientOf("staff").Patch("/api/admin/products/"+p.ID.String(), change); r.Status() != 200 && r.Status() != 400 && r.Status() != 409 {
		t.Errorf("%v is answered %d: %s", change, r.Status(), r.Body())
	}
}

// A shopQuestion has the parameters of a list of products.
type shopQuestion struct {
	category, q, sort string
	low, high         *int64
	inStock           bool
	limit             int
}

func (q shopQuestion) path(page int) string {
	pairs := []string{"category", q.category, "q", q.q, "sort", q.sort, "limit", strconv.Itoa(q.limit), "page", strconv.Itoa(page), "inStock", strconv.FormatBool(q.inStock)}
	if q.low != nil {
		pairs = append(pairs, "minPaise", strconv.FormatInt(*q.low, 10))
	}
	if q.high != nil {
		pairs = append(pairs, "maxPaise", strconv.FormatInt(*q.high, 10))
	}
	return storetest.QueryOf(pairs...)
}

// askShop draws a question. Its words begin words that there are, so nothing is
// taken for misspelt.
func askShop(t *rapid.T, all []*catalogue.Product) (q shopQuestion) {
	q.category = pick(t, "category", append([]string{"", "", "", "toys"}, shopShelf...))
	q.sort = pick(t, "sort", []string{"", "price_asc", "price_desc", "name_asc", "newest", "relevance"})
	q.inStock = rapid.Bool().Draw(t, "in stock")
	q.limit = rapid.IntRange(1, 7).Draw(t, "limit")
	if rapid.Bool().Draw(t, "low") {
		q.low = new(pick(t, "low", append(shopPrices, 0, 98)))
	}
	if rapid.Bool().Draw(t, "high") {
		q.high = new(pick(t, "high", append(shopPrices, 102, 9_999_999)))
		if q.low != nil && *q.low > *q.high {
			q.low, q.high = q.high, q.low
		}
	}
	public := slices.DeleteFunc(slices.Clone(all), func(p *catalogue.Product) bool { return !p.Published })
	for n := rapid.IntRange(0, 2).Draw(t, "words"); n > 0 && len(public) > 0; n-- {
		word := pick(t, "word", wordsOf(pick(t, "of", public)))
		q.q += word[:rapid.IntRange(1, len(word)).Draw(t, "length")] + " "
	}
	return q
}

// wordsOf are what a product is found by, all of it ASCII.
func wordsOf(p *catalogue.Product) []string {
	texts := []string{p.Name, p.Category.Name}
	for _, v := range p.Variants {
		if !v.Archived {
			texts = append(texts, v.SKU)
		}
	}
	for _, text := range []*string{p.Brand, p.Description} {
		if text != nil {
			texts = append(texts, *text)
		}
	}
	return strings.FieldsFunc(strings.ToLower(strings.Join(texts, " ")), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func (q shopQuestion) matches(p *catalogue.Product) bool {
	v := storetest.CheapestOf(p)
	for asked := range strings.FieldsSeq(q.q) {
		if !slices.ContainsFunc(wordsOf(p), func(word string) bool { return strings.HasPrefix(word, asked) }) {
			return false
		}
	}
	return p.Published && (q.category == "" || q.category == p.Category.Slug) && (!q.inStock || v.Stock > 0) &&
		(q.low == nil || v.PricePaise >= *q.low) && (q.high == nil || v.PricePaise <= *q.high)
}

// answer is what the question must be answered, worked out from products and
// variants alone; ranked says that the order is that of a search.
func (q shopQuestion) answer(all []*catalogue.Product) (ids []string, ranked bool) {
	found := slices.DeleteFunc(slices.Clone(all), func(p *catalogue.Product) bool { return !q.matches(p) })
	slices.SortFunc(found, func(a, b *catalogue.Product) int {
		byID := bytes.Compare(a.ID[:], b.ID[:])
		switch q.sort {
		case "price_asc":
			return cmp.Or(cmp.Compare(storetest.CheapestOf(a).PricePaise, storetest.CheapestOf(b).PricePaise), byID)
		case "price_desc":
			return cmp.Or(cmp.Compare(storetest.CheapestOf(b).PricePaise, storetest.CheapestOf(a).PricePaise), -byID)
		case "newest":
			return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), -byID)
		}
		return cmp.Or(cmp.Compare(a.Name, b.Name), byID)
	})
	for _, p := range found {
		ids = append(ids, p.ID.String())
	}
	return ids, strings.TrimSpace(q.q) != "" && (q.sort == "" || q.sort == "relevance")
}

// walk joins the pages of a question's answer and checks their envelopes.
func (s *site) walk(t *rapid.T, q shopQuestion) (items []catalogue.ProductSummary) {
	for page := 1; ; page++ {
		l := s.ListProducts(q.path(page))
		items = append(items, l.Items...)
		pages := (l.Total + q.limit - 1) / q.limit
		if l.Page != page || l.Limit != q.limit || l.TotalPages != pages || l.HasNext != (page < pages) || len(l.Items) > q.limit || l.HasNext && len(l.Items) < q.limit {
			t.Fatalf("?%s: the envelope is page %d, limit %d, total %d, pages %d, more %v with %d items", q.path(page), l.Page, l.Limit, l.Total, l.TotalPages, l.HasNext, len(l.Items))
		}
		if l.HasNext {
			continue
		}
		if l.Total != len(items) {
			t.Fatalf("?%s: the pages have %d products, total says %d", q.path(page), len(items), l.Total)
		}
		return items
	}
}

// TestListsSayWhatVariantsSay: after any changes by staff, for any parameters,
// the pages joined are all products that match and no other, in order; the
// price and the stock that filters and orders use are those on the card; and
// the card is that of the cheapest variant.
func TestListsSayWhatVariantsSay(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		for i := range 14 {
			s.CreateProduct(shopWords[i%7]+" "+shopWords[i/2], fields{
				"brand": shopWords[i/3], "category": fields{"slug": shopShelf[i%3], "name": "Shelf " + shopShelf[i%3]}, "published": i%5 != 0,
				"variants": []fields{
					storetest.VariantBody(fmt.Sprintf("A%d", i), fields{"pricePaise": shopPrices[i%6], "stock": shopStocks[i%4]}),
					storetest.VariantBody(fmt.Sprintf("B%d", i), fields{"pricePaise": shopPrices[i%5], "stock": shopStocks[i%3]}),
				},
			})
		}
		rapid.Check(t, func(t *rapid.T) {
			for range rapid.IntRange(1, 4).Draw(t, "edits") {
				s.edit(t, s.StoredProducts())
			}
			s.AuditCatalogue()
			all := s.StoredProducts()
			q := askShop(t, all)
			items := s.walk(t, q)
			s.compare(t, q, items, all)
			s.compareOne(t, pick(t, "one", all))
		})
		s.Audit()
	})
}

// compare holds a whole answer against what it must be.
func (s *site) compare(t *rapid.T, q shopQuestion, items []catalogue.ProductSummary, all []*catalogue.Product) {
	want, ranked := q.answer(all)
	got := make([]string, len(items))
	for i, item := range items {
		got[i] = item.ID.String()
		p := all[slices.IndexFunc(all, func(p *catalogue.Product) bool { return p.ID == item.ID })]
		if v := storetest.CheapestOf(p); item.CheapestVariant.ID != v.ID || item.CheapestVariant.PricePaise != v.PricePaise || item.CheapestVariant.InStock != (v.Stock > 0) {
			t.Errorf("the card of %s shows %+v; its cheapest is %+v", p.Name, item.CheapestVariant, v)
		}
	}
	if ranked {
		slices.Sort(got)
		slices.Sort(want)
	}
	if !slices.Equal(got, want) {
		t.Errorf("?%s lists\n%q; want\n%q", q.path(1), got, want)
	}
}

// compareOne holds a product's page against its row.
func (s *site) compareOne(t *rapid.T, p *catalogue.Product) {
	r := s.Get("/api/products/" + p.Slug)
	if !p.Published {
		r.Expect(404)
		return
	}
	var got catalogue.ProductDetail
	r.Expect(200).JSON(&got)
	want := catalogue.ProductDetail{
		ProductSummary: catalogue.ProductSummary{
			ID: p.ID, Slug: p.Slug, Name: p.Name, Brand: p.Brand, ImageURL: p.ImageURL,
			Category: catalogue.CategoryRef{Slug: p.Category.Slug, Name: p.Category.Name}, CheapestVariant: summaryOf(storetest.CheapestOf(p)),
		},
		Description: p.Description,
	}
	for _, v := range p.Variants {
		if !v.Archived {
			want.Variants = append(want.Variants, summaryOf(v))
		}
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if !bytes.Equal(a, b) {
		t.Errorf("%s is shown as\n%s; want\n%s", p.Name, a, b)
	}
}

func summaryOf(v *catalogue.Variant) catalogue.VariantSummary {
	return catalogue.VariantSummary{ID: v.ID, SKU: v.SKU, Label: v.Label, Unit: v.Unit, PricePaise: v.PricePaise, MRPPaise: v.MRPPaise, InStock: v.Stock > 0}
}
