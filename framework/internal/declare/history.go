package declare

import (
	"net/http"

	"trestle.example/framework/call"
)

// HistoryName is the name of the endpoint of a row's history, and the end of its path.
const HistoryName = "history"

// History says who may read the recorded changes of a row, and which fields are not recorded. Without a
// permission, nothing is recorded.
type History struct {
	Permission call.Permission
	Except     []string
}

// Actions is the endpoint of a row's history.
func (h History) Actions() []Action {
	if h.Permission == nil {
		return nil
	}
	return []Action{{
		Name: HistoryName, Method: http.MethodGet, OnObject: true, History: true, Rules: Rules{
			Permission: h.Permission, Doc: "The changes of the row, the newest first: who changed which fields, when, and by which request.",
		},
	}}
}
