package store_test

import (
	"maps"
	"testing"

	"trestle.example/resources/store/internal/storetest"
)

// notLines are texts that would not read as one line does.
var notLines = map[string]string{
	"lines":                     "12 Lake Road\r\nDeliver for free",
	"a tabulator":               "12\tLake Road",
	"an escape of a terminal":   "12 Lake Road\x1b[2J",
	"a separator of lines":      "12 Lake Road\u2028Deliver for free",
	"an override of direction":  "12 \u202edaoR ekaL",
	"an isolate":                "12 \u2066Lake Road",
	"a mark of direction alone": "12 Lake Road\u200f",
	"marks of direction only":   "\u200b\u202e",
}

// TestTextOfOneLine: text for a label or a row is one line,
// and text of invisible characters counts as blank.
func TestTextOfOneLine(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		const unseen = "\u200b\ufe0f"
		s.AddToCart("ada", s.Shelve(storetest.Good{Stock: 9})[0], 1)
		order := func(member, text string) (string, any) {
			a := storetest.AddressBody()
			a[member] = text
			return "/api/orders", fields{"deliveryAddress": a}
		}
		for _, member := range []string{"name", "line1", "line2", "landmark", "city", "state"} {
			for about, text := range notLines {
				path, body := order(member, text)
				if r := s.ClientOf("ada").Post(path, body); r.Status() != 400 {
					t.Errorf("%s of an address: %s: status %d", member, about, r.Status())
				} else {
					r.Fault("/deliveryAddress/"+member, "line")
				}
			}
			if member == "line2" || member == "landmark" {
				continue
			}
			path, body := order(member, unseen)
			s.ClientOf("ada").Post(path, body).Expect(400).Fault("/deliveryAddress/"+member, "required")
		}

		p := s.CreateProduct("Tea", fields{"variants": []fields{storetest.VariantBody("T1", nil)}})
		for _, c := range []struct {
			pointer string
			body    func(text string) fields
			blank   string // the code of invisible text; "" if it may be blank
		}{
			{"/name", func(text string) fields { return fields{"name": text} }, "required"},
			{"/brand", func(text string) fields { return fields{"brand": text} }, ""},
			{"/category/name", func(text string) fields { return fields{"category": fields{"slug": "new", "name": text}} }, ""},
			{"/variants/0/sku", func(text string) fields { return fields{"variants": []fields{storetest.VariantBody(text, nil)}} }, "filled"},
			{"/variants/0/label", func(text string) fields {
				return fields{"variants": []fields{storetest.VariantBody("T2", fields{"label": text})}}
			}, "filled"},
		} {
			for about, text := range notLines {
				made := storetest.ProductBody("Rice", nil)
				maps.Copy(made, c.body(text))
				for _, r := range []int{s.ClientOf("staff").Post(storetest.ProductsPath, made).Fault(c.pointer, "line").Status(), s.PatchProduct(p, c.body(text)).Fault(c.pointer, "line").Status()} {
					if r != 400 {
						t.Errorf("%s: %s: status %d", c.pointer, about, r)
					}
				}
			}
			if c.blank != "" {
				s.PatchProduct(p, c.body(unseen)).Expect(400).Fault(c.pointer, c.blank)
			}
		}
		s.PatchProduct(p, fields{"category": fields{"slug": "new", "name": "\u200b\u202e"}}).Expect(400).Fault("/category/name", "line")
		s.PatchProduct(p, fields{"category": fields{"slug": "new", "name": "\u200b"}}).Expect(400).Fault("/category/slug", "invalid_reference")
		for _, text := range []string{"क्\u200dष, दूसरी मंज़िल", "شارع ١٢", "12/4 \"Lake\" <Road> & Sons"} { // any script, and signs
			path, body := order("line1", text)
			s.ClientOf("ada").Post(path, body).Expect(201).Contains("line1")
			s.AddToCart("ada", s.Shelve(storetest.Good{Stock: 9})[0], 1)
		}
		s.PatchProduct(p, fields{"description": "Two\nlines."}).Expect(200)
	})
}
