package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rule"
	"trestle.example/framework/problem"
)

// MaxFaults is the number of faults, and of unknown names, that one answer lists at most.
const MaxFaults = 100

const (
	maxDepth     = 32       // objects and arrays inside each other
	maxFaultText = 64 << 10 // bytes of pointers that one answer lists
)

// A fieldSet is a set of a shape's fields, by position.
type fieldSet [maxFields / 64]uint64

func (s *fieldSet) add(position int) { s[position/64] |= 1 << (position % 64) }

func (s *fieldSet) has(position int) bool { return s[position/64]>>(position%64)&1 == 1 }

// A Decoded is the result of decoding a body: a value, its faults, and its members that had
// no effect. It belongs to one request.
type Decoded struct {
	Value    reflect.Value             // addressable, of the shape's type
	present  fieldSet                  // the top-level fields that the body named, valid or not
	Unknown  []string                  // JSON Pointers of names that no field has, at any depth, in order
	ReadOnly map[string]jsontext.Value // top-level names that may only be read, as sent; nil for none
	Faults   []problem.Fault           // in order of the body, then missing fields; or those of Check
	More     bool                      // the body has faults that are not in Faults
	Around   []problem.Fault           // of the member of the body that has the input; see [Wrapper]
	Beside   []string                  // JSON Pointers of members beside that member, in order
	shape    *Shape
}

// Has reports whether the body named a top-level field, with a valid value or not. It returns
// false for a name in ReadOnly.
func (d *Decoded) Has(name string) bool {
	f := d.shape.ByName[name]
	return f != nil && d.present.has(f.position)
}

// Check runs the checks of the input that concern several fields, on d.Value ([Shape.Checked]).
func (d *Decoded) Check() []problem.Fault {
	return d.shape.checked(d.Value, func(f *Field) bool { return d.present.has(f.position) })
}

// Decode reads one JSON object (RFC 8259, with unique names as in RFC 7493). An absent field
// has its default, or zero if it has none or if partial is true. Partial is for PATCH: an
// absent top-level field is no fault, and Decode does not run [Decoded.Check], because the
// caller checks the merged value. A top-level name in readOnly is stored as it was sent
// and is neither decoded nor required, even if a field has this name.
//
// If the body is not one JSON object or is nested too deeply, Decode returns an error. For an
// input without fields, a blank body is valid. Faults and Unknown each have at most 100
// entries, and no more after their pointers have 64 KiB together; the first entry of each is
// always there.
func (s *Shape) Decode(body []byte, partial bool, readOnly map[string]bool) (*Decoded, *problem.Error) {
	return s.decode(body, partial, readOnly, "")
}

// decode is Decode for an input at a pointer of the body, which sentences of faults begin with.
func (s *Shape) decode(body []byte, partial bool, readOnly map[string]bool, at string) (*Decoded, *problem.Error) {
	d := &Decoded{Value: reflect.New(s.Typ).Elem(), shape: s}
	if !partial {
		s.fill(d.Value)
	}
	if blank := len(bytes.TrimLeft(body, " \t\r\n")) == 0; blank && len(s.Fields) == 0 {
		return d, nil
	}
	if e := refuseUnread(body); e != nil {
		return nil, e
	}
	// A reader that a panic in a type's own method left behind is not used again.
	r := s.readers.Get().(*bodyReader)
	err := r.body(s, body, partial, readOnly, d)
	d.More = r.count > len(d.Faults)
	s.release(r)
	if err != nil {
		return nil, err
	}
	if !partial && len(d.Faults) == 0 {
		d.Faults = d.Check()
	}
	s.suggest(d, at)
	return d, nil
}

// missingDetail is the sentence about a required field that the body does not name.
const missingDetail = "is required"

func (s *Shape) release(r *bodyReader) {
	r.reset(nil, nil)
	s.readers.Put(r)
}

