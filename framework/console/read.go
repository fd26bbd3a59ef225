package console

import (
	"net/http"

	"trestle.example/framework/console/internal/client"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/wire"
)

// read reads an object from the API. Without one, the last result is the error of the API.
func (v *visit) read(e *spec.Endpoint, path, query string) (wire.Members, *client.Answer, *client.Rejection) {
	a := v.client.Send(v.w, v.r, client.Message{Method: http.MethodGet, Path: path, Query: query})
	if !a.OK() {
		p := client.ReadRejection(a)
		return nil, a, &p
	}
	answered, err := wire.ReadOrdered(a.Body())
	if err != nil {
		return nil, a, &client.Rejection{Status: http.StatusBadGateway, Title: "Bad gateway", Detail: "The answer of the API is no JSON."}
	}
	o, _ := answered.(wire.Members)
	if e.In != "" {
		o = o.At(e.In)
	}
	return o, a, nil
}
