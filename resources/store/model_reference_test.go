package store_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A model is the specification of the store: plain data that one request after the
// other changes, written from the requirements without the
// store's own code. It has no database and no connection. It learns ids, numbers and
// times, which it cannot compute, from the answers.
type model struct {
	now        time.Time
	categories []*modelCategory // these and all below in the order in which they were made
	products   []*modelProduct
	buyers     []*modelBuyer
	orders     []*modelOrder
	slots      []*modelSlot
	movements  []modelMovement
	keys       map[string]*modelReply
	expired    int // keys that were sent again after their time
}

type modelCategory struct{ slug, name string }

type modelProduct struct {
	id                        identity
	slug, name                string
	brand, description, image *string
	category                  *modelCategory
	published                 bool
	version                   int64
	variants                  []*modelVariant // by position
}

type modelVariant struct {
	id               identity
	product          *modelProduct
	sku, label, unit string
	price            int64
	mrp              *int64
	stock            int64
	archived         bool
}

type modelBuyer struct {
	name    string
	version int64 // of the cart, 0 while there is none
	lines   []*modelLine
	gone    []*modelLine // the latest that were removed or ordered
	address fields       // of the latest order, as it is shown; nil before
	orders  []*modelOrder
}

type modelLine struct {
	id             identity
	variant        *modelVariant
	quantity, seen int64 // and the price when the buyer last wrote the line
	mrp            *int64
	words          fields // of the product and the variant, then
}

// A modelMovement is one change of a stock.
type modelMovement struct {
	variant       *modelVariant
	kind          string
	delta, after  int64
	order         *modelOrder
	actor, reason string
}

// A modelReply is what was answered under a key.
type modelReply struct {
	asked  string // path and body
	at     time.Time
	status int
	body   string
}

// An asking is one request, and what the model does about it.
type asking struct {
	who          string // "" for an anonymous caller
	method, path string
	body         any
	open         bool   // to every caller
	staff        bool   // for staff alone
	route        string // which honours keys
	key          string
	faults       func() []string // of the body by itself, each a place and a code
	missing      func() string   // why what the path names is not there for the caller; empty if it is
	does         func() verdict
}

// A verdict is what the model says of an answer.
type verdict struct {
	outcome string // for the table of what was seen
	status  int
	body    any // of a success
	code    string
	details fields
	faults  []string    // each a place and a code
	repeats *modelReply // the very answer that is given again
	keeps   *modelReply // learns the answer
}

func succeeds(status int, outcome string, body any) verdict {
	return verdict{outcome: strings.TrimSpace(fmt.Sprint(status, " ", outcome)), status: status, body: body}
}

func refuses(status int, code, why string, details fields, faults ...string) verdict {
	v := verdict{status: status, code: code, details: details, faults: faults, outcome: fmt.Sprintf("%d %s", status, code)}
	if why != "" {
		v.outcome += ", " + why
	}
	return v
}

func notFound(why string) verdict { return refuses(404, "not_found", why, nil) }

// answer returns the answer to a request, and executes it. It checks the caller
// first, then the body by itself, then the key. For a row that does not exist it does not
// check the body.
func (m *model) answer(a asking) verdict {
	switch {
	case a.who == "" && !a.open:
		return refuses(401, "authentication_required", "", fields{"signIn": "/api/auth/login"})
	case a.who != "staff" && a.staff:
		return refuses(403, "forbidden", "", nil)
	}
	if a.faults != nil {
		faults := a.faults()
		switch {
		case len(faults) == 0:
		case a.missing != nil && a.missing() != "":
			return notFound(a.missing())
		default:
			return invalid("", faults)
		}
	}
	if a.key == "" {
		return a.does()
	}
	return m.once(a)
}

// invalid returns the error for a request that is invalid by itself.
func invalid(why string, faults []string) verdict {
	code := "validation_failed"
	for _, fault := range faults {
		if _, is, _ := strings.Cut(fault, " "); is == "unknown_field" || is == "invalid_parameter" {
			code = is
		}
	}
	return refuses(400, code, why, nil, faults...)
}

const keyLife = 24 * time.Hour

// once answers a request with a key: the same request again gets the same answer,
// another one an error. A request that failed leaves no trace of its key.
func (m *model) once(a asking) verdict {
	known := m.keys[a.keyed()]
	switch {
	case known == nil:
	case m.now.Sub(known.at) >= keyLife:
		m.expired++
	case known.asked == a.identity():
		return verdict{outcome: fmt.Sprint(known.status, " repeated"), status: known.status, repeats: known}
	default:
		return refuses(422, "idempotency_key_reused", "", nil)
	}
	v := a.does()
	if v.code == "" {
		v.keeps = &modelReply{asked: a.identity(), at: m.now, status: v.status}
		m.keys[a.keyed()] = v.keeps
	}
	return v
}

// keyed is what a key belongs to: a caller and a route.
func (a asking) keyed() string { return a.who + " " + a.route + " " + a.key }

// identity returns a text in which two different requests to one route differ.
func (a asking) identity() string {
	body, err := json.Marshal(a.body)
	if err != nil {
		panic(err) // bodies are made of texts, numbers and lists
	}
	return a.path + " " + string(body)
}

func (m *model) buyer(name string) *modelBuyer {
	return m.buyers[slices.IndexFunc(m.buyers, func(b *modelBuyer) bool { return b.name == name })]
}

// variants are those of all products.
func (m *model) variants() (all []*modelVariant) {
	for _, p := range m.products {
		all = append(all, p.variants...)
	}
	return all
}

// variant is the one with an id, nil if there is none.
func (m *model) variant(id any) *modelVariant {
	for _, v := range m.variants() {
		if v.id.text == id {
			return v
		}
	}
	return nil
}

func (m *model) category(slug string) *modelCategory {
	for _, c := range m.categories {
		if c.slug == slug {
			return c
		}
	}
	return nil
}

// moves changes a stock and writes it down.
func (m *model) moves(v *modelVariant, kind string, delta int64, order *modelOrder, actor, reason string) {
	if delta == 0 {
		return
	}
	v.stock += delta
	m.movements = append(m.movements, modelMovement{v, kind, delta, v.stock, order, actor, reason})
}

// nothingOr is a value or, for a nil pointer, JSON's null.
func nothingOr[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}
