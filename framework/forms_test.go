package framework_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"trestle.example/framework"
)

// Types that are written and read in ways of their own.
type (
	grade      int   // text both ways, and one of two
	parsed     int   // read from text, written as a number
	display    int   // written as text, read from a number
	hundredths int64 // an amount as a number with two places
	tint       string
)

func (grade) Enum() []any { return []any{1, 2} }
func (g grade) MarshalText() ([]byte, error) {
	return []byte(map[grade]string{1: "low", 2: "high"}[g]), nil
}
func (g *grade) UnmarshalText(text []byte) error {
	*g = map[string]grade{"low": 1, "high": 2}[string(text)]
	return nil
}

func (p *parsed) UnmarshalText(text []byte) (err error) {
	n, err := strconv.Atoi(strings.TrimPrefix(string(text), "no. "))
	*p = parsed(n)
	return err
}

func (s display) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "no. %d", int(s)), nil }

func (c hundredths) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%02d", c/100, c%100), nil
}
func (c *hundredths) UnmarshalJSON(text []byte) error {
	f, err := strconv.ParseFloat(string(text), 64)
	switch {
	case err != nil:
		return framework.ValueError("must be an amount")
	case f > 1000:
		*c = 1000_00
		return framework.RangeError("must be at most 1000.00")
	}
	*c = hundredths(f*100 + 0.5)
	return nil
}
func (hundredths) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"type":"number","minimum":0}`), nil
}

func (tint) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"type":["number","string","null"]}`), nil
}
func (t *tint) UnmarshalJSON(text []byte) error { *t = tint(text); return nil }
func (t tint) MarshalJSON() ([]byte, error)     { return []byte(t), nil }

type formsInput struct {
	Grade  grade       `json:"grade"  validate:"required"`
	Maybe  *grade      `json:"maybe"`
	Parsed parsed      `json:"parsed" validate:"max=9" default:"no. 3" example:"7"`
	Shown  display     `json:"shown"  validate:"max=9"`
	Number json.Number `json:"number" default:"5"`
	Fee    hundredths  `json:"fee"    validate:"max=1000"`
	Free   hundredths  `json:"free"`
	Tint   *tint       `json:"tint"`
	Five   *int64      `json:"five"   validate:"eq=5"`
	Six    *int64      `json:"six"    validate:"min=6"`
	Bytes  []byte      `json:"bytes"  validate:"max=3"`
	Half   float64     `json:"half"   validate:"max=.5"`
}

type formsView struct {
	Grade   grade       `json:"grade"`
	Maybe   *grade      `json:"maybe"`
	Parsed  parsed      `json:"parsed"`
	Shown   display     `json:"shown"`
	Number  json.Number `json:"number"`
	Fee     hundredths  `json:"fee"`
	Tint    *tint       `json:"tint"`
	Quoted  int64       `json:"quoted,string"`
	Said    bool        `json:"said,string"`
	Word    string      `json:"word,string"`
	Missing *float64    `json:"missing,string"`
	There   *float64    `json:"there,string"`
	Exact   json.Number `json:"exact,string"`
	Graded  grade       `json:"graded,string"`
}

func forms(_ *framework.Call, in formsInput) (formsView, error) {
	there := 1.5
	if in.Tint == nil {
		in.Tint = new(tint)
		*in.Tint = `"red"`
	}
	return formsView{
		Grade: in.Grade, Maybe: in.Maybe, Parsed: in.Parsed, Shown: in.Shown, Number: in.Number, Fee: in.Fee, Tint: in.Tint,
		Quoted: 7, Word: `"`, There: &there, Exact: "5", Graded: 2,
	}, nil
}

type formsQuery struct {
	Grade  grade      `json:"grade"  validate:"required"`
	Parsed parsed     `json:"parsed"`
	Fee    hundredths `json:"fee"`
	Five   *int64     `json:"five" validate:"eq=5"`
	Open   *bool      `json:"open"`
	Any    string     `json:"any"  validate:"oneofci=x y"`
}

