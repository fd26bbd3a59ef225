package input

import (
	"reflect"
	"testing"
)

type basket struct {
	Name    string                  `json:"name"`
	Address *lane                   `json:"address"`
	Lines   []basketLine            `json:"lines"`
	Shelves map[string][]lane       `json:"shelves"`
	More    Optional[[]*basketLine] `json:"more"`
	Codes   []string                `json:"codes"`
}

type basketLine struct {
	Price int64 `json:"price"`
	From  lane  `json:"from/to"`
}

type lane struct {
	Street string `json:"street"`
}

// TestNearestPointer: for a misspelt name it returns the nearest name of the same object.
func TestNearestPointer(t *testing.T) {
	shape, mistakes := CompileInput(reflect.TypeFor[basket]())
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	for pointer, want := range map[string]string{
		"":                              "",
		"/nme":                          "/name",
		"/pric":                         "",
		"/address/stret":                "/address/street",
		"/address/name":                 "",
		"/lines/0/pirce":                "/lines/0/price",
		"/lines/12/from~1to/stretet":    "/lines/12/from~1to/street",
		"/lines/12/from~1ti":            "/lines/12/from~1to",
		"/lines/0":                      "",
		"/shelves/a/0/streed":           "/shelves/a/0/street",
		"/shelves/a~1b/0/streed":        "/shelves/a~1b/0/street",
		"/shelves/a":                    "",
		"/more/3/prise":                 "/more/3/price",
		"/codes/0/x":                    "",
		"/nothing/0/price":              "",
		"/lines/0/from~1to/street/name": "",
	} {
		if got := shape.NearestPointer(pointer); got != want {
			t.Errorf("nearest to %q is %q; want %q", pointer, got, want)
		}
	}
}
