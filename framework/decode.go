package framework

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxDepth     = 32       // objects and arrays inside each other
	maxFaults    = 100      // of each kind that one answer lists
	maxFaultText = 64 << 10 // bytes of pointers that one answer lists
)

// A fieldSet is a set of a shape's fields, by position.
type fieldSet [maxFields / 64]uint64

func (s *fieldSet) add(position int)      { s[position/64] |= 1 << (position % 64) }
func (s *fieldSet) has(position int) bool { return s[position/64]>>(position%64)&1 == 1 }

// A decoded is what a body said: a value, and all that was wrong or had no
// effect. It belongs to one request.
type decoded struct {
	value    reflect.Value             // addressable, of the shape's type
	present  fieldSet                  // the top-level fields that were in the body, well or ill
	unknown  []string                  // JSON Pointers of names that no field has, at any depth, in order
	readOnly map[string]jsontext.Value // top-level names that may only be read, as sent; nil for none
	faults   []Fault                   // in order of the body, then missing fields in order of declaration
	shape    *inputShape
}

// has reports whether the body named a top-level field, well or ill.
func (d *decoded) has(name string) bool {
	f := d.shape.byName[name]
	return f != nil && d.present.has(f.position)
}

// check runs what the input checks over several fields on d.value.
func (d *decoded) check() []Fault { return d.shape.checked(d.value) }

// decode reads one JSON object (RFC 8259, with unique names as RFC 7493 has
// it). The fields start from zero and, unless partial, from their defaults.
// Partial is for PATCH: absent fields are no fault, and check is for the
// caller to run on the merged value. A top-level name in readOnly is kept as
// it was sent and is neither decoded nor required, even if a field has it too.
//
// The error is for a body that is not one JSON object at all; whatever is
// wrong with an object is in faults. Faults and unknown each stop at a
// hundred, or when the pointers have come to 64 KiB; neither is empty for that.
func (s *inputShape) decode(body []byte, partial bool, readOnly map[string]bool) (*decoded, *Error) {
	d := &decoded{value: reflect.New(s.typ).Elem(), shape: s}
	if !partial {
		s.fill(d.value)
	}
	if blank := len(bytes.TrimLeft(body, " \t\r\n")) == 0; blank && len(s.fields) == 0 {
		return d, nil
	}
	if e := refuseUnread(body); e != nil {
		return nil, e
	}
	// A reader that a panic in a type's own method left behind is not used again.
	r := s.readers.Get().(*bodyReader)
	err := r.body(s, body, partial, readOnly, d)
	s.release(r)
	if err != nil {
		return nil, err
	}
	if !partial && len(d.faults) == 0 {
		d.faults = d.check()
	}
	s.suggest(d)
	return d, nil
}

// missingDetail is what is wrong with a required field that the body does not name.
const missingDetail = "is required"

// suggest adds to a missing field the unknown name that the client probably meant
// for it.
func (s *inputShape) suggest(d *decoded) {
	missing := func(f Fault) bool { return f.Detail == missingDetail }
	if len(d.unknown) == 0 || !slices.ContainsFunc(d.faults, missing) {
		return
	}
	meant := map[string]string{}
	for _, unknown := range d.unknown {
		if near := s.nearestPointer(unknown); meant[near] == "" {
			meant[near] = unknown
		}
	}
	for i, f := range d.faults {
		if wrong := meant[f.Pointer]; wrong != "" && missing(f) {
			d.faults[i].Detail += "; the body has " + clip(wrong) + ": did you mean " + f.Pointer + "?"
		}
	}
}

func (s *inputShape) release(r *bodyReader) {
	r.reset(nil, nil)
	s.readers.Put(r)
}

// A bodyReader walks one body. The first syntax error stops it; faults do not.
type bodyReader struct {
	dec      *jsontext.Decoder
	source   bytes.Buffer
	book     *ruleBook
	out      *decoded
	readOnly map[string]bool
	err      error // of syntax, the first
	count    int   // faults found, listed or not
	room     int   // bytes of pointers that may still be listed
	blank    bool  // the last value was text of white space, or an empty slice
}

func newBodyReader(book *ruleBook) *bodyReader {
	return &bodyReader{book: book, dec: jsontext.NewDecoder(strings.NewReader(""))}
}

