package frameworktest

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// An AuthenticatorCase is an authenticator with credentials for the test.
type AuthenticatorCase struct {
	// Authenticator is the authenticator to check. Required.
	Authenticator framework.Authenticator
	// DB is the database that it reads. Defaults to an empty one.
	DB *sqldb.DB
	// Valid adds valid credentials to a request. Required.
	Valid func(*http.Request)
	// Caller is the id of the caller with these credentials, in the type that the
	// authenticator states. Defaults to any caller who is not anonymous.
	Caller any
	// Invalid has functions that add invalid credentials of the same kind to a request.
	// The key states what is wrong with them: "expired", "of an inactive user".
	Invalid map[string]func(*http.Request)
	// Secrets are texts that no error may contain: tokens, keys, passwords.
	Secrets []string
}

// TestAuthenticator checks an authenticator against the contract of
// [framework.Authenticator]. A request without credentials gives no caller and no error.
// Valid credentials give the same caller with a scheme each time. Invalid credentials are
// answered 401 with the challenge and are never anonymous. Headers of other schemes and
// malformed values are answered 401 too. Errors contain no secrets. Authenticate writes nothing.
// Many requests at once do not mix their callers.
func TestAuthenticator(t *testing.T, c AuthenticatorCase) {
	t.Helper()
	checkAuthenticator(t, c)
}

func checkAuthenticator(tb testing.TB, c AuthenticatorCase) {
	tb.Helper()
	if c.Authenticator == nil || c.Valid == nil {
		tb.Fatal("an AuthenticatorCase needs an Authenticator and Valid credentials")
	}
	if c.DB == nil {
		c.DB = emptyDatabase(tb)
	}
	s := &authSuite{tb: tb, AuthenticatorCase: c}
	s.client = serveWhoami(tb, framework.Config{DB: c.DB, Authentication: []framework.Authenticator{s}})
	s.challenge()
	for _, event := range CountStatements(c.DB).events(s.behave) {
		if !readsOnly(event.SQL) {
			tb.Errorf("Authenticate must not write, and sends %s", event.SQL)
		}
	}
}

// An authSuite is the authenticator of the API. It calls the authenticator under test and
// records the results.
type authSuite struct {
	AuthenticatorCase

	tb     testing.TB
	client *Client
	mu     sync.Mutex
	found  *framework.Caller // the last caller
	err    error             // the last error
}

// Authenticate implements [framework.Authenticator].
func (s *authSuite) Authenticate(c *framework.Call, r *http.Request) (caller *framework.Caller, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.found, s.err = caller, err
	}()
	return s.Authenticator.Authenticate(c, r)
}

// CallerID implements [framework.Typed].
func (s *authSuite) CallerID() reflect.Type { return framework.IDTypeOf(s.Authenticator) }

// Challenge implements [framework.Authenticator].
func (s *authSuite) Challenge() string { return s.Authenticator.Challenge() }

// last returns the last results of Authenticate.
func (s *authSuite) last() (*framework.Caller, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.found, s.err
}

// behave tries every kind of credentials, alone and together.
func (s *authSuite) behave() {
	s.tb.Helper()
	s.checkNone()
	s.checkValid()
	for name, prepare := range s.Invalid {
		s.checkInvalid(name, prepare)
	}
	s.checkJunk()
	s.checkTogether()
}

// challengeForm is RFC 9110 section 11.6.1: one scheme with its parameters.
var challengeForm = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+( +" + authParam + "( *, *" + authParam + ")*)?$")

const authParam = "[!#$%&'*+.^_`|~0-9A-Za-z-]+=([!#$%&'*+.^_`|~0-9A-Za-z-]+|\"([^\"\\\\\x00-\x1f\x7f]|\\\\[ -~])*\")"

func (s *authSuite) challenge() {
	s.tb.Helper()
	if text := s.Challenge(); text != "" && !challengeForm.MatchString(text) {
		s.tb.Errorf("the challenge %q is not a scheme with parameters, as in Token realm=\"api\" (RFC 9110 section 11.6.1)", text)
	}
}

