package export_test

import (
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// dice are those of the seed in TRESTLE_SEED, or of a random one.
func dice(t *testing.T) *rand.Rand {
	t.Helper()
	seed, err := strconv.ParseUint(os.Getenv("TRESTLE_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("TRESTLE_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// random is an order of Ann with few different values.
func random(d *rand.Rand) *Order {
	o := &Order{OwnerID: apitest.ID("ann"), Number: int64(d.IntN(9)), Note: []string{"", "a", "A", "é", "=b\n"}[d.IntN(5)], PlacedAt: placed.Add(time.Duration(d.IntN(3)) * time.Second)}
	for i := range o.ID {
		o.ID[i] = byte(d.IntN(256))
	}
	if d.IntN(3) > 0 {
		weight := float64(d.IntN(4)) / 3
		o.Weight = &weight
	}
	if d.IntN(3) > 0 {
		customer := int64(d.IntN(3))
		o.CustomerID = &customer
	}
	return o
}

// randomOrder is a random order of the list.
func randomOrder(d *rand.Rand) string {
	fields := []string{"number", "note", "weight", "customer.name"}
	d.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	terms := fields[:1+d.IntN(3)]
	for i := range terms {
		terms[i] = []string{"", "-"}[d.IntN(2)] + terms[i]
	}
	return strings.Join(terms, ",")
}

// A crowd inserts and deletes orders while an export is read: Narrow runs it before each statement.
type crowd struct {
	t    *testing.T
	db   *sqldb.DB
	dice *rand.Rand
	on   bool
	ran  int
}

func (c *crowd) narrow(_ *framework.Call, q *bun.SelectQuery) *bun.SelectQuery {
	if !c.on {
		return q
	}
	c.ran++
	for range c.dice.IntN(4) {
		apitest.Insert(c.t, c.db, random(c.dice))
	}
	for range c.dice.IntN(4) {
		var ids []uuid.UUID
		if err := c.db.NewSelect().Model((*Order)(nil)).Column("id").Order("id").Scan(c.t.Context(), &ids); err != nil {
			c.t.Fatal(err)
		}
		if _, err := c.db.NewDelete().Model((*Order)(nil)).Where("id = ?", ids[c.dice.IntN(len(ids))]).Exec(c.t.Context()); err != nil {
			c.t.Fatal(err)
		}
	}
	return q
}

// TestExportsAmongWrites: whatever other requests insert and delete meanwhile, an export has each row that exists throughout
// exactly once, in order. It needs no pages by cursor and no key for them.
func TestExportsAmongWrites(t *testing.T) {
	d := dice(t)
	apitest.Databases(t, shop, func(t *testing.T, db *sqldb.DB) {
		for id, name := range []string{"Ann", "Bob", "Ann"} {
			apitest.Insert(t, db, &Customer{ID: int64(id), Name: name})
		}
		for range 300 {
			apitest.Insert(t, db, random(d))
		}
		others := &crowd{t: t, db: db, dice: d}
		v := orders()
		v.Pagination = page.Bare{}
		v.Collection = []framework.CollectionAction{framework.Lists[orderView]("walk").Narrow(others.narrow)}
		ann := apitest.As(served(t, db, nil, v, lines()), "ann")
		listed := func(by string) (ids []string) {
			var rows []orderView
			ann.Get("/api/orders/?ordering=" + url.QueryEscape(by)).Expect(200).JSON(&rows)
			for _, row := range rows {
				ids = append(ids, row.ID.String())
			}
			return ids
		}
		for round := range 12 {
			by, format, ids := randomOrder(d), both[round%2], []string(nil)
			before := listed(by)
			others.on, others.ran = true, 0
			got := ann.With("Accept", string(format)).Get("/api/orders/walk/?ordering=" + url.QueryEscape(by)).Expect(200)
			others.on = false
			if others.ran < 4 {
				t.Errorf("others wrote %d times; want several parts with two statements each", others.ran)
			}
			if format == framework.CSV {
				ids = column(t, got, "id")
			} else {
				for line := range strings.Lines(got.Body()) {
					var row orderView
					if err := json.Unmarshal([]byte(line), &row); err != nil {
						t.Fatal(err)
					}
					ids = append(ids, row.ID.String())
				}
			}
			after := listed(by)
			want := slices.DeleteFunc(before, func(id string) bool { return !slices.Contains(after, id) })
			walked := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !slices.Contains(want, id) })
			if !slices.Equal(walked, want) {
				t.Fatalf("%s: an export has\n%v; want\n%v", by, walked, want)
			}
		}
	})
}
