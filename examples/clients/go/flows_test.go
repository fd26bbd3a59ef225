package client_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	client "trestle.example/examples/clients/go"
	"trestle.example/internal/testserver/postgres"
)

func TestFlows(t *testing.T) {
	t.Parallel()
	program := build(t)
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":     sqlite,
		"postgresql": func(t *testing.T) string { return postgres.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, program, database(t))
			t.Run("a customer finds a product, orders it and thinks better of it", s.shop)
			t.Run("a script keeps the records of a clinic", s.keepRecords)
		})
	}
}

// shop is what a customer does, from the registration on.
func (s server) shop(t *testing.T) {
	customer := s.register(t, "meera@example.org", "four unrelated words")
	product := browse(t, customer)
	cart := fillCart(t, customer, product.CheapestVariant.ID)
	order := placeOrder(t, customer, cart)
	cancelOrder(t, customer, order)
}

// register makes an account and signs in to it.
func (s server) register(t *testing.T, email, password string) *client.ClientWithResponses {
	t.Helper()
	anyone := s.as(t, "")
	made := must(anyone.RegisterWithResponse(t.Context(), client.RegistrationInput{Email: email, Password: password}))
	account := ok(t, made.JSON201, made.JSONDefault)
	if account.User.Email != email || account.User.Role != "customer" {
		t.Errorf("the account is %+v", account.User)
	}
	in := must(anyone.LoginWithResponse(t.Context(), must(client.ByEmail(email, password))))
	return s.as(t, ok(t, in.JSON200, in.JSONDefault).Token)
}

// browse looks for something to buy.
func browse(t *testing.T, c *client.ClientWithResponses) *client.ProductDetail {
	t.Helper()
	shelves := must(c.ListCategoriesWithResponse(t.Context(), nil))
	if got := ok(t, shelves.JSON200, shelves.JSONDefault); len(got.Items) == 0 || got.Items[0].ProductCount == 0 {
		t.Fatalf("the categories are %+v", got)
	}
	const least, most = 5_000, 10_000 // some rice costs less, some more
	listed := must(c.ListProductsWithResponse(t.Context(), &client.ListProductsParams{
		Q: new("rice"), MinPaise: new(int64(least)), MaxPaise: new(int64(most)), InStock: new(true),
		Sort: new(client.ListProductsParamsSortPriceAsc),
	}))
	var prices []int64
	found := ok(t, listed.JSON200, listed.JSONDefault).Items
	for _, p := range found {
		prices = append(prices, p.CheapestVariant.PricePaise)
	}
	if len(prices) == 0 || !slices.IsSorted(prices) || prices[0] < least || prices[len(prices)-1] > most {
		t.Fatalf("the prices are %v; want some, ascending, from %d to %d", prices, least, most)
	}
	shown := must(c.GetProductWithResponse(t.Context(), found[0].Slug))
	return ok(t, shown.JSON200, shown.JSONDefault)
}

// fillCart puts a variant into the cart and changes its mind about how many.
func fillCart(t *testing.T, c *client.ClientWithResponses, variant uuid.UUID) *client.Cart {
	t.Helper()
	added := must(c.CreateCartItemWithResponse(t.Context(), nil, client.CartItemInput{VariantID: variant, Quantity: new(int64(1))}))
	cart := ok(t, added.JSON201, added.JSONDefault)
	changed := must(c.UpdateCartItemWithResponse(t.Context(), cart.Items[0].ID, client.PatchedQuantityInput{Quantity: new(int64(2))}))
	cart = ok(t, changed.JSON200, changed.JSONDefault)
	if cart.TotalQuantity != 2 || cart.SubtotalPaise != 2*cart.Items[0].UnitPricePaise || !cart.CanOrder {
		t.Errorf("the cart is %+v; want two of one variant", cart)
	}
	return cart
}