func (s *authSuite) checkNone() {
	s.tb.Helper()
	r := s.client.whoami(nil)
	if found, err := s.last(); found != nil || err != nil {
		s.tb.Errorf("without credentials Authenticate finds %+v, error %v; want nil and nil", found, err)
		return
	}
	r.Expect(http.StatusOK).Contains(`"anonymous":true`)
}

func (s *authSuite) checkValid() {
	s.tb.Helper()
	s.client.whoami(s.Valid)
	first, err := s.last()
	if err != nil || first.Anonymous() || first.Scheme == "" {
		s.tb.Errorf("valid credentials find %+v, error %v; want a caller with an id and a scheme", first, err)
		return
	}
	if got := reflect.TypeOf(first.ID); got != s.CallerID() {
		s.tb.Errorf("valid credentials find a caller with an id of type %s; want %s: the type of the method CallerID, which is uuid.UUID without it", got, s.CallerID())
		return
	}
	if s.Caller != nil && first.ID != s.Caller {
		s.tb.Errorf("valid credentials find the caller %v; want %v", first.ID, s.Caller)
	}
	s.client.whoami(s.Valid).Expect(http.StatusOK)
	if again, _ := s.last(); !reflect.DeepEqual(first, again) {
		s.tb.Errorf("the same credentials find %+v and then %+v", first, again)
	}
}

func (s *authSuite) checkInvalid(name string, prepare func(*http.Request)) {
	s.tb.Helper()
	r := s.client.whoami(prepare)
	found, err := s.last()
	var answer *framework.Error
	if found != nil || !errors.As(err, &answer) || answer.Status != http.StatusUnauthorized {
		s.tb.Errorf("credentials %s find %+v, error %v; want an error of status 401, made by framework.InvalidCredentials", name, found, err)
		return
	}
	r.Expect(http.StatusUnauthorized)
	if !strings.Contains(r.Headers().Get("WWW-Authenticate"), s.Challenge()) {
		r.failf("credentials %s: WWW-Authenticate lacks the challenge %q", name, s.Challenge())
	}
	for _, secret := range s.Secrets {
		if strings.Contains(err.Error(), secret) || strings.Contains(r.Body(), secret) {
			s.tb.Errorf("credentials %s: the error holds a secret", name)
		}
	}
}

// checkJunk sends values of other schemes and malformed values. None of them may identify a
// caller.
func (s *authSuite) checkJunk() {
	s.tb.Helper()
	for _, value := range []string{
		"x", ",", "=", `"`, "Token", "Token ", "Token x y", "token\tx", "Bearer", "Bearer a.b.c", "Bearer ..", "Bearer " + strings.Repeat("A", 8<<10),
		"Basic Zm9v", "Basic !!!!", "Basic Og==", "Digest username=\"x\"", "Negotiate YII=", "Token \x80\xff", "Token ' OR '1'='1",
	} {
		r := s.client.whoami(func(r *http.Request) { r.Header.Set("Authorization", value) })
		if found, _ := s.last(); found != nil || r.Status() != http.StatusUnauthorized {
			r.failf("Authorization: %.40q finds %+v, status %d; want no caller and 401", value, found, r.Status())
		}
	}
}

func (s *authSuite) checkTogether() {
	s.tb.Helper()
	known := s.client.whoami(s.Valid).Body()
	unknown := s.client.whoami(nil).Body()
	var group sync.WaitGroup
	for i := range 32 {
		group.Go(func() {
			prepare, want := s.Valid, known
			if i%2 == 1 {
				prepare, want = nil, unknown
			}
			if got := s.client.whoami(prepare).Body(); got != want {
				s.tb.Errorf("among other requests the answer is %s; alone it is %s", got, want)
			}
		})
	}
	group.Wait()
}

// readsOnly reports whether a statement only reads, by its first word.
func readsOnly(statement string) bool {
	words := strings.Fields(strings.ToUpper(statement))
	if len(words) == 0 {
		return true
	}
	switch words[0] {
	case "INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE", "CREATE", "ALTER", "DROP", "TRUNCATE":
		return false
	}
	return true
}
