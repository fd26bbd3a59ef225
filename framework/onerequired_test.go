package framework_test

import (
	"net/http"
	"testing"

	"trestle.example/framework"
)

// An invitation is sent by mail or by telephone.
type invitation struct {
	Mail  string  `json:"mail"`
	Phone *string `json:"phone"`
	Words string  `json:"words" validate:"required,line"`
}

func (invitation) OneRequired() []string { return []string{"mail", "phone"} }

func (in invitation) Check() []framework.Fault {
	if in.Mail == in.Words {
		return []framework.Fault{{Pointer: "/words", Code: "oneof", Detail: "say nothing"}}
	}
	return nil
}

func inviting[In any](fn func(*framework.Call, In) (framework.None, error)) framework.ViewSet[Country] {
	v := countries()
	v.Collection = []framework.CollectionAction{framework.OnCollection(http.MethodPost, "invite", fn)}
	return v
}

// TestOneOfSeveralFieldsIsRequired by the server, before Check runs, and by the document.
func TestOneOfSeveralFieldsIsRequired(t *testing.T) {
	c, said := promised(t, config(sqlite(t)), inviting(func(*framework.Call, invitation) (framework.None, error) { return framework.None{}, nil }))
	ada := c.as("ada")
	for name, body := range map[string]fields{
		"the first":                       {"mail": "a", "words": "come"},
		"the second":                      {"phone": "1", "words": "come"},
		"both":                            {"mail": "a", "phone": "1", "words": "come"},
		"a blank one and another":         {"mail": " ", "phone": "1", "words": "come"},
		"one, and the other that is null": {"mail": "a", "phone": nil, "words": "come"},
	} {
		t.Run(name, func(t *testing.T) { ada.in(t).post("/api/countries/invite/", body).is(http.StatusNoContent) })
	}
	for name, body := range map[string]fields{
		"neither":   {"words": "come"},
		"blank":     {"mail": " ", "words": "come"},
		"both null": {"mail": "", "phone": nil, "words": "come"},
	} {
		t.Run(name, func(t *testing.T) {
			ada.in(t).post("/api/countries/invite/", body).is(http.StatusBadRequest).says(`"pointer":"/mail","code":"required"`)
		})
	}
	for name, c := range map[string]struct {
		body  fields
		fault string
	}{
		"a second field of another type": {fields{"mail": "a", "phone": 5, "words": "come"}, `"pointer":"/phone","code":"type"`},
		"a first field of another type":  {fields{"mail": 5, "phone": "1", "words": "come"}, `"pointer":"/mail","code":"type"`},
		"a first field that is null":     {fields{"mail": nil, "phone": "1", "words": "come"}, `"pointer":"/mail","code":"null"`},
	} {
		t.Run(name, func(t *testing.T) {
			ada.in(t).post("/api/countries/invite/", c.body).is(http.StatusBadRequest).says(c.fault)
		})
	}
	t.Run("nothing: every missing field is named at once", func(t *testing.T) {
		ada.in(t).post("/api/countries/invite/", fields{}).is(http.StatusBadRequest).
			says(`"pointer":"/mail","code":"required"`).says(`"pointer":"/words","code":"required"`)
	})
	ada.post("/api/countries/invite/", fields{"mail": "x", "words": "x"}).is(http.StatusBadRequest).says(`"pointer":"/words","code":"oneof"`)
	said.says(`{"oneOf":[{"$ref":"#/components/schemas/MailInvitationInput"},{"$ref":"#/components/schemas/PhoneInvitationInput"}]}`, "components", "schemas", "InvitationInput")
	said.says(`["mail","words"]`, "components", "schemas", "MailInvitationInput", "required")
	said.says(`"string"`, "components", "schemas", "PhoneInvitationInput", "properties", "phone", "type")
	said.says(`["mail"]`, "components", "schemas", "PhoneInvitationInput", "not", "required")
}

// TestOneOfSeveralFieldsOfAStrictAPI: the document of a strict API takes both fields, as the
// server does, and no unknown field.
func TestOneOfSeveralFieldsOfAStrictAPI(t *testing.T) {
	conf := config(sqlite(t))
	conf.Strict = framework.Strict
	c, _ := promised(t, conf, inviting(func(*framework.Call, invitation) (framework.None, error) { return framework.None{}, nil }))
	ada := c.as("ada")
	ada.post("/api/countries/invite/", fields{"mail": "a", "phone": "1", "words": "come"}).is(http.StatusNoContent)
	ada.post("/api/countries/invite/", fields{"mail": " ", "phone": "1", "words": "come"}).is(http.StatusNoContent)
	ada.post("/api/countries/invite/", fields{"mail": "a", "fax": "1", "words": "come"}).is(http.StatusBadRequest).says(`"unknown_field"`)
}

// misnamed, lonely and settled name fields wrongly.
type (
	misnamed struct {
		Mail, Phone string
	}
	lonely struct {
		Mail string `json:"mail"`
	}
	settled struct {
		Mail  string `json:"mail"  default:"a"`
		Phone string `json:"phone"`
	}
)

func (misnamed) OneRequired() []string { return []string{"Mail", "Phon"} }
func (lonely) OneRequired() []string   { return []string{"mail"} }
func (settled) OneRequired() []string  { return []string{"mail", "phone"} }

// TestMistakesInOneRequired are found at registration.
func TestMistakesInOneRequired(t *testing.T) {
	for want, declared := range map[string]framework.Resource{
		`countries: action "invite": misnamed: OneRequired names "Phon", which is no field; did you mean "Phone"?`: inviting(func(*framework.Call, misnamed) (framework.None, error) { return framework.None{}, nil }),
		`countries: action "invite": lonely: OneRequired returns 1 names; it needs two or more`:                    inviting(func(*framework.Call, lonely) (framework.None, error) { return framework.None{}, nil }),
		`countries: action "invite": settled.Mail: always has a value, so OneRequired must not name it`:            inviting(func(*framework.Call, settled) (framework.None, error) { return framework.None{}, nil }),
	} {
		api := framework.New(config(sqlite(t)))
		api.Register(declared)
		expectMistakes(t, api.Check(), []string{want})
	}
}
