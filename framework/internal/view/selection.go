package view

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

// The parameters by which a client chooses members.
const (
	paramFields = "fields"
	paramExpand = "expand"
)

// mostNames limits the names in one parameter: more than the members of any view that people read.
const mostNames = 100

// A Selection is the members of a view that clients may choose. It does not change once it is compiled, and is safe for
// concurrent use.
type Selection struct {
	// Default is the plan of a request that chooses nothing, and of all answers that have no choice.
	Default *Plan

	whole    *Plan
	fields   bool
	members  []choice // of the row itself
	expanded []choice // that rows have only if a client names them
}

// A choice is a member that a client may name, such as "lines.product".
type choice struct {
	name  string
	index []int // of its field in the view; it may lead through lists
}

// Select compiles what clients may choose of a view of a viewset. It calls fault for each mistake. It omits names of
// Expand that the view lacks, or that are columns there: another view of the viewset may show related rows by them.
func (p *Plan) Select(declared declare.Select, fault func(error)) *Selection {
	s := &Selection{Default: p, whole: p, fields: declared.Fields}
	if wire.MakesJSON(p.out) {
		fault(naming.Sentence("%s writes its JSON itself, so its members cannot be chosen; leave out MarshalJSON, or Select", p.out.Name()))
		return s
	}
	if _, err := wire.Encode(reflect.Zero(p.out).Interface()); err != nil {
		fault(naming.Sentence("members of %s cannot be chosen, because its zero value has no JSON: %w", p.out.Name(), err))
		return s
	}
	for f := range naming.ShapeFields(p.out) {
		s.members = append(s.members, choice{p.api.Config.Case.JSONName(f), f.Index})
	}
	for _, name := range declared.Expand {
		at, err := p.member(name)
		if err != nil {
			fault(err)
		}
		if at != nil && !p.isColumn(at) {
			s.expanded = append(s.expanded, choice{name, at})
		}
	}
	s.Default = p.without(s.unnamed(nil, nil))
	return s
}

// Expands reports whether rows have a member, such as "lines.product", only if a request names it.
func (s *Selection) Expands(name string) bool { return slices.Contains(names(s.expanded), name) }

// HasColumn reports whether a member is a column of the row itself, or a part of one.
func (s *Selection) HasColumn(name string) bool {
	at, _ := s.whole.member(name)
	return at != nil && s.whole.isColumn(at)
}

// Names lists the members of the view, for suggestions.
func (s *Selection) Names() []string { return names(s.members) }

func names(of []choice) []string {
	all := make([]string, len(of))
	for i, c := range of {
		all[i] = c.name
	}
	return all
}

// member finds the field of a member by the name that clients have for it: of the row, or of the rows in a member. It is
// nil if there is none. A member of rows that write their JSON themselves is an error.
func (p *Plan) member(name string) (index []int, err error) {
	t := p.out
	for i, part := range strings.Split(name, ".") {
		if t = naming.Element(t); i > 1 || t.Kind() != reflect.Struct {
			return nil, nil
		}
		if wire.MakesJSON(t) {
			return nil, naming.Sentence("Expand has %q, but %s writes its JSON itself; leave out MarshalJSON, or expand the whole member", name, t.Name())
		}
		fields := slices.Collect(naming.ShapeFields(t))
		at := slices.IndexFunc(fields, func(f reflect.StructField) bool { return p.api.Config.Case.JSONName(f) == part })
		if at < 0 {
			return nil, nil
		}
		f := fields[at]
		index, t = slices.Concat(index, f.Index), f.Type
	}
	return index, nil
}

// isColumn reports whether a field shows a column of the row itself, or is inside such a field.
func (p *Plan) isColumn(index []int) bool {
	return slices.ContainsFunc(p.leaves, func(l leaf) bool { return l.join == 0 && !l.hidden && isBelow(index, [][]int{l.index}) })
}

// Params describes the parameters.
func (s *Selection) Params() (all []query.Param) {
	if s.fields {
		all = append(all, query.Param{
			Name: paramFields, List: true, Enum: s.Names(), Doc: "The members that rows have, separated by commas. Defaults to all, without those that expand names.",
		})
	}
	if len(s.expanded) > 0 {
		all = append(all, query.Param{
			Name: paramExpand, List: true, Enum: names(s.expanded), Doc: "Further members that rows have, separated by commas.",
		})
	}
	return all
}

// Read returns the plan of a request by its parameters. The error lists the names that are not known.
func (s *Selection) Read(values query.Values) (*Plan, error) {
	fields, expand := values[paramFields], values[paramExpand]
	if fields == "" && expand == "" {
		return s.Default, nil
	}
	var faults []problem.Fault
	read := func(param, text string, known []choice) []string {
		named, detail := s.named(param, text, names(known))
		if detail != "" {
			faults = append(faults, problem.Fault{Parameter: param, Code: problem.CodeInvalidParameter, Detail: detail})
		}
		return named
	}
	chosen, expanded := read(paramFields, fields, s.members), read(paramExpand, expand, s.expanded)
	if len(faults) > 0 {
		return nil, fault.InvalidParameters(faults)
	}
	return s.whole.without(s.unnamed(chosen, expanded)), nil
}

// named splits a parameter into names. The detail says what is wrong with it, "" for nothing.
func (s *Selection) named(param, text string, known []string) (all []string, detail string) {
	if text == "" {
		return nil, ""
	}
	if strings.Count(text, ",") >= mostNames {
		return nil, fmt.Sprintf("has more than %d names", mostNames)
	}
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); !slices.Contains(known, name) {
			return nil, fmt.Sprintf("has %q, which cannot be chosen", naming.Clip(name)) + s.instead(param, name, known)
		}
		all = append(all, name)
	}
	return all, ""
}

// instead says what a client may name instead of a name that cannot be chosen: in another parameter, a similar one, or one of all.
func (s *Selection) instead(param, name string, known []string) string {
	switch near := naming.Nearest(name, known); {
	case param == paramFields && slices.Contains(names(s.expanded), name):
		return "; name it in " + paramExpand
	case near != "":
		return naming.Suggestion(near)
	}
	return "; each name " + naming.ListWords(known)
}

// unnamed lists the fields that rows do not have: those that fields leaves out, unless a name in expand leads through them, and
// those of Expand that no name leads through. Without fields, rows have all members that are not in Expand.
func (s *Selection) unnamed(fields, expand []string) (dropped [][]int) {
	asked := func(name string) bool {
		return slices.Contains(fields, name) || slices.ContainsFunc(expand, func(e string) bool { return e == name || strings.HasPrefix(e, name+".") })
	}
	for _, c := range s.members {
		if len(fields) > 0 && !asked(c.name) {
			dropped = append(dropped, c.index)
		}
	}
	for _, c := range s.expanded {
		if !asked(c.name) {
			dropped = append(dropped, c.index)
		}
	}
	return dropped
}
