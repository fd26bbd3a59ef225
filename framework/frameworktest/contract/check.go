package contract

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// A finding is a difference between the traffic and the document.
type finding struct {
	operation string // "GET /api/patients/ (listPatients)"
	request   string // "GET /api/patients/?page=2"
	status    int
	what      string
	place     string // in the document
	body      []byte // the answered or, for a request, the sent body
}

// String returns one sentence and the body.
func (f finding) String() string {
	text := fmt.Sprintf("%s is answered %d, and %s; see the document at #%s\n%s", f.operation, f.status, f.what, f.place, f.request)
	if len(f.body) > 0 {
		text += fmt.Sprintf("\n%.2000s", f.body)
	}
	return text
}

// check compares an exchange with the contract.
func (c *Contract) check(x *exchange) []finding {
	if c.isBeside(x.path) {
		return nil
	}
	x.decompress()
	v := &verdict{contract: c, x: x, operation: x.method + " " + x.path}
	o := c.find(x.method, x.path)
	switch {
	case x.method == http.MethodOptions && o == nil:
		v.checkOptions()
	case o == nil:
		v.checkUndescribed()
	default:
		v.operation = fmt.Sprintf("%s %s (%s)", o.method, o.path, o.id)
		v.checkAnswer(o)
		v.checkRejection(o)
		if x.status < http.StatusMultipleChoices {
			v.checkRequest(o)
			v.checkIgnored(o)
		}
	}
	return v.findings
}

// A verdict is a check under way.
type verdict struct {
	contract  *Contract
	x         *exchange
	operation string
	findings  []finding
}

func (v *verdict) reportf(place string, body []byte, format string, args ...any) {
	request := v.x.method + " " + v.x.path
	if len(v.x.query) > 0 {
		request += "?" + v.x.query.Encode()
	}
	v.findings = append(v.findings, finding{
		operation: v.operation, request: request, status: v.x.status, what: fmt.Sprintf(format, args...), place: place, body: body,
	})
}

// generalErrors are the errors that any path may answer, described or not: for a caller
// without credentials or permission, for too many requests, and when the server fails or
// is overloaded.
var generalErrors = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable,
}

// checkUndescribed checks the answer to a request for an operation that the document lacks.
func (v *verdict) checkUndescribed() {
	v.checkError("the document has no such path with this method")
}

// checkError checks that the answer is an error that needs no description.
func (v *verdict) checkError(why string) {
	x := v.x
	allowed := append([]int{http.StatusNotFound, http.StatusMethodNotAllowed}, generalErrors...)
	if !slices.Contains(allowed, x.status) && !(x.status == http.StatusBadRequest && bytes.Contains(x.body, []byte(`"invalid_host"`))) {
		v.reportf("/paths", x.body, "%s", why)
		return
	}
	v.checkGeneralHeaders()
	if v.contract.document.at(problem) != nil && x.method != http.MethodHead {
		v.checkBody(closedProblem, "application/problem+json")
	}
}

// checkAnswer checks an answer against its operation.
func (v *verdict) checkAnswer(o *operation) {
	x := v.x
	a := o.answers[x.status]
	if x.status == http.StatusNoContent && x.lacksBody() {
		a = o.answers[http.StatusOK]
	}
	if a == nil {
		known := slices.Sorted(maps.Keys(o.answers))
		v.reportf(o.place+"/responses", x.body, "that status is not described; these are: %s", strings.Trim(fmt.Sprint(known), "[]"))
		return
	}
	v.checkDescribed(a.place+"/headers", a.headers)
	v.checkRequired(a.place+"/headers", a.always)
	v.checkAllow(o.path)
	got := media(x.answered)
	schema, described := a.content[got]
	switch {
	case len(a.content) == 0 && len(x.body) > 0:
		v.reportf(a.place, x.body, "no body is described")
	case len(a.content) == 0 || len(x.body) == 0 && (x.method == http.MethodHead || x.lacksBody()):
	case !described:
		v.reportf(a.place+"/content", x.body, "the media type %q is not described; these are: %s", got, strings.Join(slices.Sorted(maps.Keys(a.content)), ", "))
	case got == ndjson && len(a.items) > 0:
		v.checkLines(a.items)
	case schema != "" && isJSON(got):
		v.checkBody(schema, got)
	}
}

// lacksBody reports whether the answer to a write states that it has no body because the request preferred that (RFC 7240). The
// document describes that at the parameter of the header: the status is 204 instead of 200, or 201.
func (x *exchange) lacksBody() bool {
	return x.header.Get("Prefer") != "" && x.answered.Get("Preference-Applied") == "return=minimal"
}

// isJSON reports whether a body of a media type is one JSON value. Others are not checked.
func isJSON(media string) bool {
	return strings.HasSuffix(media, "/json") || strings.HasSuffix(media, "+json")
}

// checkLines checks each line of a stream against the schema of an element.
func (v *verdict) checkLines(place string) {
	for line := range bytes.Lines(v.x.body) {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err != nil {
			v.reportf(place, line, "a line is not JSON: %v", err)
			return
		}
		if faults := v.faults(answerSchemas, place, value); len(faults) > 0 {
			v.findings = append(v.findings, v.toFindings(faults, line)...)
			return
		}
	}
}

