package framework_test

import (
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

type (
	router struct {
		bun.BaseModel `bun:"table:routers"`

		ID      uuid.UUID `bun:",pk"`
		Address *netip.Addr
		Network *netip.Prefix
		Gateway *net.IP
	}
	routerInput struct {
		Address *netip.Addr   `json:"address"`
		Network *netip.Prefix `json:"network"`
		Gateway *net.IP       `json:"gateway"`
	}
	routerView struct {
		ID uuid.UUID `json:"id"`
		routerInput
	}
)

// TestBlankAddresses are faults. The packages of Go accept "", and no row with such a value could be read.
func TestBlankAddresses(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		if _, err := db.DB.DB.ExecContext(t.Context(), `CREATE TABLE routers (id text PRIMARY KEY, address text, network text, gateway text)`); err != nil {
			t.Fatal(err)
		}
		ada := serve(t, config(db), framework.ViewSet[router]{
			Name: "routers", Verbs: framework.CRUD[routerInput, routerView](), Scope: framework.Public(),
		}).as("ada")
		ada.post("/api/routers/", `{"address":"192.0.2.1","network":"192.0.2.0/24","gateway":"192.0.2.254"}`).is(201)
		ada.post("/api/routers/", `{"address":null}`).is(201)
		for _, member := range []string{"address", "network", "gateway"} {
			for _, blank := range []string{"", "  "} {
				ada.post("/api/routers/", `{"`+member+`":"`+blank+`"}`).is(400).fault("/"+member, "format")
			}
		}
		ada.get("/api/routers/").is(200).says(`"count":2`)
	})
}

// TestAbsentAddresses: an input whose address may be absent is a mistake at start, because no row with a blank address
// could be read.
func TestAbsentAddresses(t *testing.T) {
	type absent struct {
		Address netip.Addr `json:"address"`
	}
	type required struct {
		Address netip.Addr `json:"address" validate:"required"`
	}
	type gate struct {
		bun.BaseModel `bun:"table:routers"`

		ID      uuid.UUID `bun:",pk"`
		Address netip.Addr
	}
	check := func(verbs framework.Verbs) error {
		api := framework.New(config(sqlite(t)))
		api.Register(framework.ViewSet[gate]{Name: "gates", Verbs: verbs, Scope: framework.Public()})
		return api.Check()
	}
	const want = "absent.Address may be absent and would be stored as blank then, which is no netip.Addr"
	if err := check(framework.Verbs{Create: framework.Accepts[absent, absent]()}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the mistake is %v", err)
	}
	for name, verbs := range map[string]framework.Verbs{
		"required": {Create: framework.Accepts[required, required]()}, "PATCH": {Patch: framework.Accepts[absent, absent]()},
	} {
		if err := check(verbs); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