func (r *bodyReader) reset(text []byte, out *decoded) {
	r.source = *bytes.NewBuffer(text)
	r.dec.Reset(&r.source)
	r.out, r.readOnly, r.err, r.count, r.room, r.blank = out, nil, nil, 0, maxFaultText, false
}

// body reads a whole body into d.
func (r *bodyReader) body(s *inputShape, text []byte, partial bool, readOnly map[string]bool, d *decoded) *Error {
	r.reset(text, d)
	r.readOnly = readOnly
	if kind := r.dec.PeekKind(); kind != jsontext.KindBeginObject {
		if _, ok := r.raw(); ok {
			return invalidJSON("The body must be one JSON object, not %s.", kindName(kind))
		}
		return describe(text, r.err)
	}
	d.present = r.object(s, d.value)
	if r.err != nil {
		return describe(text, r.err)
	}
	if at := r.dec.InputOffset(); len(bytes.TrimLeft(text[at:], " \t\r\n")) > 0 {
		return invalidJSON("The body must be one JSON object and nothing more, but it goes on after byte %d.", at)
	}
	if !partial {
		r.missing(s, d.present)
	}
	return nil
}

// value reads one JSON value on its own, and returns what is wrong with it.
func (r *bodyReader) value(p *valuePlan, text []byte, v reflect.Value) []Fault {
	d := &decoded{}
	r.reset(text, d)
	if p.decode(r, v); r.err != nil {
		return []Fault{{Code: CodeInvalidJSON, Detail: "is not JSON"}}
	}
	return d.faults
}

// object reads an object whose first token is next, and returns the fields
// that it named.
func (r *bodyReader) object(s *inputShape, v reflect.Value) (seen fieldSet) {
	r.token()
	for r.err == nil && r.dec.PeekKind() != jsontext.KindEndObject {
		f := r.member(s)
		if f == nil {
			continue
		}
		seen.add(f.position)
		before := len(r.out.faults)
		f.value.decode(r, f.in(v))
		if f.ref != "" {
			asReference(r.out.faults[before:])
		}
	}
	r.token()
	return seen
}

// member reads a name and returns its field. It deals with a name that has
// none, or may only be read, and returns nil.
func (r *bodyReader) member(s *inputShape) *inputField {
	raw, ok := r.raw()
	if !ok {
		return nil
	}
	name := raw[1 : len(raw)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = unescape(raw)
	}
	if len(r.readOnly) > 0 && r.dec.StackDepth() == 1 && r.readOnly[string(name)] {
		r.keep(string(name))
		return nil
	}
	if f := s.byName[string(name)]; f != nil {
		return f
	}
	if r.mayList(len(r.out.unknown)) {
		pointer := string(r.dec.StackPointer())
		r.out.unknown = append(r.out.unknown, pointer)
		r.room -= len(pointer)
	}
	r.skip()
	return nil
}

func (r *bodyReader) keep(name string) {
	raw, ok := r.raw()
	if !ok {
		return
	}
	if r.out.readOnly == nil {
		r.out.readOnly = map[string]jsontext.Value{}
	}
	r.out.readOnly[name] = raw.Clone()
}

// missing notes the required fields that the object just read did not name.
func (r *bodyReader) missing(s *inputShape, seen fieldSet) {
	top := r.dec.StackDepth() == 0
	for _, f := range s.fields {
		if f.required && !seen.has(f.position) && !(top && r.readOnly[f.name]) {
			r.faultAt("/"+escapePointer(f.name), "required", missingDetail)
		}
	}
}

// asReference turns what is wrong with the form of a key into the one code
// that a reference answers with, whatever keeps it from leading anywhere.
func asReference(faults []Fault) {
	for i := range faults {
		if code := faults[i].Code; code != "required" && code != "null" {
			faults[i].Code = CodeInvalidReference
		}
	}
}

// token reads past a bracket.
func (r *bodyReader) token() {
	if r.err == nil {
		_, r.err = r.dec.ReadToken()
	}
}

// raw reads a name or a whole value; the bytes are the body's own.
func (r *bodyReader) raw() (jsontext.Value, bool) {
	if r.err != nil {
		return nil, false
	}
	var v jsontext.Value
	v, r.err = r.dec.ReadValue()
	return v, r.err == nil
}