// TestFormsOfTypes: the document describes types with their own JSON as they are written
// and read.
func TestFormsOfTypes(t *testing.T) {
	v := countries()
	v.Collection = []framework.CollectionAction{
		framework.OnCollection("POST", "forms", forms),
		framework.OnCollection("GET", "forms", func(_ *framework.Call, in formsQuery) (formsQuery, error) { return in, nil }),
	}
	c, said := promised(t, config(sqlite(t)), v)
	for name, want := range map[string]string{
		"grade":  `{"enum":["low","high"],"type":"string"}`,
		"maybe":  `{"enum":["low","high",null],"type":["string","null"]}`,
		"parsed": `{"default":"no. 3","description":"Must be at most 9.","examples":["7"],"type":"string"}`,
		"shown":  `{"format":"int64","maximum":9,"type":"integer"}`,
		"number": `{"default":"5","type":"string"}`,
		"fee":    `{"maximum":10,"minimum":0,"type":"number"}`,
		"tint":   `{"type":["number","string","null"]}`,
		"five":   `{"enum":[5,null],"format":"int64","type":["integer","null"]}`,
		"six":    `{"format":"int64","minimum":6,"type":["integer","null"]}`,
		"bytes":  `{"contentEncoding":"base64","description":"Must have at most 3 bytes.","type":"string"}`,
		"half":   `{"maximum":0.5,"type":"number"}`,
	} {
		said.says(want, "components", "schemas", "FormsInput", "properties", name)
	}
	for name, want := range map[string]string{
		"grade":   `{"enum":["low","high"],"type":"string"}`,
		"parsed":  `{"format":"int64","type":"integer"}`,
		"shown":   `{"type":"string"}`,
		"number":  `{"type":"number"}`,
		"fee":     `{"minimum":0,"type":"number"}`,
		"quoted":  `{"type":"string"}`,
		"said":    `{"type":"string"}`,
		"word":    `{"type":"string"}`,
		"missing": `{"type":["string","null"]}`,
		"exact":   `{"type":"number"}`,
		"graded":  `{"enum":["low","high"],"type":"string"}`,
	} {
		said.says(want, "components", "schemas", "Forms", "properties", name)
	}
	ada := c.as("ada")
	const at = "/api/countries/forms/"
	ada.post(at, `{"grade":"low","maybe":"high","parsed":"7","shown":8,"number":"5","fee":10.00,"tint":1,"five":5,"six":null,"bytes":"AAAA","half":0.5}`).
		is(200).says(`"grade":"low","maybe":"high","parsed":7,"shown":"no. 8","number":5,"fee":10.00,"tint":1,"quoted":"7","said":"false","word":"\"\\\"\"","missing":null,"there":"1.5","exact":5,"graded":"high"`)
	ada.post(at, `{"grade":"high","maybe":null,"tint":null,"five":null}`).is(200).says(`"parsed":3`, `"tint":"red"`)
	for body, fault := range map[string]string{
		`{"grade":1}`:                   "/grade type",
		`{"grade":"middle"}`:            "/grade oneof",
		`{"grade":"low","parsed":7}`:    "/parsed type",
		`{"grade":"low","parsed":"10"}`: "/parsed max",
		`{"grade":"low","shown":"8"}`:   "/shown type",
		`{"grade":"low","fee":11.00}`:   "/fee max",
		`{"grade":"low","fee":2000}`:    "/fee max",
		`{"grade":"low","free":2000}`:   "/free range",
		`{"grade":"low","fee":"5"}`:     "/fee type",
		`{"grade":"low","fee":true}`:    "/fee type",
		`{"grade":"low","fee":[]}`:      "/fee type",
		`{"grade":"low","five":6}`:      "/five eq",
		`{"grade":"low","half":0.6}`:    "/half max",
	} {
		if got := ada.post(at, body).is(400); fmt.Sprint(faultsOf(got)) != "["+fault+"]" {
			got.failf("%s: the faults are %v; want %s", body, faultsOf(got), fault)
		}
	}
	ada.post(at, `{"grade":"middle"}`).says("must be one of low, high")
	for body, detail := range map[string]string{
		`{"grade":"low","fee":11.00}`: "must be at most 10.00",
		`{"grade":"low","fee":2000}`:  "must be at most 10.00",
		`{"grade":"low","free":2000}`: "must be at most 1000.00",
		`{"grade":"low","fee":"5"}`:   "must be a number, not a string",
	} {
		ada.post(at, body).is(400).says(`"detail":"` + detail + `"`)
	}
	ada.get(at + "?grade=low&fee=2000").is(400).says("must be at most 1000.00")

	parameter := func(name string) string {
		return said.at("paths", at, "get", "parameters", name, "schema")
	}
	for name, want := range map[string]string{
		"grade": `{"enum":["low","high"],"type":"string"}`, "parsed": `{"type":"string"}`, "fee": `{"minimum":0,"type":"number"}`,
		"five": `{"enum":[5],"format":"int64","type":"integer"}`, "open": `{"type":"boolean"}`,
		"any": `{"description":"Must be one of x, y, in any case.","type":"string"}`,
	} {
		if got := parameter(name); got != want {
			t.Errorf("the parameter %s is %s; want %s", name, got, want)
		}
	}
	ada.get(at + "?grade=low&parsed=no.+4&fee=2.50&five=5&open=1&any=X").is(200).says(`"grade":"low","parsed":4,"fee":2.50,"five":5,"open":true,"any":"X"`)
	ada.get(at+"?grade=low&five=null").refuses(400, "invalid_parameter")
	ada.get(at+"?grade=1").refuses(400, "invalid_parameter")
}

