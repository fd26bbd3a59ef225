package framework_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/calendar"
	"trestle.example/framework/sqldb"
)

// plates are texts such as "AB-123".
func isPlate(text string) bool {
	letters, digits, ok := strings.Cut(text, "-")
	_, err := strconv.Atoi(digits)
	return ok && len(letters) == 2 && err == nil
}

// multipleOf returns the rule of a number that must be a multiple of another one.
func multipleOf(param string) (func(int64) bool, error) {
	of, err := strconv.ParseInt(param, 10, 64)
	if err != nil || of == 0 {
		return nil, errors.New("it must be a whole number other than 0")
	}
	return func(n int64) bool { return n%of == 0 }, nil
}

func isWeekday(d calendar.Date) bool { return d.Weekday()%6 != 0 }

func ownRules() []framework.Rule {
	return []framework.Rule{
		framework.RuleOf("plate", "must be a plate such as AB-123", isPlate).Code("plate_invalid").Schema(`{"pattern":"^[A-Z]{2}-[0-9]+$"}`),
		framework.RuleWith("multiple", "must be a multiple of %s", multipleOf),
		framework.RuleOf("weekday", "must be a day from Monday to Friday", isWeekday),
		framework.RuleOf("pair", "must have two items", func(list []string) bool { return len(list) == 2 }),
	}
}

type (
	plateName string
	carInput  struct {
		Plate plateName     `json:"plate" validate:"required,max=10,plate"`
		Old   *string       `json:"old"   validate:"omitempty,plate"`
		Seats int64         `json:"seats" validate:"min=2,multiple=2"`
		Built calendar.Date `json:"built" validate:"required,weekday"`
		All   []string      `json:"all"   validate:"pair,dive,plate"`
		Parts struct {
			Plate string `json:"plate" validate:"plate"`
		} `json:"parts"`
	}
)

func cars[In any]() framework.ViewSet[Book] {
	return framework.ViewSet[Book]{
		Name: "cars", Scope: framework.Public(),
		Collection: []framework.CollectionAction{
			framework.OnCollection("POST", "check", func(*framework.Call, In) (framework.None, error) { return framework.None{}, nil }),
		},
	}
}

// TestOwnRules: the rules of a program judge each value after the rules of the framework.
func TestOwnRules(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		c := config(db)
		c.Rules = ownRules()
		ada := serve(t, c, cars[carInput]()).as("ada")
		const right = `"plate":"AB-1","seats":4,"built":"2026-01-30","all":["AB-1","AB-2"],"parts":{"plate":"AB-3"}`
		for _, c := range []struct {
			name, from, to string // a part of the body above, and its replacement
			faults         []string
			detail         string
		}{
			{"a right body", "", "", nil, ""},
			{"a text of a type of its own", `"AB-1"`, `"ab"`, []string{"/plate plate_invalid"}, "must be a plate such as AB-123"},
			{"a rule of the framework is judged first", `"AB-1"`, `"AB-12345678901"`, []string{"/plate max"}, "must have at most 10 characters"},
			{"an absent value that is required", `"plate":"AB-1",`, ``, []string{"/plate required"}, "is required"},
			{"a pointer", `"seats"`, `"old":"x","seats"`, []string{"/old plate_invalid"}, ""},
			{"null behind a pointer", `"seats"`, `"old":null,"seats"`, nil, ""},
			{"blank text with omitempty", `"seats"`, `"old":" ","seats"`, nil, ""},
			{"a number", `4`, `5`, []string{"/seats multiple"}, "must be a multiple of 2"},
			{"a number below another rule", `4`, `1`, []string{"/seats min"}, ""},
			{"a date", `2026-01-30`, `2026-01-31`, []string{"/built weekday"}, "must be a day from Monday to Friday"},
			{"a list", `["AB-1","AB-2"]`, `["AB-1"]`, []string{"/all pair"}, "must have two items"},
			{"the items of a list", `"AB-2"]`, `"x"]`, []string{"/all/1 plate_invalid"}, ""},
			{"a list waits for its items", `["AB-1","AB-2"]`, `["x"]`, []string{"/all/0 plate_invalid"}, ""},
			{"an object", `"AB-3"`, `"x"`, []string{"/parts/plate plate_invalid"}, ""},
			{"blank text without omitempty", `"AB-3"`, `""`, []string{"/parts/plate plate_invalid"}, ""},
			{"several faults at once", `4,"built":"2026-01-30"`, `5,"built":"2026-01-31"`, []string{"/seats multiple", "/built weekday"}, ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				got := ada.in(t).post("/api/cars/check/", "{"+strings.Replace(right, c.from, c.to, 1)+"}")
				if c.faults == nil {
					got.is(204)
					return
				}
				if got.refuses(400, "validation_failed").says(c.detail); !slices.Equal(faultsOf(got), c.faults) {
					got.failf("the faults are %v; want %v", faultsOf(got), c.faults)
				}
			})
		}
	})
}

