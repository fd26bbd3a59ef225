// Package packing has the pages of the console for the people who pack orders: the queue of orders with their next steps, the
// variants that run low, and a slip for each parcel.
package packing

import (
	"embed"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"trestle.example/framework/console"
)

//go:embed queue.html slip.html packing.css
var files embed.FS

// Pages are the queue and the slips.
func Pages() []console.Page {
	return []console.Page{
		{
			Path: "packing/", Title: "Packing", Group: "Store", Files: files, Template: "queue.html", Style: "packing.css", Data: readQueue,
			Needs: []string{
				"GET /admin/orders", "GET /admin/variants", "POST /admin/orders/{id}/confirm", "POST /admin/orders/{id}/pack",
				"POST /admin/orders/{id}/dispatch", "POST /admin/orders/{id}/deliver",
			},
		},
		{
			Path: "packing/{number}/", Title: "Packing slip", Files: files, Template: "slip.html", Style: "packing.css", Data: readSlip,
			Needs: []string{"GET /admin/orders"},
		},
	}
}

// Tiles are the numbers that packers need first.
func Tiles() []console.Tile {
	return []console.Tile{
		{Title: "Orders to confirm", Path: "/admin/orders?status=placed"},
		{Title: "Orders to pack", Path: "/admin/orders?status=confirmed"},
		{Title: "Variants that run low", Path: "/admin/variants?maxStock=" + strconv.Itoa(low) + "&archived=false"},
	}
}

const (
	low       = 5  // the stock from which a variant runs low
	mostShown = 50 // orders of a stage, and variants that run low
)

// An order is what the pages show of an order.
type order struct {
	ID, Number, Status, Notes string
	ItemCount                 int
	PlacedAt                  time.Time
	TotalPaise                int64
	Items                     []item
	DeliverySlot              struct{ StartsAt, EndsAt time.Time }
	DeliveryAddress           struct {
		Name, Phone, Line1, City, State, Pincode string
		Line2, Landmark                          *string
	}

	Next console.Link // its next step
}

// An item is a line of an order.
type item struct {
	Name, Label, SKU string
	Quantity         int
}

// Slip is the address of the order's slip below the queue.
func (o *order) Slip() string { return url.PathEscape(o.Number) + "/" }

// Slot is the time of the delivery.
func (o *order) Slot() string {
	return o.DeliverySlot.StartsAt.UTC().Format("Mon 2 Jan, 15:04") + "–" + o.DeliverySlot.EndsAt.UTC().Format("15:04 UTC")
}

// Total is what the buyer pays.
func (o *order) Total() string {
	shown, _ := console.Money("₹", 2)(strconv.FormatInt(o.TotalPaise, 10))
	return shown
}

// A stage is the orders of one status, the oldest first.
type stage struct {
	Status, Title, action, verb string

	Orders []*order
	More   console.Link // all of them, if there are more than are shown
}

// stages returns those of an order on its way.
func stages() []*stage {
	return []*stage{
		{Status: "placed", Title: "Placed", action: "confirm", verb: "Confirm"},
		{Status: "confirmed", Title: "Confirmed", action: "pack", verb: "Pack"},
		{Status: "packed", Title: "Packed", action: "dispatch", verb: "Dispatch"},
		{Status: "out_for_delivery", Title: "Out for delivery", action: "deliver", verb: "Deliver"},
	}
}

// A variant is one that runs low.
type variant struct {
	ID, SKU, Product, Label string
	Stock                   int

	Set console.Link // the form that sets its stock
}

// A queue is what the page of the queue shows.
type queue struct {
	Stages []*stage
	Low    []*variant
	More   console.Link // all variants that run low, if there are more than are shown
}

// readQueue reads the orders on their way and the variants that run low.
func readQueue(v console.Visit) (any, error) {
	q := queue{Stages: stages()}
	for _, s := range q.Stages {
		if err := s.read(v); err != nil {
			return nil, err
		}
	}
	address := "/admin/variants?archived=false&maxStock=" + strconv.Itoa(low)
	whole, err := v.ReadRows(address, mostShown, &q.Low)
	if err != nil {
		return nil, err
	}
	for _, one := range q.Low {
		stock := strconv.Itoa(one.Stock)
		one.Set = v.Form("Set stock", http.MethodPatch, "/admin/variants/"+url.PathEscape(one.ID)+"/stock",
			console.Field{Name: "stock", Value: stock}, console.Field{Name: "expectedStock", Value: stock})
		one.Set.About = "of " + one.SKU
	}
	if !whole {
		q.More = v.Link("All that run low", address)
	}
	return q, nil
}

// read reads the orders of a stage, with their next steps.
func (s *stage) read(v console.Visit) error {
	address := "/admin/orders?sort=oldest&status=" + s.Status
	whole, err := v.ReadRows(address, mostShown, &s.Orders)
	if err != nil {
		return err
	}
	for _, o := range s.Orders {
		o.Next = v.Step(s.verb, http.MethodPost, "/admin/orders/"+url.PathEscape(o.ID)+"/"+s.action)
		o.Next.About = "order " + o.Number
	}
	if !whole {
		s.More = v.Link("All of them", address)
	}
	return nil
}

// readSlip reads the order of a slip.
func readSlip(v console.Visit) (any, error) {
	var found []*order
	_, err := v.ReadRows("/admin/orders?"+url.Values{"number": {v.Key("number")}}.Encode(), 1, &found)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, console.NotFound("No order has this number.")
	}
	v.SetTitle("Packing slip " + found[0].Number)
	return found[0], nil
}
