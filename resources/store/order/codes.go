package order

import (
	"net/http"

	"trestle.example/framework"
)

// The codes of errors of orders.
const (
	codeCartEmpty           = "cart_empty"
	codeCartChanged         = "cart_changed"
	codeSlotUnavailable     = "slot_unavailable"
	codeOrderLimit          = "order_limit"
	codeOrderNotCancellable = "order_not_cancellable"
	codeIllegalTransition   = "illegal_transition"
)

// Codes explains the codes of errors of orders, for [framework.Config].
var Codes = []framework.CodeInfo{
	{
		Code: codeCartEmpty, Status: http.StatusConflict, Title: "The cart is empty",
		Text: "There is nothing to order. If you sent a request to order before, check the list of orders: it may have been done.",
	},
	{
		Code: codeCartChanged, Status: http.StatusConflict, Title: "The cart comes to another total",
		Details: CartChangedDetails{},
		Text:    "The cart no longer costs what expectedTotalPaise says, and nothing was ordered. details has the current total and lines; show them to the buyer and send the request again.",
	},
	{
		Code: codeSlotUnavailable, Status: http.StatusConflict, Title: "The delivery slot is not available",
		Text: "The slot is full, takes no more orders, or does not exist. Load the cart again for the slots that are open.",
	},
	{
		Code: codeOrderLimit, Status: http.StatusConflict, Title: "Too many orders on their way",
		Details: OrderLimitDetails{},
		Text:    "A user has at most 3 orders in one delivery slot, and at most 20 in all, that are neither delivered nor cancelled. Nothing was ordered. details.limit is the number and details.per is the limit's name: at the limit per slot choose another slot; at the limit per user wait for a delivery, or cancel an order.",
	},
	{
		Code: codeOrderNotCancellable, Status: http.StatusConflict, Title: "The order can no longer be cancelled",
		Details: CancelDetails{},
		Text:    "Orders can be cancelled until they are packed, and once. details.status is the order's status now.",
	},
	{
		Code: codeIllegalTransition, Status: http.StatusConflict, Title: "Not the order's next step",
		Details: TransitionDetails{},
		Text:    "An order is confirmed, packed, dispatched and delivered, in this order. details has its status and the actions that it allows.",
	},
}
