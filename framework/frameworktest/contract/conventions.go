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

// ignoredHeader names what of a request had no effect.
const ignoredHeader = "Trestle-Ignored"

// usual tells which of the headers that an answer may have belong to it by its
// status, whether the document describes the request or not.
func usual(method string, status int) []string {
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

// describes checks OPTIONS, which answers an object that tells what the path
// takes.
func (v *verdict) describes() {
	x := v.x
	if x.status != http.StatusOK {
		v.refuses("OPTIONS is answered 200, or with a refusal")
		return
	}
	v.undescribedHeaders()
	if got := media(x.answered); got != "application/json" {
		v.findsf("/paths", x.body, "OPTIONS is answered in the media type %q; want application/json", got)
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(x.body))
	if _, object := value.(map[string]any); err != nil || !object {
		v.findsf("/paths", x.body, "OPTIONS is answered with what is no object in JSON")
		return
	}
	v.once("/paths")
}

// undescribedHeaders checks the headers of an answer that the document does not
// describe: those that any answer may have, and those that belong to it.
func (v *verdict) undescribedHeaders() {
	v.namesHeaders("/components/headers", v.contract.headers)
	var needed []string
	for _, name := range usual(v.x.method, v.x.status) {
		if v.contract.always[name] {
			needed = append(needed, name)
		}
	}
	v.hasHeaders("/components/headers", needed)
	v.allows(v.contract.at(v.x.path))
}

// hasHeaders checks that headers are there which always come.
func (v *verdict) hasHeaders(place string, needed []string) {
	for _, name := range needed {
		if len(v.x.answered.Values(name)) == 0 {
			v.findsf(place+pointer(name), nil, "the header %s is missing, which always comes", name)
		}
	}
}

// allows checks the header Allow: it lists the methods that the document has of
// a path, HEAD beside GET, and OPTIONS.
func (v *verdict) allows(path string) {
	told := v.x.answered.Get("Allow")
	if told == "" {
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
	got := strings.Split(strings.ReplaceAll(told, " ", ""), ",")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		v.findsf(pointer("paths", path), nil, "Allow is %q; the path has %s", told, strings.Join(want, ", "))
	}
}

// at is the path of the document that an address is of, "" for none. A value in
// it may be empty: no operation finds such a row, but the path is there.
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

// tells checks that a request which succeeded, with parameters that are not
// described, is told that they had no effect, where the answer has a header for
// that.
func (v *verdict) tells(o *operation) {
	if a := o.answers[v.x.status]; a == nil || !a.headers[ignoredHeader] {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(v.x.query)) {
		known := slices.ContainsFunc(o.params, func(p param) bool { return p.in == "query" && p.name == name })
		if name != "" && !known && !v.ignored(name) {
			v.findsf(o.place+"/parameters", nil, "the query parameter %s is not described, and %s does not tell that it had no effect", name, ignoredHeader)
		}
	}
}

// ignored reports whether the answer says that a parameter, or a part of it, had
// no effect. A name that is long, and a list, end in "..." where they break off.
func (v *verdict) ignored(name string) bool {
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

// agrees checks that a refusal's body has the status that was sent.
func (v *verdict) agrees(place string, value any) {
	problem, _ := value.(map[string]any)
	if told, has := problem["status"].(json.Number); has && v.x.status >= http.StatusBadRequest && told.String() != strconv.Itoa(v.x.status) {
		v.findsf(place, v.x.body, "the member status is %s", told)
	}
}

// once checks that no object of the answer's body has a member twice, of which
// clients would read one or the other.
func (v *verdict) once(place string) {
	if at, twice := repeated(v.x.body); twice {
		v.findsf(place, v.x.body, "%s is there twice", at)
	}
}

// repeated finds the first member that an object of a JSON text has twice.
func repeated(text []byte) (at string, twice bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return repeatedIn(d, "")
}

func repeatedIn(d *json.Decoder, at string) (string, bool) {
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
		if found, twice := repeatedIn(d, inside); twice {
			return found, true
		}
	}
	_, _ = d.Token() // the end, which is there: the text was read before
	return "", false
}
