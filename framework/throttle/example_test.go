package throttle_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
)

// Signing in is limited twice: by address before anything is read, and by account and
// address when the body is known.
func Example() {
	rates, err := throttle.ParseRates("login=10/min,account=2/min", "login", "account")
	if err != nil {
		fmt.Println(err)
		return
	}
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	store := &throttle.Memory{Clock: func() time.Time { return noon }} // new(throttle.Memory) outside of the example
	perAccount := throttle.New(store, "account", rates["account"])

	signIn := framework.OnCollection(http.MethodPost, "login", func(c *framework.Call, in signIn) (framework.None, error) {
		account := strings.ToLower(in.Email)
		if err := perAccount.Allow(c, account, throttle.Address(c)); err != nil {
			return framework.None{}, err
		}
		return framework.None{}, framework.InvalidCredentials("The e-mail or the password is wrong.")
	}).Throttle(throttle.Scoped(store, "login", rates["login"], throttle.ByAddress()))

	post, done := serving(signIn)
	defer done()
	post(`{"email": "ada@example.com"}`)
	post(`{"email": "Ada@example.com"}`)
	post(`{"email": "ada@example.com"}`)
	post(`{"email": "eve@example.com"}`)
	// Output:
	// 401 RateLimit: "login";r=9;t=60, "account";r=1;t=60
	// 401 RateLimit: "login";r=8;t=60, "account";r=0;t=60
	// 429 RateLimit: "login";r=7;t=60, "account";r=0;t=60 Retry-After: 60
	// 401 RateLimit: "login";r=6;t=60, "account";r=1;t=60
}

// serving serves an action and returns a function that posts to it.
func serving(action framework.CollectionAction) (post func(body string), done func()) {
	dir, err := os.MkdirTemp("", "example")
	must(err)
	db, err := sqldb.Open("sqlite://"+dir+"/example.db", sqldb.Options{})
	must(err)
	api := framework.New(framework.Config{DB: db, Permission: framework.Anyone(), Log: slog.New(slog.DiscardHandler)})
	api.Register(framework.ViewSet[Visit]{Name: "auth", Scope: framework.Public(), Collection: []framework.CollectionAction{action}})
	handler, err := api.Handler()
	must(err)

	post = func(body string) {
		r := httptest.NewRequest(http.MethodPost, "/api/auth/login/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		h := w.Result().Header
		fmt.Print(w.Code, " RateLimit: ", strings.Join(h.Values("RateLimit"), ", "))
		if wait := h.Get("Retry-After"); wait != "" {
			fmt.Print(" Retry-After: ", wait)
		}
		fmt.Println()
	}
	return post, func() {
		must(db.Close())
		must(os.RemoveAll(dir))
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
