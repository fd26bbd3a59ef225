package contract

import (
	"bytes"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// accepted returns a list in the body of a request without the items that were rejected: those whose results in the answer
// have an error. It returns any other body unchanged.
func (v *verdict) accepted(body any) any {
	sent, _ := body.([]any)
	results := v.results()
	if len(sent) == 0 || len(results) != len(sent) {
		return body
	}
	kept := []any{}
	for i, item := range sent {
		result, _ := results[i].(map[string]any)
		_, status := result["status"]
		if _, failed := result["problem"]; !status || !failed {
			kept = append(kept, item)
		}
	}
	return kept
}

// results are the elements of an answer that is a list, alone or as the one member of an object.
func (v *verdict) results() []any {
	answer, err := jsonschema.UnmarshalJSON(bytes.NewReader(v.x.body))
	if object, ok := answer.(map[string]any); ok && len(object) == 1 {
		for _, only := range object {
			answer = only
		}
	}
	list, ok := answer.([]any)
	if err != nil || !ok {
		return nil
	}
	return list
}