// TestOwnRulesInTheDocument: the sentence and the keywords of a rule, and its code in the list of codes.
func TestOwnRulesInTheDocument(t *testing.T) {
	c := config(sqlite(t))
	c.Rules = ownRules()
	found := schemasOf(t, c, cars[carInput]())
	name := ""
	for component, schema := range found {
		if schema.Properties["seats"] != nil {
			name = component
		}
	}
	found.has(t, name, "plate", `{"description":"Must be a plate such as AB-123.","maxLength":10,"minLength":1,"pattern":"^[A-Z]{2}-[0-9]+$","type":"string"}`)
	found.has(t, name, "old", `{"description":"Must be a plate such as AB-123, or be blank.","type":["string","null"]}`)
	found.has(t, name, "seats", `{"description":"Must be a multiple of 2.","format":"int64","minimum":2,"type":"integer"}`)
	api := framework.New(c)
	api.Register(cars[carInput]())
	text, err := api.Document("json")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{"plate_invalid", "multiple", "weekday"} {
		if !strings.Contains(string(text), code) {
			t.Errorf("the document lacks the code %s", code)
		}
	}
}

type (
	carOfNumber struct {
		Seats string `json:"seats" validate:"multiple=2"`
	}
	carWithParameter struct {
		Plate string `json:"plate" validate:"plate=3"`
	}
	carWithout struct {
		Seats int64 `json:"seats" validate:"multiple"`
	}
	carOfZero struct {
		Seats int64 `json:"seats" validate:"multiple=0"`
	}
	carAlternative struct {
		Plate string `json:"plate" validate:"email|plate"`
	}
	carMisspelt struct {
		Plate string `json:"plate" validate:"plaet"`
	}
	carOfMoment struct {
		ID uuid.UUID `json:"id" validate:"weekday"`
	}
)

