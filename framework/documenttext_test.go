package framework_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"trestle.example/framework"
)

// An amount has numbers that Go writes with an exponent.
type amount int64

func (amount) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"type":"number","minimum":0.0000001,"maximum":999999999.99,"multipleOf":1e-7,"examples":[1e21,-2.5E3,"1e6"]}`), nil
}

type awkwardInput struct {
	Amount amount `json:"amount" doc:"Yes: #1 of \"all\", in € \u2028 & <more>.\n\n- one\n- two"`
	Word   string `json:"no" validate:"max=1000000" default:"yes" example:"0x1f"`
	Zone   string `json:"~" validate:"oneof=on off null 12:30 1_000 2026-01-31 '' '- x'" example:"- x"`
}

func awkward(t *testing.T) *framework.API {
	t.Helper()
	c := config(sqlite(t))
	c.Doc = "It is: this.\n\nTrue."
	chapters := framework.ViewSet[Chapter]{Name: "chapters", Verbs: framework.CRUD[chapterShort, chapterShort](), Scope: framework.Public()}
	chapters.Collection = []framework.CollectionAction{
		framework.OnCollection("POST", "weigh", func(_ *framework.Call, in awkwardInput) (awkwardInput, error) { return in, nil }),
	}
	api := framework.New(c)
	api.Register(chapters)
	return api
}

// TestAwkwardValues: YAML readers read unusual numbers and words as what they are.
func TestAwkwardValues(t *testing.T) {
	api := awkward(t)
	asJSON, asYAML := documentIn(t, api, "json"), documentIn(t, api, "yaml")
	for _, want := range []string{
		"maximum: 999999999.99\n", "minimum: 0.0000001\n", "maxLength: 1000000\n", "- 1000000000000000000000\n", "- -2500\n", "- \"1e6\"\n",
		"\"no\":\n", "\"~\":\n", "default: \"yes\"\n", "- \"0x1f\"\n", "- \"on\"\n", "- \"null\"\n", "- \"12:30\"\n", "- \"1_000\"\n", "- \"2026-01-31\"\n", "- \"\"\n", "- \"- x\"\n",
		`description: "Yes: #1 of \"all\", in € \u2028 & <more>.\n\n- one\n- two"`, "openapi: \"3.1.0\"\n", "description: |-\n    It is: this.\n\n    True.\n\n    Bodies",
	} {
		if !bytes.Contains(asYAML, []byte(want)) {
			t.Errorf("the YAML lacks %q", want)
		}
	}
	if want := `"Yes: #1 of \"all\", in € \u2028 & <more>.\n\n- one\n- two"`; !bytes.Contains(asJSON, []byte(want)) || !json.Valid(asJSON) {
		t.Errorf("the JSON lacks %s", want)
	}
}

// No number has an exponent, in either.
func TestNumbersAreWrittenPlain(t *testing.T) {
	api := awkward(t)
	exponent := regexp.MustCompile(`(?m)(:|-|,|\[)\s+-?[0-9.]+[eE][+-]?[0-9]+,?$`)
	for _, format := range []string{"json", "yaml"} {
		text := documentIn(t, api, format)
		if found := exponent.FindAll(text, -1); found != nil {
			t.Errorf("the %s has %q", format, found)
		}
		spoilt := bytes.Replace(text, []byte("999999999.99"), []byte("9.9999999999e+08"), 1)
		if exponent.Find(spoilt) == nil {
			t.Errorf("in the %s a number with an exponent is not seen", format)
		}
	}
}

func documentIn(t *testing.T, api *framework.API, format string) []byte {
	t.Helper()
	text, err := api.Document(format)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

type orderedInput struct {
	Zebra string `json:"zebra" validate:"required"`
	Apple string `json:"apple"`
	Mango string `json:"mango"`
}

// Paths, methods and members are in the order in which they are declared.
func TestTheOrderOfTheReference(t *testing.T) {
	zoo, attic := countries(), countries()
	zoo.Name, attic.Name = "zoo", "attic"
	zoo.Collection = []framework.CollectionAction{
		framework.OnCollection("POST", "feed", func(_ *framework.Call, in orderedInput) (orderedInput, error) { return in, nil }),
		framework.OnCollection("DELETE", "feed", func(*framework.Call, framework.None) (framework.None, error) { return framework.None{}, nil }),
		framework.OnCollection("GET", "feed", func(*framework.Call, framework.None) (framework.None, error) { return framework.None{}, nil }),
	}
	api := framework.New(config(sqlite(t)))
	api.Register(zoo, attic)
	for _, format := range []string{"json", "yaml"} {
		text := string(documentIn(t, api, format))
		for _, want := range [][]string{
			{"/api/zoo/{id}/", "/api/zoo/feed/", "/api/attic/"}, {"/api/zoo/feed/", "post", "delete", "get", "/api/attic/"}, {"OrderedInput", "zebra", "apple", "mango"},
		} {
			at := 0
			for _, word := range want {
				found := regexp.MustCompile(`(?m)^\s*"?` + regexp.QuoteMeta(word) + `"?:`).FindStringIndex(text[at:])
				if found == nil {
					t.Fatalf("the %s does not have %s in this order, for want of %s", format, strings.Join(want, ", "), word)
				}
				at += found[1]
			}
		}
	}
}
