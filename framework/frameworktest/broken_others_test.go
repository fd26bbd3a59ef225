package frameworktest

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
)

var someone = uuid.MustParse("01900000-0000-7000-8000-00000000000a")

// password is a small correct authenticator: Basic with one password. A test replaces its
// decision.
type password struct {
	challenge string
	decide    func(c *framework.Call, sent string) (*framework.Caller, error)
}

func (p password) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	sent, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Basic ")
	if !ok {
		if p.decide != nil {
			return p.decide(c, "")
		}
		return nil, nil
	}
	text, err := base64.StdEncoding.DecodeString(sent)
	if err == nil && p.decide != nil {
		return p.decide(c, string(text))
	}
	if string(text) == "open sesame" {
		return &framework.Caller{ID: someone, Scheme: "Basic"}, nil
	}
	return nil, framework.InvalidCredentials("The password is wrong.")
}

func (p password) Challenge() string { return p.challenge }

func basic(text string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(text)))
	}
}

func passwordCase(p password) AuthenticatorCase {
	return AuthenticatorCase{
		Authenticator: p, Valid: basic("open sesame"), Caller: someone, Secrets: []string{"open sesame", "open barley"},
		Invalid: map[string]func(*http.Request){"of another password": basic("open barley"), "without a password": basic("x")},
	}
}

func TestACorrectAuthenticatorPasses(t *testing.T) {
	TestAuthenticator(t, passwordCase(password{challenge: `Basic realm="api", charset="UTF-8"`}))
}

func TestBrokenAuthenticatorsFail(t *testing.T) {
	known := &framework.Caller{ID: someone, Scheme: "Basic"}
	for name, test := range map[string]struct {
		broken password
		want   string
	}{
		"has an invalid challenge":              {password{challenge: `Basic realm="api`}, "is not a scheme with parameters"},
		"has a challenge of two lines":          {password{challenge: "Basic realm=\"a\r\nb\""}, "is not a scheme with parameters"},
		"rejects a request without credentials": {deciding(nil, framework.InvalidCredentials("Nothing was sent.")), "without credentials Authenticate finds <nil>, error 401"},
		"accepts every request":                 {deciding(known, nil), "without credentials Authenticate finds &{"},
		"ignores bad credentials":               {deciding(nil, nil), "credentials of another password find <nil>, error <nil>; want an error of status 401"},
		"fails instead of rejecting":            {password{decide: failing}, "want an error of status 401, made by framework.InvalidCredentials"},
		"panics at a malformed header":          {password{decide: panicking}, "error panic:"},
		"reveals secrets":                       {password{decide: telling}, "the error holds a secret"},
		"names a caller without a scheme":       {deciding(&framework.Caller{ID: someone}, nil), "want a caller with an id and a scheme"},
		"names another user":                    {deciding(&framework.Caller{ID: uuid.Max, Scheme: "Basic"}, nil), "want " + someone.String()},
		"writes to the database":                {password{decide: writing}, "Authenticate must not write"},
		"names another caller the next time":    {password{decide: (&turns{}).decide}, "the same credentials find"},
	} {
		t.Run(name, func(t *testing.T) {
			wantFailure(t, test.want, func(tb testing.TB) { checkAuthenticator(tb, passwordCase(test.broken)) })
		})
	}
}

func deciding(caller *framework.Caller, err error) password {
	return password{decide: func(*framework.Call, string) (*framework.Caller, error) { return caller, err }}
}

func failing(_ *framework.Call, sent string) (*framework.Caller, error) {
	return nil, errors.New("password lookup failed")
}

func panicking(_ *framework.Call, sent string) (*framework.Caller, error) {
	_ = strings.SplitN(sent, " ", 2)[1]
	return nil, nil
}

func telling(_ *framework.Call, sent string) (*framework.Caller, error) {
	return nil, framework.InvalidCredentials("There is no user with the password " + sent + ".")
}

func writing(c *framework.Call, _ string) (*framework.Caller, error) {
	_, err := c.DB.ExecContext(c, "CREATE TABLE IF NOT EXISTS visits (at text)")
	return nil, err
}

// turns names a new caller each time.
type turns struct {
	mu sync.Mutex
	n  byte
}

func (t *turns) decide(_ *framework.Call, _ string) (*framework.Caller, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	return &framework.Caller{ID: uuid.UUID{15: t.n}, Scheme: "Basic"}, nil
}

// decision is a permission of a test.
type decision struct {
	name   string
	permit func(c *framework.Call) bool
}

func (d decision) Permit(c *framework.Call) bool { return d.permit(c) }
func (d decision) String() string                { return d.name }

func TestBuiltInPermissionsPass(t *testing.T) {
	for _, p := range []framework.Permission{
		framework.Anyone(), framework.Authenticated(), framework.Staff(), framework.OrReadOnly(framework.Staff()),
		framework.Holds("rows.view"), framework.HoldsModel("rows"), framework.PerModel("rows"),
		framework.All(framework.Authenticated(), framework.Not(framework.Staff())), framework.Any(framework.Staff(), framework.Holds("rows.add")),
	} {
		t.Run(p.String(), func(t *testing.T) { TestPermission(t, p) })
	}
}