// placeOrder orders the cart, and repeats the request as a client without an answer does.
func placeOrder(t *testing.T, c *client.ClientWithResponses, cart *client.Cart) *client.Order {
	t.Helper()
	once := &client.CreateOrderParams{IdempotencyKey: new(uuid.NewString())}
	body := client.PlaceOrderInput{
		ExpectedTotalPaise: &cart.TotalPaise,
		DeliveryAddress: &client.AddressInput{
			Name: "Meera Iyer", Phone: "+915040070033", Line1: "7 Temple Street", City: "Chennai", State: "Tamil Nadu", Pincode: "600004",
		},
	}
	placed := must(c.CreateOrderWithResponse(t.Context(), once, body))
	order := ok(t, placed.JSON201, placed.JSONDefault)
	again := must(c.CreateOrderWithResponse(t.Context(), once, body))
	if same := ok(t, again.JSON201, again.JSONDefault); same.ID != order.ID || again.HTTPResponse.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the same request orders %s once more; want %s", same.Number, order.Number)
	}
	read := must(c.GetOrderWithResponse(t.Context(), order.ID))
	if got := ok(t, read.JSON200, read.JSONDefault); got.Status != client.OrderStatusPlaced || got.TotalPaise != cart.TotalPaise {
		t.Errorf("the order is %+v; want it placed, at %d", got, cart.TotalPaise)
	}
	return order
}

// cancelOrder cancels, and reads why that cannot be done twice.
func cancelOrder(t *testing.T, c *client.ClientWithResponses, order *client.Order) {
	t.Helper()
	done := must(c.CancelOrderWithResponse(t.Context(), order.ID, nil, client.CancelInput{Reason: new("too much rice")}))
	if got := ok(t, done.JSON200, done.JSONDefault); got.Status != client.OrderStatusCancelled || got.CancelledAt == nil || got.CanCancel {
		t.Errorf("the order is %+v; want it cancelled", got)
	}
	again := must(c.CancelOrderWithResponse(t.Context(), order.ID, nil, client.CancelInput{}))
	problem := problemOf(t, again.JSON200, again.JSONDefault, http.StatusConflict, "order_not_cancellable")
	facts, err := client.Details[client.CancelDetails](problem)
	if err != nil {
		t.Fatal(err)
	}
	if facts.Status != client.CancelDetailsStatusCancelled || !slices.Contains(facts.CancellableFrom, client.CancelDetailsCancellableFromPlaced) {
		t.Errorf("the details are %+v", facts)
	}
}

// keepRecords is what a script does with a token of its own.
func (s server) keepRecords(t *testing.T) {
	in := must(s.as(t, "").CreateAuthTokenWithResponse(t.Context(), must(client.ByEmail(s.email, s.password))))
	script := s.as(t, ok(t, in.JSON200, in.JSONDefault).Token)
	searchPatients(t, script)
	turnPages(t, script)
	changePatient(t, script)
	refusePatient(t, script)
}

// searchPatients uses search, filter and order at once.
func searchPatients(t *testing.T, c *client.ClientWithResponses) {
	t.Helper()
	listed := must(c.ListPatientsWithResponse(t.Context(), &client.ListPatientsParams{
		Search: new("an"), City: new("Pune"),
		Ordering: &[]client.ListPatientsParamsOrdering{client.ListPatientsParamsOrderingCity, client.ListPatientsParamsOrderingMinusName},
	}))
	var names []string
	for _, p := range ok(t, listed.JSON200, listed.JSONDefault).Results {
		if p.City != "Pune" || !strings.Contains(strings.ToLower(p.Name)+p.Phone, "an") {
			t.Errorf("%s of %s is found; want an in the name, and Pune", p.Name, p.City)
		}
		names = append(names, p.Name)
	}
	if len(names) < 2 || !slices.IsSortedFunc(names, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("the names are %q; want some, descending", names)
	}
}

// turnPages reads two pages, which have no patient in common.
func turnPages(t *testing.T, c *client.ClientWithResponses) {
	t.Helper()
	first := must(c.ListPatientsWithResponse(t.Context(), nil))
	page := ok(t, first.JSON200, first.JSONDefault)
	if page.Next == nil || page.Previous != nil || page.Count <= int64(len(page.Results)) {
		t.Fatalf("the first page is %+v; want one that others follow", page)
	}
	second := must(c.ListPatientsWithResponse(t.Context(), &client.ListPatientsParams{Page: new(int64(2))}))
	for _, p := range ok(t, second.JSON200, second.JSONDefault).Results {
		if slices.ContainsFunc(page.Results, func(other client.Patient) bool { return other.ID == p.ID }) {
			t.Errorf("%s is on both pages", p.Name)
		}
	}
}

