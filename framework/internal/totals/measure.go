package totals

import (
	"database/sql/driver"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/query"
)

// A measure computes one value of a row of totals. The statement has a subquery with a column for each measure.
type measure struct {
	inner   string          // the SQL of the column; ? is the field
	outer   []string        // the SQL of the results; ? is the column
	results []*schema.Field // the types of the results
	// value makes the value of the results. It is false if the value is beyond the range of its type.
	value func(results []any) (any, bool)
}

// asStored is the measure of one result, which has the type of the field.
func asStored(t reflect.Type, outer string) measure {
	return measure{"?", []string{outer}, []*schema.Field{nullable(t)}, func(results []any) (any, bool) { return results[0], true }}
}

// nullable describes a result that may be NULL.
func nullable(t reflect.Type) *schema.Field {
	p := reflect.PointerTo(t)
	return &schema.Field{StructField: reflect.StructField{Type: p}, IndirectType: t, Scan: schema.Scanner(p)}
}

// sumOf describes the sum of the values of a field, 0 without any.
func sumOf(f query.Field) (Field, error) {
	k := f.Type.Kind()
	places, whole := unitOf(f.Type)
	switch {
	case len(f.Enum) > 0:
		return Field{}, naming.Sentence("field %q is one of a list of values, and not a quantity", f.Name)
	case (k == reflect.Float32 || k == reflect.Float64) && !wire.MakesJSON(f.Type):
		return Field{Field: f, Result: reflect.TypeFor[float64](), measure: sumOfFractions()}, nil
	case whole && k == reflect.Int64:
		return Field{Field: f, Result: f.Type, Unbounded: true, measure: sumOfUnits(f.Type, places)}, nil
	case whole && !wire.MakesJSON(f.Type):
		return Field{Field: f, Result: reflect.TypeFor[int64](), measure: sumOfUnits(reflect.TypeFor[int64](), places)}, nil
	}
	return Field{}, naming.Sentence("field %q is %s; name a field of numbers", f.Name, f.Type)
}

// unitOf reports whether the values of a type are stored as whole numbers or as decimal numbers with some places, and their
// integers in Go count the last place: 25000 is stored as 25000, or as 250.00.
func unitOf(t reflect.Type) (places int, whole bool) {
	one := reflect.New(t)
	switch e := one.Elem(); {
	case e.CanInt():
		e.SetInt(1)
	case e.CanUint():
		e.SetUint(1)
	default:
		return 0, false
	}
	var stored any = int64(1)
	if valuer, ok := reflect.TypeAssert[driver.Valuer](one); ok {
		stored, _ = valuer.Value() // a type that cannot store its value has no unit
	}
	switch v := stored.(type) {
	case int64:
		return 0, v == 1
	case string:
		_, fraction, _ := strings.Cut(v, ".")
		n, err := strconv.ParseFloat(v, 64)
		return len(fraction), err == nil && n == math.Pow10(-len(fraction))
	}
	return 0, false
}

// sumOfFractions is the sum of binary fractions.
func sumOfFractions() measure {
	t := reflect.TypeFor[float64]()
	return measure{"?", []string{"CAST(coalesce(sum(?), 0) AS double precision)"}, []*schema.Field{nullable(t)}, func(results []any) (any, bool) {
		sum, _ := results[0].(float64)
		return sum, !math.IsInf(sum, 0) && !math.IsNaN(sum)
	}}
}

// sumOfUnits is the exact sum of whole numbers, as a value of a type of the kind int64. It is made of the sum of their upper 32 bits and
// that of their lower 32 bits, which both fit in 64 bits. SQLite has no number with more bits: its own sum is an error if the numbers so far
// exceed them, also if later ones are negative.
func sumOfUnits(t reflect.Type, places int) measure {
	inner := "CAST(? AS bigint)"
	if places > 0 {
		inner = "CAST(round(CAST(? AS numeric) * 1" + strings.Repeat("0", places) + ") AS bigint)"
	}
	part := nullable(reflect.TypeFor[int64]())
	return measure{
		inner,
		[]string{"CAST(coalesce(sum(? >> 32), 0) AS bigint)", "CAST(coalesce(sum(? & " + strconv.Itoa(math.MaxUint32) + "), 0) AS bigint)"},
		[]*schema.Field{part, part},
		func(results []any) (any, bool) {
			upper, _ := results[0].(int64)
			lower, _ := results[1].(int64)
			sum := new(big.Int).Lsh(big.NewInt(upper), 32)
			if sum.Add(sum, big.NewInt(lower)); !sum.IsInt64() {
				return nil, false
			}
			value := reflect.New(t).Elem()
			value.SetInt(sum.Int64())
			return value.Interface(), true
		},
	}
}
