package throttle_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
	"trestle.example/framework/throttle/redisthrottle"
	"trestle.example/internal/testserver/redis"
)

// onBothStores runs a test with a function that makes empty stores.
func onBothStores(t *testing.T, test func(t *testing.T, store func() throttle.Store)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) {
		test(t, func() throttle.Store { return new(throttle.Memory) })
	})
	t.Run("redis", func(t *testing.T) {
		address := redis.Server(t)
		test(t, func() throttle.Store { return inRedis(t, address, "test:"+uuid.NewString()+":") })
	})
}

func inRedis(t *testing.T, address, prefix string) *redisthrottle.Store {
	t.Helper()
	store, err := redisthrottle.Open(address, redisthrottle.Options{Prefix: prefix, Fallback: broken{t}, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// A Visit is the row of the API in these tests, one for each request that passed.
type Visit struct {
	bun.BaseModel `bun:"table:visits"`

	ID    int64 `bun:",pk,autoincrement"`
	Email string
}

type signIn struct {
	Email string `json:"email" validate:"required"`
}

// cards is a scheme: X-Card names one of two callers.
type cards struct{}

var _ framework.Authenticator = cards{}

func (cards) Authenticate(_ *framework.Call, r *http.Request) (*framework.Caller, error) {
	card := r.Header.Get("X-Card")
	switch card {
	case "":
		return nil, nil
	case "ada", "eve":
		return &framework.Caller{ID: uuid.NewSHA1(uuid.Nil, []byte(card)), Name: card, Scheme: "Card"}, nil
	case "blocked":
		return nil, framework.Forbidden()
	case "off":
		return nil, errors.New("the register of cards is away")
	}
	return nil, framework.InvalidCredentials("That card is not valid.")
}

func (cards) Challenge() string { return "Card" }

// house is the API of these tests: GET /api/visits/open/ for anyone, and POST
// /api/visits/login/, which stores a row and then calls the limiter.
type house struct {
	framework.Config

	perAccount *throttle.Limiter
	login      []framework.Throttle
}

func (h house) open(t *testing.T) *frameworktest.Client {
	t.Helper()
	c := h.Config
	c.Permission = framework.Anyone()
	c.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	if c.Authentication == nil {
		c.Authentication = []framework.Authenticator{cards{}}
	}
	login := framework.OnCollection(http.MethodPost, "login", func(c *framework.Call, in signIn) (framework.None, error) {
		if _, err := c.DB.NewInsert().Model(&Visit{Email: in.Email}).Exec(c); err != nil {
			return framework.None{}, err
		}
		if h.perAccount == nil {
			return framework.None{}, nil
		}
		return framework.None{}, h.perAccount.Allow(c, in.Email, throttle.Address(c))
	})
	if h.login != nil {
		login = login.Throttle(h.login...)
	}
	api := framework.New(c)
	api.Register(framework.ViewSet[Visit]{
		Name: "visits", Scope: framework.Public(),
		Collection: []framework.CollectionAction{
			login,
			framework.OnCollection(http.MethodGet, "open", func(*framework.Call, framework.None) (framework.None, error) {
				return framework.None{}, nil
			}),
		},
	})
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return frameworktest.New(t, handler)
}

const (
	openPath  = "/api/visits/open/"
	loginPath = "/api/visits/login/"
)

func database(t *testing.T) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open("sqlite://"+t.TempDir()+"/test.db", sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func createVisits(t *testing.T, db *sqldb.DB) {
	t.Helper()
	id := "integer PRIMARY KEY AUTOINCREMENT"
	if db.Kind() == sqldb.PostgreSQL {
		id = "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
	}
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE visits (id "+id+", email text NOT NULL)"); err != nil {
		t.Fatal(err)
	}
}

// onLoopback trusts the client of the tests as a proxy.
func onLoopback() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }

// lines returns the values of a header, one per line.
func lines(r *frameworktest.Response, name string) string {
	return strings.Join(r.Headers().Values(name), "\n")
}
