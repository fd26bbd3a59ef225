package framework

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of a query string.
const (
	queryBytes  = 8 << 10
	queryValues = 100
)

// readQuery takes the query string apart. What is malformed is refused, not
// dropped.
func readQuery(r *http.Request) (url.Values, error) {
	raw := r.URL.RawQuery
	if raw == "" {
		return nil, nil
	}
	if len(raw) > queryBytes {
		return nil, Refuse(http.StatusRequestURITooLong, CodeURITooLong,
			fmt.Sprintf("The query string has %d bytes; at most %d are read.", len(raw), queryBytes))
	}
	if strings.Contains(raw, ";") {
		return nil, malformedQuery("it has a semicolon; separate parameters with & and write ; as %3B")
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, malformedQuery("a % is not followed by two hexadecimal digits")
	}
	count := 0
	for name, list := range values {
		count += len(list)
		if err := checkQueryText(name); err != nil {
			return nil, err
		}
		for _, text := range list {
			if err := checkQueryText(text); err != nil {
				return nil, err
			}
		}
	}
	if count > queryValues {
		return nil, malformedQuery(fmt.Sprintf("it has %d parameters; at most %d are read", count, queryValues))
	}
	return values, nil
}

// checkQueryText refuses what no text of a database can be.
func checkQueryText(text string) error {
	switch {
	case !utf8.ValidString(text):
		return malformedQuery("it is not UTF-8")
	case strings.IndexByte(text, 0) >= 0:
		return malformedQuery("it has a NUL character, %00")
	}
	return nil
}

func malformedQuery(why string) *Error {
	return Refuse(http.StatusBadRequest, CodeInvalidParameter, "The query string cannot be read: "+why+".")
}

// ask sorts a list's query string: what the endpoint knows, once each and not
// empty, and what it ignores.
func (e *endpoint) ask(c *Call, query url.Values) (Values, error) {
	known := Values{}
	var faults []Fault
	for _, p := range e.params {
		list := query[p.Name]
		switch {
		case len(list) > 1:
			faults = append(faults, Fault{Parameter: p.Name, Code: CodeInvalidParameter, Detail: "is given more than once"})
		case len(list) == 1 && strings.TrimSpace(list[0]) != "":
			known[p.Name] = strings.TrimSpace(list[0])
		}
	}
	var all faultList
	if len(faults) > 0 {
		all.add(invalidParameters(faults))
	}
	all.add(e.ignoreQuery(c, query))
	return known, all.err()
}

// ignoreQuery tells which parameters have no effect, or refuses them.
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
	var faults []Fault
	for _, name := range unknown {
		near := nearest(name, names)
		if e.resource.strict {
			faults = append(faults, Fault{Parameter: name, Code: CodeInvalidParameter, Detail: "is not known here" + suggestion(near)})
			continue
		}
		c.notes.ignore(name, near)
	}
	if len(faults) > 0 {
		return invalidParameters(faults)
	}
	return nil
}

func suggestion(near string) string {
	if near == "" {
		return ""
	}
	return "; did you mean " + near + "?"
}

// A faultList gathers what is wrong with several parameters. An error of
// another kind, such as a page that is not there, counts only if none is wrong.
type faultList struct {
	faults []Fault
	other  error
}

func (l *faultList) add(err error) {
	if e, ok := errors.AsType[*Error](err); ok && e.Code == CodeInvalidParameter {
		l.faults = append(l.faults, e.Faults...)
	} else if l.other == nil {
		l.other = err
	}
}

func (l *faultList) err() error {
	if len(l.faults) > 0 {
		return invalidParameters(l.faults)
	}
	return l.other
}

// notes are what a response tells of names that had no effect.
type notes struct{ ignored []string }

const notesKept = 16

// ignore notes a name, percent-encoded so that it is safe in a header.
func (n *notes) ignore(name, near string) {
	text := headerText(name)
	if near != "" {
		text += "; did you mean " + headerText(near) + "?"
	}
	n.ignored = append(n.ignored, text)
}

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
