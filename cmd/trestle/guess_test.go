package main

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"
)

// TestInventedAddressesDoNotHelpToGuess: the rate of logins counts the connecting address,
// or the address that a trusted proxy adds, and nothing that the client writes before it.
func TestInventedAddressesDoNotHelpToGuess(t *testing.T) {
	t.Parallel()
	const guesses, passing = 1000, 10
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		r.with(somePhrase+"\n", "createsuperuser --email a@example.com").is(t, exitOK)
		for name, test := range map[string]struct {
			env    string
			header func(i int) string // X-Forwarded-For
		}{
			"no proxy is trusted": {"", invented},
			"another proxy is":    {"TRESTLE_TRUSTED_PROXIES=10.0.0.0/8", invented},
			"the proxy that adds the address is": {"TRESTLE_TRUSTED_PROXIES=127.0.0.1", func(i int) string {
				return invented(i) + ", 203.0.113.7"
			}},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				v := visit(t, r.start(t, test.env).base, nil)
				began := time.Now()
				for i := range guesses {
					got := v.with("X-Forwarded-For", test.header(i)).send(t, "POST /api/auth/login", wrongPassword(i))
					if time.Since(began) >= time.Minute {
						t.Logf("%d guesses took a whole window", i+1)
						break
					}
					want := http.StatusUnauthorized
					if i >= passing {
						want = http.StatusTooManyRequests
					}
					if got.status != want {
						t.Fatalf("guess %d is answered with %d; want %d: %s", i+1, got.status, want, got.body)
					}
					if wait, err := strconv.Atoi(got.header.Get("Retry-After")); want == http.StatusTooManyRequests && (err != nil || wait < 1 || wait > 60) {
						t.Fatalf("guess %d is to be tried again after %q", i+1, got.header.Get("Retry-After"))
					}
				}
			})
		}
	})
}

func invented(i int) string { return fmt.Sprintf("198.51.%d.%d", 100+i/250, 1+i%250) }

func wrongPassword(i int) string {
	return fmt.Sprintf(`{"email": "a@example.com", "password": "wrong guess %d"}`, i)
}
