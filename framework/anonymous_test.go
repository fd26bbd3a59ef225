package framework_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework"
)

// Two inputs that have the same types without a name inside.
type (
	shippedInput struct {
		Address struct {
			Street string `json:"street"`
			Place  struct {
				Name string `json:"name"`
			} `json:"place"`
		} `json:"address"`
	}
	billedInput struct {
		Address struct {
			Street string `json:"street"`
			Place  struct {
				Name string `json:"name"`
			} `json:"place"`
		} `json:"address"`
		Lines []struct {
			Text string `json:"text"`
		} `json:"lines"`
	}
)

// A view with types without a name inside.
type shipmentView struct {
	Address struct {
		Street string `json:"street"`
	} `json:"address"`
	Stops []struct {
		Place *struct {
			Name string `json:"name"`
		} `json:"place"`
	} `json:"stops"`
}

// A type without a name is called by the place where it is used, so that
// the order of registration changes no name.
func TestNamesOfAnonymousTypes(t *testing.T) {
	first, second := countries(), notes()
	first.Collection = []framework.CollectionAction{
		framework.OnCollection(http.MethodPost, "ship", func(*framework.Call, shippedInput) (framework.None, error) { return framework.None{}, nil }),
		framework.OnCollection(http.MethodPost, "count-all", func(*framework.Call, struct {
			From int64 `json:"from"`
		},
		) (framework.None, error) {
			return framework.None{}, nil
		}),
	}
	second.Collection = []framework.CollectionAction{
		framework.OnCollection(http.MethodPost, "bill", func(*framework.Call, billedInput) (framework.None, error) { return framework.None{}, nil }),
		framework.OnCollection(http.MethodGet, "shipment", func(*framework.Call, framework.None) (shipmentView, error) { return shipmentView{}, nil }),
	}
	want := []string{"BilledAddressInput", "BilledAddressPlaceInput", "BilledInput", "BilledLinesInput",
		"CountryCountAllInput", "ShippedAddressInput", "ShippedAddressPlaceInput", "ShippedInput"}
	wantShown := []string{"Shipment", "ShipmentAddress", "ShipmentStops", "ShipmentStopsPlace"}
	for order, resources := range map[string][]framework.Resource{"one order": {first, second}, "the other": {second, first}} {
		api := framework.New(config(sqlite(t)))
		api.Register(resources...)
		var document struct {
			Components struct{ Schemas map[string]json.RawMessage }
		}
		if err := json.Unmarshal(documentIn(t, api, "json"), &document); err != nil {
			t.Fatal(err)
		}
		var got, shown []string
		for _, name := range slices.Sorted(maps.Keys(document.Components.Schemas)) {
			if strings.HasSuffix(name, "Input") && !strings.HasSuffix(name, "CountryInput") && !strings.HasSuffix(name, "NoteInput") || strings.HasPrefix(name, "Object") {
				got = append(got, name)
			}
			if strings.HasPrefix(name, "Shipment") {
				shown = append(shown, name)
			}
		}
		if !slices.Equal(got, want) || !slices.Equal(shown, wantShown) {
			t.Errorf("%s: %q, %q; want %q, %q", order, got, shown, want, wantShown)
		}
	}
}