// TestMistakesInOwnRules: each mistake stops the program with one sentence.
func TestMistakesInOwnRules(t *testing.T) {
	yes := func(string) bool { return true }
	plate := func(change func(r framework.Rule) framework.Rule) []framework.Rule {
		return []framework.Rule{change(framework.RuleOf("plates", "must be a plate", yes))}
	}
	for _, c := range []struct {
		name     string
		rules    []framework.Rule
		declared framework.Resource
		want     string
	}{
		{"a name of the framework", []framework.Rule{framework.RuleOf("email", "must be right", yes)}, nil, `framework.Config: Rules: the rule "email" is the framework's own; choose another name`},
		{"a name of package validator", []framework.Rule{framework.RuleOf("btc_addr", "must be right", yes)}, nil, `framework.Config: Rules: the rule "btc_addr" is the framework's own; choose another name`},
		{"a word of tags", []framework.Rule{framework.RuleOf("omitempty", "must be right", yes)}, nil, `framework.Config: Rules: the rule "omitempty" is the framework's own; choose another name`},
		{"a name with a space", []framework.Rule{framework.RuleOf("my rule", "must be right", yes)}, nil, `framework.Config: Rules: the name "my rule" of a rule must be made of a-z, 0-9 and _`},
		{"two of one name", []framework.Rule{framework.RuleOf("plates", "must be right", yes), framework.RuleOf("plates", "must be right", yes)}, nil, `framework.Config: Rules: the rule "plates" is there twice; leave one out`},
		{"no function", []framework.Rule{framework.RuleOf[string]("plates", "must be right", nil)}, nil, `framework.Config: Rules: the rule "plates" has no function`},
		{"no sentence", []framework.Rule{framework.RuleOf("plates", "", yes)}, nil, `framework.Config: Rules: the rule "plates" needs a sentence that goes on after the name of a field and has no full stop, such as "must be an ISBN"`},
		{"a pointer", []framework.Rule{framework.RuleOf("plates", "must be right", func(*string) bool { return true })}, nil, `framework.Config: Rules: the rule "plates" judges *string; its function must take a value, which is no pointer and no interface`},
		{"an empty rule", []framework.Rule{{}}, nil, `framework.Config: Rules: a rule is empty; make it with framework.RuleOf or framework.RuleWith`},
		{"a parameter that the sentence lacks", []framework.Rule{framework.RuleWith("times", "must be right", multipleOf)}, nil, `framework.Config: Rules: the sentence of the rule "times" must contain %s once, for the parameter`},
		{"a code of the framework", plate(func(r framework.Rule) framework.Rule { return r.Code("format") }), nil, `framework.Config: Rules: the code "format" of the rule "plates" is the framework's own`},
		{"a malformed code", plate(func(r framework.Rule) framework.Rule { return r.Code("Not Right") }), nil, `framework.Config: Rules: the code "Not Right" of the rule "plates" must be made of a-z, 0-9 and _`},
		{"a schema that is no object", plate(func(r framework.Rule) framework.Rule { return r.Schema(`"x"`) }), nil, `framework.Config: Rules: the schema of the rule "plates" is no JSON object: "x"`},
		{"a schema with a type", plate(func(r framework.Rule) framework.Rule { return r.Schema(`{"type":"string"}`) }), nil, `framework.Config: Rules: the schema of the rule "plates" has the keyword "type", which the field has already; leave it out`},
		{"a field of another type", ownRules(), cars[carOfNumber](), `cars: action "check": carOfNumber.Seats: rule "multiple" applies to int64, not to string`},
		{"a field of another type that is no text and no number", ownRules(), cars[carOfMoment](), `cars: action "check": carOfMoment.ID: rule "weekday" applies to calendar.Date, not to uuid.UUID`},
		{"a parameter that the rule does not take", ownRules(), cars[carWithParameter](), `cars: action "check": carWithParameter.Plate: rule "plate" takes no parameter, but has "3"`},
		{"no parameter", ownRules(), cars[carWithout](), `cars: action "check": carWithout.Seats: rule "multiple" needs a parameter, as in "multiple=..."`},
		{"a wrong parameter", ownRules(), cars[carOfZero](), `cars: action "check": carOfZero.Seats: rule "multiple" does not take the parameter "0": it must be a whole number other than 0`},
		{"an alternative", ownRules(), cars[carAlternative](), `cars: action "check": carAlternative.Plate: rule "plate" is a rule of the program, which cannot be an alternative; write it after a comma`},
		{"a misspelt name", ownRules(), cars[carMisspelt](), `cars: action "check": carMisspelt.Plate: rule "plaet" is unknown; did you mean "plate"?`},
		{"a rule of a program that does not declare it", nil, cars[carOfZero](), `cars: action "check": carOfZero.Seats: rule "multiple" is unknown`},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := config(sqlite(t))
			config.Rules = c.rules
			api := framework.New(config)
			if c.declared != nil {
				api.Register(c.declared)
			}
			expectMistakes(t, api.Check(), []string{c.want})
		})
	}
}

type bookOrder struct {
	SKU    string `json:"sku"    validate:"required,sku"`
	Copies int64  `json:"copies" validate:"multiple=6"`
}

// A program adds rules of its own, one of them with a parameter.
func ExampleRuleOf() {
	c, done := setup()
	defer done()
	c.ErrorShape = plain{}
	c.Rules = []framework.Rule{
		framework.RuleOf("sku", "must be a stock number such as AB-1234", isPlate).Schema(`{"pattern":"^[A-Z]{2}-[0-9]{4}$"}`),
		framework.RuleWith("multiple", "must be a multiple of %s", multipleOf),
	}
	ask := serving(c, framework.ViewSet[Task]{Name: "tasks", Scope: framework.Public(), Collection: []framework.CollectionAction{
		framework.OnCollection("POST", "order", func(*framework.Call, bookOrder) (framework.None, error) { return framework.None{}, nil }),
	}})
	ask("POST /api/tasks/order/", `{"sku":"12","copies":5}`)
	// Output:
	// 400 "400 validation_failed: The body is not valid; errors names each fault. [/sku must be a stock number such as AB-1234] [/copies must be a multiple of 6]"
}
