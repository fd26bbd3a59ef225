package children_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A naivePart is a part in the naive model: a list of a machine in memory.
type naivePart struct {
	ID       string `json:"id,omitempty"`
	Name     string `json:"name"`
	Quantity int64  `json:"quantity"`
}

// A naive model has the parts and the tags of two machines, and has given so many names.
type naive struct {
	*rand.Rand

	parts [2][]naivePart
	tags  [2][]string
	named int
}

// list makes a list of parts for a machine, and the status that it must get. Some lists have rows of
// the other machine, keys or names twice, or are too long.
func (n *naive) list(machine int) (list []naivePart, status int) {
	for _, i := range n.Perm(len(n.parts[machine])) {
		if n.IntN(4) > 0 {
			p := n.parts[machine][i]
			if n.IntN(2) == 0 {
				p.Quantity = 1 + n.Int64N(9)
			}
			list = append(list, p)
		}
	}
	for range n.IntN(3) {
		n.named++
		fresh := naivePart{Name: fmt.Sprint("p", n.named), Quantity: 1 + n.Int64N(9)}
		list = slices.Insert(list, n.IntN(len(list)+1), fresh)
	}
	status = 200
	switch other := n.parts[1-machine]; {
	case len(list) == 0:
	case n.IntN(8) == 0 && list[0].ID != "":
		list, status = append(list, list[0]), 400 // a key twice
	case n.IntN(8) == 0 && len(other) > 0:
		list, status = append(list, other[0]), 400
	case n.IntN(8) == 0 && list[0].ID == "" && len(list) < 4:
		list, status = append(list, list[0]), 409 // a name twice
	}
	if len(list) > 4 {
		status = 400
	}
	return list, status
}

// words makes a list of tags, and the status that it must get.
func (n *naive) words() (words []string, status int) {
	status = 200
	for range n.IntN(4) {
		word := fmt.Sprint("t", n.IntN(12))
		if slices.Contains(words, word) {
			status = 400
		}
		words = append(words, word)
	}
	return words, status
}

// TestProperty: after random requests, the machines have the lists of a naive model.
func TestProperty(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	both(t, func(t *testing.T, db *sqldb.DB) {
		t.Logf("the seed is %d", seed)
		_, c := apitest.Serve(t, config(db), append(others(), machines())...)
		n := &naive{Rand: rand.New(rand.NewPCG(seed, 1))}
		staff := apitest.As(c, "staff")
		paths := [2]string{}
		for i := range paths {
			paths[i] = fmt.Sprintf("/api/machines/%d/", made(t, staff.Post("/api/machines/", map[string]any{"name": "M"})))
		}
		for round := range 150 {
			machine := n.IntN(2)
			parts, status := n.list(machine)
			words, wordStatus := n.words()
			body := map[string]any{}
			if n.IntN(4) > 0 {
				body["parts"] = orEmpty(parts)
			} else {
				parts, status = n.parts[machine], 200
			}
			if n.IntN(3) > 0 {
				body["tags"] = orEmpty(words)
			} else {
				words, wordStatus = n.tags[machine], 200
			}
			want := status
			if wordStatus == 400 {
				want = 400
			}
			r := staff.Patch(paths[machine], body)
			if r.Status() != want {
				text, _ := json.Marshal(body)
				t.Fatalf("round %d: %s is answered %d %s; want %d", round, text, r.Status(), r.Body(), want)
			}
			if want == 200 {
				n.parts[machine], n.tags[machine] = parts, words
			}
			n.compare(t, machine, staff.Get(paths[machine]).Expect(200).Body())
		}
	})
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// compare compares a machine with the model, and learns the keys of new parts.
func (n *naive) compare(t *testing.T, machine int, body string) {
	t.Helper()
	var got struct {
		Parts []naivePart
		Tags  []string
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	want := n.parts[machine]
	if len(got.Parts) != len(want) {
		t.Fatalf("the machine has the parts %v; want %v", got.Parts, want)
	}
	for i, p := range got.Parts {
		if p.Name != want[i].Name || p.Quantity != want[i].Quantity || want[i].ID != "" && p.ID != want[i].ID {
			t.Fatalf("the machine has the parts %v; want %v", got.Parts, want)
		}
	}
	sorted := slices.Sorted(slices.Values(n.tags[machine]))
	if strings.Join(got.Tags, " ") != strings.Join(sorted, " ") {
		t.Fatalf("the machine has the tags %v; want %v", got.Tags, sorted)
	}
	n.parts[machine] = got.Parts
}

// TestTwoWriters: of two requests at one time, the lists are those of one or those of the other.
func TestTwoWriters(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), append(others(), machines())...)
		furnish(t, db)
		body := func(word string) string {
			return strings.ReplaceAll(`{"parts":[{"name":"~1"},{"name":"~2"},{"name":"~3"}],"steps":[{"text":"~"},{"text":"~"}],"tags":["~1","~2"],"materials":[]}`, "~", word)
		}
		for round := range 50 {
			words := []string{fmt.Sprint("a", round), fmt.Sprint("b", round)}
			var writers sync.WaitGroup
			for _, word := range words {
				writers.Go(func() { apitest.As(c, "ada").Patch("/api/machines/1/", body(word)).Expect(200) })
			}
			writers.Wait()
			got := summary(t, db, 1)
			var possible []string
			for _, w := range words {
				possible = append(possible, strings.ReplaceAll("1.~1=1A 2.~2=1A 3.~3=1A | by Ada by Bob hidden | 1.~ 2.~ | ~1 ~2 secret |", "~", w))
			}
			if !slices.Contains(possible, got) {
				t.Fatalf("round %d: the machine has %s, the lists of neither writer", round, got)
			}
		}
	})
}
