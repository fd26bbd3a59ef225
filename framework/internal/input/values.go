package input

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rule"
	"trestle.example/framework/problem"
)

// A ValuePlan describes how one JSON value becomes one Go value: of a field or of an
// element. It is compiled once and is safe for concurrent use.
type ValuePlan struct {
	Typ      reflect.Type // the element if the type is a pointer
	pointer  bool
	Nullable bool
	Required bool // not null, not blank, not an empty slice
	Filled   bool // not blank, not an empty slice; null may pass
	trim     bool // white space at both ends of text is removed
	OmitZero bool // the rules accept the zero value (omitempty)
	Rules    []rule.Rule
	Tag      string          // the rules as a validate tag
	Own      []rule.Bound    // the rules of the program, which are judged last
	limit    int             // elements that rules allow at most; -1 for any number
	partTag  string          // Tag without unique
	line     bool            // the rules demand one line of text
	kind     jsontext.Kind   // the kind of JSON by the type's own schema; 0 for any
	Optional bool            // an Optional; Elem reads its value
	Values   []reflect.Value // of an Enumerated type, nil for any other
	read     valueReader
	Elem     *ValuePlan
	Nested   *Shape
}

// A valueReader reads the next value into v, which is zero or has the default of its field. It
// records its faults, and reports whether rules may judge v.
type valueReader func(r *bodyReader, p *ValuePlan, v reflect.Value) bool

// decode reads the next value into v. It checks null first, then type and form, then the rules.
func (p *ValuePlan) decode(r *bodyReader, v reflect.Value) {
	if p.Optional {
		v.Field(0).SetBool(true)
		p.Elem.decode(r, v.Field(1))
		return
	}
	null := r.dec.PeekKind() == jsontext.KindNull
	switch {
	case null && !p.Nullable:
		if r.skip(); r.err == nil {
			r.fault("null", "must not be null")
		}
		return
	case null && !datatype.IsJSON(p.Typ):
		r.skip()
		v.SetZero()
		return
	case p.pointer:
		v.Set(reflect.New(p.Typ))
		v = v.Elem()
	default:
		v.SetZero() // it may be the default, which all requests share
	}
	r.blank = false
	before := r.count
	if !p.read(r, p, v) || r.err != nil {
		return
	}
	p.judge(r, v, r.count > before)
}

// judge applies the rules to a value that was read. If it breaks none, it must also be one of
// the values of its Enumerated type. troubled means that a part of the value has a fault: then the
// elements are not compared, because faulty ones are all zero, and the rules of the program wait.
func (p *ValuePlan) judge(r *bodyReader, v reflect.Value, troubled bool) {
	before := r.count
	p.rule(r, v, troubled)
	if r.count == before && !datatype.IsAmong(v, p.Values) {
		r.fault("oneof", noneOf(v, datatype.ValueWords(p.Values)))
	}
}

func (p *ValuePlan) rule(r *bodyReader, v reflect.Value, troubled bool) {
	switch {
	case p.OmitZero && (r.blank && v.Kind() == reflect.String || v.IsZero() || (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0):
	default:
		tag, own := p.Tag, p.Own
		if troubled {
			tag, own = p.partTag, nil
		}
		if code, detail := broken(r.book, tag, own, v); code != "" {
			r.fault(code, detail)
		}
	}
}

// broken returns the code and the detail of the first rule of a tag, or of the program, that a value breaks, or "" without one.
func broken(book *rule.Book, tag string, ofProgram []rule.Bound, v reflect.Value) (code, detail string) {
	if tag != "" {
		code, detail = book.Check(tag, v)
	}
	for _, own := range ofProgram {
		if code == "" && !own.Valid(v) {
			code, detail = own.Code, own.Detail
		}
	}
	return code, detail
}

// noneOf returns the sentence to a client whose value is not one of some words. Only for a
// text it suggests the nearest word, because numbers are not misspelt.
func noneOf(v reflect.Value, words []string) string {
	if v.Kind() == reflect.String {
		return problem.OneOf(words, v.String())
	}
	return naming.ListWords(words)
}

// note stores whether a value is blank. It returns false, with a fault, if the value is blank and
// the plan is required or filled.
func (r *bodyReader) note(p *ValuePlan, blank bool) bool {
	r.blank = blank
	return r.rejectBlank(p, "must not be blank")
}

// knownReader returns the reader of a time, UUID, any JSON, bytes or a type that reads itself, or
// nil for any other type.
func knownReader(t reflect.Type) valueReader {
	switch {
	case t == naming.TimeType:
		return readTime
	case t == naming.UUIDType:
		return readUUID
	case datatype.IsJSON(t):
		return readJSON
	case reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()):
		return readUnmarshaler
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return readTextUnmarshaler
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !datatype.ReadsItself(t.Elem()):
		return readBytes
	}
	return nil
}

func kindReader(k reflect.Kind) valueReader {
	switch k {
	case reflect.String:
		return readString
	case reflect.Bool:
		return readBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return readInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return readUint
	case reflect.Float32, reflect.Float64:
		return readFloat
	}
	return nil
}

