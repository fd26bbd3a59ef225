package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/frameworktest"
	"trestle.example/internal/proving"
	"trestle.example/resources/store/delivery"
	"trestle.example/resources/store/internal/storetest"
)

// modelSeed is the variable of the environment with the seed of a run that is to
// be repeated.
const modelSeed = "TRESTLE_SEED"

// TestTheStoreIsWhatItsModelIs sends random requests, one after the other, of
// customers and staff, and holds every answer against a plain model of the
// store, and the tables against it from time to time. With TRESTLE_PROVE=1 it
// sends 10,000 and more, and sees to it that every kind of request met every
// answer that it can have.
//
// It prints its seed; TRESTLE_SEED repeats a run, but for ids and times.
func TestTheStoreIsWhatItsModelIs(t *testing.T) {
	const batch = 150
	seed := uint64(time.Now().UnixNano())
	if given := os.Getenv(modelSeed); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatalf("%s is %q: it must be a whole number", modelSeed, given)
		}
	}
	t.Logf("seed %d", seed)
	shop(t, func(t *testing.T, s *site) {
		x := newTrial(s, seed)
		for range proving.Rounds(10, 70) {
			for range batch {
				x.operate()
			}
			x.compareRows()
			x.compareChanges()
		}
		x.report()
	})
}

// A trial is a site and the model that it must be.
type trial struct {
	*site
	dice
	seed   uint64
	model  *model
	table  []operation
	known  map[string]bool
	count  int      // of requests
	latest []string // of them
	sent   []sentBefore
	seen   map[string]map[string]int // how often an operation had an outcome
}

// A sentBefore is a request with a key, which may be sent again.
type sentBefore struct {
	operation operation
	asking    asking
}

func newTrial(s *site, seed uint64) *trial {
	x := &trial{
		site: s, dice: dice{rand.New(rand.NewPCG(seed, 0))}, seed: seed, table: operations(),
		model: &model{keys: map[string]*modelReply{}}, known: map[string]bool{}, seen: map[string]map[string]int{},
	}
	x.recordChanges()
	for _, name := range []string{"staff", "ada", "bob", "eve"} {
		x.join(name)
	}
	x.clear()
	x.settleSlots()
	for range 10 {
		x.send(x.operation(makingProduct), x.createProduct())
		x.send(x.operation(listingAll), x.listAllOrders()) // there is none yet
	}
	x.crave()
	return x
}

// crave has staff place orders, in the slots that are open latest, up to their limit:
// chance alone would not reach it.
func (x *trial) crave() {
	x.T.Helper()
	b := x.model.buyer("staff")
	x.send(x.operation(makingProduct), x.creating(fields{
		"name": "Rice", "category": fields{"slug": "shelf-0", "name": "Shelf"},
		"variants": []fields{{"sku": "Craved", "label": "1 kg", "unit": "kg", "pricePaise": int64(100), "stock": int64(60)}},
	}))
	v := x.model.variants()[len(x.model.variants())-1]
	for _, slot := range slices.Backward(x.model.openSlots()) {
		for range min(3, slot.capacity-slot.booked) {
			x.send(x.operation(addingItem), x.adding(b, fields{"variantId": v.id.text}))
			x.send(x.operation(placingOrder), x.placing(b, fields{"deliveryAddress": storetest.AddressBody(), "deliverySlotId": slot.id.text}))
			if limit, _ := b.tooMany(nil); limit > 0 {
				return
			}
		}
	}
}

// join is a new buyer.
func (x *trial) join(name string) {
	x.T.Helper()
	x.PersonOf(name)
	x.model.buyers = append(x.model.buyers, &modelBuyer{name: name})
}

// buyers are the three latest to join; others come no more, but their orders
// stay.
func (x *trial) buyers() []*modelBuyer { return x.model.buyers[len(x.model.buyers)-3:] }

// operate draws an operation and sends its request, or one with a key again.
func (x *trial) operate() {
	if x.chance(1) {
		x.passTime()
	}
	x.clear()
	if len(x.sent) > 0 && x.chance(4) {
		if again := one(x.dice, x.sent...); x.model.certain(again.asking) {
			x.send(again.operation, again.asking)
			return
		}
	}
	weights := 0
	for _, o := range x.table {
		weights += o.weight
	}
	drawn := x.IntN(weights)
	for _, o := range x.table {
		if drawn -= o.weight; drawn < 0 {
			x.send(o, x.disguised(o.draw(x)))
			return
		}
	}
}

// disguised sends a request as another caller, now and then: as an anonymous one, or as a
// customer where only staff may.
func (x *trial) disguised(a asking) asking {
	switch {
	case a.staff && x.chance(6):
		a.who = one(x.dice, x.buyers()...).name
	case !a.open && x.chance(6):
		a.who = ""
	}
	return a
}

