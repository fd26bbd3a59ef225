package declare

import (
	"net/http"

	"trestle.example/framework/call"
)

// ReadsName is the name of the endpoint of a row's reads, and the end of its path.
const ReadsName = "reads"

// Reads says who may see who read a row. Without a permission, nothing is recorded.
type Reads struct{ Permission call.Permission }

// Actions is the endpoint of a row's reads.
func (r Reads) Actions() []Action {
	if r.Permission == nil {
		return nil
	}
	return []Action{{
		Name: ReadsName, Method: http.MethodGet, OnObject: true, Reads: true, Rules: Rules{
			Permission: r.Permission, Doc: "The requests whose answers showed the row, the newest first: who sent them, when, and with which parameters.",
		},
	}}
}
