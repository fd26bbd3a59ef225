package declare

import (
	"net/http"

	"trestle.example/framework/call"
)

// RestoreName is the name of the endpoint that restores a deleted row, and the end of its path. It is also the change that a
// history records.
const RestoreName = "restore"

// SoftDelete says who may restore deleted rows, and who sees them. Without either, the viewset declares nothing.
type SoftDelete struct {
	Restore call.Permission
	Deleted call.Permission
}

// Declared reports whether a viewset declares it.
func (s SoftDelete) Declared() bool { return s.Restore != nil || s.Deleted != nil }

// Actions is the endpoint that restores a row.
func (s SoftDelete) Actions() []Action {
	if s.Restore == nil {
		return nil
	}
	return []Action{{
		Name: RestoreName, Method: http.MethodPost, OnObject: true, Restore: true, Rules: Rules{
			Permission: s.Restore, Doc: "Restore a row that is deleted. If it is not deleted, nothing changes.",
		},
	}}
}