// A bodyReader walks one body. The first syntax error stops it; faults do not.
type bodyReader struct {
	dec      *jsontext.Decoder
	source   bytes.Buffer
	book     *rule.Book
	out      *Decoded
	readOnly map[string]bool
	err      error // of syntax, the first
	count    int   // faults found, listed or not
	room     int   // bytes of pointers that may still be listed
	blank    bool  // the last value was blank text or an empty slice
}

func newBodyReader(book *rule.Book) *bodyReader {
	return &bodyReader{book: book, dec: jsontext.NewDecoder(strings.NewReader(""))}
}

func (r *bodyReader) reset(text []byte, out *Decoded) {
	r.source = *bytes.NewBuffer(text)
	r.dec.Reset(&r.source)
	r.out, r.readOnly, r.err, r.count, r.room, r.blank = out, nil, nil, 0, maxFaultText, false
}

// body reads a whole body into d.
func (r *bodyReader) body(s *Shape, text []byte, partial bool, readOnly map[string]bool, d *Decoded) *problem.Error {
	r.reset(text, d)
	r.readOnly = readOnly
	if kind := r.dec.PeekKind(); kind != jsontext.KindBeginObject {
		if _, ok := r.raw(); ok {
			return fault.InvalidJSON("The body must be one JSON object, not %s.", kindName(kind))
		}
		return describe(text, r.err)
	}
	d.present = r.object(s, d.Value)
	if r.err != nil {
		return describe(text, r.err)
	}
	if refusal := r.ended(text); refusal != nil {
		return refusal
	}
	if !partial {
		r.missing(s, d.present)
	}
	return nil
}

// ended returns the error of a body that goes on after its object.
func (r *bodyReader) ended(body []byte) *problem.Error {
	if at := r.dec.InputOffset(); len(bytes.TrimLeft(body[at:], " \t\r\n")) > 0 {
		return fault.InvalidJSON("The body must be one JSON object and nothing more, but it goes on after byte %d.", at)
	}
	return nil
}

// value reads one JSON value that is not part of a body, and returns its faults.
func (r *bodyReader) value(p *ValuePlan, text []byte, v reflect.Value) []problem.Fault {
	d := &Decoded{}
	r.reset(text, d)
	if p.decode(r, v); r.err != nil {
		return []problem.Fault{{Code: problem.CodeInvalidJSON, Detail: "is not JSON"}}
	}
	return d.Faults
}

// object reads an object whose first token is next, and returns the fields
// that it named.
func (r *bodyReader) object(s *Shape, v reflect.Value) (seen fieldSet) {
	r.token()
	for r.err == nil && r.dec.PeekKind() != jsontext.KindEndObject {
		f := r.member(s)
		if f == nil {
			continue
		}
		seen.add(f.position)
		f.Value.decode(r, f.in(v))
	}
	r.token()
	return seen
}

