package framework

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"reflect"
	"runtime"
	"time"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// Options are the settings of an API, field by field those of framework.Config.
type options struct {
	DB              *sqldb.DB
	Prefix          string
	Title           string
	Doc             string
	Version         string
	Undocumented    bool
	Authentication  []Authenticator
	Permission      Permission
	Guards          []Guard
	Throttles       []Throttle
	Pagination      Pagination
	Strict          Strictness
	Slash           Slash
	ErrorShape      problem.ErrorShape
	Codes           []problem.CodeInfo
	PublicURL       string
	Hosts           []string
	TrustedProxies  []netip.Prefix
	CORS            []string
	HSTS            time.Duration
	MaxRows         int
	IdempotencyKeys int
	Timeout         time.Duration
	Now             func() time.Time
	Log             *slog.Logger
	Slow            time.Duration
	Observers       []Observer
}

// A registry is what the resources of one API have in common. It is complete before the
// first request, and safe for concurrent use from then on.
type registry struct {
	config    options
	origin    origin
	db        *sqldb.DB
	resources []*resource
	codes     map[string]problem.CodeInfo
	signIn    string // the address of the endpoint that a 401 names, "" for none
	rows      rows   // what functions of a declaration read and write by
	bodies    fair.Budget
	parsing   *fair.Queue
}

// bodiesBytes is the most that the bodies of all requests hold of memory, except for
// the first SmallBody bytes of each.
const (
	bodiesBytes = 64 << 20
	smallBody   = 8 << 10
)

// parseWait is how long a large body waits to be parsed, and parseQueue how many wait.
const (
	parseWait  = 2 * time.Second
	parseQueue = 4096
)

// newRegistry makes the registry of an API without resources.
func newRegistry(c options) *registry {
	return &registry{
		config: c, db: c.DB,
		origin: origin{publicURL: c.PublicURL, prefix: c.Prefix, hosts: c.Hosts, proxies: c.TrustedProxies},
		bodies: fair.Budget{Bytes: bodiesBytes},
		// Half of the processors stay free for other requests.
		parsing: fair.New(fair.Options{Slots: max(1, runtime.GOMAXPROCS(0)/2), Timeout: parseWait, Depth: parseQueue}),
	}
}

// newCall begins a call. Its options need neither a database nor a time.
func (a *registry) newCall(ctx context.Context, o callOptions) *Call {
	o.DB, o.Rows = a.db, a.rows
	if o.Now.IsZero() {
		o.Now = a.config.Now()
	}
	if r := o.Request; r != nil {
		o.URL = func(path string) string { return a.origin.url(r, path) }
	}
	return newCall(ctx, o)
}

// errParsing is the cause of an error if too many large bodies wait to be parsed.
var errParsing = errors.New("a large body waited too long to be parsed")

// parse runs fn, which takes time for each byte of a body. A large body waits for its
// turn first. That time is not a part of the wait limit for connections.
func (a *registry) parse(c *Call, body []byte, fn func()) error {
	if len(body) > smallBody {
		turn, err := a.parsing.Acquire(fair.Apart(c, fair.ClientOf(c)))
		switch {
		case errors.Is(err, fair.ErrOverloaded):
			return problem.Overloaded().Because(errParsing)
		case err != nil:
			return err
		}
		defer turn.End()
	}
	fn()
	return nil
}

// lookUp finds a resource by its path.
func (a *registry) lookUp(path string) (*resource, error) {
	var known []string
	for _, r := range a.resources {
		if r.path == path {
			return r, nil
		}
		known = append(known, r.path)
	}
	return nil, naming.Sentence("no viewset %q is registered%s", path, naming.DidYouMean(path, known))
}

// relationScope finds which viewset narrows a relation that a shape shows;
// write is how ref is written there, with a verb for it.
func (a *registry) relationScope(relation *schema.Relation, ref, write string) (*resource, error) {
	if ref == "-" {
		return nil, nil
	}
	if ref == "" {
		for _, r := range a.resources {
			if r.model == relation.JoinTable.Type && r.declaration.scope.kind != scopePublic {
				return nil, naming.Sentence("it shows rows of %s, which has a scope; "+write+" to narrow it by that scope, or "+write+
					" if it is part of the row", r.path, r.path, "-")
			}
		}
		return nil, nil
	}
	target, err := a.lookUp(ref)
	if err != nil {
		return nil, err
	}
	if target.model != relation.JoinTable.Type {
		return nil, naming.Sentence("%q serves %s, the relation leads to %s", ref, target.model.Name(), relation.JoinTable.Type.Name())
	}
	if target.declaration.scope.kind == scopePublic {
		return nil, nil
	}
	return target, nil
}

// tableOf finds bun's description of a model; a broken model is a mistake.
func (a *registry) tableOf(model reflect.Type) (t *schema.Table, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = naming.Sentence("bun cannot use %s as a model: %v", model, p)
		}
	}()
	return a.db.Table(model), nil
}

// endpoints are the API root and those of every resource.
func (a *registry) endpoints() []*endpoint {
	all := []*endpoint{{
		resource: &resource{api: a, declaration: &declaration{}, scope: boundScope{scope: scope{kind: scopePublic}}}, pattern: "/",
		route: Route{Name: "root", Method: http.MethodGet}, door: door{permission: Anyone()}, doc: "Every resource and its address.",
	}}
	for _, r := range a.resources {
		all = append(all, r.endpoints...)
	}
	return all
}

// anyone is a call by a caller who is signed in, to build a statement that many calls share.
func (a *registry) anyone() *Call {
	return a.newCall(context.Background(), callOptions{Caller: &Caller{ID: newID()}})
}
