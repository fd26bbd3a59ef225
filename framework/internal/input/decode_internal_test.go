package input

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/problem"
)

// bodyPaise is a type that reads itself from a JSON number or string.
type bodyPaise int64

func (p *bodyPaise) UnmarshalJSON(raw []byte) error {
	var n int64
	if string(raw) == `"free"` {
		return nil
	}
	if err := json.Unmarshal(raw, &n); err != nil {
		return err // speaks of Go: no client may read it
	}
	if *p = bodyPaise(n); n%100 != 0 {
		return problem.ValueError("must be whole rupees")
	}
	return nil
}

// bodyShade is a type that reads itself from text.
type bodyShade struct{ code int }

func (s *bodyShade) UnmarshalText(text []byte) error {
	if string(text) != "red" {
		return problem.ValueError("must be red")
	}
	s.code = 1
	return nil
}

type bodyStatus string

type bodyLine struct {
	Quantity int      `json:"quantity" validate:"required,min=1,max=99"`
	Note     string   `json:"note" default:"none" validate:"max=5"`
	Tags     []string `json:"tags" validate:"max=2"`
}

// everyKind has a field of every kind, none of them required.
type everyKind struct {
	Name    string             `json:"name" validate:"min=2,max=10"`
	Raw     string             `json:"raw" trim:"-"`
	Status  bodyStatus         `json:"status" default:"booked" validate:"oneof=booked completed cancelled no_show"`
	Email   string             `json:"email" validate:"email"`
	On      bool               `json:"on"`
	Small   int8               `json:"small"`
	Count   int                `json:"count" validate:"min=0,max=100"`
	Big     int64              `json:"big"`
	Whole   uint16             `json:"whole"`
	Huge    uint64             `json:"huge"`
	Ratio   float64            `json:"ratio" validate:"gt=-1e300"`
	Single  float32            `json:"single"`
	At      time.Time          `json:"at"`
	Later   *time.Time         `json:"later" validate:"gt"`
	ID      uuid.UUID          `json:"key"`
	Patient *uuid.UUID         `json:"patient" ref:"patients"`
	Grade   int                `json:"grade" ref:"grades"`
	JSON    json.RawMessage    `json:"json"`
	Any     any                `json:"any"`
	Tags    []string           `json:"tags" validate:"max=3,unique,dive,required,max=4"`
	Numbers []*int             `json:"numbers"`
	Scores  map[string]float64 `json:"scores" validate:"max=2,dive,gte=0"`
	Line    bodyLine           `json:"line"`
	Maybe   *bodyLine          `json:"maybe"`
	Lines   []bodyLine         `json:"lines" validate:"min=1,max=3,dive"`
	Nick    *string            `json:"nick" validate:"min=2"`
	Price   bodyPaise          `json:"price" validate:"gte=0"`
	Shade   bodyShade          `json:"shade"`
	Data    []byte             `json:"data"`
	Slash   string             `json:"a/b~c" validate:"max=1"`
	Once    int                `json:"once" validate:"omitempty,min=10"`
}

// requiredKinds has required fields of many kinds.
type requiredKinds struct {
	Name    string          `json:"name" validate:"required,max=10"`
	Count   int             `json:"count" validate:"required"`
	On      bool            `json:"on" validate:"required"`
	Tags    []string        `json:"tags" validate:"required"`
	Patient uuid.UUID       `json:"patient" ref:"patients" validate:"required"`
	Nick    *string         `json:"nick" validate:"required"`
	Any     any             `json:"any" validate:"required"`
	Word    string          `json:"word" validate:"required" trim:"-"`
	Price   bodyPaise       `json:"price" validate:"required"`
	JSON    json.RawMessage `json:"json"`
}

const (
	bodyID   = `"0198f1c2-7a3b-7c4d-8e5f-001122334455"`
	goodBody = `{"name":"Ann","count":0,"on":false,"tags":["a"],"patient":` + bodyID + `,"nick":"n","any":false,"word":"w","price":0}`
)

func compiledInput[In any](tb testing.TB) *Shape {
	tb.Helper()
	s, errs := CompileInput(reflect.TypeFor[In]())
	if len(errs) > 0 {
		tb.Fatal(errs)
	}
	return s
}

