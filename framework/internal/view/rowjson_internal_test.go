package view

import (
	"database/sql/driver"
	"encoding/json"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/sqldb"
)

// A wideRow has a column of each type that a writer handles, and of types that it does not.
type (
	wideRow struct {
		bun.BaseModel `bun:"table:wide"`

		ID      uuid.UUID `bun:",pk"`
		Text    string
		Label   label
		Number  int64
		Small   int16
		Float   float64
		Yes     bool
		At      time.Time
		Maybe   *string
		MaybeAt *time.Time
		MaybeID *uuid.UUID
		MaybeN  *int64
		Money   cents
		Bytes   []byte
		Raw     json.RawMessage `bun:"type:json"`
	}
	wideInput struct {
		Text   string `json:"text"`
		Number int64  `json:"number"`
	}
	wideView struct {
		ID uuid.UUID `json:"id"`
		wideInput
		Label   label           `json:"label"`
		Small   int16           `json:"small"`
		Float   float64         `json:"float"`
		Yes     bool            `json:"yes"`
		At      time.Time       `json:"at"`
		Maybe   *string         `json:"may be <so>"`
		MaybeAt *time.Time      `json:"maybe_at"`
		MaybeID *uuid.UUID      `json:"maybe_id"`
		MaybeN  *int64          `json:"maybe_n"`
		Money   cents           `json:"money"`
		Bytes   []byte          `json:"bytes"`
		Raw     json.RawMessage `json:"raw"`
	}
	label string
	cents int64
)

// MarshalJSON has a pointer receiver, so only an addressable value uses it.
func (c *cents) MarshalJSON() ([]byte, error) { return json.Marshal(float64(*c) / 100) }

func planOf(tb testing.TB, view any) *Plan {
	tb.Helper()
	db, err := sqldb.Open("sqlite://"+filepath.ToSlash(filepath.Join(tb.TempDir(), "unused.db")), sqldb.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return CompilePlan(&table.Registry{}, relation.NewSet(nil, &table.Resource{}, "", db.Table(reflect.TypeFor[wideRow]()), nil).Base(), reflect.TypeOf(view), func(err error) { tb.Error(err) })
}

// TestRowsAreWrittenAlike compares rows of random values, as the drivers return them, with
// their JSON by wire.Encode.
func TestRowsAreWrittenAlike(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 0))
	p := planOf(t, wideView{})
	if p.Writer == nil {
		t.Fatal("the shape has no writer")
	}
	for range 20_000 {
		row := make([]driver.Value, len(p.leaves))
		for i, l := range p.leaves {
			row[i] = someValue(dice, l.column.StructField.Type)
		}
		out := reflect.New(p.out)
		scanned := p.newRow().read(out.Elem(), row)
		want, failed := wire.Encode(out.Interface())
		got, err := p.Writer.row(nil, row)
		if scanned != nil || failed != nil {
			if err == nil {
				t.Fatalf("%#v is written as %s; want the error %v, %v", row, got, scanned, failed)
			}
			continue
		}
		if err != nil || string(got) != string(want) {
			t.Fatalf("%#v is written as\n%s, %v; want\n%s", row, got, err, want)
		}
	}
}

// someValue returns a random value as a driver may return it for a column of a type. A few
// values do not fit the type.
func someValue(dice *rand.Rand, t reflect.Type) driver.Value {
	if t.Kind() == reflect.Pointer {
		if dice.IntN(3) == 0 {
			return nil
		}
		t = t.Elem()
	}
	if dice.IntN(200) == 0 {
		return []driver.Value{nil, "odd", int64(-1), 1.5, true, []byte("x"), time.Time{}}[dice.IntN(7)]
	}
	switch t {
	case reflect.TypeFor[uuid.UUID]():
		var id uuid.UUID
		for i := range id {
			id[i] = byte(dice.Uint32())
		}
		return []driver.Value{id.String(), []byte(id.String()), strings.ToUpper(id.String()), "{" + id.String() + "}"}[dice.IntN(4)]
	case naming.TimeType:
		zone := time.FixedZone("", dice.IntN(24*3600)-12*3600)
		return time.Unix(dice.Int64N(1<<40)-1<<36, dice.Int64N(1e9)/1000*1000).In(zone)
	case reflect.TypeFor[json.RawMessage]():
		return []driver.Value{`{"a": [1, 2]}`, []byte(`"x"`)}[dice.IntN(2)]
	}
	switch t.Kind() {
	case reflect.String:
		return someText(dice)
	case reflect.Slice:
		return []byte(someText(dice))
	case reflect.Bool:
		return []driver.Value{true, false, int64(0), int64(1)}[dice.IntN(4)]
	case reflect.Float64:
		return []driver.Value{dice.NormFloat64(), 1e21, 1e-7, math.MaxFloat64, int64(3)}[dice.IntN(5)]
	}
	return dice.Int64N(1 << (1 + dice.IntN(62)))
}

func someText(dice *rand.Rand) string {
	var b strings.Builder
	for range dice.IntN(12) {
		b.WriteString([]string{"a", "Z", " ", "é", "अ", "𝄞", "\"", "\\", "/", "<", "&", "\n", "\t", "\x00", "\x7f", "\u2028", "\u2029", "\xff", "\xed\xa0\x80", "'"}[dice.IntN(20)])
	}
	return b.String()
}

// TestShapesThatAreNotWritten: a view whose JSON is not one member for each column has no
// writer.
func TestShapesThatAreNotWritten(t *testing.T) {
	for name, view := range map[string]any{
		"a member that is left out when it is empty": struct {
			Text string `json:"text,omitempty"`
		}{},
		"a number in quotes": struct {
			Number int64 `json:"number,string"`
		}{},
		"a shape with JSON of its own": ownJSON{},
	} {
		if planOf(t, view).Writer != nil {
			t.Errorf("%s has a writer", name)
		}
	}
}

type ownJSON struct{ Text string }

func (ownJSON) MarshalJSON() ([]byte, error) { return []byte(`"own"`), nil }

func BenchmarkRow(b *testing.B) {
	p := planOf(b, struct {
		ID     uuid.UUID `json:"id"`
		Text   string    `json:"text"`
		Number int64     `json:"number"`
		At     time.Time `json:"at"`
	}{})
	row := []driver.Value{uuid.NewString(), "Asha Rao", int64(12), time.Now()}
	b.Run("written", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := p.Writer.row(make([]byte, 0, 256), row); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoded", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out := reflect.New(p.out)
			if err := p.newRow().read(out.Elem(), row); err != nil {
				b.Fatal(err)
			}
			if _, err := wire.Encode(out.Interface()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
