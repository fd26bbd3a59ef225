package input

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// roundTrip has a field of every kind that encoding/json writes as this
// decoder reads it. What may be nil is left out when it is.
type roundTrip struct {
	Name    string             `json:"name" validate:"max=100000"`
	Raw     string             `json:"raw" trim:"-"`
	On      bool               `json:"on"`
	Small   int8               `json:"small"`
	Big     int64              `json:"big"`
	Whole   uint32             `json:"whole"`
	Ratio   float64            `json:"ratio"`
	Single  float32            `json:"single"`
	At      time.Time          `json:"at"`
	Later   *time.Time         `json:"later"`
	ID      uuid.UUID          `json:"id"`
	Patient *uuid.UUID         `json:"patient" ref:"patients"`
	Nick    *string            `json:"nick"`
	Tags    []string           `json:"tags,omitzero"`
	Numbers []*int             `json:"numbers,omitzero"`
	Scores  map[string]float64 `json:"scores,omitzero"`
	Part    tripPart           `json:"part"`
	Maybe   *tripPart          `json:"maybe"`
	Parts   []tripPart         `json:"parts,omitzero"`
	Data    []byte             `json:"data,omitzero"`
	JSON    json.RawMessage    `json:"json,omitzero"`
	Any     any                `json:"any"`
}

type tripPart struct {
	Quantity int    `json:"quantity" validate:"required"`
	Note     string `json:"note"`
}

// kept is what a text becomes by being sent: trimmed, and nothing if nothing of
// it is seen.
func kept(text string) string {
	if naming.IsBlank([]byte(text)) {
		return ""
	}
	return strings.TrimSpace(text)
}

// asKept is what a value becomes by being sent: text as kept has it, times in
// UTC and whole microseconds.
func (in roundTrip) asKept() roundTrip {
	in.Name = kept(in.Name)
	in.At = in.At.UTC().Truncate(time.Microsecond)
	in.Part.Note = kept(in.Part.Note)
	if in.Nick != nil {
		nick := kept(*in.Nick)
		in.Nick = &nick
	}
	for i := range in.Tags {
		in.Tags[i] = kept(in.Tags[i])
	}
	for i := range in.Parts {
		in.Parts[i].Note = kept(in.Parts[i].Note)
	}
	return in
}

// A valueMaker makes random values, often of the awkward kind.
type valueMaker struct{ *rand.Rand }

