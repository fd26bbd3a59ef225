package frameworktest

import (
	"context"
	"net/http"
	"testing"

	"trestle.example/framework"
)

// whoami is the answer of an endpoint that uses no table and returns the caller.
type whoami struct {
	ID        string `json:"id"`
	Scheme    string `json:"scheme"`
	Anonymous bool   `json:"anonymous"`
}

const whoamiPath = "/api/rows/whoami/"

func showWhoami(c *framework.Call, _ framework.None) (whoami, error) {
	return whoami{c.Caller.IDText(), c.Caller.Scheme, c.Caller.Anonymous()}, nil
}

// serveWhoami serves whoami for anyone, with a configuration.
func serveWhoami(tb testing.TB, c framework.Config) *Client {
	tb.Helper()
	if c.DB == nil {
		c.DB = emptyDatabase(tb)
	}
	c.Permission, c.Log = framework.Anyone(), errorLog(tb)
	api := framework.New(c)
	api.Register(framework.ViewSet[Row]{
		Name: "rows", Scope: framework.Public(),
		Collection: []framework.CollectionAction{framework.OnCollection(http.MethodGet, "whoami", showWhoami)},
	})
	return New(tb, handlerOf(tb, api))
}

// whoami calls the endpoint. prepare, if not nil, adds credentials to the request.
func (c *Client) whoami(prepare func(*http.Request)) *Response {
	c.tb.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, c.base+whoamiPath, nil)
	if err != nil {
		c.tb.Fatal(err)
	}
	if prepare != nil {
		prepare(r)
	}
	return c.exchange(r, nil)
}
