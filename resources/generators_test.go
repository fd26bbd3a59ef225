package resources_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// A parsedDocument is the document as generators read it.
type parsedDocument struct {
	t    *testing.T
	root map[string]any
}

func parsed(t *testing.T) parsedDocument {
	t.Helper()
	d := parsedDocument{t: t}
	if err := json.Unmarshal(document(t), &d.root); err != nil {
		t.Fatal(err)
	}
	return d
}

// at is what is at a JSON Pointer, nil for nothing.
func (d parsedDocument) at(pointer string) any {
	var value any = d.root
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		inside, _ := value.(map[string]any)
		value = inside[strings.ReplaceAll(name, "~1", "/")]
	}
	return value
}

// is checks what is at a JSON Pointer.
func (d parsedDocument) is(pointer, want string) {
	d.t.Helper()
	got, err := json.Marshal(d.at(pointer))
	if err != nil || string(got) != want {
		d.t.Errorf("%s is %s; want %s", pointer, got, want)
	}
}

// each visits every object of the document that is no example.
func (d parsedDocument) each(visit func(pointer string, object map[string]any)) {
	var walk func(pointer string, value any)
	walk = func(pointer string, value any) {
		switch value := value.(type) {
		case map[string]any:
			visit(pointer, value)
			for name, one := range value {
				if name != "examples" {
					walk(pointer+"/"+strings.ReplaceAll(name, "/", "~1"), one)
				}
			}
		case []any:
			for _, one := range value {
				walk(pointer+"/-", one)
			}
		}
	}
	walk("", d.root)
}

// TestEveryConstantHasAType: openapi-python-client drops what has an untyped const or
// enum where another schema has the type.
func TestEveryConstantHasAType(t *testing.T) {
	parsed(t).each(func(pointer string, object map[string]any) {
		_, listed := object["enum"].([]any)
		if (listed || object["const"] != nil) && object["type"] == nil {
			t.Errorf("%s has values without a type: %v", pointer, object)
		}
	})
}

// TestNoMultipleOfAFraction is in the document: validators divide in binary fractions,
// in which 19.99 is no multiple of 0.01.
func TestNoMultipleOfAFraction(t *testing.T) {
	d := parsed(t)
	d.each(func(pointer string, object map[string]any) {
		if object["multipleOf"] != nil {
			t.Errorf("%s has multipleOf %v", pointer, object["multipleOf"])
		}
	})
	fee := "/components/schemas/AppointmentInput/properties/fee"
	d.is(fee+"/minimum", "0")
	d.is(fee+"/maximum", "999999999.99")
}

// TestSecuritySchemesAndSchemasHaveDifferentNames in any case of letters: generators make
// a type of either.
func TestSecuritySchemesAndSchemasHaveDifferentNames(t *testing.T) {
	d := parsed(t)
	var schemas []string
	for name := range d.at("/components/schemas").(map[string]any) {
		schemas = append(schemas, strings.ToLower(name))
	}
	for name := range d.at("/components/securitySchemes").(map[string]any) {
		if slices.Contains(schemas, strings.ToLower(name)) {
			t.Errorf("%s is a security scheme and a schema", name)
		}
	}
}

// TestErrorsOfSeveralCodesNameTheirSchemas: each choice of a union is a reference, which
// the member code selects. ogen reads no other union of objects.
func TestErrorsOfSeveralCodesNameTheirSchemas(t *testing.T) {
	unions := 0
	parsed(t).each(func(pointer string, object map[string]any) {
		problem, ok := object["application/problem+json"].(map[string]any)
		if !ok {
			return
		}
		schema := problem["schema"].(map[string]any)
		choices, several := schema["oneOf"].([]any)
		if !several {
			if schema["$ref"] == nil {
				t.Errorf("%s is no reference: %v", pointer, schema)
			}
			return
		}
		unions++
		selects := schema["discriminator"].(map[string]any)
		mapping := selects["mapping"].(map[string]any)
		if selects["propertyName"] != "code" || len(mapping) != len(choices) {
			t.Errorf("%s has %d choices and is selected by %v", pointer, len(choices), selects)
		}
		for _, choice := range choices {
			found := false
			for code := range mapping {
				found = found || mapping[code] == choice.(map[string]any)["$ref"]
			}
			if !found {
				t.Errorf("%s has the choice %v, which no code selects", pointer, choice)
			}
		}
	})
	if unions < 30 {
		t.Errorf("there are %d errors of several codes; all services have more", unions)
	}
}

// TestCountsAreNeverNull where a list counts its rows.
func TestCountsAreNeverNull(t *testing.T) {
	parsed(t).is("/components/schemas/PatientsPage/properties/count/type", `"integer"`)
}

// TestCreatesLeadToWhatTakesTheirKey by links, and what answers something else does not.
func TestCreatesLeadToWhatTakesTheirKey(t *testing.T) {
	d := parsed(t)
	d.is("/paths/~1api~1patients~1/post/responses/201/links/getPatient", `{"operationId":"getPatient","parameters":{"id":"$response.body#/id"}}`)
	d.is("/paths/~1api~1orders/post/responses/201/links/cancelOrder", `{"operationId":"cancelOrder","parameters":{"id":"$response.body#/id"}}`)
	d.is("/paths/~1api~1admin~1products/post/responses/201/links/updateAdminProduct", `{"operationId":"updateAdminProduct","parameters":{"id":"$response.body#/id"}}`)
	d.is("/paths/~1api~1admin~1products/post/responses/201/links/getProduct", `{"operationId":"getProduct","parameters":{"slug":"$response.body#/slug"}}`)
	d.is("/paths/~1api~1orders/post/responses/201/links/packAdminOrder", `{"operationId":"packAdminOrder","parameters":{"id":"$response.body#/id"}}`)
	d.is("/paths/~1api~1cart~1items/post/responses/201/links", "null") // it answers the whole cart
}

// TestEveryComponentIsUsed by an operation or by another component.
func TestEveryComponentIsUsed(t *testing.T) {
	d := parsed(t)
	used := map[string]bool{}
	d.each(func(_ string, object map[string]any) {
		if ref, ok := object["$ref"].(string); ok {
			used[ref] = true
		}
	})
	// References to examples are below members that each leaves out.
	for name := range d.at("/components/examples").(map[string]any) {
		used["#/components/examples/"+name] = strings.Contains(string(document(t)), `"#/components/examples/`+name+`"`)
	}
	for kind, all := range d.root["components"].(map[string]any) {
		for name := range all.(map[string]any) {
			if kind != "securitySchemes" && !used["#/components/"+kind+"/"+name] {
				t.Errorf("nothing refers to the component %s/%s", kind, name)
			}
		}
	}
}
