package seed

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"trestle.example/resources/internal/demo"
	"trestle.example/resources/store/catalogue"
)

// imageRoot is the address of the pictures, which do not exist.
const imageRoot = "https://images.store.example/"

// newProduct makes the product of a number, with its variants and their stocks before
// any sale, but without its category. The products below DefaultProducts are one of each
// kind, the categories in turn; the products beyond them differ by brand, grade and
// place from others of their kind.
func newProduct(i int) *catalogue.Product {
	shelf, at := categoryOf(i), i%DefaultProducts/len(demoCategories)
	good := shelf.goods[at]
	brand, name := shelf.named(good.name, at, i/DefaultProducts)
	dice, created := demo.Dice(productSeeds, i), arrivalOf(i)
	p := &catalogue.Product{
		ID: demo.ID(dice, created), Slug: catalogue.SlugOf(brand + " " + name), Name: name, Published: i%41 != 23,
		Version: 1, CreatedAt: created, UpdatedAt: created,
	}
	p.Brand = unlessEmpty(brand)
	if dice.IntN(12) != 0 {
		p.Description = unlessEmpty(good.about)
	}
	if dice.IntN(10) != 0 {
		p.ImageURL = unlessEmpty(imageRoot + "products/" + p.Slug + ".webp")
	}
	p.Variants = good.variants(dice, p, skuOf(shelf.code, i), shelf.loose(), priceFactor(dice, i))
	stockUp(dice, p.Variants)
	p.CopyCheapest()
	return p
}

// categoryOf is the category of a product.
func categoryOf(i int) *demoCategory { return &demoCategories[i%len(demoCategories)] }

// named is the brand and the name of the nth product of a good: a different pair for
// every n.
func (s *demoCategory) named(good string, at, n int) (brand, name string) {
	first := at
	if s.loose() {
		first = 0
	}
	brand = s.brands[(first+n)%len(s.brands)]
	n /= len(s.brands)
	words := []string{places[n/len(grades)%len(places)], grades[n%len(grades)], good}
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
	if series := n / (len(grades) * len(places)); series > 0 {
		words = append(words, "No.", strconv.Itoa(series+1))
	}
	return brand, strings.Join(words, " ")
}

// priceFactor is the price of a product in percent of its good's.
func priceFactor(dice *rand.Rand, i int) int64 {
	if i < DefaultProducts {
		return 100
	}
	return 85 + dice.Int64N(46)
}

// skuOf is the code with which the codes of a product's variants begin.
func skuOf(shelf string, i int) string { return fmt.Sprintf("%s-%03d-%03d", shelf, i/1000, i%1000) }

// variants makes the sizes of a product: a larger one costs a little less per unit.
func (g demoGood) variants(dice *rand.Rand, p *catalogue.Product, sku string, loose bool, percent int64) []*catalogue.Variant {
	var all []*catalogue.Variant
	var first int64
	for position, label := range strings.Split(g.sizes, ", ") {
		amount, unit, size := parseLabel(label)
		if position == 0 {
			first = size
		}
		v := &catalogue.Variant{
			ID: demo.ID(dice, p.CreatedAt), ProductID: p.ID, Label: label, Unit: unit, Position: int64(position),
			PricePaise: max(g.paise*size*percent/first/100_00*100, 100), CreatedAt: p.CreatedAt, UpdatedAt: p.CreatedAt,
		}
		v.SetSKU(sku + "-" + amount + strings.ToUpper(string(unit)))
		if !loose {
			v.MRPPaise = listPrice(dice, v.PricePaise)
		}
		all = append(all, v)
		percent = percent * 96 / 100
	}
	return all
}

// listPrice draws a list price in whole rupees, at least the price.
func listPrice(dice *rand.Rand, price int64) *int64 {
	mrp := price * (100 + demo.Pick(dice, []int64{0, 0, 5, 8, 10, 12, 15, 20})) / 100
	mrp = (mrp + 99) / 100 * 100
	return &mrp
}

// parseLabel reads a label, "2 kg": the amount, the unit, and how much that is in
// the smallest unit of its kind.
func parseLabel(label string) (amount string, unit catalogue.Unit, size int64) {
	amount, word, _ := strings.Cut(label, " ")
	size, _ = strconv.ParseInt(amount, 10, 64)
	switch unit = catalogue.Unit(word); unit {
	case catalogue.Kilogram, catalogue.Litre:
		size *= 1000
	case catalogue.Dozen:
		size *= 12
	case "pieces":
		unit = catalogue.Piece
	case "packs":
		unit = catalogue.Pack
	case "bunches":
		unit = catalogue.Bunch
	}
	return amount, unit, size
}

// stockUp sets the stocks of variants: a few products are out of stock, and a few
// variants are, or nearly.
func stockUp(dice *rand.Rand, variants []*catalogue.Variant) {
	none := dice.IntN(25) == 0
	for _, v := range variants {
		switch n := dice.IntN(100); {
		case none || n < 4:
		case n < 10:
			v.Stock = 1 + dice.Int64N(4)
		default:
			v.Stock = 30 + dice.Int64N(300)
		}
		v.InStock = v.Stock > 0
	}
}

func unlessEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
