package contract

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"trestle.example/framework/internal/naming"
)

// checkRequest checks a request that succeeded: the document must not be stricter than the
// server.
func (v *verdict) checkRequest(o *operation) {
	v.checkSecurity(o)
	for _, p := range o.params {
		v.checkParameter(o, p)
	}
	switch v.x.method {
	case http.MethodGet, http.MethodHead:
		return // a body has no meaning here
	case http.MethodDelete:
		if o.body == "" {
			return // nor here, unless the operation has one
		}
	}
	v.checkRequestBody(o)
}

// checkSecurity checks that the request has credentials for one of the security requirements
// of the document.
func (v *verdict) checkSecurity(o *operation) {
	if len(o.security) == 0 || slices.ContainsFunc(o.security, v.satisfies) {
		return
	}
	v.reportf(o.place+"/security", nil, "the request satisfies no security requirement")
}

// satisfies reports whether a request has all credentials of a security requirement.
func (v *verdict) satisfies(way []credential) bool {
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

// checkParameter checks one parameter of a request.
func (v *verdict) checkParameter(o *operation, p param) {
	values := v.values(o, p)
	switch {
	case len(values) == 0 && p.required:
		v.reportf(p.place, nil, "the %s parameter %s is required and absent", p.in, p.name)
	case len(values) > 1:
		v.reportf(p.place, nil, "the %s parameter %s is present %d times", p.in, p.name, len(values))
	case len(values) == 1 && !v.isIgnored(p.name):
		v.checkValue(p, values[0])
	}
}

// values returns the values of a parameter that are not empty.
func (v *verdict) values(o *operation, p param) (given []string) {
	switch p.in {
	case "path":
		at := slices.Index(o.segments, "{"+p.name+"}")
		return []string{unescape(segments(v.x.path)[at])}
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

// checkValue checks one value of a parameter.
func (v *verdict) checkValue(p param, text string) {
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
		faults := v.faults(requestSchemas, place, v.convert(place, one))
		for _, f := range faults {
			v.reportf(f.place, nil, "the %s parameter %s is accepted as %q: %s", p.in, p.name, one, f.what)
		}
	}
}

// convert converts a text to the type of its schema.
func (v *verdict) convert(place, text string) any {
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

// plainNumber returns a number as JSON writes it: without leading zeros.
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

// checkRequestBody checks the body of a request.
func (v *verdict) checkRequestBody(o *operation) {
	body := v.x.plain()
	switch {
	case len(body) == 0 && o.body != "" && o.needsBody:
		v.reportf(o.place+"/requestBody", nil, "the request has no body, which is required")
		return
	case len(body) == 0, o.takesOther, o.body == "" && len(bytes.TrimSpace(body)) == 0:
		return // no body, and none is required; or a body without a schema
	}
	if got := media(v.x.header); got != "application/json" && !isMergePatch(o, got) {
		v.reportf(o.place+"/requestBody", body, "the body of the request is accepted as %q", got)
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		v.reportf(o.place+"/requestBody", body, "the body of the request is accepted and is not JSON: %v", err)
		return
	}
	if o.body == "" {
		if _, object := value.(map[string]any); !object {
			v.reportf(o.place, body, "a body that is not an object is accepted, and no body is described")
		}
		return
	}
	value = v.accepted(value)
	faults := v.faults(requestSchemas, o.body, value)
	if len(faults) == 0 || len(v.faults(requestSchemas, o.body, trim(value))) == 0 {
		return
	}
	for _, f := range faults {
		v.reportf(f.place, body, "the body of the request is accepted: %s", f.what)
	}
}

// isMergePatch reports whether a media type is that of a merge patch, and the operation a PATCH of an object. The description of the document states
// that such an operation takes it too, and the operation lists JSON alone.
func isMergePatch(o *operation, media string) bool {
	return o.method == http.MethodPatch && media == "application/merge-patch+json"
}

// trim removes white space at both ends of all texts in a value, and makes blank texts
// empty.
func trim(value any) any {
	return replaced(value, func(one any) any {
		text, ok := one.(string)
		switch {
		case !ok:
			return one
		case naming.IsBlank([]byte(text)):
			return ""
		}
		return strings.TrimSpace(text)
	})
}

// unescape decodes a segment of a path.
func unescape(segment string) string {
	if plain, err := url.PathUnescape(segment); err == nil {
		return plain
	}
	return segment
}