// text reads a string without its escapes, and trims it if the plan says so. It rejects U+0000,
// blank text if the plan is required or filled, and text that breaks the rule line.
func (r *bodyReader) text(p *ValuePlan) (string, bool) {
	if r.dec.PeekKind() != jsontext.KindString {
		return "", r.mismatch("a string")
	}
	raw, ok := r.raw()
	if !ok {
		return "", false
	}
	text := raw[1 : len(raw)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		text = unescape(raw)
		if bytes.IndexByte(text, 0) >= 0 {
			r.fault("nul", "must not contain the character U+0000")
			return "", false
		}
	}
	blank := naming.IsBlank(text)
	turns := blank && naming.HasBidiControl(text) // such a text has the code line, blank or not
	if p.line && turns && !r.isLine(text) || !r.note(p, blank) || p.line && !r.isLine(text) {
		return "", false
	}
	switch {
	case p.trim && blank:
		text = nil
	case p.trim:
		text = bytes.TrimSpace(text)
	}
	return string(text), true
}

// isLine checks the rule line before white space is removed, because the pattern in the
// OpenAPI document does so too.
func (r *bodyReader) isLine(text []byte) bool {
	if naming.IsLine(string(text)) {
		return true
	}
	r.fault("line", rule.Detail(rule.Rule{Name: "line"}, reflect.TypeFor[string]()))
	return false
}

// unescape returns the text of a valid JSON string.
func unescape(raw jsontext.Value) []byte {
	text, _ := jsontext.AppendUnquote(nil, raw) // valid: the decoder read it
	return text
}

func readString(r *bodyReader, p *ValuePlan, v reflect.Value) bool {
	text, ok := r.text(p)
	v.SetString(text)
	return ok
}

func readBool(r *bodyReader, _ *ValuePlan, v reflect.Value) bool {
	kind := r.dec.PeekKind()
	if kind != jsontext.KindTrue && kind != jsontext.KindFalse {
		return r.mismatch("true or false")
	}
	r.skip()
	v.SetBool(kind == jsontext.KindTrue)
	return true
}

// number reads a number's digits. With whole it rejects a fraction or an exponent,
// so that nothing is rounded and 1.0 is never read as 1.
func (r *bodyReader) number(whole bool) (jsontext.Value, bool) {
	want := "a number"
	if whole {
		want = "a whole number"
	}
	if r.dec.PeekKind() != jsontext.KindNumber {
		return nil, r.mismatch(want)
	}
	raw, ok := r.raw()
	if ok && whole && bytes.ContainsAny(raw, ".eE") {
		r.fault("integer", "must be a whole number, written without a fraction or an exponent")
		return nil, false
	}
	return raw, ok
}

func readInt(r *bodyReader, p *ValuePlan, v reflect.Value) bool {
	raw, ok := r.number(true)
	if !ok {
		return false
	}
	n, err := datatype.ParseInt(string(raw), v.Type().Bits())
	v.SetInt(n)
	return err == nil || r.outOfRange(p, v, err)
}

// outOfRange records a fault for a number that the field's type cannot hold. v has the nearest
// number that the type can hold. If a rule rejects v too, the fault is that of the rule, because
// its bound is stricter. outOfRange returns false.
func (r *bodyReader) outOfRange(p *ValuePlan, v reflect.Value, err error) bool {
	code, detail := "", ""
	if p.Tag != "" {
		code, detail = r.book.Check(p.Tag, v)
	}
	if code == "" {
		code, detail = "range", err.Error()
	}
	r.fault(code, detail)
	return false
}

func readUint(r *bodyReader, p *ValuePlan, v reflect.Value) bool {
	raw, ok := r.number(true)
	if !ok {
		return false
	}
	n, err := datatype.ParseUint(string(raw), v.Type().Bits())
	v.SetUint(n)
	return err == nil || r.outOfRange(p, v, err)
}

func readFloat(r *bodyReader, p *ValuePlan, v reflect.Value) bool {
	raw, ok := r.number(false)
	if !ok {
		return false
	}
	n, err := datatype.ParseFloat(string(raw), v.Type().Bits())
	v.SetFloat(n)
	return err == nil || r.outOfRange(p, v, err)
}

// readTime reads a time of RFC 3339 whose year is 1 to 9999 in UTC.
func readTime(r *bodyReader, p *ValuePlan, v reflect.Value) bool {
	text, ok := r.text(p)
	if !ok {
		return false
	}
	t, err := datatype.ParseTime(text)
	if err != nil {
		r.fault("format", err.Error())
		return false
	}
	if t.Year() < 1 || t.Year() > 9999 {
		r.fault("range", "must lie in the years 1 to 9999, in UTC")
		return false
	}
	v.Set(reflect.ValueOf(t))
	return true
}

func readUUID(r *bodyReader, p *ValuePlan, v reflect.Value) bool {
	text, ok := r.text(p)
	if !ok {
		return false
	}
	id, err := datatype.ParseUUID(text)
	if err != nil {
		r.fault("format", err.Error())
		return false
	}
	*v.Addr().Interface().(*uuid.UUID) = id
	return true
}

