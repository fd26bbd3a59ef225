package framework_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/calendar"
	"trestle.example/framework/decimal"
	"trestle.example/framework/sqldb"
)

// paise are money in hundredths, which JSON has as a number with two places.
type paise int64

func (c paise) MarshalJSON() ([]byte, error) {
	return []byte(strconv.FormatFloat(float64(c)/100, 'f', 2, 64)), nil
}

func (c *paise) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseFloat(string(text), 64)
	*c = paise(n * 100)
	return err
}

func (paise) JSONSchemaBytes() ([]byte, error) { return []byte(`{"type":"number","maximum":5}`), nil }

// A payment has bounds in the unit of its Go type.
type payment struct {
	Fee paise  `json:"fee" validate:"min=25"`
	For string `json:"for" validate:"required"`
}

// TestBoundsOfATypeOfOnesOwn are those of its JSON.
func TestBoundsOfATypeOfOnesOwn(t *testing.T) {
	_, said := promised(t, config(sqlite(t)), inviting(func(*framework.Call, payment) (framework.None, error) { return framework.None{}, nil }))
	said.says(`{"maximum":5,"minimum":0.25,"type":"number"}`, "components", "schemas", "PaymentInput", "properties", "fee")
}

// TestTextThatIsRequiredIsNotBlank in the document either.
func TestTextThatIsRequiredIsNotBlank(t *testing.T) {
	c, _ := promised(t, config(sqlite(t)), inviting(func(*framework.Call, invitation) (framework.None, error) { return framework.None{}, nil }))
	for name, words := range map[string]string{"spaces": "  ", "a space that does not break": "\u00a0", "no width": "\u200b", "two lines": "a\nb", "turned text": "a\u202eb"} {
		t.Run(name, func(t *testing.T) {
			c.as("ada").in(t).post("/api/countries/invite/", fields{"mail": "a", "words": words}).is(http.StatusBadRequest)
		})
	}
}

// TestFunctionsRejectByTheUniquesOfTheirViewset: they may call Insert and Save.
func TestFunctionsRejectByTheUniquesOfTheirViewset(t *testing.T) {
	v := books()
	v.Actions = []framework.Action[Book]{framework.Post("lend", func(_ *framework.Call, b *Book, _ framework.None) (framework.None, error) {
		return framework.None{}, nil
	}), framework.Get("cover", func(_ *framework.Call, b *Book, _ framework.None) (framework.None, error) {
		return framework.None{}, nil
	})}
	_, said := promised(t, config(sqlite(t)), countries(), authors(), v)
	if got := said.at("paths", "/api/books/{id}/lend/", "post", "responses", "409"); !strings.Contains(got, "TitleTaken") {
		t.Errorf("a function that writes rejects by 409 %s; want title_taken", got)
	}
	if got := said.at("paths", "/api/books/{id}/cover/", "get", "responses", "409"); got != "" {
		t.Errorf("a function that reads rejects by 409 %s", got)
	}
}

// TestFunctionsRejectByTheUniquesOfTheViewsetThatTheyShow: an action of a country that creates a book is
// rejected by the constraints of books.
func TestFunctionsRejectByTheUniquesOfTheViewsetThatTheyShow(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		publish := func(c *framework.Call, country *Country, _ framework.None) (BookView, error) {
			b := Book{Title: "Tales of " + country.Name, Status: "draft"}
			return BookView{ID: b.ID}, framework.Insert(c, &b)
		}
		v := countries()
		v.Actions = []framework.Action[Country]{framework.Post("publish", publish).Answers(http.StatusCreated), framework.Post("again", publish)}
		v.Actions = append(v.Actions, framework.Post("touch", func(*framework.Call, *Country, framework.None) (framework.None, error) { return framework.None{}, nil }))
		b := books()
		b.Verbs.Delete = framework.Changes(func(*framework.Call, *Book, framework.None) (framework.None, error) { return framework.None{}, nil })
		c, said := promised(t, config(db), v, authors(), b)
		if got := said.at("paths", "/api/countries/{id}/touch/", "post", "responses", "409"); strings.Contains(got, "TitleTaken") {
			t.Errorf("an action that answers nothing has the codes of books, a verb of which answers nothing too: %s", got)
		}
		ada := c.as("ada")
		path := "/api/countries/" + ada.post("/api/countries/", fields{"name": "Norway"}).is(201).id()
		ada.post(path+"/publish/", nil).is(201)
		for _, action := range []string{"publish", "again"} {
			ada.post(path+"/"+action+"/", nil).refuses(409, "title_taken") // promised compares it with the document
			if got := said.at("paths", "/api/countries/{id}/"+action+"/", "post", "responses", "409"); !strings.Contains(got, "TitleTaken") {
				t.Errorf("the action %s rejects by 409 %s; want title_taken", action, got)
			}
		}
	})
}

// A NameAuth has the name of a security scheme.
type NameAuth struct {
	Words string `json:"words"`
}

// TestASchemaGetsNoNameOfASecurityScheme but another one.
func TestASchemaGetsNoNameOfASecurityScheme(t *testing.T) {
	v := countries()
	v.Collection = []framework.CollectionAction{framework.OnCollection(http.MethodPost, "sign", func(*framework.Call, framework.None) (NameAuth, error) { return NameAuth{}, nil })}
	_, said := promised(t, config(sqlite(t)), v)
	if got := said.at("components", "securitySchemes", "nameAuth"); got == "" {
		t.Fatalf("the security schemes are %s", said.at("components", "securitySchemes"))
	}
	said.says("", "components", "schemas", "NameAuth")
	said.says(`{"$ref":"#/components/schemas/FrameworkTestNameAuth"}`, "paths", "/api/countries/sign/", "post", "responses", "200", "content", "application/json", "schema")
}

