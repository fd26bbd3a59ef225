// Package advice says which declaration helps a proof with an endpoint that it could not exercise.
package advice

import (
	"fmt"
	"net/http"

	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/sample"
)

// Rejecting is the advice if the declarations reject every caller.
const Rejecting = "the declarations reject every caller: list a kind of caller that its permission permits"

// Unmade is the advice if no row for an endpoint could be made. failed is the last answer of an endpoint that makes
// such rows, nil without one.
func Unmade(failed *exchange.Answer) string {
	if failed == nil {
		return "no row for it could be made: declare an endpoint that creates one and whose input has valid examples, or insert one by a migration; if actions lead to it, list viewsets and actions in the order in which a row goes through them"
	}
	return fmt.Sprintf("no row for it could be made: %s %s is answered %d: %s\n%s", failed.Method, failed.Path, failed.Status, sample.Clip(failed.Text), help(failed.Status))
}

// Rejected is the advice if an endpoint rejects each request.
func Rejected(last *exchange.Answer) string {
	return fmt.Sprintf("it is answered %d: %s\n%s", last.Status, sample.Clip(last.Text), help(last.Status))
}

// help says what to do about a status.
func help(status int) string {
	if status == http.StatusForbidden {
		return "Its function rejects callers that the declarations permit: declare the permission that it wants by Permit, or the rows that a caller may change by Writers"
	}
	return "Give the fields of its input examples that are valid, tag fields that are keys of rows with ref, or declare the endpoints that make the rows which it needs"
}
