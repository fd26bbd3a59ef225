//go:build ogen

package ogenclient_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/ogen-go/ogen/ogenerrors"

	"ogenclient.example/api"
)

// TestFlow keeps a patient's record, with a server whose address and demo user are in
// TRESTLE_URL, TRESTLE_EMAIL and TRESTLE_PASSWORD. No type is asserted that ogen did not
// generate: each error is the type of its code.
func TestFlow(t *testing.T) {
	c := client{t: t, token: ""}.connect()
	in, err := c.CreateAuthToken(t.Context(), api.NewEmailCredentialsInputCredentialsInput(api.EmailCredentialsInput{
		Email: setting(t, "TRESTLE_EMAIL"), Password: setting(t, "TRESTLE_PASSWORD"),
	}))
	script := client{t: t, token: want[*api.TokenHeaders](t, in, err).Response.Token}.connect()

	made, err := script.CreatePatient(t.Context(), &api.PatientInput{Name: "Zoya Khan", Phone: "+915060010099"}, api.CreatePatientParams{})
	patient := want[*api.PatientHeaders](t, made, err).Response
	read, err := script.GetPatient(t.Context(), api.GetPatientParams{ID: patient.ID})
	if got := want[*api.GetPatientOKHeaders](t, read, err).Response; got.Name != "Zoya Khan" || got.ID != patient.ID {
		t.Errorf("the patient is %+v", got)
	}
	listed, err := script.ListPatients(t.Context(), api.ListPatientsParams{Search: api.NewOptString("Zoya")})
	if got := want[*api.PatientsPageHeaders](t, listed, err).Response; got.Count < 1 || len(got.Results) == 0 {
		t.Errorf("the page is %+v; want the patient", got)
	}
	gone, err := script.DeletePatient(t.Context(), api.DeletePatientParams{ID: patient.ID})
	want[*api.DeletePatientNoContent](t, gone, err)
	read, err = script.GetPatient(t.Context(), api.GetPatientParams{ID: patient.ID})
	if got := want[*api.NotFoundHeaders](t, read, err).Response; got.Code != api.NotFoundProblemCodeNotFound || got.Status != 404 {
		t.Errorf("the error is %+v", got)
	}
}

// TestAnErrorOfSeveralCodes has the type of the code that came.
func TestAnErrorOfSeveralCodes(t *testing.T) {
	c := client{t: t, token: ""}.connect()
	in, err := c.CreateAuthToken(t.Context(), api.NewUsernameCredentialsInputCredentialsInput(api.UsernameCredentialsInput{
		Username: setting(t, "TRESTLE_EMAIL"), Password: setting(t, "TRESTLE_PASSWORD"),
	}))
	script := client{t: t, token: want[*api.TokenHeaders](t, in, err).Response.Token}.connect()
	placed, err := script.CreateOrder(t.Context(), &api.PlaceOrderInput{DeliveryAddress: api.NewOptNilAddressInput(api.AddressInput{
		Name: "Meera Iyer", Phone: "+915040070033", Line1: "7 Temple Street", City: "Chennai", State: "Tamil Nadu", Pincode: "600004",
	})}, api.CreateOrderParams{})
	switch problem := want[*api.CreateOrderConflictHeaders](t, placed, err).Response; problem.Type {
	case api.CartEmptyProblemCreateOrderConflict:
		if problem.CartEmptyProblem.Status != 409 {
			t.Errorf("the error is %+v", problem.CartEmptyProblem)
		}
	default:
		t.Errorf("the error is %+v; want an empty cart", problem)
	}
}

// A client sends a token with each request, "" for none.
type client struct {
	t     *testing.T
	token string
}

func (c client) connect() *api.Client {
	c.t.Helper()
	made, err := api.NewClient(strings.TrimSuffix(setting(c.t, "TRESTLE_URL"), "/"), c)
	if err != nil {
		c.t.Fatal(err)
	}
	return made
}

// BearerAuth implements [api.SecuritySource], as do the others.
func (c client) BearerAuth(context.Context, api.OperationName) (api.BearerAuth, error) {
	if c.token == "" {
		return api.BearerAuth{}, ogenerrors.ErrSkipClientSecurity
	}
	return api.BearerAuth{Token: c.token}, nil
}

func (client) CsrfAuth(context.Context, api.OperationName) (api.CsrfAuth, error) {
	return api.CsrfAuth{}, ogenerrors.ErrSkipClientSecurity
}

func (client) SessionAuth(context.Context, api.OperationName) (api.SessionAuth, error) {
	return api.SessionAuth{}, ogenerrors.ErrSkipClientSecurity
}

func (client) TokenAuth(context.Context, api.OperationName) (api.TokenAuth, error) {
	return api.TokenAuth{}, ogenerrors.ErrSkipClientSecurity
}

// want is a response of a type.
func want[T any](t *testing.T, response any, err error) T {
	t.Helper()
	got, ok := response.(T)
	if err != nil || !ok {
		t.Fatalf("the response is %T %+v, %v; want %T", response, response, err, got)
	}
	return got
}

func setting(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("set %s", name)
	}
	return value
}