// notOneObject are bodies that are not one JSON object; detail is a part of
// the error's sentence.
var notOneObject = []struct{ about, body, detail string }{
	{"nothing", ``, "The body is empty"},
	{"white space", " \r\n\t ", "The body is empty"},
	{"null", `null`, "must be one JSON object, not null"},
	{"a string", `"name"`, "not a string"},
	{"a number", `12`, "not a number"},
	{"true", `true`, "not a boolean"},
	{"false", ` false `, "not a boolean"},
	{"an array", `[]`, "not an array"},
	{"an array of one object", `[{"name":"Ann"}]`, "not an array"},
	{"a byte order mark", "\xef\xbb\xbf{}", "byte order mark"},
	{"UTF-16", "\xff\xfe{\x00}\x00", "not UTF-8 at byte 0"},
	{"NUL before", "\x00{}", "U+0000 may not stand here unescaped at byte 0"},
	{"NUL after", "{}\x00", "goes on after byte 2"},
	{"a second object", `{} {}`, "goes on after byte 2"},
	{"garbage after", `{}x`, "goes on after byte 2"},
	{"a closing brace too many", `{}}`, "goes on after byte 2"},
	{"a comma after", `{},`, "goes on after byte 2"},
	{"lines of JSON", "{\"name\":\"Ann\"}\n{\"name\":\"Bob\"}", "goes on after byte 14"},
	{"an open brace", `{`, "ends too early, after byte 1"},
	{"cut off in a name", `{"na`, "ends too early"},
	{"cut off after a name", `{"name"`, "ends too early"},
	{"cut off after a colon", `{"name":`, "ends too early"},
	{"cut off in a string", `{"name":"An`, "ends too early"},
	{"cut off in an escape", `{"name":"\u00`, "ends too early"},
	{"cut off after a backslash", `{"name":"\`, "ends too early"},
	{"cut off in a literal", `{"on":tru`, "ends too early"},
	{"cut off in a number", `{"ratio":1.`, "ends too early"},
	{"cut off after a value", `{"name":"Ann"`, "ends too early, after byte 13"},
	{"cut off after a comma", `{"name":"Ann",`, "ends too early"},
	{"cut off in an array", `{"tags":["a"`, "ends too early"},
	{"cut off in a nested object", `{"line":{"quantity":1}`, "ends too early"},
	{"cut off in an ignored value", `{"x":[{`, "ends too early"},
	{"a trailing comma", `{"name":"Ann",}`, "Unexpected ',' at byte 13"},
	{"a trailing comma in an array", `{"tags":["a",]}`, "Unexpected ',' at byte 12"},
	{"no comma", `{"name":"Ann" "city":"Pune"}`, `Unexpected '"' at byte 14`},
	{"no colon", `{"name" "Ann"}`, `Unexpected '"' at byte 8`},
	{"no value", `{"name":}`, "Unexpected '}' at byte 8"},
	{"the wrong bracket", `{"name":"Ann"]`, "Unexpected ']' at byte 13"},
	{"the wrong bracket of an array", `{"tags":["a"}`, "Unexpected '}' at byte 12"},
	{"a name without quotes", `{city:"Pune"}`, "Unexpected 'c' at byte 1"},
	{"a number for a name", `{1:"Ann"}`, "a name is expected"},
	{"null for a name", `{null:1}`, "a name is expected"},
	{"an object for a name", `{{}:1}`, "a name is expected"},
	{"single quotes", `{'name':'Ann'}`, `Unexpected '\'' at byte 1`},
	{"a comment", `{/* x */}`, "Unexpected '/' at byte 1"},
	{"a line comment", "{\"on\":true//x\n}", "Unexpected '/' at byte 10"},
	{"NaN", `{"ratio":NaN}`, "Unexpected 'N' at byte 9"},
	{"Infinity", `{"ratio":Infinity}`, "Unexpected 'I' at byte 9"},
	{"minus infinity", `{"ratio":-Infinity}`, "Unexpected 'I' at byte 10"},
	{"a leading zero", `{"count":01}`, "Unexpected '1' at byte 10"},
	{"a plus sign", `{"count":+1}`, "Unexpected '+' at byte 9"},
	{"a number that begins with a dot", `{"ratio":.5}`, "Unexpected '.' at byte 9"},
	{"a number that ends with a dot", `{"ratio":5.}`, "Unexpected '}' at byte 11"},
	{"an empty exponent", `{"ratio":1e}`, "Unexpected '}' at byte 11"},
	{"hexadecimal", `{"count":0x10}`, "Unexpected 'x' at byte 10"},
	{"digits with an underscore", `{"count":1_000}`, "Unexpected '_' at byte 10"},
	{"True", `{"on":True}`, "Unexpected 'T' at byte 6"},
	{"undefined", `{"on":undefined}`, "Unexpected 'u' at byte 6"},
	{"a line break in a string", "{\"name\":\"A\nB\"}", "The control character U+000A"},
	{"a NUL byte in a string", "{\"name\":\"A\x00B\"}", "The control character U+0000"},
	{"an unknown escape", `{"name":"\x41"}`, "escape that JSON does not know at byte 9"},
	{"a short \\u escape", `{"name":"\u12"}`, `\u escape that is not a whole character`},
	{"a lone high surrogate", `{"name":"\ud800"}`, `\u escape that is not a whole character`},
	{"a high surrogate and a letter", `{"name":"\ud800x"}`, `\u escape that is not a whole character`},
	{"a lone low surrogate", `{"name":"\udc00"}`, `\u escape that is not a whole character`},
	{"two high surrogates", `{"name":"\ud800\ud800"}`, `\u escape that is not a whole character`},
	{"a lone surrogate in a name", `{"\ud800":1}`, `\u escape that is not a whole character`},
	{"a lone surrogate in an ignored value", `{"x":["\udfff"]}`, `\u escape that is not a whole character`},
	{"invalid UTF-8", "{\"name\":\"A\xffB\"}", "not UTF-8 at byte 10"},
	{"UTF-8 cut off", "{\"name\":\"A\xc3\"}", "not UTF-8 at byte 10"},
	{"an overlong encoding", "{\"name\":\"\xc0\x80\"}", "not UTF-8 at byte 9"},
	{"a surrogate in UTF-8", "{\"name\":\"\xed\xa0\x80\"}", "not UTF-8 at byte 9"},
	{"invalid UTF-8 in a name", "{\"na\xffme\":1}", "not UTF-8 at byte 4"},
	{"invalid UTF-8 in an ignored value", "{\"x\":{\"y\":\"\xff\"}}", "not UTF-8"},
	{"white space that is not JSON's", "{\u00a0}", "Unexpected '\\u00a0' at byte 1"},
	{"a name twice", `{"name":"Ann","name":"Bob"}`, "The name at /name is given twice, the second time at byte 14"},
	{"a name twice, once escaped", `{"name":"Ann","n\u0061me":"Bob"}`, "at /name is given twice"},
	{"an unknown name twice", `{"x":1,"x":1}`, "at /x is given twice"},
	{"a read-only name twice", `{"id":1,"id":1}`, "at /id is given twice"},
	{"a name twice in a nested object", `{"line":{"quantity":1,"quantity":2}}`, "at /line/quantity is given twice"},
	{"a name twice in the second line", `{"lines":[{"quantity":1},{"note":"","note":""}]}`, "at /lines/1/note is given twice"},
	{"a name twice in an ignored value", `{"x":{"y":[{"z":1,"z":2}]}}`, "at /x/y/0/z is given twice"},
	{"a name twice in a value kept as JSON", `{"json":{"y":1,"y":2}}`, "at /json/y is given twice"},
	{"a key twice in a map", `{"scores":{"a":1,"a":2}}`, "at /scores/a is given twice"},
	{"an empty name twice", `{"":1,"":2}`, "at / is given twice"},
	{"a name twice after a fault", `{"name":1,"name":2}`, "at /name is given twice"},
	{"33 levels", `{"x":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `}`, "nested more than 32 levels deep, at byte 36"},
	{"33 levels of objects", strings.Repeat(`{"x":`, 33) + "1" + strings.Repeat("}", 33), "nested more than 32 levels deep"},
	{"a million brackets", strings.Repeat("[", 1<<20), "nested more than 32 levels deep, at byte 32"},
	{"a syntax error after a fault", `{"name":12,"on":tru}`, "Unexpected '}' at byte 19"},
	{"a syntax error after an unknown name", `{"x":1,]`, "Unexpected"},
}

func TestDecodeRefusesWhatIsNotOneObject(t *testing.T) {
	s := compiledInput[everyKind](t)
	for _, partial := range []bool{false, true} {
		for _, c := range notOneObject {
			t.Run(c.about, func(t *testing.T) {
				d, e := s.Decode([]byte(c.body), partial, map[string]bool{"id": true})
				if e == nil {
					t.Fatalf("read as %+v", d)
				}
				if e.Status != 400 || e.Code != problem.CodeInvalidJSON || !strings.Contains(e.Detail, c.detail) || len(e.Faults) > 0 {
					t.Errorf("answered %v\nwant a detail with %q", e, c.detail)
				}
				if strings.Contains(e.Detail, "jsontext") || len(e.Detail) > 400 {
					t.Errorf("detail speaks of the library, or without end: %s", e.Detail)
				}
			})
		}
	}
}

// optionalBodies are bodies of a type without required fields. Each fault is
// written "pointer code"; none means that the body is good.
var optionalBodies = []struct {
	about, body string
	faults      []string
}{
	{"an empty object", `{}`, nil},
	{"white space all around", " \r\n\t{ \"name\" :\t\"Ann\" }\n", nil},
	{"32 levels", `{"x":` + strings.Repeat("[", 31) + strings.Repeat("]", 31) + `}`, nil},
	{"brackets in a string are no levels", `{"raw":"` + strings.Repeat("[", 40) + `\"` + strings.Repeat("{", 40) + `"}`, nil},

	{"a number for text", `{"name":12}`, []string{"/name type"}},
	{"a bool for text", `{"name":true}`, []string{"/name type"}},
	{"an array for text", `{"name":["Ann"]}`, []string{"/name type"}},
	{"an object for text", `{"name":{"$ne":""}}`, []string{"/name type"}},
	{"null for text", `{"name":null}`, []string{"/name null"}},
	{"text at its longest", `{"name":"0123456789"}`, nil},
	{"text too long", `{"name":"0123456789a"}`, []string{"/name max"}},
	{"runes are counted, not bytes", `{"name":"ऀऀऀऀऀऀऀऀऀऀ"}`, nil},
	{"emoji as a surrogate pair count as one", `{"name":"` + strings.Repeat(`\ud83d\ude00`, 10) + `"}`, nil},
	{"eleven emoji", `{"name":"` + strings.Repeat(`\ud83d\ude00`, 11) + `"}`, []string{"/name max"}},
	{"length is counted after trimming", `{"name":"   0123456789   "}`, nil},
	{"text too short", `{"name":"A"}`, []string{"/name min"}},
	{"blank text is too short", `{"name":""}`, []string{"/name min"}},
	{"white space alone is blank", `{"name":" \t\n "}`, []string{"/name min"}},
	{"blank text is no e-mail address", `{"email":""}`, []string{"/email email"}},
	{"Unicode white space is trimmed", `{"name":"\u00a0\u2003Ann\u3000"}`, nil},
	{"NUL in text", `{"name":"A\u0000B"}`, []string{"/name nul"}},
	{"NUL alone", `{"name":"\u0000"}`, []string{"/name nul"}},
	{"a backslash before u0000 is no NUL", `{"name":"\\u0000"}`, nil},
	{"NUL in an unknown field is ignored", `{"x":"\u0000"}`, nil},
	{"NUL in an unknown name is ignored", `{"x\u0000":1}`, nil},
	{"other control characters pass", `{"raw":"\u0001\u007f"}`, nil},

	{"a value of the list", `{"status":"no_show"}`, nil},
	{"a value that is not of the list", `{"status":"lost"}`, []string{"/status oneof"}},
	{"a value of the list in another case", `{"status":"BOOKED"}`, []string{"/status oneof"}},
	{"blank is not of the list", `{"status":" "}`, []string{"/status oneof"}},
	{"an e-mail address", `{"email":"ann@example.org"}`, nil},
	{"no e-mail address", `{"email":"ann"}`, []string{"/email email"}},

	{"true", `{"on":true}`, nil},
	{"text for a bool", `{"on":"true"}`, []string{"/on type"}},
	{"one for a bool", `{"on":1}`, []string{"/on type"}},
	{"null for a bool", `{"on":null}`, []string{"/on null"}},

	{"the smallest of 8 bits", `{"small":-128}`, nil},
	{"below the smallest of 8 bits", `{"small":-129}`, []string{"/small range"}},
	{"above the largest of 8 bits", `{"small":128}`, []string{"/small range"}},
	{"the largest of 64 bits", `{"big":9223372036854775807}`, nil},
	{"above the largest of 64 bits", `{"big":9223372036854775808}`, []string{"/big range"}},
	{"the smallest of 64 bits", `{"big":-9223372036854775808}`, nil},
	{"a thousand digits", `{"big":` + strings.Repeat("9", 1000) + `}`, []string{"/big range"}},
	{"a fraction", `{"count":1.5}`, []string{"/count integer"}},
	{"a fraction of nothing", `{"count":1.0}`, []string{"/count integer"}},
	{"an exponent", `{"count":1e2}`, []string{"/count integer"}},
	{"a large exponent", `{"count":1E400}`, []string{"/count integer"}},
	{"text for a number", `{"count":"1"}`, []string{"/count type"}},
	{"empty text for a number", `{"count":""}`, []string{"/count type"}},
	{"null for a number", `{"count":null}`, []string{"/count null"}},
	{"minus zero", `{"count":-0}`, nil},
	{"a number below its least", `{"count":-1}`, []string{"/count min"}},
	{"a number above its most", `{"count":101}`, []string{"/count max"}},
	{"zero is left alone by omitempty", `{"once":0}`, nil},
	{"another number is not left alone", `{"once":9}`, []string{"/once min"}},
	{"minus one for an unsigned number", `{"whole":-1}`, []string{"/whole range"}},
	{"minus zero for an unsigned number", `{"whole":-0}`, nil},
	{"above the largest of 16 bits", `{"whole":65536}`, []string{"/whole range"}},
	{"63 bits unsigned", `{"huge":9223372036854775807}`, nil},
	{"64 bits unsigned are more than databases keep", `{"huge":18446744073709551615}`, []string{"/huge range"}},
	{"a decimal", `{"ratio":-1.25e-3}`, nil},
	{"a decimal beyond range", `{"ratio":1e400}`, []string{"/ratio range"}},
	{"a decimal beyond range below", `{"ratio":-1e400}`, []string{"/ratio gt"}},
	{"a decimal too small to tell from zero", `{"ratio":1e-400}`, nil},
	{"a decimal beyond 32 bits", `{"single":1e39}`, []string{"/single range"}},
	{"text for a decimal", `{"ratio":"NaN"}`, []string{"/ratio type"}},

	{"a time", `{"at":"2026-01-31T09:00:00Z"}`, nil},
	{"a time with an offset", `{"at":"2026-01-31T09:00:00.123456789+05:30"}`, nil},
	{"a time with a small t and z", `{"at":"2026-01-31t09:00:00z"}`, nil},
	{"a time with a small t and an offset", `{"at":"2026-01-31t09:00:00.5+05:30"}`, nil},
	{"a leap second", `{"at":"2016-12-31T23:59:60Z"}`, []string{"/at format"}},
	{"a leap second with a small z", `{"at":"2016-12-31t23:59:60z"}`, []string{"/at format"}},
	{"a time without a zone", `{"at":"2026-01-31T09:00:00"}`, []string{"/at format"}},
	{"a time with a space", `{"at":"2026-01-31 09:00:00Z"}`, []string{"/at format"}},
	{"a date", `{"at":"2026-01-31"}`, []string{"/at format"}},
	{"a day that does not exist", `{"at":"2026-02-30T09:00:00Z"}`, []string{"/at format"}},
	{"an hour that does not exist", `{"at":"2026-01-31T25:00:00Z"}`, []string{"/at format"}},
	{"an hour of one digit", `{"at":"2026-01-31T9:00:00Z"}`, []string{"/at format"}},
	{"a decimal comma in a time", `{"at":"2026-01-31T09:00:00,5Z"}`, []string{"/at format"}},
	{"an offset of an hour and 60 minutes", `{"at":"2026-01-31T09:00:00+01:60"}`, []string{"/at format"}},
	{"an offset without a colon", `{"at":"2026-01-31T09:00:00+0530"}`, []string{"/at format"}},
	{"an offset of a day and more", `{"at":"2026-01-31T09:00:00+24:00"}`, []string{"/at format"}},
	{"a time surrounded by spaces", `{"at":" 2026-01-31T09:00:00Z "}`, []string{"/at format"}},
	{"a number for a time", `{"at":1769850000}`, []string{"/at type"}},
	{"empty text for a time", `{"at":""}`, []string{"/at format"}},
	{"null for a time", `{"at":null}`, []string{"/at null"}},
	{"year zero", `{"at":"0000-01-01T00:00:00Z"}`, []string{"/at range"}},
	{"the first instant", `{"at":"0001-01-01T00:00:00Z"}`, nil},
	{"before the first instant, in UTC", `{"at":"0001-01-01T00:00:00+01:00"}`, []string{"/at range"}},
	{"the last instant", `{"at":"9999-12-31T23:59:59.999999999Z"}`, nil},
	{"after the last instant, in UTC", `{"at":"9999-12-31T23:59:59-01:00"}`, []string{"/at range"}},
	{"a year of five digits", `{"at":"10000-01-01T00:00:00Z"}`, []string{"/at format"}},
	{"NUL in a time", `{"at":"2026-01-31T09:00:00Z\u0000"}`, []string{"/at nul"}},
	{"null where it is allowed skips rules", `{"later":null}`, nil},
	{"a past time where the future is asked for", `{"later":"2001-01-01T00:00:00Z"}`, []string{"/later gt"}},

	{"a UUID", `{"key":` + bodyID + `}`, nil},
	{"a UUID in capitals", `{"key":` + strings.ToUpper(bodyID) + `}`, nil},
	{"the nil UUID", `{"key":"00000000-0000-0000-0000-000000000000"}`, nil},
	{"a UUID in braces", `{"key":"{0198f1c2-7a3b-7c4d-8e5f-001122334455}"}`, []string{"/key format"}},
	{"a UUID as URN", `{"key":"urn:uuid:0198f1c2-7a3b-7c4d-8e5f-001122334455"}`, []string{"/key format"}},
	{"a UUID without hyphens", `{"key":"0198f1c27a3b7c4d8e5f001122334455"}`, []string{"/key format"}},
	{"a UUID with a space", `{"key":" 0198f1c2-7a3b-7c4d-8e5f-00112233445"}`, []string{"/key format"}},
	{"a UUID that is no hexadecimal", `{"key":"0198f1c2-7a3b-7c4d-8e5f-00112233445g"}`, []string{"/key format"}},
	{"a number for a UUID", `{"key":7}`, []string{"/key type"}},
	{"a reference", `{"patient":` + bodyID + `}`, nil},
	{"no reference", `{"patient":null}`, nil},
	{"a malformed reference", `{"patient":"12"}`, []string{"/patient format"}},
	{"an empty reference", `{"patient":""}`, []string{"/patient format"}},
	{"a reference of another type", `{"patient":12}`, []string{"/patient type"}},
	{"a reference that is an object", `{"patient":{"id":` + bodyID + `}}`, []string{"/patient type"}},
	{"NUL in a reference", `{"patient":"\u0000"}`, []string{"/patient nul"}},
	{"a malformed reference by number", `{"grade":1.5}`, []string{"/grade integer"}},
	{"null for a reference that must be there", `{"grade":null}`, []string{"/grade null"}},

	{"any JSON kept", `{"json":{"a":[1,null,"x"]},"any":[{"b":1e300}]}`, nil},
	{"a number in JSON kept that no database keeps", `{"any":[{"b":1e999}]}`, []string{"/any/0/b range"}},
	{"a number in JSON kept next to nothing", `{"json":1e-20000}`, []string{"/json range"}},
	{"zero with an exponent in JSON kept", `{"json":0.0e-20000}`, nil},
	{"a number in JSON kept of very many digits", `{"json":[0.` + strings.Repeat("1", 20_000) + `]}`, []string{"/json/0 range"}},
	{"null kept as JSON", `{"json":null,"any":null}`, nil},
	{"NUL deep in JSON kept", `{"json":{"a":["x","\u0000"]}}`, []string{"/json/a/1 nul"}},
	{"NUL in a name of JSON kept", `{"any":{"a\u0000":1}}`, []string{"/any/a\x00 nul"}},
	{"no NUL in JSON kept", `{"any":"\\u0000"}`, nil},

	{"a list", `{"tags":["a","b"]}`, nil},
	{"an empty list", `{"tags":[]}`, nil},
	{"null for a list", `{"tags":null}`, []string{"/tags null"}},
	{"text for a list", `{"tags":"a"}`, []string{"/tags type"}},
	{"a list by number", `{"tags":{"0":"a"}}`, []string{"/tags type"}},
	{"a list at its longest", `{"tags":["a","b","c"]}`, nil},
	{"a list too long", `{"tags":["a","b","c","d"]}`, []string{"/tags max"}},
	{"a list far too long is not looked at to its end", `{"tags":["a","b","c","d",1,null,{}]}`, []string{"/tags max"}},
	{"an item twice", `{"tags":["a","a"]}`, []string{"/tags unique"}},
	{"an item with a fault, among too many", `{"tags":["","b","b","c"]}`, []string{"/tags/0 required", "/tags max"}},
	{"an item with a fault, and one twice", `{"tags":["","b","b"]}`, []string{"/tags/0 required"}},
	{"an item twice after trimming", `{"tags":["a"," a"]}`, []string{"/tags unique"}},
	{"an item too long", `{"tags":["a","abcde"]}`, []string{"/tags/1 max"}},
	{"items of several faults", `{"tags":[1,null," "]}`, []string{"/tags/0 type", "/tags/1 null", "/tags/2 required"}},
	{"faulty items do not count as alike", `{"tags":[1,2]}`, []string{"/tags/0 type", "/tags/1 type"}},
	{"NUL in an item", `{"tags":["a\u0000"]}`, []string{"/tags/0 nul"}},
	{"null items where allowed", `{"numbers":[1,null,2]}`, nil},
	{"a fraction among null items", `{"numbers":[null,1.5]}`, []string{"/numbers/1 integer"}},

	{"a map", `{"scores":{"a":1,"b":0.5}}`, nil},
	{"a map of another type", `{"scores":[1]}`, []string{"/scores type"}},
	{"a map's value of another type", `{"scores":{"a":"1"}}`, []string{"/scores/a type"}},
	{"a map's value below its least", `{"scores":{"a/b":-1}}`, []string{"/scores/a~1b gte"}},
	{"a map too large", `{"scores":{"a":1,"b":1,"c":1}}`, []string{"/scores max"}},
	{"NUL in a map's key", `{"scores":{"a\u0000":1}}`, []string{"/scores/a\x00 nul"}},
	{"null for a map", `{"scores":null}`, []string{"/scores null"}},

	{"a nested object", `{"line":{"quantity":1}}`, nil},
	{"a nested object without what it needs", `{"line":{}}`, []string{"/line/quantity required"}},
	{"a nested fault", `{"line":{"quantity":0,"note":"longer"}}`, []string{"/line/quantity min", "/line/note max"}},
	{"null for a nested object", `{"line":null}`, []string{"/line null"}},
	{"an array for a nested object", `{"line":[]}`, []string{"/line type"}},
	{"null for an optional object", `{"maybe":null}`, nil},
	{"an optional object without what it needs", `{"maybe":{"note":"x"}}`, []string{"/maybe/quantity required"}},
	{"lines, each by itself", `{"lines":[{"quantity":1},{"quantity":"2"},{}]}`, []string{"/lines/1/quantity type", "/lines/2/quantity required"}},
	{"a list in a line too long", `{"lines":[{"quantity":1,"tags":["a","b","c"]}]}`, []string{"/lines/0/tags max"}},
	{"null for a line", `{"lines":[null]}`, []string{"/lines/0 null"}},
	{"no lines", `{"lines":[]}`, []string{"/lines min"}},
	{"too many lines", `{"lines":[{"quantity":1},{"quantity":1},{"quantity":1},{"quantity":1},7]}`, []string{"/lines max"}},

	{"null for optional text", `{"nick":null}`, nil},
	{"optional text too short", `{"nick":"x"}`, []string{"/nick min"}},
	{"a type that reads itself", `{"price":300}`, nil},
	{"a type that reads itself takes what it likes", `{"price":"free"}`, nil},
	{"a type that reads itself refuses", `{"price":250}`, []string{"/price format"}},
	{"a type that reads itself answers as Go", `{"price":{"a":1}}`, []string{"/price format"}},
	{"a type that reads itself has rules", `{"price":-100}`, []string{"/price gte"}},
	{"a type that reads itself sees no NUL", `{"price":"\u0000"}`, []string{"/price nul"}},
	{"null for a type that reads itself", `{"price":null}`, []string{"/price null"}},
	{"a type that reads text", `{"shade":" red "}`, nil},
	{"a type that reads text refuses", `{"shade":"blue"}`, []string{"/shade format"}},
	{"a number for a type that reads text", `{"shade":1}`, []string{"/shade type"}},
	{"bytes", `{"data":"aGk="}`, nil},
	{"bytes without padding", `{"data":"aGk"}`, []string{"/data format"}},
	{"bytes in lines", `{"data":"aG\nk="}`, []string{"/data format"}},
	{"bytes with leftover bits", `{"data":"aGl="}`, []string{"/data format"}},

	{"a name that a pointer escapes", `{"a/b~c":"xx"}`, []string{"/a~1b~0c max"}},
	{"an escaped name is the same name", `{"n\u0061me":1}`, []string{"/name type"}},
	{"a name in another case is another name", `{"NAME":1}`, nil},
	{"a field's Go name is no name", `{"Patient":1}`, nil},
	{"all faults, in the order of the body", `{"count":-1,"x":1,"name":null,"at":"now"}`, []string{"/count min", "/name null", "/at format"}},
}

func TestDecodeFindsFaults(t *testing.T) {
	s := compiledInput[everyKind](t)
	for _, partial := range []bool{false, true} {
		for _, c := range optionalBodies {
			t.Run(c.about, func(t *testing.T) {
				d, e := s.Decode([]byte(c.body), partial, nil)
				if e != nil {
					t.Fatal(e)
				}
				expectFaults(t, d.Faults, c.faults)
			})
		}
	}
}

// requiredBodies are bodies of a type with required fields, sent whole.
var requiredBodies = []struct {
	about, body string
	faults      []string
}{
	{"all there", goodBody, nil},
	{"nothing there: missing fields in order of declaration", `{}`, []string{
		"/name required", "/count required", "/on required", "/tags required", "/patient required", "/nick required", "/any required", "/word required", "/price required"}},
	{"faults first, then missing fields", `{"price":"x","word":"w","any":1,"nick":"n","patient":` + bodyID + `,"name":7}`, []string{
		"/price format", "/name type", "/count required", "/on required", "/tags required"}},
	{"blank text", strings.Replace(goodBody, `"Ann"`, `""`, 1), []string{"/name required"}},
	{"white space", strings.Replace(goodBody, `"Ann"`, `" \u2003 "`, 1), []string{"/name required"}},
	{"white space that is not trimmed is blank all the same", strings.Replace(goodBody, `"w"`, `"  "`, 1), []string{"/word required"}},
	{"null text", strings.Replace(goodBody, `"Ann"`, `null`, 1), []string{"/name null"}},
	{"null for a nullable field that is required", strings.Replace(goodBody, `"n"`, `null`, 1), []string{"/nick null"}},
	{"blank for a nullable field that is required", strings.Replace(goodBody, `"n"`, `" "`, 1), []string{"/nick required"}},
	{"null for any JSON that is required", strings.Replace(goodBody, `"any":false`, `"any":null`, 1), []string{"/any null"}},
	{"blank for any JSON that is required", strings.Replace(goodBody, `"any":false`, `"any":""`, 1), []string{"/any required"}},
	{"an empty list", strings.Replace(goodBody, `["a"]`, `[]`, 1), []string{"/tags required"}},
	{"a blank reference", strings.Replace(goodBody, bodyID, `""`, 1), []string{"/patient required"}},
	{"a malformed reference", strings.Replace(goodBody, bodyID, `"x"`, 1), []string{"/patient format"}},
	{"null for a reference", strings.Replace(goodBody, bodyID, `null`, 1), []string{"/patient null"}},
	{"a blank value for a type that reads itself", strings.Replace(goodBody, `"price":0`, `"price":""`, 1), []string{"/price required"}},
	{"a faulty field is not missing too", strings.Replace(goodBody, `"on":false`, `"on":"no"`, 1), []string{"/on type"}},
}

func TestDecodeKnowsWhatIsRequired(t *testing.T) {
	s := compiledInput[requiredKinds](t)
	for _, c := range requiredBodies {
		t.Run(c.about, func(t *testing.T) {
			d, e := s.Decode([]byte(c.body), false, nil)
			if e != nil {
				t.Fatal(e)
			}
			expectFaults(t, d.Faults, c.faults)
		})
	}
	t.Run("absent fields are no fault in a partial body, blank ones are", func(t *testing.T) {
		d, e := s.Decode([]byte(`{"name":" "}`), true, nil)
		if e != nil {
			t.Fatal(e)
		}
		expectFaults(t, d.Faults, []string{"/name required"})
	})
}

func expectFaults(t *testing.T, faults []problem.Fault, want []string) {
	t.Helper()
	var got []string
	for _, f := range faults {
		got = append(got, f.Pointer+" "+f.Code)
		if f.Detail == "" || strings.Contains(f.Detail, "json:") || strings.Contains(f.Detail, "framework") {
			t.Errorf("%s: detail %q is not for a client", f.Pointer, f.Detail)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("faults are %q\nwant %q\n%+v", got, want, faults)
	}
}