func (m valueMaker) text() string {
	var b strings.Builder
	for range m.IntN(12) {
		switch m.IntN(4) {
		case 0:
			b.WriteString([]string{" ", "\t", "\n", "\u2003", `"`, `\`, "/", "<", "\u2028", "\x01", "\u007f", "😀", "\ufeff", "\ufffd"}[m.IntN(14)])
		case 1:
			if c := rune(1 + m.IntN(unicode.MaxRune)); utf8.ValidRune(c) {
				b.WriteRune(c)
			}
		default:
			b.WriteByte(byte('a' + m.IntN(26)))
		}
	}
	return b.String()
}

func (m valueMaker) float() float64 {
	for {
		if f := math.Float64frombits(m.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
	}
}

func (m valueMaker) time() time.Time {
	first := time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC).Unix()
	last := time.Date(9999, 12, 30, 0, 0, 0, 0, time.UTC).Unix()
	zone := time.FixedZone("", 60*(m.IntN(1200)-600))
	return time.Unix(first+m.Int64N(last-first), m.Int64N(1e9)).In(zone)
}

func (m valueMaker) id() (id uuid.UUID) {
	for i := range id {
		id[i] = byte(m.Uint32())
	}
	return id
}

func (m valueMaker) tripPart() tripPart { return tripPart{int(m.Int64()), m.text()} }

func (m valueMaker) value() roundTrip {
	in := roundTrip{
		Name: m.text(), Raw: m.text(), On: m.IntN(2) == 0, Small: int8(m.Uint32()), Big: int64(m.Uint64()), Whole: m.Uint32(),
		Ratio: m.float(), Single: float32(m.NormFloat64()), At: m.time(), ID: m.id(), Part: m.tripPart(),
	}
	if m.IntN(2) == 0 {
		nick, id, maybe := m.text(), m.id(), tripPart{Quantity: 1}
		in.Nick, in.Patient, in.Maybe = &nick, &id, &maybe
		in.Tags, in.Numbers, in.Scores, in.Parts, in.Data = []string{}, []*int{nil}, map[string]float64{}, []tripPart{}, []byte{}
		in.JSON, in.Any = json.RawMessage(`[1,{"a":null}]`), map[string]any{"n": json.Number("1"), "s": m.text()}
		for range m.IntN(5) {
			n := int(m.Int64())
			in.Tags, in.Numbers, in.Parts = append(in.Tags, m.text()), append(in.Numbers, &n), append(in.Parts, m.tripPart())
			in.Scores[m.text()] = m.float()
			in.Data = append(in.Data, byte(n))
		}
	}
	return in
}

func TestWhatIsEncodedDecodesToItself(t *testing.T) {
	s := compiledInput[roundTrip](t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	m := valueMaker{rand.New(rand.NewPCG(seed, 1))}
	for range 2000 {
		in := m.value()
		body, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		d, e := s.Decode(body, false, nil)
		if e != nil || len(d.Faults)+len(d.Unknown) > 0 {
			t.Fatalf("seed %d: %s\n%v %+v", seed, body, e, d)
		}
		if got := d.Value.Interface().(roundTrip); !reflect.DeepEqual(got, in.asKept()) {
			t.Fatalf("seed %d: %s\nread  %+v\nwant %+v", seed, body, got, in.asKept())
		}
	}
}

// TestDecodeReadsWhatIsValid compares with encoding/json: what it calls
// invalid is never read, cut anywhere or with any one byte changed.
func TestDecodeReadsWhatIsValid(t *testing.T) {
	s := compiledInput[roundTrip](t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	m := valueMaker{rand.New(rand.NewPCG(seed, 2))}
	for range 2000 {
		body, _ := json.Marshal(m.value())
		if m.IntN(2) == 0 {
			body = body[:m.IntN(len(body))]
		} else {
			body[m.IntN(len(body))] = byte(m.Uint32())
		}
		if d, e := s.Decode(body, false, nil); e == nil && !(json.Valid(body) && utf8.Valid(body)) {
			t.Fatalf("seed %d: read %q as %+v", seed, body, d)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, c := range notOneObject {
		if len(c.body) < 1<<10 {
			f.Add([]byte(c.body))
		}
	}
	for _, c := range optionalBodies {
		f.Add([]byte(c.body))
	}
	f.Add([]byte(`{"name":"Ann","id":` + bodyID + `,"at":"2026-01-31T09:00:00Z","tags":["a"],"parts":[{"quantity":1}],"json":[1],"any":{"a":1e999},"data":"aGk="}`))
	fields, kept := compiledInput[everyKind](f), compiledInput[roundTrip](f)
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(body)
		if d, e := fields.Decode(body, true, map[string]bool{"id": true}); (d == nil) == (e == nil) {
			t.Fatalf("%q: both or neither of %v and %v", body, d, e)
		}
		d, e := kept.Decode(body, false, nil)
		if (d == nil) == (e == nil) {
			t.Fatalf("%q: both or neither of %v and %v", body, d, e)
		}
		if !bytes.Equal(body, before) {
			t.Fatalf("%q: the body was changed to %q", before, body)
		}
		if e != nil {
			if e.Code != problem.CodeInvalidJSON || !utf8.ValidString(e.Detail) {
				t.Fatalf("%q: %v", body, e)
			}
			return
		}
		if !json.Valid(body) || !utf8.Valid(body) {
			t.Fatalf("read %q", body)
		}
		if len(d.Faults) == 0 {
			expectSteady(t, kept, d)
		}
	})
}

// expectSteady encodes a decoded value and decodes it again, to the same.
func expectSteady(t *testing.T, s *Shape, d *Decoded) {
	t.Helper()
	first, err := json.Marshal(d.Value.Interface())
	if err != nil {
		t.Fatalf("%+v: %v", d.Value, err)
	}
	again, e := s.Decode(first, false, nil)
	if e != nil || len(again.Faults) > 0 {
		t.Fatalf("%s: %v %+v", first, e, again)
	}
	second, _ := json.Marshal(again.Value.Interface())
	if !bytes.Equal(first, second) {
		t.Fatalf("first  %s\nsecond %s", first, second)
	}
}

func BenchmarkDecode(b *testing.B) {
	type in struct {
		Name  string `json:"name"  validate:"required,max=200"`
		Phone string `json:"phone" validate:"required,min=3,max=32"`
		City  string `json:"city"  validate:"max=120"`
	}
	s := compiledInput[in](b)
	body := []byte(`{"name":"Asha Kulkarni","phone":"+91 98220 12345","city":"Pune"}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if d, e := s.Decode(body, false, nil); e != nil || len(d.Faults) > 0 {
			b.Fatal(e, d)
		}
	}
}
