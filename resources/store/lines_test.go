package store_test

import (
	"maps"
	"testing"
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
}

// TestTextOfOneLine: what is printed on a label or shown in a row is one line,
// and text that nobody sees is none.
func TestTextOfOneLine(t *testing.T) {
	shop(t, func(t *testing.T, s *site) {
		const unseen = "\u200b\u202e"
		s.puts("ada", s.shelve(good{stock: 9})[0], 1)
		order := func(member, text string) (string, any) {
			a := address()
			a[member] = text
			return "/api/orders", fields{"deliveryAddress": a}
		}
		for _, member := range []string{"name", "line1", "line2", "landmark", "city", "state"} {
			for about, text := range notLines {
				path, body := order(member, text)
				if r := s.as("ada").Post(path, body); r.Status() != 400 {
					t.Errorf("%s of an address: %s: status %d", member, about, r.Status())
				} else {
					r.Fault("/deliveryAddress/"+member, "line")
				}
			}
			if member == "line2" || member == "landmark" {
				continue
			}
			path, body := order(member, unseen)
			s.as("ada").Post(path, body).Expect(400).Fault("/deliveryAddress/"+member, "required")
		}

		p := s.offer("Tea", fields{"variants": []fields{variant("T1", nil)}})
		for _, c := range []struct {
			pointer string
			body    func(text string) fields
			blank   string // the code of text that nobody sees; none if it may be blank
		}{
			{"/name", func(text string) fields { return fields{"name": text} }, "required"},
			{"/brand", func(text string) fields { return fields{"brand": text} }, ""},
			{"/category/name", func(text string) fields { return fields{"category": fields{"slug": "new", "name": text}} }, ""},
			{"/variants/0/sku", func(text string) fields { return fields{"variants": []fields{variant(text, nil)}} }, "required"},
			{"/variants/0/label", func(text string) fields { return fields{"variants": []fields{variant("T2", fields{"label": text})}} }, "required"},
		} {
			for about, text := range notLines {
				made := product("Rice", nil)
				maps.Copy(made, c.body(text))
				for _, r := range []int{s.as("staff").Post(newProduct, made).Fault(c.pointer, "line").Status(), s.patch(p, c.body(text)).Fault(c.pointer, "line").Status()} {
					if r != 400 {
						t.Errorf("%s: %s: status %d", c.pointer, about, r)
					}
				}
			}
			if c.blank != "" {
				s.patch(p, c.body(unseen)).Expect(400).Fault(c.pointer, c.blank)
			}
		}
		s.patch(p, fields{"category": fields{"slug": "new", "name": unseen}}).Expect(400).Fault("/category/slug", "invalid_reference")
		for _, text := range []string{"क्\u200dष, दूसरी मंज़िल", "شارع ١٢", "12/4 \"Lake\" <Road> & Sons"} { // any script, and signs
			path, body := order("line1", text)
			s.as("ada").Post(path, body).Expect(201).Contains("line1")
			s.puts("ada", s.shelve(good{stock: 9})[0], 1)
		}
		s.patch(p, fields{"description": "Two\nlines."}).Expect(200)
	})
}
