package report

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"trestle.example/framework/internal/spec"
)

// The names of the usual callers. Each other caller is named like the permission that it holds.
const (
	Visitor   = "visitor"
	Owner     = "owner" // a user, who makes the rows that others try to reach
	User      = "user"
	Staff     = "staff"
	Holder    = "holder of all"        // of the permissions
	Rest      = "holder of the others" // of the permissions that an endpoint does not name
	Superuser = "superuser"
)

// A Report is the result of a proof.
type Report struct {
	// Title and Version are those of the API.
	Title   string `json:"title"`
	Version string `json:"version"`
	// At is when the proof began, by the clock of the API.
	At time.Time `json:"at"`
	// Seed determines the requests.
	Seed uint64 `json:"seed"`
	// Callers are the kinds of callers, in the order of [Tried].Cells.
	Callers []string `json:"callers"`
	// Endpoints has every endpoint, in the order of registration.
	Endpoints []*Tried `json:"endpoints"`
	// FieldRules are the rules about fields, in the order of registration.
	FieldRules []FieldRule `json:"fieldRules"`
	// Findings are the leaks, in the order in which they were found.
	Findings []Finding `json:"findings"`
	// Unexercised are the endpoints that no request reached, with the reason and what would help.
	Unexercised []Finding `json:"unexercised"`
	// Unshared are the viewsets whose scope leads to a framework.Where, and whose rows only those saw who made them. What
	// leaks between callers who share rows there was not tried.
	Unshared []string `json:"unshared"`
	// Requests is how many requests were sent.
	Requests int `json:"requests"`
}

// Tried is an endpoint with what was tried.
type Tried struct {
	spec.RouteInfo

	Cells []Cell `json:"cells"`
}

// Succeeded reports whether a request to the endpoint succeeded.
func (e *Tried) Succeeded() bool { return slices.ContainsFunc(e.Cells, Cell.Succeeded) }

// A Cell is what one kind of caller got from an endpoint.
type Cell struct {
	// Access is the access of the caller by the declarations, "" if there is no caller of this kind for the endpoint.
	Access spec.Access `json:"access"`
	// Statuses counts the answers.
	Statuses map[int]int `json:"statuses"`
}

// Succeeded reports whether a request of the caller to the endpoint succeeded.
func (c Cell) Succeeded() bool {
	for status := range c.Statuses {
		if status >= http.StatusOK && status < http.StatusMultipleChoices {
			return true
		}
	}
	return false
}

// A FieldRule is a rule about a field of a viewset.
type FieldRule struct {
	ViewSet    string `json:"viewset"` // "manage/doctors"
	Field      string `json:"field"`
	Rule       string `json:"rule"`       // "sees" or "writes"
	Permission string `json:"permission"` // of the callers that see or write the field
}

// A Finding is one leak, or an endpoint that was not exercised.
type Finding struct {
	Method string `json:"method"`
	Path   string `json:"path"` // of the endpoint, "/api/patients/{id}/"
	Caller string `json:"caller"`
	What   string `json:"what"` // a sentence
	Curl   string `json:"curl"` // repeats the request, without credentials
	// Further is how many more findings of this kind there are at the endpoint by this caller.
	Further int `json:"further,omitempty"`
}

// String returns the finding in a few lines.
func (f Finding) String() string {
	text := f.Method + " " + f.Path + " by " + f.Caller + ": " + f.What
	if f.Further > 0 {
		text += fmt.Sprintf("\nFurther findings of this kind: %d. The first request:", f.Further)
	}
	if f.Curl != "" {
		text += "\n" + f.Curl
	}
	return text
}

// JoinRests joins the columns of all [Rest] callers into one. These columns are next to each other. For each endpoint, own has the
// index of the column whose access the joined column shows. An endpoint that is not in own has no access there.
func (r *Report) JoinRests(own map[*Tried]int) {
	first := slices.Index(r.Callers, Rest)
	if first < 0 {
		return
	}
	end := first
	for end < len(r.Callers) && r.Callers[end] == Rest {
		end++
	}
	r.Callers = slices.Replace(r.Callers, first, end, Rest)
	for _, e := range r.Endpoints {
		joined := Cell{Statuses: map[int]int{}}
		if at, some := own[e]; some {
			joined.Access = e.Cells[at].Access
		}
		for _, cell := range e.Cells[first:end] {
			for status, count := range cell.Statuses {
				joined.Statuses[status] += count
			}
		}
		e.Cells = slices.Replace(e.Cells, first, end, joined)
	}
}

// UnsharedSentence says what Unshared means, "" if there is no such viewset.
func (r *Report) UnsharedSentence() string {
	if len(r.Unshared) == 0 {
		return ""
	}
	return "No second user saw a row of " + strings.Join(r.Unshared, ", ") + ". What leaks between users who share such rows was not tried."
}

// Matrix returns the access of each caller to every endpoint as text, one line for each: what a
// visitor, a user, one of the staff and a superuser have, and the permissions that give a user more. After
// them it has a line for each rule about a field. It depends on the declarations alone.
func (r *Report) Matrix() string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "METHOD\tPATH")
	for _, name := range usualCallers {
		fmt.Fprintf(table, "\t%s", strings.ToUpper(name))
	}
	fmt.Fprintln(table, "\tROWS\tPERMISSIONS THAT GIVE MORE")
	for _, e := range r.Endpoints {
		fmt.Fprintf(table, "%s\t%s", e.Method, e.Path)
		for _, name := range usualCallers {
			fmt.Fprintf(table, "\t%s", e.Cells[slices.Index(r.Callers, name)].Access)
		}
		fmt.Fprintf(table, "\t%s\t%s\n", e.rows(), strings.Join(append(r.opening(e), "-"), " "))
	}
	if len(r.FieldRules) > 0 {
		fmt.Fprint(table, "\nVIEWSET\tFIELD\tRULE\tPERMISSION\n")
	}
	for _, rule := range r.FieldRules {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", rule.ViewSet, rule.Field, rule.Rule, rule.Permission)
	}
	_ = table.Flush() // a strings.Builder takes all
	lines := strings.Split(text.String(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.TrimSuffix(line, " -"), " ")
	}
	return strings.Join(lines, "\n")
}

// usualCallers are the callers that every program has.
var usualCallers = []string{Visitor, User, Staff, Superuser}

// rows describes the rows of a caller, and which of them the caller may change.
func (e *Tried) rows() string {
	if e.Writers == "" {
		return e.Scope
	}
	return e.Scope + "; changes " + e.Writers
}

// opening lists the permissions that give a user more access to an endpoint.
func (r *Report) opening(e *Tried) (names []string) {
	usual := e.Cells[slices.Index(r.Callers, User)].Access
	for i, name := range r.Callers {
		if !slices.Contains(append(usualCallers, Owner, Holder, Rest), name) && e.Cells[i].Access != usual {
			names = append(names, name+": "+string(e.Cells[i].Access))
		}
	}
	return names
}
