package console

import (
	"net/http"

	"trestle.example/framework/console/internal/client"
)

// noAddress is the error for an address without a page.
const noAddress = "The API has no such address."

// refuse answers with a page that says why there is no other.
func (v *visit) refuse(status int, detail string) {
	v.refuseWith(client.Rejection{Status: status, Title: http.StatusText(status), Detail: detail})
}

// refuseWith answers with the error of the API.
func (v *visit) refuseWith(p client.Rejection) {
	v.render(p.Status, "rejected", page{Title: p.Title, Data: p})
}
