package framework_test

import (
	"net"
	"net/netip"
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
