package console

import (
	"encoding/json"
	"net/http"

	"trestle.example/framework/problem"
)

// A rejection is an error of the API.
type rejection struct {
	Status int             `json:"status"`
	Title  string          `json:"title"`
	Detail string          `json:"detail"`
	Code   string          `json:"code"`
	Faults []problem.Fault `json:"errors"`
}

// readProblem reads the error of an answer. An error in another shape has its status as its text.
func readProblem(a *answer) rejection {
	var p rejection
	if json.Unmarshal(a.body.Bytes(), &p) != nil || p.Detail == "" {
		p = rejection{Title: http.StatusText(a.status), Detail: http.StatusText(a.status)}
	}
	p.Status = a.status
	return p
}

// refuse answers with a page that says why there is no other.
func (v *visit) refuse(status int, detail string) {
	v.refuseWith(rejection{Status: status, Title: http.StatusText(status), Detail: detail})
}

// refuseWith answers with the error of the API.
func (v *visit) refuseWith(p rejection) {
	v.render(p.Status, "rejected", page{Title: p.Title, Data: p})
}
