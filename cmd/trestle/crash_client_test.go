package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Names of what is counted.
const (
	withoutAnswer = "requests without an answer"
	repeated      = "repeated "
	afterBlow     = repeated + "after a blow, and "
	replayed      = "answered as before"
)

// A client does one thing after the other, and wants an answer to each.
type client struct {
	*load

	user    uuid.UUID
	visitor visitor
	dice    *rand.Rand
	keys    int
}

// A wish is a request that is repeated until it is answered.
type wish struct {
	what          string // that is counted
	request, body string
	key           string // "" for what is the same twice
	fickle        bool   // without an answer it is not repeated
}

const placing = "order"

// again is the longest pause of a client whose answer says to try later.
const again = 40 * time.Millisecond

// key is a new one, of this client's.
func (c *client) key() string {
	c.keys++
	return "key-" + strconv.Itoa(c.keys)
}

// insist sends a request until it is answered; status 0 means that the client gave up. The
// test also drops some answers on their way, so that clients repeat requests that were
// done. It reports whether to go on.
func (c *client) insist(w wish) (answer, bool) {
	var lost *answer
	first := c.era.Load()
	for tries := 0; ; tries++ {
		l, e := c.life.Load(), c.era.Load()
		got, err := c.send(w)
		switch {
		case err != nil && !c.broke(l, w, err):
			return answer{}, false
		case err != nil && w.fickle:
			return answer{}, past(c, l.settled)
		case err != nil:
			continue
		case got.status == http.StatusServiceUnavailable, got.says("idempotency_in_progress"):
			c.counts.add(w.what + " " + got.verdict())
			if got.header.Get("Retry-After") == "" {
				return answer{}, c.unexpected(w, got)
			}
			if !past(c, time.After(time.Duration(c.dice.Int64N(int64(again))))) {
				return answer{}, false
			}
			continue
		case lost == nil && w.key != "" && got.status < 300 && c.loses(e, w):
			lost = &got
			continue
		case lost != nil && !c.same(w, *lost, got):
			return answer{}, false
		}
		c.counts.add(w.what + " " + got.verdict())
		if got.status < 300 && !strings.HasPrefix(w.request, "GET ") {
			c.writes.Add(1)
		}
		c.note(w, got, tries, e != first)
		return got, true
	}
}

// broke waits for the next server, where the last one was killed.
func (c *client) broke(l *life, w wish, err error) bool {
	if c.ctx.Err() != nil {
		return false
	}
	if !l.killed.Load() {
		return c.wrong("%s: a server that was not killed gives no answer: %v: %s", w.request, err, l.said())
	}
	c.counts.add(withoutAnswer)
	return past(c, l.next)
}

// past reports whether to go on when something has happened.
func past[T any](c *client, event <-chan T) bool {
	select {
	case <-event:
		return true
	case <-c.ctx.Done():
		return false
	}
}

// loses decides whether an answer is dropped. The answer to the order during which the
// server is killed is dropped, and so are some before it. The client repeats those requests
// when the server is there again.
func (c *client) loses(e *era, w wish) bool {
	g := c.goal.Load()
	if w.what == placing && (g.count() || c.dice.IntN(16) == 0) && g.deadly {
		return past(c, e.over)
	}
	return c.dice.IntN(12) == 0
}

// same checks that what was done is answered as before.
func (c *client) same(w wish, lost, got answer) bool {
	if got.status == lost.status && got.body == lost.body && got.header.Get("Idempotent-Replayed") == "true" {
		return true
	}
	return c.wrong("%s %s: it was answered\n%d %s\nand with the same key\n%d %s", w.request, w.body, lost.status, lost.body, got.status, got.body)
}

// note counts an answer to what was repeated.
func (c *client) note(w wish, got answer, tries int, struck bool) {
	when, what := repeated+"at once, and ", "refused, or without a key"
	if struck {
		when = afterBlow
	}
	switch {
	case tries == 0:
		return
	case got.header.Get("Idempotent-Replayed") != "":
		what = replayed
	case w.key != "" && got.status < 300:
		what = "done anew"
	}
	c.counts.add(when + what)
}

// send sends a request once.
func (c *client) send(w wish) (answer, error) {
	v := c.visitor
	if w.key != "" {
		v = v.with("Idempotency-Key", w.key)
	}
	return v.try(c.ctx, w.request, w.body)
}

// try sends a request once; without an answer it returns an error.
func (v visitor) try(ctx context.Context, request, body string) (answer, error) {
	method, path, _ := strings.Cut(request, " ")
	sent, err := http.NewRequestWithContext(ctx, method, v.base+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	sent.Header = v.header.Clone()
	if body != "" {
		sent.Header.Set("Content-Type", "application/json")
		sent.GetBody = nil // with it, net/http would repeat by itself what has a key
	}
	got, err := v.client.Do(sent)
	if err != nil {
		return answer{}, err
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	return answer{status: got.StatusCode, header: got.Header, body: string(text)}, err
}

// verdict is the status of an answer, and the code of an error.
func (got answer) verdict() string {
	var problem struct{ Code string }
	if got.status < http.StatusBadRequest || json.Unmarshal([]byte(got.body), &problem) != nil {
		return strconv.Itoa(got.status)
	}
	return fmt.Sprint(got.status, " ", problem.Code)
}

func (got answer) says(code string) bool {
	return got.verdict() == "409 "+code
}

// unexpected reports an answer that must not occur.
func (c *client) unexpected(w wish, got answer) bool {
	return c.wrong("%s %s: %d %s", w.request, w.body, got.status, got.body)
}

// read reads an answer.
func (c *client) read(w wish, got answer, into any) bool {
	if err := json.Unmarshal([]byte(got.body), into); err != nil {
		return c.wrong("%s: %v: %s", w.request, err, got.body)
	}
	return true
}

// A clerk sets stocks and confirms orders.
type clerk struct {
	*client

	confirmed []string
}

func (k *clerk) step() bool {
	if k.dice.IntN(4) == 0 {
		return k.confirm()
	}
	stock := k.dice.Int64N(40)
	variant := k.shelf[k.dice.IntN(len(k.shelf))]
	w := wish{what: "stock", request: "PATCH /api/admin/variants/" + variant + "/stock", body: fmt.Sprintf(`{"stock": %d}`, stock)}
	got, ok := k.insist(w)
	var set struct{ Stock int64 }
	switch {
	case !ok:
		return false
	case got.status != http.StatusOK:
		return k.unexpected(w, got)
	case !k.read(w, got, &set):
		return false
	case set.Stock != stock:
		return k.unexpected(w, got)
	}
	return true
}

// confirm takes on one of the latest orders. Its buyer may be faster and cancel
// it.
func (k *clerk) confirm() bool {
	w := wish{what: "list", request: "GET /api/admin/orders?status=placed&limit=20"}
	got, ok := k.insist(w)
	var list struct{ Items []struct{ ID string } }
	switch {
	case !ok:
		return false
	case got.status != http.StatusOK:
		return k.unexpected(w, got)
	case !k.read(w, got, &list):
		return false
	case len(list.Items) == 0:
		return true
	}
	id := list.Items[k.dice.IntN(len(list.Items))].ID
	w = wish{what: "confirm", request: "POST /api/admin/orders/" + id + "/confirm", body: "{}", key: k.key()}
	switch got, ok = k.insist(w); {
	case !ok:
		return false
	case got.status == http.StatusOK:
		k.confirmed = append(k.confirmed, id)
		return true
	case got.says("illegal_transition"):
		return true
	}
	return k.unexpected(w, got)
}
