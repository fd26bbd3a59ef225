package order

import (
	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/page"
)

// AdminOrderView is an order as staff see it.
type AdminOrderView struct {
	OrderView

	Notes string `json:"notes" doc:"The buyer's notes for the delivery."`
}

// TransitionDetails are the details of the code illegal_transition.
type TransitionDetails struct {
	Status  Status   `json:"status"  doc:"What the order's status is."`
	Allowed []string `json:"allowed" doc:"The actions that this status allows: confirm, pack, dispatch or deliver." example:"[\"confirm\"]"`
}

// AdminOrders serves /admin/orders: the orders of all users, for staff, who move them
// from status to status.
var AdminOrders = framework.ViewSet[Order]{
	Name:      "orders",
	Under:     "admin",
	Doc:       "The orders of all buyers, for staff. Each action returns the whole order.",
	Verbs:     framework.Verbs{List: framework.Computes(adminOrderView, "items")},
	Scope:     framework.Public(),
	Relations: framework.Relations{"items": framework.OfRow},
	Filters: []framework.Filter{
		filter.Exact("status"),
		filter.Exact("number"),
	},
	Ordering: framework.Ordering{
		Param: "sort", Default: "newest", Named: []framework.NamedOrder{{Name: "newest", By: newestFirst}, {Name: "oldest", By: "placedAt,id"}},
	},
	Pagination: page.Screen{},
	Export:     []framework.Media{framework.CSV, framework.NDJSON},
	Permission: framework.Staff(),
	Strict:     framework.Strict,
	Slash:      framework.WithoutSlash,
	Actions: []framework.Action[Order]{
		confirming.byStaff("Confirm an order: the store took it on."),
		packing.byStaff("Pack an order, which can no longer be cancelled then."),
		dispatching.byStaff("Dispatch an order: it left the store."),
		delivering.byStaff("Deliver an order: it arrived."),
	},
}

// byStaff serves POST /admin/orders/{id}/{action}.
func (t transition) byStaff(doc string) framework.Action[Order] {
	return framework.Post(t.action, func(c *framework.Call, o *Order, _ framework.None) (AdminOrderView, error) {
		switch made, err := t.advance(c, o); {
		case err != nil:
			return AdminOrderView{}, err
		case !made:
			return AdminOrderView{}, framework.Conflict(codeIllegalTransition, "An order in this status cannot take this step; details has those it can.").
				With(TransitionDetails{Status: o.Status, Allowed: allowed(o.Status)})
		}
		if err := loadItems(c, o); err != nil {
			return AdminOrderView{}, err
		}
		return adminOrderView(c, o)
	}).Refuses(codeIllegalTransition).Doc(doc)
}

func adminOrderView(c *framework.Call, o *Order) (AdminOrderView, error) {
	view, err := orderView(c, o)
	return AdminOrderView{OrderView: view, Notes: o.Notes}, err
}