// checkBody checks the body of the answer against a schema.
func (v *verdict) checkBody(place, want string) {
	x, got := v.x, media(v.x.answered)
	if got != want {
		v.reportf(place, x.body, "the media type is %q; want %q", got, want)
		return
	}
	key := v.contract.valid.key(place+" "+strconv.Itoa(x.status), x.body)
	if v.contract.valid.has(key) {
		return
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(x.body))
	if err != nil {
		v.reportf(place, x.body, "the body is not JSON: %v", err)
		return
	}
	if faults := v.faults(answerSchemas, place, value); len(faults) > 0 {
		v.findings = append(v.findings, v.toFindings(faults, x.body)...)
		return
	}
	known := len(v.findings)
	v.checkRepeated(place)
	v.checkStatusMember(place, value)
	if len(v.findings) == known {
		v.contract.valid.add(key)
	}
}

// toFindings converts faults to findings.
func (v *verdict) toFindings(faults []fault, body []byte) []finding {
	others := *v
	others.findings = nil
	for _, f := range faults {
		others.reportf(f.place, body, "%s", f.what)
	}
	return others.findings
}

// transportHeaders are headers that the document need not describe: they state how an answer is
// sent and cached.
var transportHeaders = map[string]bool{
	"Access-Control-Allow-Headers": true, "Access-Control-Allow-Methods": true, "Access-Control-Allow-Origin": true,
	"Access-Control-Expose-Headers": true, "Access-Control-Max-Age": true,
	"Accept-Patch":  true,
	"Cache-Control": true, "Connection": true, "Content-Encoding": true, "Content-Length": true, "Content-Security-Policy": true, "Content-Type": true,
	"Cross-Origin-Resource-Policy": true, "Date": true, "Etag": true, "Keep-Alive": true, "Referrer-Policy": true,
	"Strict-Transport-Security": true, "Transfer-Encoding": true, "Vary": true, "X-Content-Type-Options": true,
}

// checkDescribed checks that every header of the answer is described.
func (v *verdict) checkDescribed(place string, known map[string]bool) {
	for _, name := range slices.Sorted(maps.Keys(v.x.answered)) {
		if !known[name] && !transportHeaders[name] {
			v.reportf(place, nil, "the header %s is not described", name) // its value may be a secret
		}
	}
}

// A fault is an error in a value.
type fault struct{ what, place string }

// faults returns the faults that a schema finds in a value.
func (v *verdict) faults(from, place string, value any) []fault {
	schema, err := v.contract.schema(from, place)
	if err != nil {
		return []fault{{err.Error(), place}}
	}
	err = schema.Validate(bounded(value))
	if err == nil {
		return nil
	}
	wrong, known := errors.AsType[*jsonschema.ValidationError](err)
	if !known {
		return []fault{{err.Error(), place}}
	}
	return leaves(wrong)
}

// leaves returns the innermost faults, which are the most specific. It leaves out an unknown
// member that another fault explains.
func leaves(e *jsonschema.ValidationError) (all []fault) {
	var wrong []*jsonschema.ValidationError
	var gather func(*jsonschema.ValidationError)
	gather = func(e *jsonschema.ValidationError) {
		for _, cause := range relevantCauses(e) {
			gather(cause)
		}
		if len(e.Causes) == 0 {
			wrong = append(wrong, e)
		}
	}
	gather(e)
	for _, e := range wrong {
		if !isUnknown(e) || !slices.ContainsFunc(wrong, func(other *jsonschema.ValidationError) bool { return explains(other, e) }) {
			all = append(all, faultOf(e))
		}
	}
	return all
}

// relevantCauses returns the relevant causes of a fault. For a union these are the choices whose
// constants match the value, if there are any: the other choices are for other values.
func relevantCauses(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if _, union := e.ErrorKind.(*kind.OneOf); !union {
		return e.Causes
	}
	meant := slices.DeleteFunc(slices.Clone(e.Causes), hasOtherConstant)
	if len(meant) == 0 {
		return e.Causes
	}
	return meant
}

func hasOtherConstant(e *jsonschema.ValidationError) bool {
	switch e.ErrorKind.(type) {
	case *kind.Enum, *kind.Const:
		return true
	}
	return slices.ContainsFunc(e.Causes, hasOtherConstant)
}

// isUnknown reports whether a fault is a member that no schema describes.
func isUnknown(e *jsonschema.ValidationError) bool {
	return strings.HasSuffix(e.SchemaURL, "/unevaluatedProperties") && len(e.InstanceLocation) > 0
}

// explains reports whether a member is unknown only because the schema that describes it
// has another fault, at the same object or inside it.
func explains(other, unknown *jsonschema.ValidationError) bool {
	object := unknown.InstanceLocation[:len(unknown.InstanceLocation)-1]
	within := len(other.InstanceLocation) >= len(object) && slices.Equal(other.InstanceLocation[:len(object)], object)
	return within && (!isUnknown(other) || len(other.InstanceLocation) > len(unknown.InstanceLocation))
}

func faultOf(e *jsonschema.ValidationError) fault {
	_, place, _ := strings.Cut(e.SchemaURL, "#")
	where, what := "the whole", e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	if len(e.InstanceLocation) > 0 {
		where = pointer(e.InstanceLocation...)
	}
	if isUnknown(e) {
		what, place = "the member is not described", strings.TrimSuffix(place, "/unevaluatedProperties")
	}
	return fault{where + ": " + what, place}
}
