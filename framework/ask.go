package framework

import (
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// ask sorts a list's query string: what the endpoint knows, once each and not
// empty, and what it ignores.
func (e *endpoint) ask(c *Call, query url.Values) (Values, error) {
	known := Values{}
	var faults []problem.Fault
	for _, p := range e.params {
		list := query[p.Name]
		switch {
		case len(list) > 1:
			faults = append(faults, problem.Fault{Parameter: p.Name, Code: problem.CodeInvalidParameter, Detail: "is given more than once"})
		case len(list) == 1 && strings.TrimSpace(list[0]) != "":
			known[p.Name] = strings.TrimSpace(list[0])
		}
	}
	var all problem.FaultList
	if len(faults) > 0 {
		all.Add(problem.InvalidParameters(faults))
	}
	all.Add(e.ignoreQuery(c, query))
	return known, all.Err()
}

// ignoreQuery notes the parameters that have no effect, or rejects them.
func (e *endpoint) ignoreQuery(c *Call, query url.Values) error {
	if len(query) == 0 {
		return nil
	}
	var unknown []string
	for name := range query {
		if !slices.ContainsFunc(e.params, func(p Param) bool { return p.Name == name }) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	names := make([]string, len(e.params))
	for i, p := range e.params {
		names[i] = p.Name
	}
	var faults []problem.Fault
	for _, name := range unknown {
		near := naming.Nearest(name, names)
		if !e.resource.ignores(c, ignoredName(name, near)) {
			faults = append(faults, problem.Fault{Parameter: name, Code: problem.CodeInvalidParameter, Detail: "is not known here" + naming.Suggestion(near)})
		}
	}
	if len(faults) > 0 {
		return problem.InvalidParameters(faults)
	}
	return nil
}

// notes are the parts of a request that had no effect, for the header Trestle-Ignored.
type notes struct{ ignored []string }

const notesKept = 16

// ignores decides what happens to a part of a request that has no effect. A lenient
// resource ignores it: the note goes into the header Trestle-Ignored, and ignores returns
// true. A strict resource does not, and the caller rejects the request.
func (r *resource) ignores(c *Call, note string) bool {
	if r.strict {
		return false
	}
	c.notes.ignored = append(c.notes.ignored, note)
	return true
}

// ignoredName is the note of a parameter or field, percent-encoded so that it is safe in a
// header, with the nearest known name unless that is empty.
func ignoredName(name, near string) string {
	text := headerText(name)
	if near != "" {
		text += "; did you mean " + headerText(near) + "?"
	}
	return text
}

// ignoredHeader is the note of a header. Its space distinguishes it from a parameter or a
// field, whose spaces are encoded.
func ignoredHeader(name string) string { return "header " + name }

// header is the value of Trestle-Ignored, capped.
func (n *notes) header() string {
	if len(n.ignored) <= notesKept {
		return strings.Join(n.ignored, ", ")
	}
	return strings.Join(n.ignored[:notesKept], ", ") + ", ..."
}

// headerText keeps a name readable and encodes what a header cannot carry or
// its list syntax uses.
func headerText(name string) string {
	const keep = 64
	if len(name) > keep {
		name = name[:keep] + "..."
	}
	var b strings.Builder
	for i := range len(name) {
		ch := name[i]
		if ch > ' ' && ch < 0x7f && !strings.ContainsRune(`%,;"?`, rune(ch)) {
			b.WriteByte(ch)
			continue
		}
		b.WriteByte('%')
		b.WriteByte("0123456789ABCDEF"[ch>>4])
		b.WriteByte("0123456789ABCDEF"[ch&15])
	}
	return b.String()
}
