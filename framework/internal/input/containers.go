package input

import (
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// readSlice reads elements up to one more than the rules allow. The extra element is for the
// rule to find; the rest is not kept.
func readSlice(r *bodyReader, p *ValuePlan, v reflect.Value) bool {
	if r.dec.PeekKind() != jsontext.KindBeginArray {
		return r.mismatch("an array")
	}
	r.token()
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	for n := 0; r.err == nil && r.dec.PeekKind() != jsontext.KindEndArray; n++ {
		if p.limit >= 0 && n > p.limit {
			r.skip()
			continue
		}
		v.Grow(1)
		v.SetLen(n + 1)
		elem := v.Index(n)
		elem.SetZero()
		p.Elem.decode(r, elem)
	}
	r.token()
	if r.err != nil {
		return false
	}
	r.blank = v.Len() == 0
	return r.rejectBlank(p, "must have at least one item")
}

func readMap(r *bodyReader, p *ValuePlan, v reflect.Value) bool {
	if r.dec.PeekKind() != jsontext.KindBeginObject {
		return r.mismatch("an object")
	}
	r.token()
	v.Set(reflect.MakeMap(v.Type()))
	for r.err == nil && r.dec.PeekKind() != jsontext.KindEndObject {
		raw, ok := r.raw()
		if !ok {
			return false
		}
		key := string(unescape(raw))
		if strings.ContainsRune(key, 0) {
			r.fault("nul", "is named with the character U+0000, which it must not contain")
			r.skip()
			continue
		}
		if p.limit >= 0 && v.Len() > p.limit {
			r.skip()
			continue
		}
		elem := reflect.New(v.Type().Elem()).Elem()
		p.Elem.decode(r, elem)
		v.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), elem)
	}
	r.token()
	r.blank = false
	return r.err == nil
}

// readObject reads a nested input. If its fields have no fault, it runs the input's own checks.
func readObject(r *bodyReader, p *ValuePlan, v reflect.Value) bool {
	if r.dec.PeekKind() != jsontext.KindBeginObject {
		return r.mismatch("an object")
	}
	before := r.count
	p.Nested.fill(v)
	seen := r.object(p.Nested, v)
	if r.err != nil {
		return false
	}
	r.missing(p.Nested, seen)
	if r.count == before {
		for _, f := range p.Nested.Checked(v) {
			r.faultAt(f.Pointer, f.Code, f.Detail)
		}
	}
	return true
}