func TestBrokenPermissionsFail(t *testing.T) {
	var mu sync.Mutex
	asked := 0
	for name, test := range map[string]struct {
		broken decision
		want   string
	}{
		"has no name":          {decision{"", func(*framework.Call) bool { return true }}, "want one line that states what it requires"},
		"has a long name":      {decision{"a\nb", func(*framework.Call) bool { return true }}, "want one line"},
		"queries the database": {decision{"own", func(c *framework.Call) bool { return c.DB.NewSelect() != nil }}, "a permission reads Caller and Route and has no database"},
		"changes the caller": {decision{"raise", func(c *framework.Call) bool {
			c.Caller.Staff = !c.Caller.Staff
			return true
		}}, "raise changes the call"},
		"decides by turns": {decision{"coin", func(*framework.Call) bool {
			mu.Lock()
			defer mu.Unlock()
			asked++
			return asked%2 == 0
		}}, "and then"},
	} {
		t.Run(name, func(t *testing.T) {
			wantFailure(t, test.want, func(tb testing.TB) { checkPermission(tb, test.broken) })
		})
	}
}

// tally allows a number of requests in total.
type tally struct {
	mu     sync.Mutex
	left   int
	wait   time.Duration
	name   string
	broken error
}

func (t *tally) Allow(*framework.Call, *http.Request) (time.Duration, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left--; t.left >= 0 {
		return 0, nil
	}
	return t.wait, t.broken
}

func (t *tally) String() string { return t.name }

func TestACorrectThrottlePasses(t *testing.T) {
	TestThrottle(t, ThrottleCase{Allows: 5, New: func() framework.Throttle { return &tally{left: 5, wait: time.Millisecond, name: "5 in all"} }})
}

func TestBrokenThrottlesFail(t *testing.T) {
	for name, test := range map[string]struct {
		broken func() framework.Throttle
		want   string
	}{
		"has no name":       {func() framework.Throttle { return &tally{left: 5, wait: time.Hour} }, "want one line that states what it allows"},
		"allows too little": {func() framework.Throttle { return &tally{left: 4, wait: time.Hour, name: "4"} }, "request 5 of the 5 that are allowed has status 429"},
		"allows too much":   {func() framework.Throttle { return &tally{left: 6, wait: time.Hour, name: "6"} }, "status 200; want 429"},
		"waits not at all":  {func() framework.Throttle { return &tally{left: 5, name: "5"} }, "status 200; want 429"},
		"fails when it should reject": {func() framework.Throttle {
			return &tally{left: 5, name: "5", broken: errors.New("the counter is gone")}
		}, "status 500; want 429"},
	} {
		t.Run(name, func(t *testing.T) {
			wantFailure(t, test.want, func(tb testing.TB) { checkThrottle(tb, ThrottleCase{New: test.broken, Allows: 5}) })
		})
	}
}

// shape is an error shape of a test.
type shape func(p framework.Problem) (string, any)

func (s shape) Shape(p framework.Problem) (string, any) { return s(p) }

func TestBuiltInErrorShapesPass(t *testing.T) {
	t.Run("ProblemJSON", func(t *testing.T) { TestErrorShape(t, framework.ProblemJSON{}) })
	t.Run("DRFShape", func(t *testing.T) { TestErrorShape(t, framework.DRFShape{}) })
}

func TestBrokenErrorShapesFail(t *testing.T) {
	for name, test := range map[string]struct {
		broken shape
		want   string
	}{
		"reveals the cause": {func(p framework.Problem) (string, any) {
			return "application/json", map[string]string{"error": p.Error.Error()}
		}, "the body contains the cause"},
		"is not an object":  {func(p framework.Problem) (string, any) { return "application/json", p.Detail }, "want a JSON object"},
		"cannot be encoded": {func(framework.Problem) (string, any) { return "application/json", func() {} }, "want a JSON object"},
		"is another type":   {func(p framework.Problem) (string, any) { return "text/html", map[string]string{"detail": p.Detail} }, "want a JSON type"},
		"omits faults": {func(p framework.Problem) (string, any) {
			return "application/json", map[string]string{"detail": p.Detail}
		}, `the body lacks "is required"`},
		"panics":              {func(p framework.Problem) (string, any) { return p.Faults[0].Code, nil }, "Shape panics"},
		"changes the problem": {func(p framework.Problem) (string, any) { p.Detail = ""; return "application/json", p.Faults }, "Shape changes the problem"},
	} {
		t.Run(name, func(t *testing.T) {
			wantFailure(t, test.want, func(tb testing.TB) { checkErrorShape(tb, test.broken) })
		})
	}
}