// send sends a request and compares the answer with the model's.
func (x *trial) send(o operation, a asking) {
	x.T.Helper()
	if a.key != "" {
		x.sent = append(x.sent[max(0, len(x.sent)-29):], sentBefore{o, a})
	}
	c := comparison{sent: x.Now(), known: x.known}
	x.model.now = c.sent
	want := x.model.answer(a)
	got := x.client(a).Do(a.method, a.path, a.body)
	c.answered = x.Now()
	c.answer(want, got)
	if want.keeps != nil {
		want.keeps.body = got.Body()
	}
	x.count++
	x.note(o, a, want)
	if len(c.differences) > 0 {
		x.T.Fatalf("the answer to\n  %s\nis not the model's:\n  %s\n%s\nthe whole answer, %d:\n%s",
			x.latest[len(x.latest)-1], c.firstDifferences(), x.story(), got.Status(), got.Body())
	}
}

func (x *trial) client(a asking) *frameworktest.Client {
	client := x.Client
	if a.who != "" {
		client = x.ClientOf(a.who)
	}
	if a.key != "" {
		client = client.With("Idempotency-Key", a.key)
	}
	return client
}

// note writes down what was done and what came of it.
func (x *trial) note(o operation, a asking, v verdict) {
	x.T.Helper()
	if x.seen[o.name] == nil {
		x.seen[o.name] = map[string]int{}
	}
	x.seen[o.name][v.outcome]++
	if !slices.Contains(o.outcomes, v.outcome) {
		x.T.Errorf("%s has the outcome %q, which is not on its list", o.name, v.outcome)
	}
	line := fmt.Sprintf("#%d %s: %s %s %s", x.count, o.name, a.who, a.method, a.path)
	if a.body != nil {
		body := written(a.body)
		line += " " + strings.ToValidUTF8(body[:min(len(body), 800)], "")
	}
	if a.key != "" {
		line += " key " + a.key
	}
	x.latest = append(x.latest[max(0, len(x.latest)-11):], line+" -> "+v.outcome)
}

// story returns the requests that led to a failure.
func (x *trial) story() string {
	return fmt.Sprintf("seed %d, request %d; the latest and what the model says of them:\n  %s", x.seed, x.count, strings.Join(x.latest, "\n  "))
}

// clear keeps away from moments at which time itself changes an answer: the
// clock is turned past those of the next minutes.
func (x *trial) clear() {
	for {
		x.model.now = x.Now()
		turn := x.model.nextTurn()
		if turn.Sub(x.model.now) > nearly {
			return
		}
		x.TurnClock(turn.Sub(x.model.now) + time.Second)
	}
}

// nearly is longer than any request takes.
const nearly = 2 * time.Minute

// passTime turns the clock forward, sometimes further than keys are kept.
// It may add a new buyer.
func (x *trial) passTime() {
	x.T.Helper()
	passed := time.Duration(1+x.IntN(180)) * time.Minute
	if x.chance(10) {
		passed = keyLife + time.Hour
	}
	x.TurnClock(passed)
	x.clear()
	if x.chance(50) {
		x.join(fmt.Sprint("buyer-", x.count))
	}
	x.settleSlots()
}

// settleSlots gives some of the slots that are open little room. It learns
// their ids from a cart.
func (x *trial) settleSlots() {
	x.T.Helper()
	x.send(x.operation(readingCart), x.readCart(x.buyers()[0]))
	for _, slot := range x.model.openSlots() {
		if !slot.settled && x.chance(60) {
			slot.capacity = int64(1 + x.IntN(3))
			x.Store(&delivery.DeliverySlot{
				ID: idFrom(slot.id), StartsAt: slot.start, EndsAt: slot.end(), CutoffAt: slot.cutoff(), Capacity: slot.capacity,
			})
		}
		slot.settled = true
	}
}

// report prints how often each operation had each outcome. After a proof, every
// one must have been seen.
func (x *trial) report() {
	x.T.Helper()
	text := &strings.Builder{}
	for _, o := range x.table {
		fmt.Fprintf(text, "%s\n", o.name)
		for _, outcome := range o.outcomes {
			n := x.seen[o.name][outcome]
			fmt.Fprintf(text, "%8d  %s\n", n, outcome)
			if n == 0 && proving.On() {
				x.T.Errorf("%s never had the outcome %q", o.name, outcome)
			}
		}
	}
	if x.model.expired == 0 && proving.On() {
		x.T.Error("no key was sent again after its time")
	}
	x.T.Logf("seed %d, %d requests; %d keys sent again after their time\n%s", x.seed, x.count, x.model.expired, text)
}