type oneInput struct {
	Status string `json:"status" validate:"oneof=booked done"`
	Other  string `json:"other"  validate:"omitempty,oneof=booked done"`
	Loose  string `json:"loose"  validate:"required,oneofci=x y"`
}

type oneView struct {
	oneInput
}

// TestRulesAreNotOfWhatIsShown: a stored value may break a newer rule, so the schema of
// answers has no rules.
func TestRulesAreNotOfWhatIsShown(t *testing.T) {
	v := countries()
	v.Collection = []framework.CollectionAction{
		framework.OnCollection("POST", "one", func(_ *framework.Call, in oneInput) (oneView, error) { return oneView{in}, nil }),
	}
	c, said := promised(t, config(sqlite(t)), v)
	for _, name := range []string{"status", "other", "loose"} {
		said.says(`{"type":"string"}`, "components", "schemas", "One", "properties", name)
	}
	said.says(`{"enum":["booked","done"],"type":"string"}`, "components", "schemas", "OneInput", "properties", "status")
	c.as("ada").post("/api/countries/one/", `{"loose":"X"}`).is(200).says(`{"status":"","other":"","loose":"X"}`)
}

type looseInput struct {
	Email string `json:"email" validate:"required,email"`
	Host  string `json:"host"  validate:"required,fqdn"`
	Link  string `json:"link"  validate:"required,uri"`
	Safe  string `json:"safe"  validate:"required,https_url"`
	IP    string `json:"ip"    validate:"required,ip"`
	Four  string `json:"four"  validate:"required,ipv4"`
	Six   string `json:"six"   validate:"required,ipv6"`
	ID    string `json:"id"    validate:"required,uuid4"`
}

// A format of the reference is never stricter than the server, and what is
// narrower than it is said in words.
func TestFormatsAreTrue(t *testing.T) {
	v := countries()
	v.Collection = []framework.CollectionAction{
		framework.OnCollection("POST", "loose", func(_ *framework.Call, in looseInput) (looseInput, error) { return in, nil }),
	}
	c, said := promised(t, config(sqlite(t)), v)
	visible := said.at("components", "schemas", "LooseInput", "properties", "link", "pattern")
	if visible == "" {
		t.Error("text that must not be blank may be")
	}
	for name, want := range map[string]string{
		"email": `{"description":"Must be an e-mail address.","format":"idn-email","minLength":1,"type":"string"}`,
		"host":  `{"description":"Must be a full domain name.","minLength":1,"pattern":` + visible + `,"type":"string"}`,
		"link":  `{"description":"Must be a URI.","minLength":1,"pattern":` + visible + `,"type":"string"}`,
		"safe":  `{"description":"Must be an https URL.","minLength":1,"pattern":` + visible + `,"type":"string"}`,
		"ip":    `{"description":"Must be an IP address.","minLength":1,"pattern":` + visible + `,"type":"string"}`,
		"six":   `{"format":"ipv6","minLength":1,"type":"string"}`,
		"id":    `{"description":"Must be a UUID of version 4.","format":"uuid","minLength":1,"type":"string"}`,
	} {
		said.says(want, "components", "schemas", "LooseInput", "properties", name)
	}
	c.as("ada").post("/api/countries/loose/", map[string]string{
		"email": "ü@bücher.example", "host": "example.org.", "link": "/relative", "safe": "https://bücher.example/ü", "ip": "192.0.2.1",
		"four": "::ffff:192.0.2.1", "six": "::1", "id": "3f1c6f5e-6f0b-4c4b-9d5f-0b6d5a2b7c11",
	}).is(200)
}
