package prove_test

import (
	"net/http"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A Ride is ordered by a customer, and taken by a driver.
type Ride struct {
	ID       uuid.UUID  `bun:",pk,type:uuid"`
	OwnerID  uuid.UUID  `bun:"type:uuid"`
	DriverID *uuid.UUID `bun:"type:uuid"`
	From     string     `bun:"start"`
	Stops    int64
	Ready    bool
}

func (r *Ride) owner() *uuid.UUID { return &r.OwnerID }

var rideSchema = sqldb.Migrations{Namespace: "rides", FS: fstest.MapFS{
	"0001_rides.tx.up.sql": {Data: []byte(
		`CREATE TABLE rides ({{id}}, owner_id {{uuid}} NOT NULL, driver_id {{uuid}}, start {{text}} NOT NULL, stops {{bigint}} NOT NULL, ready {{bool}} NOT NULL);`,
	)},
	"0001_rides.tx.down.sql": {Data: []byte(`DROP TABLE rides;`)},
}}

// rides are those of the customer, the queue of those that are ready, and those that the driver has taken. If leak is set, the queue
// shows to all drivers what the others have taken.
func rides(leak bool) []framework.Resource {
	type input struct {
		From string `json:"from" validate:"required,max=100"`
	}
	type stops struct {
		Stops int64 `json:"stops" validate:"required,min=1,max=9"`
	}
	type view struct {
		ID   uuid.UUID `json:"id"`
		From string    `json:"from"`
	}
	dispatch := framework.Post("dispatch", func(c *framework.Call, r *Ride, in stops) (framework.None, error) {
		r.Ready, r.Stops = true, in.Stops
		return framework.None{}, framework.Save(c, r)
	})
	take := framework.Post("take", func(c *framework.Call, r *Ride, _ framework.None) (framework.None, error) {
		id := framework.IDOf[uuid.UUID](c)
		r.DriverID = &id
		return framework.None{}, framework.Save(c, r)
	})
	taken := framework.OnCollection(http.MethodGet, "taken", func(c *framework.Call, _ framework.None) ([]view, error) {
		var all []Ride
		q := c.DB.NewSelect().Model(&all).Where("driver_id IS NOT NULL")
		if !leak {
			q = q.Where("driver_id = ?", c.Caller.ID)
		}
		err := q.Scan(c)
		items := []view{}
		for _, r := range all {
			items = append(items, view{r.ID, r.From})
		}
		return items, err
	})
	open := framework.Where(func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
		return q.Where("ready AND driver_id IS NULL")
	})
	mine := framework.Where(func(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
		return q.Where("driver_id = ?", c.Caller.ID)
	})
	return []framework.Resource{
		framework.ViewSet[Ride]{
			Name: "rides", Verbs: framework.Verbs{List: framework.Shows[view](), Retrieve: framework.Shows[view](), Create: framework.Accepts[input, view]()},
			Scope: framework.Own((*Ride).owner), Permission: framework.Authenticated(), Actions: []framework.Action[Ride]{dispatch},
		},
		framework.ViewSet[Ride]{
			Name: "queue", Verbs: framework.ReadOnly[view](), Scope: open, Permission: framework.Holds("rides.drive"),
			Actions: []framework.Action[Ride]{take}, Collection: []framework.CollectionAction{taken},
		},
		framework.ViewSet[Ride]{Name: "jobs", Verbs: framework.ReadOnly[view](), Scope: mine, Permission: framework.Holds("rides.drive")},
	}
}

// TestAQueue: a row is in the queue only after an action, which needs a number that the new row does not have yet, and
// belongs to a driver only after another one.
func TestAQueue(t *testing.T) {
	t.Parallel()
	for name, leak := range map[string]bool{"the server": false, "a server that shows what other drivers have taken": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onDatabases(t, rideSchema, func(t *testing.T, db *sqldb.DB) {
				report := prove(t, db, nil, rides(leak)...)
				if leak {
					finds(t, report, "GET /api/queue/taken/", "which is of a row or a field that is not theirs")
				} else if found := slices.Concat(report.Findings, report.Unexercised); len(found) > 0 {
					t.Errorf("the findings are %v; want none", found)
				}
			})
		})
	}
}
