package contract_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/frameworktest/contract"
)

// attacked returns the findings of an attack on a server. If change is not nil, it changes
// the answers.
func attacked(t *testing.T, requests int, faultless bool, change func(*http.Request, *httptest.ResponseRecorder)) (contract.Tally, string) {
	t.Helper()
	return attackedBy(t, contract.Attack{Requests: requests, Faultless: faultless}, change)
}

func attackedBy(t *testing.T, a contract.Attack, change func(*http.Request, *httptest.ResponseRecorder)) (contract.Tally, string) {
	t.Helper()
	handler, promised := garden(t)
	found := &notebook{TB: t}
	if change != nil {
		honest := handler
		handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			liar(honest, func(said *httptest.ResponseRecorder) { change(r, said) }).ServeHTTP(w, r)
		})
	}
	a.Contract, a.URL, a.Seed = promised, frameworktest.New(t, promised.Wrap(found, handler)).URL(), 7
	a.Callers = map[string]func(string, string) http.Header{
		"gardener":  func(string, string) http.Header { return http.Header{"Authorization": {"Garden spade"}} },
		"anonymous": func(string, string) http.Header { return http.Header{} },
	}
	return a.Run(found), strings.Join(found.read(), "\n")
}

// TestAnAttackOnACorrectServer: an attack on a correct server finds nothing and reaches every
// operation.
func TestAnAttackOnACorrectServer(t *testing.T) {
	for _, faultless := range []bool{true, false} {
		tally, found := attacked(t, 1_600, faultless, nil)
		if found != "" {
			t.Errorf("the findings for a correct server are:\n%s", found)
		}
		for _, id := range []string{"listPlants", "createPlant", "getPlant", "replacePlant", "updatePlant", "deletePlant", "getRoot"} {
			some := false
			for status := range tally.Statuses[id] {
				some = some || status < 300
			}
			if !some {
				t.Errorf("%s never succeeded: %v", id, tally.Statuses[id])
			}
		}
		if len(tally.Statuses["prunePlant"]) < 3 || tally.Taken == 0 || tally.Good < 100 || faultless && tally.Good != 1_600 {
			t.Errorf("the tally is %s", tally)
		}
		for _, status := range []int{400, 404, 415} {
			if n := tally.Statuses["createPlant"][status]; (n == 0) != faultless {
				t.Errorf("faultless %t: createPlant is answered %d times with %d", faultless, n, status)
			}
		}
	}
}

// TestAnAttackFinds: an attack finds errors that only odd requests cause.
func TestAnAttackFinds(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*http.Request, *httptest.ResponseRecorder)
		want   string
	}{
		"a failure at a method that is not offered": {func(r *http.Request, said *httptest.ResponseRecorder) {
			if said.Code == http.StatusMethodNotAllowed {
				forge(500, `{}`)(said)
			}
		}, "a method by"},
		"a failure at an address that is too long": {func(r *http.Request, said *httptest.ResponseRecorder) {
			if said.Code == http.StatusRequestURITooLong {
				said.Code = 502
			}
		}, "a query by"},
		"a failure at text that is not UTF-8": {func(r *http.Request, said *httptest.ResponseRecorder) {
			if strings.Contains(said.Body.String(), "not UTF-8") {
				said.Code = 500
			}
		}, ": 500"},
		"an accepted body that is too long": {func(r *http.Request, said *httptest.ResponseRecorder) {
			if strings.Contains(said.Body.String(), `"pointer":"/name","code":"max"`) && r.Method == http.MethodPost {
				forge(201, plant)(said)
			}
		}, "the body of the request is accepted: /name: maxLength"},
		"an accepted body without a required member": {func(r *http.Request, said *httptest.ResponseRecorder) {
			if strings.Contains(said.Body.String(), `"pointer":"/name","code":"required"`) && r.Method == http.MethodPut {
				forge(200, plant)(said)
			}
		}, "the body of the request is accepted: "},
		"an additional member in a rare answer": {func(r *http.Request, said *httptest.ResponseRecorder) {
			if said.Code == http.StatusUnsupportedMediaType {
				change(func(b map[string]any) { b["hint"] = 1 })(said)
			}
		}, "/hint: the member is not described"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, found := attacked(t, 2000, false, c.change); !strings.Contains(found, c.want) {
				t.Errorf("the findings are\n%.3000s\nwant one with %q", found, c.want)
			}
		})
	}
}

// TestALooseDocument: an attack finds rules that the document lacks, by the errors for
// valid requests. Rules that no document can express are excluded.
func TestALooseDocument(t *testing.T) {
	stricter := func(status int, code, fault string) func(*http.Request, *httptest.ResponseRecorder) {
		return func(r *http.Request, said *httptest.ResponseRecorder) {
			if said.Code == http.StatusCreated {
				busy(status, code)(said)
				said.Body = bytes.NewBufferString(strings.Replace(said.Body.String(), `"errors":[]`, `"errors":[`+fault+`]`, 1))
				said.Header().Del("Location")
			}
		}
	}
	for name, c := range map[string]struct {
		status            int
		code, fault, want string
	}{
		"a member that must be something else": {400, "validation_failed", `{"pointer":"/name","code":"oneof","detail":"must be a rose"}`, "createPlant rejects valid requests, "},
		"a member in a list":                   {400, "validation_failed", `{"pointer":"/leaves/12/3/a4","code":"oneof","detail":"x"}`, "times: /leaves/*/*/a4: oneof; the document is too loose\nPOST /api/plants/"},
		"a parameter":                          {400, "invalid_parameter", `{"parameter":"page","code":"invalid_parameter","detail":"x"}`, ": page: invalid_parameter;"},
		"a query":                              {400, "invalid_parameter", ``, ": invalid_parameter;"},
		"a rule that no document can express":  {400, "validation_failed", `{"pointer":"/name","code":"range","detail":"x"}`, ""},
		"a rule that no document can express, in any operation": {400, "validation_failed", `{"pointer":"/leaf/0","code":"nul","detail":"x"}`, ""},
		"a row that does not exist or is out of scope":          {400, "validation_failed", `{"pointer":"/bed","code":"invalid_reference","detail":"x"}`, ""},
		"two items with the same value of a member":             {400, "validation_failed", `{"pointer":"/leaves/1/key","code":"unique","detail":"x"}`, ""},
		"an item that is in a list twice":                       {400, "validation_failed", `{"pointer":"/leaves/1","code":"unique","detail":"x"}`, "times: /leaves/*: unique; the document is too loose"},
		"one of several rules that a document should express":   {400, "validation_failed", `{"pointer":"/name","code":"range","detail":"x"},{"pointer":"/name","code":"oneof","detail":"x"}`, ": /name: oneof;"},
	} {
		t.Run(name, func(t *testing.T) {
			tally, found := attackedBy(t, contract.Attack{
				Requests: 100, Faultless: true, Unsaid: map[string][]string{"createPlant": {"/name: range"}, "": {"nul"}, "getPlant": {"/name: oneof"}},
			}, stricter(c.status, c.code, c.fault))
			if !strings.Contains(found, c.want) || c.want == "" && found != "" {
				t.Errorf("the findings are\n%.3000s\nwant %q", found, c.want)
			}
			inexpressible := strings.Contains(c.fault, "invalid_reference") || strings.Contains(c.fault, "/1/key")
			if told := len(tally.Loose["createPlant"]) > 0; told == inexpressible || told != strings.Contains(tally.String(), ", for ") {
				t.Errorf("the tally is %s", tally)
			}
		})
	}
}
