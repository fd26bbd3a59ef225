package bulk_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// A model is what the table should have: the products by their SKU.
type model map[string]product

type product struct{ id, owner, name string }

// clone returns a copy, which a request changes whole or not at all.
func (m model) clone() model { return maps.Clone(m) }

// apply does one item, and reports whether the caller may.
func (m model) apply(method, who string, item fields) bool {
	sku, name := fmt.Sprint(item["sku"]), fmt.Sprint(item["name"])
	was, known := m[sku]
	switch method {
	case http.MethodPost:
		m[sku] = product{"", who, name}
		return !known
	case http.MethodPut:
		m[sku] = product{was.id, who, name}
		return !known || was.owner == who
	}
	for old, p := range m {
		if p.id != item["id"] {
			continue
		}
		if p.owner != who {
			return false
		}
		delete(m, old)
		_, taken := m[sku]
		m[sku] = product{p.id, who, name}
		return !taken
	}
	return false
}

// TestRandomOperations checks that random requests for several rows leave the table as a model says: each does all
// of its items, or nothing, or each item by itself.
func TestRandomOperations(t *testing.T) {
	seed := rand.Uint64()
	if text := os.Getenv("TRESTLE_SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	t.Logf("TRESTLE_SEED=%d", seed)
	both(t, func(t *testing.T, _ *sqldb.DB, by clients) {
		r := rand.New(rand.NewPCG(seed, 0))
		has, callers := model{}, map[string]*frameworktest.Client{"ada": by.ada, "bob": by.bob}
		for range 300 {
			who := []string{"ada", "bob"}[r.IntN(2)]
			switch act := r.IntN(16); {
			case act == 0:
				has = has.remove(t, r, callers[who], who)
			case act == 1:
				has = has.removeEach(t, r, callers[who], who)
			case act < 9:
				has = has.write(t, r, callers[who], who)
			default:
				has = has.writeEach(t, r, callers[who], who)
			}
		}
		var stored struct {
			Results []struct{ ID, SKU, Name string }
		}
		by.visitor.Get("/api/products/").Expect(200).JSON(&stored)
		got := model{}
		for _, p := range stored.Results {
			got[p.SKU] = product{p.ID, has[p.SKU].owner, p.Name}
		}
		if !maps.Equal(got, has) {
			t.Errorf("the table has %v; want %v", got, has)
		}
	})
}

// write sends a random POST, PUT or PATCH, and returns what the table should have then.
func (m model) write(t *testing.T, r *rand.Rand, c *frameworktest.Client, who string) model {
	method := []string{http.MethodPost, http.MethodPut, http.MethodPatch}[r.IntN(3)]
	ids := []string{"00000000-0000-7000-8000-000000000000"}
	for _, sku := range slices.Sorted(maps.Keys(m)) {
		ids = append(ids, m[sku].id)
	}
	next, body, may, used := m.clone(), items{}, true, map[string]bool{}
	for range 1 + r.IntN(4) {
		item := fields{"sku": fmt.Sprint("s", r.IntN(12)), "name": fmt.Sprint("n", r.IntN(1000))}
		key := fmt.Sprint(item["sku"])
		if method == http.MethodPatch {
			item["id"] = ids[r.IntN(len(ids))]
			key = fmt.Sprint(item["id"])
			if used["sku "+fmt.Sprint(item["sku"])] || m.holds(item) { // the order of changes would decide
				continue
			}
			used["sku "+fmt.Sprint(item["sku"])] = true
		}
		may = may && !used[key]
		used[key] = true
		may = next.apply(method, who, item) && may
		body = append(body, item)
	}
	answer := c.Do(method, path, body)
	if ok := answer.Status() < 300; ok != may {
		t.Fatalf("%s %v by %s is answered %d %s; the table has %v", method, body, who, answer.Status(), answer.Body(), m)
	}
	if !may {
		return m
	}
	for i, id := range idsIn(t, answer) {
		p := next[fmt.Sprint(body[i]["sku"])]
		next[fmt.Sprint(body[i]["sku"])] = product{id, p.owner, p.name}
	}
	return next
}

// holds reports whether another row than that of the item has its SKU.
func (m model) holds(item fields) bool {
	p, known := m[fmt.Sprint(item["sku"])]
	return known && p.id != item["id"]
}

// remove sends a random DELETE, and returns what the table should have then.
func (m model) remove(t *testing.T, r *rand.Rand, c *frameworktest.Client, who string) model {
	next, may, ids := m.clone(), true, []string{}
	for _, sku := range slices.Sorted(maps.Keys(m)) {
		if r.IntN(4) == 0 {
			ids, may = append(ids, m[sku].id), may && m[sku].owner == who
			delete(next, sku)
		}
	}
	if len(ids) == 0 {
		return m
	}
	answer := c.Delete(path + "?id=" + strings.Join(ids, ","))
	if ok := answer.Status() < 300; ok != may {
		t.Fatalf("DELETE %v by %s is answered %d %s; the table has %v", ids, who, answer.Status(), answer.Body(), m)
	}
	if !may {
		return m
	}
	return next
}

// writeEach sends a random POST, PUT or PATCH whose items are done one by one, and returns what the table should have then.
func (m model) writeEach(t *testing.T, r *rand.Rand, c *frameworktest.Client, who string) model {
	method := []string{http.MethodPost, http.MethodPut, http.MethodPatch}[r.IntN(3)]
	ids := []string{noRow}
	for _, sku := range slices.Sorted(maps.Keys(m)) {
		ids = append(ids, m[sku].id)
	}
	body := items{}
	for range 1 + r.IntN(6) {
		item := fields{"sku": fmt.Sprint("s", r.IntN(12)), "name": fmt.Sprint("n", r.IntN(1000))}
		if method == http.MethodPatch {
			item["id"] = ids[r.IntN(len(ids))]
		}
		body = append(body, item)
	}
	results := resultsIn(t, c.Do(method, eachPath, body))
	rows := rowsIn(t, results)
	for i, one := range results {
		next := m.clone()
		may := next.apply(method, who, body[i])
		if done := one.Status < 300; done != may {
			t.Fatalf("item %d of %s %v by %s has the result %s; the table has %v", i, method, body, who, one.text(), m)
		}
		if may {
			m = next
			p := m[fmt.Sprint(body[i]["sku"])]
			m[fmt.Sprint(body[i]["sku"])] = product{rows[i], p.owner, p.name}
		}
	}
	return m
}

// removeEach sends a random DELETE whose keys are done one by one, and returns what the table should have then.
func (m model) removeEach(t *testing.T, r *rand.Rand, c *frameworktest.Client, who string) model {
	next, ids, want := m.clone(), []string{noRow}, []int{http.StatusNotFound}
	for _, sku := range slices.Sorted(maps.Keys(m)) {
		switch {
		case r.IntN(4) > 0:
		case m[sku].owner == who:
			ids, want = append(ids, m[sku].id, m[sku].id), append(want, http.StatusNoContent, http.StatusNotFound)
			delete(next, sku)
		default:
			ids, want = append(ids, m[sku].id), append(want, http.StatusForbidden)
		}
	}
	for i, one := range resultsIn(t, c.Delete(eachPath+"?id="+strings.Join(ids, ","))) {
		if one.Status != want[i] {
			t.Fatalf("key %d of %v by %s has the result %s; want %d; the table has %v", i, ids, who, one.text(), want[i], m)
		}
	}
	return next
}
