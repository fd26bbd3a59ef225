package framework_test

import (
	"net/http"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A labelInput has every way to judge text that may be absent.
type labelInput struct {
	Free   string                      `json:"free"   validate:"max=5"`
	Least  string                      `json:"least"  validate:"min=2,max=5"`
	Loose  string                      `json:"loose"  validate:"omitempty,min=2,max=5"`
	Filled string                      `json:"filled" validate:"filled,max=5"`
	Null   *string                     `json:"null"   validate:"filled,max=5"`
	Mail   string                      `json:"mail"   validate:"email"`
	Given  framework.Optional[string]  `json:"given"  validate:"min=1"`
	Maybe  framework.Optional[*string] `json:"maybe"  validate:"filled"`
	Raw    string                      `json:"raw"    validate:"filled" trim:"-"`
	Words  []string                    `json:"words"  validate:"filled,dive,filled,max=5"`
	Parts  []labelPart                 `json:"parts"`
}

type labelPart struct {
	Least string                     `json:"least" validate:"min=2"`
	Given framework.Optional[string] `json:"given" validate:"filled"`
}

func takeLabel(_ *framework.Call, _ labelInput) (framework.None, error) { return framework.None{}, nil }

func changeLabel(_ *framework.Call, _ *Note, _ labelInput) (framework.None, error) {
	return framework.None{}, nil
}

// Blank text skips no rule that it breaks, absent text skips each.
func TestBlankTextIsJudged(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		n := notes()
		n.Collection = []framework.CollectionAction{framework.OnCollection("POST", "label", takeLabel)}
		n.Verbs.Patch = framework.Changes(changeLabel)
		ada := serve(t, config(db), n).as("ada")
		ada.post("/api/notes/", fields{"room": "hall"}).is(201)
		for name, test := range map[string]struct {
			body string
			want map[string]string
		}{
			"nothing":                           {`{}`, nil},
			"blank, where only the most counts": {`{"free":""}`, nil},
			"blank, where the least counts":     {`{"least":""}`, map[string]string{"/least": "min"}},
			"white space, which is trimmed":     {`{"least":"   "}`, map[string]string{"/least": "min"}},
			"blank with omitempty":              {`{"loose":""}`, nil},
			"too short with omitempty":          {`{"loose":"a"}`, map[string]string{"/loose": "min"}},
			"blank, where it must be filled":    {`{"filled":" "}`, map[string]string{"/filled": "filled"}},
			"filled":                            {`{"filled":"a","null":null,"maybe":null,"words":["a"]}`, nil},
			"blank, where null may be":          {`{"null":""}`, map[string]string{"/null": "filled"}},
			"blank for an e-mail address":       {`{"mail":""}`, map[string]string{"/mail": "email"}},
			"blank in an Optional":              {`{"given":"","maybe":"\t"}`, map[string]string{"/given": "min", "/maybe": "filled"}},
			"blank that is kept":                {`{"raw":"  "}`, map[string]string{"/raw": "filled"}},
			"an empty list":                     {`{"words":[]}`, map[string]string{"/words": "filled"}},
			"blank in a list":                   {`{"words":["a",""]}`, map[string]string{"/words/1": "filled"}},
			"blank in a list of objects":        {`{"parts":[{},{"least":"","given":" "}]}`, map[string]string{"/parts/1/least": "min", "/parts/1/given": "filled"}},
		} {
			t.Run(name, func(t *testing.T) {
				for _, method := range []string{http.MethodPost, http.MethodPatch} {
					path := "/api/notes/label/"
					if method == http.MethodPatch {
						path = "/api/notes/1/"
					}
					got := ada.do(method, path, test.body)
					if test.want == nil {
						got.is(204)
						continue
					}
					got.refuses(400, "validation_failed")
					for pointer, code := range test.want {
						got.fault(pointer, code)
					}
				}
			})
		}
	})
}

// The OpenAPI document says what the decoder does with blank text.
func TestBlankTextInTheDocument(t *testing.T) {
	n := notes()
	n.Collection = []framework.CollectionAction{framework.OnCollection("POST", "label", takeLabel)}
	_, said := promised(t, config(sqlite(t)), n)
	visible := said.at("components", "schemas", "LabelInput", "properties", "filled", "pattern")
	if visible == "" {
		t.Error("text that must not be blank may be")
	}
	for name, want := range map[string]string{
		"free":   `{"maxLength":5,"type":"string"}`,
		"least":  `{"maxLength":5,"minLength":2,"type":"string"}`,
		"loose":  `{"description":"Must have at least 2 characters, or be blank.","maxLength":5,"type":"string"}`,
		"filled": `{"maxLength":5,"minLength":1,"pattern":` + visible + `,"type":"string"}`,
		"null":   `{"maxLength":5,"minLength":1,"pattern":` + visible + `,"type":["string","null"]}`,
		"mail":   `{"description":"Must be an e-mail address.","format":"idn-email","type":"string"}`,
		"given":  `{"minLength":1,"type":"string"}`,
		"maybe":  `{"minLength":1,"pattern":` + visible + `,"type":["string","null"]}`,
		"raw":    `{"minLength":1,"pattern":` + visible + `,"type":"string"}`,
		"words":  `{"items":{"maxLength":5,"minLength":1,"pattern":` + visible + `,"type":"string"},"minItems":1,"type":"array"}`,
	} {
		said.says(want, "components", "schemas", "LabelInput", "properties", name)
	}
}
