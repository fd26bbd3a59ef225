package places

import (
	"encoding/json"
	"reflect"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/prove/fixture"
)

// Member returns the value of a member of a body, nil if the body lacks it.
func Member(e *fixture.Endpoint, r fixture.Request, name string) any {
	var body map[string]any
	if json.Unmarshal(r.Body, &body) != nil {
		return nil
	}
	if e.BodyIn.Member != "" {
		body = fixture.Member(body, e.BodyIn.Member)
	}
	return body[name]
}

// WithMember returns the body of a request with another value of a member.
func WithMember(e *fixture.Endpoint, r fixture.Request, name string, value any) []byte {
	var body map[string]any
	if json.Unmarshal(r.Body, &body) != nil {
		return r.Body
	}
	object := body
	if e.BodyIn.Member != "" {
		object = fixture.Member(body, e.BodyIn.Member)
	}
	if object == nil {
		return r.Body
	}
	object[name] = value
	text, err := json.Marshal(body)
	if err != nil {
		return r.Body
	}
	return text
}

// IsDefault reports whether a new row has a value of a body if the body lacks it.
func IsDefault(shape *input.Shape, name string, value any) bool {
	for _, f := range shape.Fields {
		if f.Name == name && f.HasDef {
			var usual any
			return json.Unmarshal(f.Sent, &usual) == nil && reflect.DeepEqual(value, usual)
		}
	}
	return value == nil || value == "" || value == false || value == float64(0)
}
