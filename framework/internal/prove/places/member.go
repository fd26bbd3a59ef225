package places

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/prove/exchange"
)

// Member returns the value of a member of a body, or of the last item of a list; nil if the body lacks it.
func Member(e *exchange.Endpoint, r exchange.Request, name string) any {
	_, object := objectIn(e, r)
	return object[name]
}

// objectIn returns a body, and the input in it: the last item of a list. Both are nil if it has none.
func objectIn(e *exchange.Endpoint, r exchange.Request) (body any, object map[string]any) {
	if json.Unmarshal(r.Body, &body) != nil {
		return nil, nil
	}
	in := body
	if whole, ok := body.(map[string]any); ok && e.BodyIn.Member != "" {
		in = whole[e.BodyIn.Member]
	}
	if list, ok := in.([]any); ok && len(list) > 0 {
		in = list[len(list)-1]
	}
	object, _ = in.(map[string]any)
	return body, object
}

// Items returns the input in the body of a request: the items of a list, or the body itself.
func Items(e *exchange.Endpoint, r exchange.Request) (items []map[string]any) {
	text := json.RawMessage(r.Body)
	if e.BodyIn.Member != "" {
		var body map[string]json.RawMessage
		if json.Unmarshal(text, &body) != nil {
			return nil
		}
		text = body[e.BodyIn.Member]
	}
	var one map[string]any
	switch {
	case json.Unmarshal(text, &items) == nil:
		return items
	case json.Unmarshal(text, &one) == nil:
		return []map[string]any{one}
	default:
		return nil
	}
}

// Text is a text or a number of a body as a row has it.
func Text(value any) string {
	if number, ok := value.(float64); ok {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}

// WithMember returns the body of a request with another value of a member, or of one of the last item of a list.
func WithMember(e *exchange.Endpoint, r exchange.Request, name string, value any) []byte {
	body, object := objectIn(e, r)
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
