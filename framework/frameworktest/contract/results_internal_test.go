package contract

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestAccepted: of a list in a body, those items count as accepted whose results have no error.
func TestAccepted(t *testing.T) {
	for name, c := range map[string]struct{ sent, answer, want string }{
		"an item with an error":               {`[1, 2]`, `[{"status": 201, "row": {}}, {"status": 400, "problem": {}}]`, `[1]`},
		"results in a member":                 {`[1, 2]`, `{"results": [{"status": 404, "problem": {}}, {"status": 204}]}`, `[2]`},
		"each item has an error":              {`[1]`, `[{"status": 409, "problem": {}}]`, `[]`},
		"rows in place of results":            {`[1, 2]`, `[{"id": 1}, {"id": 2}]`, `[1, 2]`},
		"rows with a problem, and no status":  {`[1]`, `[{"problem": "a leak"}]`, `[1]`},
		"another number of results":           {`[1, 2]`, `[{"status": 400, "problem": {}}]`, `[1, 2]`},
		"an answer that is no list":           {`[1]`, `{"status": 400, "problem": {}}`, `[1]`},
		"an answer without a body":            {`[1]`, ``, `[1]`},
		"a body that is an object":            {`{"a": 1}`, `[{"status": 400, "problem": {}}]`, `{"a": 1}`},
		"an empty list, and an empty answer":  {`[]`, `[]`, `[]`},
		"an answer with members beside it":    {`[1]`, `{"a": 1, "results": [{"status": 400, "problem": {}}]}`, `[1]`},
		"an answer with a list of no objects": {`[1]`, `[1]`, `[1]`},
	} {
		t.Run(name, func(t *testing.T) {
			var sent, want any
			if json.Unmarshal([]byte(c.sent), &sent) != nil || json.Unmarshal([]byte(c.want), &want) != nil {
				t.Fatal("the case is not JSON")
			}
			v := &verdict{x: &exchange{body: []byte(c.answer)}}
			if got := v.accepted(sent); !reflect.DeepEqual(got, want) {
				t.Errorf("the accepted part of %s is %v; want %v", c.sent, got, want)
			}
		})
	}
}
