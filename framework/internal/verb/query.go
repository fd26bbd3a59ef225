package verb

import (
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/ignored"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

// ReadParams returns the known parameters of a query string. It trims white space and leaves out
// empty parameters. A known parameter that is sent more than once is an error. Unknown parameters
// are handled by [Handler.IgnoreQuery]. The error lists all invalid parameters.
func (e Handler) ReadParams(c *call.Call, sent url.Values) (query.Values, error) {
	known := query.Values{}
	var faults []problem.Fault
	for _, p := range e.Params {
		list := sent[p.Name]
		switch {
		case len(list) > 1:
			faults = append(faults, problem.Fault{Parameter: p.Name, Code: problem.CodeInvalidParameter, Detail: "is given more than once"})
		case len(list) == 1 && strings.TrimSpace(list[0]) != "":
			known[p.Name] = strings.TrimSpace(list[0])
		}
	}
	var all fault.List
	if len(faults) > 0 {
		all.Add(fault.InvalidParameters(faults))
	}
	all.Add(e.IgnoreQuery(c, sent))
	return known, all.Err()
}

// IgnoreQuery notes the unknown parameters of a query string, for the header Trestle-Ignored.
// If the resource is strict, it notes nothing, and the error lists the unknown parameters.
func (e Handler) IgnoreQuery(c *call.Call, sent url.Values) error {
	var unknown []string
	for name := range sent {
		if !slices.ContainsFunc(e.Params, func(p query.Param) bool { return p.Name == name }) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	names := make([]string, len(e.Params))
	for i, p := range e.Params {
		names[i] = p.Name
	}
	var faults []problem.Fault
	for _, name := range unknown {
		near := naming.Nearest(name, names)
		if !e.Resource.Ignores(c, ignored.Name(name, near)) {
			faults = append(faults, problem.Fault{Parameter: name, Code: problem.CodeInvalidParameter, Detail: "is not known here" + naming.Suggestion(near)})
		}
	}
	if len(faults) > 0 {
		return fault.InvalidParameters(faults)
	}
	return nil
}