// readBytes takes base64 with padding (RFC 4648 section 4), as encoding/json
// writes bytes.
func readBytes(r *bodyReader, p *ValuePlan, v reflect.Value) bool {
	text, ok := r.text(p)
	if !ok {
		return false
	}
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") {
		r.fault("format", "must be base64 with padding")
		return false
	}
	v.SetBytes(data)
	return true
}

// own reads a whole value as JSON, for a type that reads itself and for any JSON. It rejects
// U+0000, and blank text if the plan is required or filled.
func (r *bodyReader) own(p *ValuePlan) (jsontext.Value, bool) {
	raw, ok := r.raw()
	if !ok || bytes.Contains(raw, []byte(`\u0000`)) && !r.inspect(raw, false) {
		return nil, false
	}
	blank := raw[0] == '"' && naming.IsBlank(unescape(raw))
	return raw, r.note(p, blank)
}

// inspect records a fault for each string in raw, names included, that has U+0000, and if
// numbers is set, for each number that [isKeepable] rejects. It returns false after a fault.
func (r *bodyReader) inspect(raw jsontext.Value, numbers bool) bool {
	before := r.count
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return r.count == before
		}
		switch kind := token.Kind(); {
		case kind == jsontext.KindString && strings.ContainsRune(token.String(), 0):
			r.faultAt(string(dec.StackPointer()), "nul", "must not contain the character U+0000")
		case kind == jsontext.KindNumber && numbers && !isKeepable(token.String()):
			r.faultAt(string(dec.StackPointer()), "range", "is a number too large, too small or too long to keep")
		}
	}
}

// isKeepable reports whether every database can store a number. The number must be in the
// range of a double, as RFC 7493 section 2.2 recommends. A number that is not 0 must not
// become 0 as a double. The number must have at most 400 characters. Databases store
// somewhat more, but fail beyond their limits.
func isKeepable(number string) bool {
	const longest = 400 // as many digits as a double's range takes, and some
	f, err := strconv.ParseFloat(number, 64)
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	vanished := f == 0 && strings.ContainsAny(mantissa, "123456789")
	return err == nil && !vanished && len(number) <= longest
}

// readJSON reads any JSON. It rejects a string or a name with U+0000, and a number for which
// [isKeepable] is false. A field of type any gets Go's usual types, with numbers as
// [json.Number], so that no digit is lost.
func readJSON(r *bodyReader, p *ValuePlan, v reflect.Value) bool {
	raw, ok := r.own(p)
	if !ok || !r.inspect(raw, true) {
		return false
	}
	if v.Kind() != reflect.Interface {
		v.SetBytes(raw.Clone())
		return true
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return dec.Decode(v.Addr().Interface()) == nil // the JSON is valid, so this holds
}

func readUnmarshaler(r *bodyReader, p *ValuePlan, v reflect.Value) bool {
	raw, ok := r.own(p)
	if !ok {
		return false
	}
	err := v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(slices.Clip(raw))
	if kind := raw.Kind(); err != nil && p.kind != 0 && kind != p.kind {
		r.fault("type", "must be "+kindName(p.kind)+", not "+kindName(kind))
		return false
	}
	return r.accept(p, v, err)
}

func readTextUnmarshaler(r *bodyReader, p *ValuePlan, v reflect.Value) bool {
	text, ok := r.text(p)
	if !ok {
		return false
	}
	err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
	if err == nil && isInvalidIP(v) {
		err = problem.ValueError("must not be empty")
	}
	return r.accept(p, v, err)
}

// isInvalidIP reports whether v is an address or a network that blank text made. bun stores it as a
// text that it cannot read. Values of other types are not boxed, because every body has some.
func isInvalidIP(v reflect.Value) bool {
	switch v.Type() {
	case reflect.TypeFor[netip.Addr](), reflect.TypeFor[netip.Prefix]():
		return v.IsZero()
	case reflect.TypeFor[net.IP]():
		return v.Len() == 0
	}
	return false
}

// accept records a fault if err is not nil: the error of a type that reads itself. It returns
// whether err is nil.
func (r *bodyReader) accept(p *ValuePlan, v reflect.Value, err error) bool {
	if err == nil {
		return true
	}
	if beyond, ok := errors.AsType[problem.RangeError](err); ok {
		return r.outOfRange(p, v, beyond)
	}
	said, ok := errors.AsType[problem.ValueError](err)
	if !ok {
		said = "is not in the form that this field takes"
	}
	r.fault("format", naming.Clip(string(said)))
	return false
}

// parseDefault reads the tag default into v as if it had been sent. For a string, the tag is
// the text itself. For any other type, the tag is JSON, or a text if it is not valid JSON. It
// returns the JSON, or the first fault of the tag.
func parseDefault(r *bodyReader, p *ValuePlan, text string, v reflect.Value) ([]byte, string) {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return nil, "is not UTF-8"
	}
	sent := []byte(text)
	if p.Typ.Kind() == reflect.String || !jsontext.Value(sent).IsValid() {
		sent = quoted
	}
	if faults := r.value(p, sent, v); len(faults) > 0 {
		return nil, faults[0].Detail
	}
	return sent, ""
}