// member reads a name and returns its field. It returns nil for a read-only name, whose value it
// stores, and for an unknown name, which it lists and whose value it skips.
func (r *bodyReader) member(s *Shape) *Field {
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
	if f := s.ByName[string(name)]; f != nil {
		return f
	}
	if r.mayList(len(r.out.Unknown)) {
		pointer := string(r.dec.StackPointer())
		r.out.Unknown = append(r.out.Unknown, pointer)
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
	if r.out.ReadOnly == nil {
		r.out.ReadOnly = map[string]jsontext.Value{}
	}
	r.out.ReadOnly[name] = raw.Clone()
}

// missing records the required fields that the object just read did not name, and one of OneOf
// ([Shape.meantOne]) if the object named none of them.
func (r *bodyReader) missing(s *Shape, seen fieldSet) {
	top := r.dec.StackDepth() == 0
	for _, f := range s.Fields {
		if f.Required && !seen.has(f.position) && !(top && r.readOnly[f.Name]) {
			r.faultAt("/"+naming.EscapePointer(f.Name), "required", missingDetail)
		}
	}
	if len(s.OneOf) > 0 && !slices.ContainsFunc(s.OneOf, func(f *Field) bool { return seen.has(f.position) }) {
		one := s.meantOne(r.out.Unknown, string(r.dec.StackPointer()))
		r.faultAt("/"+naming.EscapePointer(one.Name), "required", missingDetail)
	}
}

// token reads one bracket.
func (r *bodyReader) token() {
	if r.err == nil {
		_, r.err = r.dec.ReadToken()
	}
}

// raw reads a name or a whole value. The result shares its memory with the body.
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

// fault records a fault of the value just read ([bodyReader.faultAt]).
func (r *bodyReader) fault(code, detail string) { r.faultAt("", code, detail) }

// faultAt counts a fault at a pointer below the value just read, and lists it if there is room.
func (r *bodyReader) faultAt(below, code, detail string) {
	r.count++
	if !r.mayList(len(r.out.Faults)) {
		return
	}
	f := problem.Fault{Pointer: string(r.dec.StackPointer()) + below, Code: code, Detail: detail}
	r.room -= len(f.Pointer)
	r.out.Faults = append(r.out.Faults, f)
}

// mayList reports whether a list with so many entries may get another one. After a syntax error
// it returns false. Otherwise, it always returns true for the first entry.
func (r *bodyReader) mayList(listed int) bool {
	return r.err == nil && (listed == 0 || r.room > 0 && listed < MaxFaults)
}

// mismatch skips the next value and records that it is of the wrong kind. It returns false.
func (r *bodyReader) mismatch(want string) bool {
	kind := r.dec.PeekKind()
	if r.skip(); r.err == nil {
		r.fault("type", "must be "+want+", not "+kindName(kind))
	}
	return false
}

// refuseUnread returns an error for a body that is not read at all, because it is blank, begins
// with a byte order mark, or has too many levels.
func refuseUnread(body []byte) *problem.Error {
	if len(bytes.TrimLeft(body, " \t\r\n")) == 0 {
		return fault.InvalidJSON("The body is empty; send one JSON object.")
	}
	if bytes.HasPrefix(body, []byte("\xef\xbb\xbf")) {
		return fault.InvalidJSON("The body begins with a byte order mark; send UTF-8 without one.")
	}
	if at := tooDeep(body); at >= 0 {
		return fault.InvalidJSON("The body is nested more than %d levels deep, at byte %d.", maxDepth, at)
	}
	return nil
}

// tooDeep returns the offset at which the body opens one level too many, or -1. The result may be
// wrong for text that is not JSON, but such text is rejected in any case.
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

// describe returns the error that states where and how a body stops being JSON.
func describe(body []byte, err error) *problem.Error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return fault.InvalidJSON("The body ends too early, after byte %d.", len(body))
	}
	at := min(int(syntax.ByteOffset), len(body))
	rest := body[at:]
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fault.InvalidJSON("The name at %s is given twice, the second time at byte %d; each name may appear once in its object.", naming.Clip(string(syntax.JSONPointer)), at)
	case errors.Is(err, io.ErrUnexpectedEOF) || len(rest) == 0:
		return fault.InvalidJSON("The body ends too early, after byte %d.", len(body))
	case errors.Is(err, jsontext.ErrNonStringName):
		return fault.InvalidJSON("At byte %d a name is expected, which must be a string in double quotes.", at)
	}
	return fault.InvalidJSON("%s at byte %d.", oddity(rest), at)
}

// oddity names the character at which the body stops being JSON.
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

// kindName returns a kind of JSON value in words, with its article.
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

// rejectBlank records a fault and returns false if the last value was blank and the plan is
// required or filled.
func (r *bodyReader) rejectBlank(p *ValuePlan, detail string) bool {
	switch {
	case !r.blank:
	case p.Required:
		r.fault("required", detail)
		return false
	case p.Filled:
		r.fault("filled", detail)
		return false
	}
	return true
}