// changePatient makes a patient, changes one field and deletes it. A change of an older version is rejected.
func changePatient(t *testing.T, c *client.ClientWithResponses) {
	t.Helper()
	made := must(c.CreatePatientWithResponse(t.Context(), nil, client.PatientInput{Name: "Zoya Khan", Phone: "+915060010099", City: new("Pune")}))
	patient := ok(t, made.JSON201, made.JSONDefault)
	old := made.HTTPResponse.Header.Get("ETag")
	patched := must(c.UpdatePatientWithResponse(t.Context(), patient.ID, &client.UpdatePatientParams{IfMatch: &old}, client.PatchedPatientInput{City: new("Mumbai")}))
	if got := ok(t, patched.JSON200, patched.JSONDefault); got.City != "Mumbai" || got.Name != "Zoya Khan" {
		t.Errorf("the patient is %+v; want another city and the same name", got)
	}
	stale := must(c.UpdatePatientWithResponse(t.Context(), patient.ID, &client.UpdatePatientParams{IfMatch: &old}, client.PatchedPatientInput{City: new("Delhi")}))
	problemOf(t, stale.JSON200, stale.JSONDefault, http.StatusPreconditionFailed, "precondition_failed")
	history := must(c.GetPatientHistoryWithResponse(t.Context(), patient.ID, nil))
	if got := ok(t, history.JSON200, history.JSONDefault).Results; len(got) != 2 || got[0].Type != "patients.updated" || got[1].Type != "patients.created" {
		t.Errorf("the history is %+v; want a change and the creation", got)
	}
	deleted := must(c.DeletePatientWithResponse(t.Context(), patient.ID, nil))
	if deleted.StatusCode() != http.StatusNoContent {
		t.Errorf("deleting answers %d: %v", deleted.StatusCode(), deleted.JSONDefault)
	}
	gone := must(c.GetPatientWithResponse(t.Context(), patient.ID, nil))
	problemOf(t, gone.JSON200, gone.JSONDefault, http.StatusNotFound, "not_found")
}

// refusePatient reads every fault of a patient that cannot be.
func refusePatient(t *testing.T, c *client.ClientWithResponses) {
	t.Helper()
	made := must(c.CreatePatientWithResponse(t.Context(), nil, client.PatientInput{Name: "", Phone: "1"}))
	problem := problemOf(t, made.JSON201, made.JSONDefault, http.StatusBadRequest, "validation_failed")
	faults := map[string]client.FaultCode{}
	for _, f := range problem.Errors {
		if f.Pointer != nil {
			faults[*f.Pointer] = f.Code
		}
	}
	if len(problem.Errors) != 2 || faults["/name"] != client.FaultCodeRequired || faults["/phone"] != client.FaultCodeMin {
		t.Errorf("the faults are %v; want the name required, the phone too short", faults)
	}
}

// as is a client with a token.
func (s server) as(t *testing.T, token string) *client.ClientWithResponses {
	t.Helper()
	return must(client.New(s.url, token))
}

// must is an answer, whatever it says, of a server that can be reached.
func must[T any](answer T, err error) T {
	if err != nil {
		panic(err)
	}
	return answer
}

// ok is what a request is answered that should succeed.
func ok[T any](t *testing.T, answer *T, refusal *client.Problem) *T {
	t.Helper()
	switch {
	case refusal != nil:
		t.Fatalf("it is refused: %v", refusal)
	case answer == nil:
		t.Fatal("the answer is not one that the reference tells of")
	}
	return answer
}

// problemOf returns the problem of a request that should fail.
func problemOf[T any](t *testing.T, answer *T, refusal *client.Problem, status int, code string) *client.Problem {
	t.Helper()
	if refusal == nil {
		t.Fatalf("it is answered %+v; want %d %s", answer, status, code)
	}
	if refusal.Status != status || refusal.Code != code {
		t.Fatalf("it is refused: %v; want %d %s", refusal, status, code)
	}
	return refusal
}
