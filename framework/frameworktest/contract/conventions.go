package contract

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ignoredHeader lists the parts of a request that had no effect.
const ignoredHeader = "Trestle-Ignored"

// requiredHeaders returns the headers that an answer with a status has, whether the document
// describes the request or not.
func requiredHeaders(method string, status int) []string {
	names := []string{"X-Request-Id"}
	switch status {
	case http.StatusUnauthorized:
		return append(names, "Www-Authenticate")
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return append(names, "Retry-After")
	case http.StatusMethodNotAllowed:
		return append(names, "Allow")
	case http.StatusOK:
		if method == http.MethodOptions {
			return append(names, "Allow")
		}
	}
	return names
}

// checkOptions checks the answer to OPTIONS: an object that describes the path.
func (v *verdict) checkOptions() {
	x := v.x
	if x.status != http.StatusOK {
		v.checkError("OPTIONS must be answered 200 or with an error")
		return
	}
	v.checkGeneralHeaders()
	if got := media(x.answered); got != "application/json" {
		v.reportf("/paths", x.body, "OPTIONS is answered in the media type %q; want application/json", got)
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(x.body))
	if _, object := value.(map[string]any); err != nil || !object {
		v.reportf("/paths", x.body, "the answer to OPTIONS is not a JSON object")
		return
	}
	v.checkRepeated("/paths")
}

// checkGeneralHeaders checks the headers of an answer that the document does not describe:
// headers of any answer, and headers of its status.
func (v *verdict) checkGeneralHeaders() {
	v.checkDescribed("/components/headers", v.contract.headers)
	var needed []string
	for _, name := range requiredHeaders(v.x.method, v.x.status) {
		if v.contract.always[name] {
			needed = append(needed, name)
		}
	}
	v.checkRequired("/components/headers", needed)
	v.checkAllow(v.contract.at(v.x.path))
}

// checkRequired checks that the required headers are present.
func (v *verdict) checkRequired(place string, needed []string) {
	for _, name := range needed {
		if len(v.x.answered.Values(name)) == 0 {
			v.reportf(place+pointer(name), nil, "the required header %s is missing", name)
		}
	}
}

// checkAllow checks the header Allow: it must list the methods of the path in the document,
// HEAD beside GET, and OPTIONS.
func (v *verdict) checkAllow(path string) {
	sent := v.x.answered.Get("Allow")
	if sent == "" {
		return
	}
	want := []string{http.MethodOptions}
	for _, o := range v.contract.operations {
		if o.path == path {
			want = append(want, o.method)
			if o.method == http.MethodGet {
				want = append(want, http.MethodHead)
			}
		}
	}
	got := strings.Split(strings.ReplaceAll(sent, " ", ""), ",")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		v.reportf(pointer("paths", path), nil, "Allow is %q; the path has %s", sent, strings.Join(want, ", "))
	}
}

// at returns the path of the document for an address, or "". A parameter in the address
// may be empty: no operation finds such a row, but the path exists.
func (c *Contract) at(path string) string {
	asked, best := segments(path), (*operation)(nil)
	for _, o := range c.operations {
		is := slices.EqualFunc(o.segments, asked, func(segment, given string) bool { return segment == given || isPlace(segment) })
		if is && (best == nil || o.literal() > best.literal()) {
			best = o
		}
	}
	if best == nil {
		return ""
	}
	return best.path
}

// checkIgnored checks that a successful answer lists undescribed parameters in Trestle-Ignored,
// if the document describes that header for the answer.
func (v *verdict) checkIgnored(o *operation) {
	if a := o.answers[v.x.status]; a == nil || !a.headers[ignoredHeader] {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(v.x.query)) {
		known := slices.ContainsFunc(o.params, func(p param) bool { return p.in == "query" && p.name == name })
		if name != "" && !known && !v.isIgnored(name) {
			v.reportf(o.place+"/parameters", nil, "the query parameter %s is not described, and %s does not list it", name, ignoredHeader)
		}
	}
}

// isIgnored reports whether the answer lists a parameter, or a part of it, as ignored. A
// long name and a long list are cut and end in "...".
func (v *verdict) isIgnored(name string) bool {
	named := func(text string) bool {
		plain, err := url.PathUnescape(text)
		start, broken := strings.CutSuffix(plain, "...")
		return err == nil && (plain == name || broken && strings.HasPrefix(name, start))
	}
	said := strings.Join(v.x.answered.Values(ignoredHeader), ",")
	return slices.ContainsFunc(strings.Split(said, ","), func(one string) bool {
		one, _, _ = strings.Cut(strings.TrimSpace(one), ";")
		parameter, _, _ := strings.Cut(one, "=")
		return named(one) || named(parameter)
	})
}

// checkStatusMember checks that the body of an error has the status of the answer.
func (v *verdict) checkStatusMember(place string, value any) {
	problem, _ := value.(map[string]any)
	if status, has := problem["status"].(json.Number); has && v.x.status >= http.StatusBadRequest && status.String() != strconv.Itoa(v.x.status) {
		v.reportf(place, v.x.body, "the member status is %s", status)
	}
}

// checkRepeated checks that no object in the body has a member twice, because clients would read
// one or the other.
func (v *verdict) checkRepeated(place string) {
	if at, twice := findRepeated(v.x.body); twice {
		v.reportf(place, v.x.body, "the member %s is present twice", at)
	}
}

// findRepeated returns the first member that an object of a JSON text has twice.
func findRepeated(text []byte) (at string, twice bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return findRepeatedIn(d, "")
}

func findRepeatedIn(d *json.Decoder, at string) (string, bool) {
	token, err := d.Token()
	opened, nested := token.(json.Delim)
	if err != nil || !nested {
		return "", false
	}
	known := map[string]bool{}
	for n := 0; d.More(); n++ {
		inside := at + pointer(strconv.Itoa(n))
		if opened == '{' {
			token, err := d.Token()
			name, text := token.(string)
			if err != nil || !text {
				return "", false
			}
			if inside = at + pointer(name); known[name] {
				return inside, true
			}
			known[name] = true
		}
		if found, twice := findRepeatedIn(d, inside); twice {
			return found, true
		}
	}
	_, _ = d.Token() // the end of the object or list; the text is valid JSON
	return "", false
}
