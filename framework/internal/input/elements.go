package input

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/internal/fault"
	"trestle.example/framework/problem"
)

// Elements returns the elements of a body that is one JSON array, at most a number of them. If the body is not JSON,
// it returns an error. A body that is no array, or has more elements, has a fault.
func Elements(body []byte, most int) ([]jsontext.Value, *problem.Error) {
	if len(bytes.TrimLeft(body, " \t\r\n")) == 0 {
		return nil, fault.InvalidJSON("The body is empty; send one JSON array.")
	}
	if refusal := refuseUnread(body); refusal != nil {
		return nil, refusal
	}
	r := &bodyReader{dec: jsontext.NewDecoder(strings.NewReader("")), out: &Decoded{}}
	r.reset(body, r.out)
	if kind := r.dec.PeekKind(); kind != jsontext.KindBeginArray {
		if _, ok := r.raw(); ok {
			return nil, problem.Invalid(problem.Fault{Code: "type", Detail: "must be an array, not " + kindName(kind)})
		}
		return nil, describe(body, r.err)
	}
	elements, count := []jsontext.Value{}, 0
	for r.token(); r.err == nil && r.dec.PeekKind() != jsontext.KindEndArray; {
		element, ok := r.raw()
		if count++; ok && count <= most {
			elements = append(elements, element.Clone())
		}
	}
	if r.token(); r.err != nil {
		return nil, describe(body, r.err)
	}
	if at := r.dec.InputOffset(); len(strings.TrimLeft(string(body[at:]), " \t\r\n")) > 0 {
		return nil, fault.InvalidJSON("The body must be one JSON array and nothing more, but it goes on after byte %d.", at)
	}
	if count > most {
		return nil, problem.Invalid(problem.Fault{Code: "max", Detail: fmt.Sprintf("must have at most %d items, and has %d", most, count)})
	}
	return elements, nil
}

// DecodeAt is [Shape.Decode] of an element of a body. Pointers are relative to the element, except those in
// sentences, which begin with its own. If the element is no object, this is its fault.
func (s *Shape) DecodeAt(element jsontext.Value, partial bool, readOnly map[string]bool, at string) (*Decoded, *problem.Error) {
	if kind := element.Kind(); kind != jsontext.KindBeginObject {
		wrong := problem.Fault{Code: "type", Detail: "must be an object, not " + kindName(kind)}
		return &Decoded{Value: reflect.New(s.Typ).Elem(), shape: s, Faults: []problem.Fault{wrong}}, nil
	}
	return s.decode(element, partial, readOnly, at)
}