func (r *bodyReader) skip() {
	if r.err == nil {
		r.err = r.dec.SkipValue()
	}
}

// fault notes what is wrong with the value just read.
func (r *bodyReader) fault(code, detail string) { r.faultAt("", code, detail) }

// faultAt notes what is wrong at a pointer below the value just read.
func (r *bodyReader) faultAt(below, code, detail string) {
	r.count++
	if !r.mayList(len(r.out.faults)) {
		return
	}
	f := Fault{Pointer: string(r.dec.StackPointer()) + below, Code: code, Detail: detail}
	r.room -= len(f.Pointer)
	r.out.faults = append(r.out.faults, f)
}

// mayList reports whether one more may follow those listed. The first always
// may: a list that should have something in it is never empty.
func (r *bodyReader) mayList(listed int) bool {
	return r.err == nil && (listed == 0 || r.room > 0 && listed < maxFaults)
}

// mismatch refuses the next value for its kind.
func (r *bodyReader) mismatch(want string) bool {
	kind := r.dec.PeekKind()
	if r.skip(); r.err == nil {
		r.fault("type", "must be "+want+", not "+kindName(kind))
	}
	return false
}

// refuseUnread finds what is wrong with a body before it is read: nothing in
// it, a byte order mark, or too many levels.
func refuseUnread(body []byte) *Error {
	if len(bytes.TrimLeft(body, " \t\r\n")) == 0 {
		return invalidJSON("The body is empty; send one JSON object.")
	}
	if bytes.HasPrefix(body, []byte("\xef\xbb\xbf")) {
		return invalidJSON("The body begins with a byte order mark; send UTF-8 without one.")
	}
	if at := tooDeep(body); at >= 0 {
		return invalidJSON("The body is nested more than %d levels deep, at byte %d.", maxDepth, at)
	}
	return nil
}

// tooDeep returns where the body opens one level too many, or -1. It may be
// mistaken about text that is not JSON, which is refused in any case.
func tooDeep(body []byte) int {
	depth := 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '"':
			for i++; i < len(body) && body[i] != '"'; i++ {
				if body[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth--
		}
	}
	return -1
}

func invalidJSON(format string, args ...any) *Error {
	return Refuse(http.StatusBadRequest, CodeInvalidJSON, fmt.Sprintf(format, args...))
}

// describe says in plain words where and how a body stops being JSON.
func describe(body []byte, err error) *Error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return invalidJSON("The body ends too early, after byte %d.", len(body))
	}
	at := min(int(syntax.ByteOffset), len(body))
	rest := body[at:]
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return invalidJSON("The name at %s is given twice, the second time at byte %d; each name may appear once in its object.", clip(string(syntax.JSONPointer)), at)
	case errors.Is(err, io.ErrUnexpectedEOF) || len(rest) == 0:
		return invalidJSON("The body ends too early, after byte %d.", len(body))
	case errors.Is(err, jsontext.ErrNonStringName):
		return invalidJSON("At byte %d a name is expected, which must be a string in double quotes.", at)
	}
	return invalidJSON("%s at byte %d.", oddity(rest), at)
}

// oddity names what stands where the body stops being JSON.
func oddity(rest []byte) string {
	c, size := utf8.DecodeRune(rest)
	switch {
	case c == utf8.RuneError && size == 1:
		return "The body is not UTF-8"
	case bytes.HasPrefix(rest, []byte(`\u`)):
		return `A string has a \u escape that is not a whole character (four hexadecimal digits, or a surrogate pair)`
	case c == '\\':
		return "A string has an escape that JSON does not know"
	case c < ' ':
		return fmt.Sprintf("The control character U+%04X may not stand here unescaped", c)
	}
	return "Unexpected " + strconv.QuoteRune(c)
}

// kindName names a kind of JSON value as a sentence about it does.
func kindName(k jsontext.Kind) string {
	switch k {
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindBeginArray:
		return "an array"
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindNull:
		return "null"
	}
	return "a boolean"
}

// escapePointer makes a name one token of a JSON Pointer (RFC 6901 section 3).
func escapePointer(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// clip keeps a text short enough for a sentence.
func clip(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}
