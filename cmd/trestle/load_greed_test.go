package main

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"testing"
	"time"

	"trestle.example/framework/auth"
)

// A greed is a way to take everything that a server has.
type greed struct {
	name     string
	postgres bool     // it needs PostgreSQL
	env      []string // settings of the server
	loop     func(f *fairness) loop
	lock     func(t *testing.T, f *fairness) (release func()) // what another session of the database holds meanwhile; nil for nothing
	visits   func(f *fairness) []errand                       // what one polite client does; nil for the usual visits, of two clients
	signIn   bool                                             // a third client signs in
}

func greeds() []greed {
	return []greed{
		{name: "searches", loop: func(f *fairness) loop { return greedy(60, f.letters()) }},
		{name: "cart", loop: func(f *fairness) loop { return greedy(64, f.cart()) }, lock: lockCart},
		{name: "scans", loop: func(f *fairness) loop { return greedy(64, f.scans()) }},
		{name: "rates", env: []string{"TRESTLE_RATES=user=60/min"}, loop: func(f *fairness) loop { return greedy(128, f.lists()) }},
		{name: "lists", loop: func(f *fairness) loop { return greedy(256, f.lists()) }},
		{name: "sign-ins", loop: signInFlood, signIn: true},
		{name: "credentials", loop: func(f *fairness) loop { return greedy(128, f.generated()) }},
		{
			name: "lock", postgres: true, lock: lockPatients, visits: func(*fairness) []errand { return []errand{productList()} },
			loop: func(f *fairness) loop {
				l := greedy(64, f.operations()["retrieve"], f.operations()["list"])
				l.from = addresses("127.0.2", 16)
				return l
			},
		},
	}
}

// greedy is a loop from the address that polite clients share.
func greedy(conns int, errands ...errand) loop {
	return loop{from: []string{greedyAddress}, conns: conns, errands: errands}
}

// addresses are so many of a network of this machine.
func addresses(network string, n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("%s.%d", network, i+1))
	}
	return all
}

// letters searches the catalogue for one letter.
func (f *fairness) letters() errand {
	return errand{name: "search", weight: 1, next: f.byUsers(func(_ int, dice *rand.Rand) []byte {
		return request("GET", fmt.Sprintf("/api/products?q=%c&page=%d", 'a'+dice.IntN(26), 1+dice.IntN(3)), "", "")
	})}
}

// productList lists products.
func productList() errand {
	return errand{name: "products", weight: 1, next: oneOf(pages(5), func(page string) []byte { return request("GET", "/api/products?page="+page, "", "") })}
}

// cart changes one line of one user's cart.
func (f *fairness) cart() errand {
	token, w := tokenOfUser(greedyUser), wire{address: f.server.address}
	defer w.close()
	if _, err := w.send(request("POST", "/api/cart/items", token, fmt.Sprintf(`{"variantId": %q, "quantity": 1}`, f.variant)), waitLimit); err != nil {
		f.t.Fatal(err)
	}
	var item string
	if err := f.db.NewRaw("SELECT CAST(id AS text) FROM cart_items WHERE user_id = ?", rowID(userRows, greedyUser)).Scan(f.t.Context(), &item); err != nil {
		f.t.Fatal(err)
	}
	return errand{name: "cart", weight: 1, next: func(dice *rand.Rand) []byte {
		return request("PATCH", "/api/cart/items/"+item, token, fmt.Sprintf(`{"quantity": %d}`, 1+dice.IntN(9)))
	}}
}

// lockCart keeps the rows of the greedy user's cart. On SQLite, which locks the whole
// database, it keeps nothing.
func lockCart(t *testing.T, f *fairness) (release func()) {
	t.Helper()
	if !f.isPostgres() {
		return func() {}
	}
	return hold(t, f.db, "SELECT 1 FROM carts WHERE user_id = ? FOR UPDATE", rowID(userRows, greedyUser))
}

// lockPatients keeps the table of patients for eight seconds.
func lockPatients(t *testing.T, f *fairness) (release func()) {
	t.Helper()
	unlock := lockTable(t, f.db, "patients")
	timer := time.AfterFunc(8*f.lasts/10, unlock)
	return func() { timer.Stop(); unlock() }
}

// scans searches and orders the patients of the user who owns most of them. No index
// finds fewer than three letters.
func (f *fairness) scans() errand {
	letter := func(dice *rand.Rand) string { return string(rune('a' + dice.IntN(26))) }
	return errand{name: "scan", weight: 1, next: f.bySome(hoarder, hoarder+1, func(user int, dice *rand.Rand) []byte {
		query := url.Values{"search": {letter(dice) + letter(dice)}, "ordering": {"-city"}}
		return request("GET", "/api/patients/?"+query.Encode(), tokenOfUser(user), "")
	})}
}

// lists are the first pages of one user.
func (f *fairness) lists() errand {
	return errand{name: "list", weight: 1, next: f.bySome(greedyUser, greedyUser+1, func(user int, dice *rand.Rand) []byte {
		return request("GET", fmt.Sprintf("/api/patients/?page=%d", 1+dice.IntN(3)), tokenOfUser(user), "")
	})}
}

// generated are credentials that no user has.
func (f *fairness) generated() errand {
	return errand{name: "token", weight: 1, next: f.byUsers(func(_ int, dice *rand.Rand) []byte {
		return request("GET", "/api/patients/", fmt.Sprintf("trs_%043d", dice.Uint64()|1<<63), "")
	})}
}

const signInPassword = "four unrelated words"

// openAccounts makes users with a password.
func (f *fairness) openAccounts(t *testing.T, n int) {
	t.Helper()
	users, err := auth.NewUsers(auth.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		email := fmt.Sprintf("account%d@example.com", i)
		if _, err := users.CreateUser(t.Context(), f.db.Session(), auth.NewUser{Email: email, Password: signInPassword}); err != nil {
			t.Fatal(err)
		}
		f.accounts = append(f.accounts, email)
	}
}

// signIn signs in as one user after the other. It has one caller at a time.
func (f *fairness) signIn() errand {
	var made [][]byte
	for _, email := range f.accounts {
		made = append(made, request("POST", "/api/auth/login", "", fmt.Sprintf(`{"email": %q, "password": %q}`, email, signInPassword)))
	}
	next := 0
	return errand{name: "sign in", weight: 1, next: func(*rand.Rand) []byte {
		next++
		return made[(next-1)%len(made)]
	}}
}

// signInFlood sends a wrong password a second from each of 110 addresses.
func signInFlood(f *fairness) loop {
	const attackers = 110
	return loop{from: addresses("127.0.1", attackers), conns: attackers, every: time.Second, errands: []errand{{
		name: "wrong password", weight: 1, next: f.byUsers(func(_ int, dice *rand.Rand) []byte {
			return request("POST", "/api/auth/login", "", fmt.Sprintf(`{"email": "load%d@example.com", "password": "wrong password %d"}`, dice.IntN(f.users), dice.IntN(1e6)))
		}),
	}}}
}
