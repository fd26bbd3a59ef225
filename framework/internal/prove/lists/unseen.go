package lists

import (
	"iter"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"

	"trestle.example/framework/internal/expression"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/totals"
	"trestle.example/framework/query"
)

// mostUnseen limits the people who use a field that they do not see.
const mostUnseen = 2

// A use is a parameter of a list or of its totals that uses a field of the rows.
type use struct {
	field        query.Field
	param, value string
}

// tryUnseen uses each field that framework.Sees hides from a caller: in an expression, as an order, and in totals. The answers would show
// its values, so they must be errors.
func (p prover) tryUnseen(e *exchange.Endpoint) {
	for _, one := range usesIn(e) {
		left := mostUnseen
		for _, who := range e.Callers {
			if left == 0 || e.Access(who) == spec.AccessRefused || !p.IsUnseen(who, e, one.field) {
				continue
			}
			left--
			p.useUnseen(e, who, one)
		}
	}
}

// useUnseen sends one request with a field that the sender does not see.
func (p prover) useUnseen(e *exchange.Endpoint, who *exchange.Person, one use) {
	path, ok := p.PathOf(e, who, p.seenBy(who, e, &fixture.Row{}))
	if !ok {
		return
	}
	r := exchange.Request{Method: http.MethodGet, Path: path, By: who, Query: url.Values{one.param: {one.value}}.Encode()}
	if got := p.Send(e, r); got.OK() {
		p.Find(e, who, got.Curl(), "it is answered %d, and a rule of Sees hides %q from this caller", got.Status, one.field.Name)
	}
}

// usesIn lists the parameters of an endpoint that name fields: its expression, its order, and those of totals. Each field is used
// alone and after another one. In expressions it is also compared by >, and in orders it also sorts downwards.
func usesIn(e *exchange.Endpoint) (all []use) {
	for _, param := range e.Spec.Params {
		if len(param.Compared) > 0 {
			all = append(all, comparisonsIn(param, e.Resource.Expression.Fields)...)
		}
	}
	if e.Ordering != nil {
		for name, values := range namesIn(slices.Sorted(maps.Keys(e.Ordering.AllowedFields))) {
			for _, value := range append(values, "-"+name) {
				all = append(all, use{e.Ordering.AllowedFields[name], e.Ordering.Param, value})
			}
		}
	}
	if e.Totals != nil {
		all = append(all, totalsUsing(e.Totals.Parts)...)
	}
	return all
}

// totalsUsing lists the parameters of totals that name fields.
func totalsUsing(parts []totals.Part) (all []use) {
	for _, part := range parts {
		fields := map[string]query.Field{}
		for _, f := range part.Fields {
			fields[f.Name] = f.Field
		}
		for name, values := range namesIn(slices.Sorted(maps.Keys(fields))) {
			for _, value := range values {
				all = append(all, use{fields[name], part.Param, value})
			}
		}
	}
	return all
}

// namesIn yields each of some names, with the values of a parameter that name it: alone, and after another name if there is one.
func namesIn(names []string) iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		for i, name := range names {
			values := []string{name}
			if len(names) > 1 {
				values = append(values, names[(i+1)%len(names)]+","+name)
			}
			if !yield(name, values) {
				return
			}
		}
	}
}

// comparisonsIn lists expressions of a parameter that compare each of some fields: alone, and after a comparison of another field.
func comparisonsIn(param spec.Param, fields []expression.Field) (all []use) {
	for i, f := range fields {
		compared, other := f.Name+" = "+literal(f), fields[(i+1)%len(fields)]
		all = append(all, use{f.Field, param.Name, compared}, use{f.Field, param.Name, other.Name + " = " + literal(other) + " OR NOT " + compared})
		if slices.ContainsFunc(param.Compared, func(c spec.Compared) bool { return c.Name == f.Name && c.Ordered }) {
			all = append(all, use{f.Field, param.Name, f.Name + " > " + literal(f)})
		}
	}
	return all
}

// literal is a value of a field in an expression.
func literal(f expression.Field) string {
	switch {
	case len(f.Enum) > 0:
		return `"` + f.Enum[0] + `"`
	case f.Type == naming.UUIDType:
		return `"00000000-0000-7000-8000-000000000000"`
	case f.Type == naming.TimeType:
		return `"2026-01-31T09:00:00Z"`
	case f.Type.Kind() == reflect.Bool:
		return "true"
	case f.Type.Kind() == reflect.String:
		return `"a"`
	}
	return "1"
}
