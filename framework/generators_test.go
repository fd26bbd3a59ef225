package framework_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"trestle.example/framework"
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
