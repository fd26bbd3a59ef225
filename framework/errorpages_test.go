package framework_test

import (
	"strings"
	"testing"

	"trestle.example/framework"
)

type parityInput struct {
	Number int64  `json:"number" validate:"min=1"`
	Word   string `json:"word" validate:"alpha"`
}

func (in parityInput) Check() []framework.Fault {
	if in.Number%2 == 1 {
		return []framework.Fault{{Pointer: "/number", Code: "odd", Detail: "must be even"}}
	}
	return nil
}

// explained is a configuration with codes of the program's own, and a resource
// that uses them.
func explained(t *testing.T) (framework.Config, framework.Resource) {
	t.Helper()
	c := config(sqlite(t))
	c.Codes = []framework.CodeInfo{
		{Code: "odd", Text: "The number is odd & must be even."},
		{Code: "too_late", Status: 409, Title: "Too late", Text: "It is over. Come earlier."},
	}
	notes := countries()
	notes.Collection = []framework.CollectionAction{
		framework.OnCollection("POST", "pair", func(*framework.Call, parityInput) (framework.None, error) { return framework.None{}, nil }).Refuses("too_late"),
	}
	return c, notes
}

// TestPagesOfCodes: each code is on one page, and the codes of faults are on the page of
// the error that lists them. This applies to the codes of the framework, of rules and of
// the program.
func TestPagesOfCodes(t *testing.T) {
	c, resource := explained(t)
	api := serve(t, c, resource)
	for _, path := range []string{"/api/errors/", "/api/errors"} {
		api.get(path).is(200).head("Content-Type", "text/html; charset=utf-8").head("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'").
			says(`<a href="/api/errors/too_late"><code>too_late</code></a>, status 409: Too late`, `<a href="/api/errors/not_found">`).
			says(`<dt id="odd"><code>odd</code></dt><dd>The number is odd &amp; must be even.</dd>`, `<dt id="required">`, `<dt id="alpha">`).
			lacks(`href="/api/errors/odd"`, `id="too_late"`, `id="hexcolor"`)
		api.post(path, fields{}).refuses(405, "method_not_allowed")
		api.do("HEAD", path, nil).is(200)
	}
	api.get("/api/errors/validation_failed").is(200).says(`<dt id="odd">`, `<dt id="min">`, "The body is not valid").lacks(`href="/api/errors/too_late"`)
	api.get("/api/errors/not_found").is(200).lacks("<dt")
	api.get("/api/errors/not_found/").is(200).lacks("<dt")
	api.post("/api/errors/not_found/", fields{}).refuses(405, "method_not_allowed")
	api.get("/api/errors/odd").refuses(404, "not_found")
	api.get("/api/errors/odd/").refuses(404, "not_found")
	api.get("/api/errors/not_found/more").refuses(404, "not_found")
	api.post("/api/countries/pair/", `{"number":3,"word":"a"}`).refuses(401, "authentication_required")
	api.as("ada").post("/api/countries/pair/", `{"number":3,"word":"a"}`).is(400).fault("/number", "odd")
}

// The reference lists them as the codes of a fault.
func TestCodesOfFaultsInTheReference(t *testing.T) {
	c, resource := explained(t)
	api := framework.New(c)
	api.Register(resource)
	text, err := api.Document("json")
	if err != nil {
		t.Fatal(err)
	}
	said := leavesOf(t, text)
	const at = "/components/schemas/Fault/properties/code/"
	for code, want := range map[string]bool{
		"odd": true, "alpha": true, "required": true, "invalid_parameter": true, "not_unique": true, "too_late": false, "hexcolor": false, "not_found": false,
	} {
		if got := said[at+"enum/"+code] != ""; got != want {
			t.Errorf("the code %s is listed: %t; want %t", code, got, want)
		}
	}
	if !strings.Contains(said[at+"description"], "`odd`: The number is odd") {
		t.Errorf("the codes are explained as %s", said[at+"description"])
	}
}

// TestCodesOfFaultsThatCannotBe: a code of faults is neither a code of the framework nor
// the code of an error.
func TestCodesOfFaultsThatCannotBe(t *testing.T) {
	c, _ := explained(t)
	c.Codes = append(c.Codes, framework.CodeInfo{Code: "required", Text: "Something else."})
	late := countries()
	late.Collection = []framework.CollectionAction{
		framework.OnCollection("POST", "late", func(*framework.Call, framework.None) (framework.None, error) { return framework.None{}, nil }).Refuses("odd"),
	}
	api := framework.New(c)
	api.Register(late)
	want := "framework.Config: Codes: \"required\" is the framework's own\ncountries: action \"late\": Refuses(\"odd\"): no such code in framework.Config.Codes"
	if err := api.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("the mistakes are\n%v\nwant\n%s", err, want)
	}
}
