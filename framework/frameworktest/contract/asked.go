package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// asked checks a request that succeeded: the document must not ask for more than
// the server does.
func (v *verdict) asked(o *operation) {
	v.identified(o)
	for _, p := range o.params {
		v.parameter(o, p)
	}
	switch v.x.method {
	case http.MethodGet, http.MethodHead:
		return // a body has no meaning there
	case http.MethodDelete:
		if o.body == "" {
			return // nor there, unless it is given one
		}
	}
	v.taken(o)
}

// identified checks that the request has credentials in one of the ways that the
// document offers.
func (v *verdict) identified(o *operation) {
	if len(o.security) == 0 || slices.ContainsFunc(o.security, v.has) {
		return
	}
	v.findsf(o.place+"/security", nil, "the request has credentials in none of the ways that it asks for")
}

// has reports whether a request has all that a way to identify oneself needs.
func (v *verdict) has(way []credential) bool {
	for _, need := range way {
		got := false
		switch {
		case need.scheme != "":
			scheme, _, _ := strings.Cut(v.x.header.Get("Authorization"), " ")
			got = strings.EqualFold(scheme, need.scheme)
		case need.in == "header":
			got = v.x.header.Get(need.name) != ""
		case need.in == "cookie":
			got = slices.ContainsFunc(v.x.cookies, func(c *http.Cookie) bool { return c.Name == need.name })
		}
		if !got {
			return false
		}
	}
	return true
}

// parameter checks one parameter of a request.
func (v *verdict) parameter(o *operation, p param) {
	values := v.values(o, p)
	switch {
	case len(values) == 0 && p.required:
		v.findsf(p.place, nil, "the %s parameter %s is required and absent", p.in, p.name)
	case len(values) > 1:
		v.findsf(p.place, nil, "the %s parameter %s is given %d times", p.in, p.name, len(values))
	case len(values) == 1 && !v.ignored(p.name):
		v.value(p, values[0])
	}
}

// values are those of a parameter that are not empty.
func (v *verdict) values(o *operation, p param) (given []string) {
	switch p.in {
	case "path":
		at := slices.Index(o.segments, "{"+p.name+"}")
		return []string{unescaped(segments(v.x.path)[at])}
	case "query":
		given = v.x.query[p.name]
	case "header":
		given = v.x.header.Values(p.name)
	}
	given = slices.Clone(given)
	for i := range given {
		given[i] = strings.TrimSpace(given[i])
	}
	return slices.DeleteFunc(given, func(text string) bool { return text == "" })
}

// value checks one value of a parameter.
func (v *verdict) value(p param, text string) {
	texts := []string{text}
	place := p.schema
	if p.list {
		texts, place = strings.Split(text, ","), p.schema+"/items"
	}
	for _, one := range texts {
		one = strings.TrimSpace(one)
		if one == "" {
			continue
		}
		faults := v.faults(takenFrom, place, v.typed(place, one))
		for _, f := range faults {
			v.findsf(f.place, nil, "the %s parameter %s is taken as %q: %s", p.in, p.name, one, f.what)
		}
	}
}

// typed is a text as a value of its schema's type.
func (v *verdict) typed(place, text string) any {
	kinds := kindsOf(v.contract.document, place)
	switch {
	case slices.Contains(kinds, "boolean"):
		switch strings.ToLower(text) {
		case "true", "1":
			return true
		case "false", "0":
			return false
		}
	case slices.Contains(kinds, "integer"), slices.Contains(kinds, "number"):
		if number := plainNumber(text); json.Valid([]byte(number)) && strings.Trim(number, "0123456789.eE+-") == "" {
			return json.Number(number)
		}
	}
	return text
}

// plainNumber is a number as JSON writes it: without zeros that lead it.
func plainNumber(text string) string {
	digits, negative := strings.CutPrefix(text, "-")
	for len(digits) > 1 && digits[0] == '0' && isDigit(digits[1]) {
		digits = digits[1:]
	}
	if negative {
		return "-" + digits
	}
	return digits
}

// kindsOf are the types that a schema names.
func kindsOf(t *tree, place string) (kinds []string) {
	switch kind := t.at(t.follow(place) + "/type").(type) {
	case string:
		return []string{kind}
	case []any:
		for _, one := range kind {
			kinds = append(kinds, fmt.Sprint(one))
		}
	}
	return kinds
}

// taken checks the body of a request.
func (v *verdict) taken(o *operation) {
	body := v.x.plain()
	switch {
	case len(body) == 0 && o.body != "" && o.needsBody:
		v.findsf(o.place+"/requestBody", nil, "the request has no body, which is required")
		return
	case len(body) == 0, o.body == "" && len(bytes.TrimSpace(body)) == 0:
		return // nothing, where nothing is asked for
	}
	if got := media(v.x.header); got != "application/json" {
		v.findsf(o.place+"/requestBody", body, "the request's body is taken as %q", got)
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		v.findsf(o.place+"/requestBody", body, "the request's body is taken and is no JSON: %v", err)
		return
	}
	if o.body == "" {
		if _, object := value.(map[string]any); !object {
			v.findsf(o.place, body, "a request's body that is no object is taken where none is described")
		}
		return
	}
	faults := v.faults(takenFrom, o.body, value)
	if len(faults) == 0 || len(v.faults(takenFrom, o.body, trimmed(value))) == 0 {
		return
	}
	for _, f := range faults {
		v.findsf(f.place, body, "the request's body is taken: %s", f.what)
	}
}

// isSeen reports whether readers see a character.
func isSeen(r rune) bool {
	return !unicode.In(r, unicode.White_Space, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// trimmed is a value whose texts have no white space at their ends, and are empty if
// they are blank.
func trimmed(value any) any {
	switch value := value.(type) {
	case string:
		if !strings.ContainsFunc(value, isSeen) {
			return ""
		}
		return strings.TrimSpace(value)
	case []any:
		all := make([]any, len(value))
		for i, one := range value {
			all[i] = trimmed(one)
		}
		return all
	case map[string]any:
		all := make(map[string]any, len(value))
		for name, one := range value {
			all[name] = trimmed(one)
		}
		return all
	}
	return value
}

// unescaped is a segment of a path as it is meant.
func unescaped(segment string) string {
	if plain, err := url.PathUnescape(segment); err == nil {
		return plain
	}
	return segment
}