// TestAWordThatIsNoSchemeOfHTTP: generators know only the registered schemes of HTTP, so the
// document describes another word as the value of a header.
func TestAWordThatIsNoSchemeOfHTTP(t *testing.T) {
	_, said := promised(t, config(sqlite(t)), countries())
	said.says(`"apiKey"`, "components", "securitySchemes", "nameAuth", "type")
	said.says(`"Authorization"`, "components", "securitySchemes", "nameAuth", "name")
	said.says(`"The header Authorization: the word Name, a space, and the credentials."`, "components", "securitySchemes", "nameAuth", "description")
}

// A shipment has bounds that its values must not reach, and fields with one allowed value.
type shipment struct {
	Items  int64                      `json:"items" validate:"gt=0,lt=10"`
	Small  *int8                      `json:"small" validate:"gt=-5"`
	Count  uint32                     `json:"count" validate:"lt=7"`
	Price  decimal.Of[decimal.Scale2] `json:"price" validate:"gt=0,lt=100.50"`
	Fee    paise                      `json:"fee" validate:"gt=25"`
	Most   int64                      `json:"most" validate:"gt=9223372036854775807"`
	Weight float64                    `json:"weight" validate:"gt=0"`
	Boxes  int64                      `json:"boxes" validate:"eq=1"`
	Terms  string                     `json:"terms" validate:"eq=accepted"`
}

// TestBoundsOfWholeNumbersIncludeTheirValue: ogen reads exclusiveMinimum only as OpenAPI 3.0 writes
// it, and generates nothing for a document that has it otherwise. openapi-python-client writes
// a const of a number as code that Python warns of.
func TestBoundsOfWholeNumbersIncludeTheirValue(t *testing.T) {
	c, said := promised(t, config(sqlite(t)), inviting(func(*framework.Call, shipment) (framework.None, error) { return framework.None{}, nil }))
	for name, want := range map[string]string{
		"items": `{"format":"int64","maximum":9,"minimum":1,"type":"integer"}`,
		"small": `{"maximum":127,"minimum":-4,"type":["integer","null"]}`,
		"count": `{"maximum":6,"minimum":0,"type":"integer"}`,
		"price": `{"description":"At most two decimal places.","maximum":100.49,"minimum":0.01,"type":"number"}`,
		"fee":   `{"maximum":5,"minimum":0.26,"type":"number"}`,
		// no whole number follows this bound, and no number is the next one after a fraction
		"most":   `{"exclusiveMinimum":9223372036854776000,"format":"int64","type":"integer"}`,
		"weight": `{"exclusiveMinimum":0,"type":"number"}`,
		"boxes":  `{"enum":[1],"format":"int64","type":"integer"}`,
		"terms":  `{"enum":["accepted"],"type":"string"}`,
	} {
		said.says(want, "components", "schemas", "ShipmentInput", "properties", name)
	}
	c.as("ada").post("/api/countries/invite/", fields{"items": 0, "price": 0, "weight": 0, "boxes": 2, "terms": ""}).refuses(400, "validation_failed").
		fault("/items", "gt").fault("/price", "gt").fault("/weight", "gt").fault("/boxes", "eq").fault("/terms", "eq")
}

type bundle struct {
	Price  decimal.Of[decimal.Scale2]  `json:"price" validate:"max=99.99"`
	Tip    *decimal.Of[decimal.Scale2] `json:"tip" validate:"min=250.01"`
	Fee    decimal.Of[decimal.Scale2]  `json:"fee" validate:"max=99.99" example:"5.50"`
	Costs  decimal.Of[decimal.Scale2]  `json:"costs" validate:"max=250"`
	Sent   calendar.Date               `json:"sent" validate:"max=2025-12-31"`
	Open   calendar.TimeOfDay          `json:"open" validate:"omitempty,min=10:00"`
	Lasts  calendar.Duration           `json:"lasts" validate:"min=PT1H"`
	Places []calendar.Date             `json:"places" validate:"dive,min=2027-01-01"`
}

// TestExamplesObeyTheRules: a type's own example that a rule of the field rejects is not in the document.
func TestExamplesObeyTheRules(t *testing.T) {
	_, said := promised(t, config(sqlite(t)), inviting(func(*framework.Call, bundle) (framework.None, error) { return framework.None{}, nil }))
	for name, want := range map[string]string{
		"price": `{"description":"At most two decimal places.","maximum":99.99,"minimum":-9999999999999.99,"type":"number"}`,
		"tip":   `{"description":"At most two decimal places.","maximum":9999999999999.99,"minimum":250.01,"type":["number","null"]}`,
		"fee":   `{"description":"At most two decimal places.","examples":[5.5],"maximum":99.99,"minimum":-9999999999999.99,"type":"number"}`,
		"costs": `{"description":"At most two decimal places.","examples":[250],"maximum":250,"minimum":-9999999999999.99,"type":"number"}`,
		"sent":  `{"description":"Must be at most 2025-12-31.","format":"date","type":"string"}`,
	} {
		said.says(want, "components", "schemas", "BundleInput", "properties", name)
	}
	for _, name := range []string{"open", "lasts", "places"} {
		if got := said.at("components", "schemas", "BundleInput", "properties", name); strings.Contains(got, "examples") != (name == "lasts") {
			t.Errorf("%s is %s", name, got)
		}
	}
}
