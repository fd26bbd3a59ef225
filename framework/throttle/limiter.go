package throttle

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"trestle.example/framework"
)

// A Limiter limits one scope to a rate. Throttles use it. Inside the function of an
// action it limits by values from the body. It never changes and is safe for concurrent
// use.
type Limiter struct {
	store Store
	scope string
	rate  Rate
}

// New makes a limiter. The scope names it in the headers, and separates its counts from
// those of other scopes in the same store. It consists of ASCII letters, digits, ".", "_"
// and "-". New panics with a text that lists the mistakes of the declaration, if any.
func New(store Store, scope string, rate Rate) *Limiter {
	if err := errors.Join(checkStore(store), checkScope(scope), rate.Check()); err != nil {
		panic(fmt.Sprintf("throttle %q: %v", scope, err))
	}
	return &Limiter{store, scope, rate}
}

func checkStore(store Store) error {
	if store == nil {
		return errors.New("the store is nil; new(throttle.Memory) is one")
	}
	return nil
}

func checkScope(scope string) error {
	fits := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r)
	}
	if scope == "" || strings.ContainsFunc(scope, func(r rune) bool { return !fits(r) }) {
		return errors.New(`a scope is a name of letters, digits, ".", "_" and "-", such as login`)
	}
	return nil
}

// Rate returns the rate that the limiter allows.
func (l *Limiter) Rate() Rate { return l.rate }

// String returns the scope and the rate: "login: 5/min".
func (l *Limiter) String() string { return l.scope + ": " + l.rate.String() }

// Allow counts a request for a key, which may have parts, such as an account and an
// address. It returns nil if the request passes. If the rate is used up, it returns a
// [framework.Error] of status 429 with Retry-After, which the function of an action returns
// unchanged. An error of the store is returned as it is. Without such an error, Allow adds
// the limiter to the headers RateLimit and RateLimit-Policy of the response.
//
// The count stays if the transaction of the action is rolled back. If the framework
// repeats a transaction, the request counts again.
func (l *Limiter) Allow(c *framework.Call, key ...string) error {
	q, err := l.take(c, key...)
	if err != nil || q.Wait == 0 {
		return err
	}
	return tooManyRequests(q.Wait)
}

// take counts a request and sets the headers of the response. It returns the error of the
// store; then it sets no header.
func (l *Limiter) take(c *framework.Call, key ...string) (Quota, error) {
	q, err := l.store.Take(c, l.key(key), l.rate)
	if err == nil {
		advertise(c.Header(), l.scope, l.rate, q)
	}
	return q, err
}

// key joins the parts so that different lists of parts give different texts.
func (l *Limiter) key(parts []string) string {
	var b strings.Builder
	b.WriteString(l.scope)
	for _, part := range parts {
		b.WriteString(" " + strconv.Itoa(len(part)) + ":" + part)
	}
	return b.String()
}

func tooManyRequests(wait time.Duration) *framework.Error {
	after := strconv.Itoa(seconds(wait))
	e := framework.Refuse(http.StatusTooManyRequests, framework.CodeThrottled, "Too many requests; try again in "+after+" s.")
	e.Header = map[string]string{"Retry-After": after}
	return e
}

// seconds rounds up, so that a client that waits that long has waited long enough.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
