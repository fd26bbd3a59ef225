package declare

import (
	"net/http"

	"trestle.example/framework/call"
)

// TotalsName is the name of the endpoint of the totals of a list, and the end of its path.
const TotalsName = "totals"

// Totals has the fields by which clients may group the rows of a list, and the fields that they may add up or whose least and
// greatest values they may request. Without a field, the viewset declares nothing. A nil permission is that of the list, and 0 groups are the default.
type Totals struct {
	By, Sum, Min, Max []string
	Param             string
	MaxGroups         int
	Permission        call.Permission
}

// Declared reports whether a viewset declares a field.
func (t Totals) Declared() bool { return len(t.By)+len(t.Sum)+len(t.Min)+len(t.Max) > 0 }

// Actions is the endpoint of the totals of a list. Authentication, throttles, filters and middleware are those of the verb List.
func (t Totals) Actions(list Verb) []Action {
	if !t.Declared() {
		return nil
	}
	own := Rules{
		Permission: t.Permission, Authentication: list.Authentication, Throttles: list.Throttles, Filters: list.Filters,
		Middleware: list.Middleware, Refuses: list.Refuses, Sends: list.Sends, Takes: list.Takes,
		Doc: "Count the rows of the list, and compute totals of their fields. The rows are those of the list, on all its pages.",
	}
	if own.Permission == nil {
		own.Permission = list.Permission
	}
	return []Action{{Name: TotalsName, Method: http.MethodGet, Totals: true, Rules: own}}
}
