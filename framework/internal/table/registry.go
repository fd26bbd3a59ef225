package table

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/after"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/export"
	"trestle.example/framework/internal/fair"
	"trestle.example/framework/internal/keyset"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/origin"
	"trestle.example/framework/internal/signature"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// A Registry has the resources of one API and what they share. It is complete before the
// first request, and safe for concurrent use from then on.
type Registry struct {
	Config    Options
	Origin    origin.Origin
	DB        *sqldb.DB
	Resources []*Resource
	Codes     map[string]problem.CodeInfo
	CallerID  reflect.Type       // of the ids of callers; nil without an authenticator
	SignIn    string             // the path of the sign-in endpoint that a 401 names, "" without one
	Counting  map[string]string  // the column that counts the changes of a row, by table
	Rows      Rows               // finds and stores rows for Find, FindOne, Save and Insert
	Recorder  Recorder           // nil without one
	Histories map[string]History // of the tables whose changes a viewset records, by their names
	Audits    map[string]string  // the paths of the viewsets that declare that reads are recorded, by the names of their tables
	Quotas    map[string]Quota   // of the tables whose owners have a limited number of rows, by their names
	Softly    map[string]bool    // the tables with a viewset that declares SoftDelete, by their names
	After     *after.Runner
	Bodies    fair.Budget
	Parsing   *fair.Queue       // the turns of large bodies to be parsed
	signer    *signature.Signer // of the URLs of files; nil without keys
	Cursors   *keyset.Sealer    // nil without keys
	Exports   export.Turns      // of the callers
}

// bodiesBytes limits the memory of all bodies together, without the first SmallBody bytes of
// each. A body of more than SmallBody bytes waits for its turn to be parsed.
const (
	bodiesBytes = 64 << 20
	SmallBody   = 8 << 10
)

// parseWait limits how long a large body waits to be parsed, and parseQueue how many bodies wait.
const (
	parseWait  = 2 * time.Second
	parseQueue = 4096
)

// NewRegistry makes the registry of an API without resources.
func NewRegistry(c Options) *Registry {
	return &Registry{
		Config: c, DB: c.DB,
		Origin:   origin.Origin{PublicURL: c.PublicURL, Prefix: c.Prefix, Hosts: c.Hosts, Proxies: c.TrustedProxies},
		Recorder: recorderOf(c.Observers),
		After:    after.NewRunner(c.Log),
		Bodies:   fair.Budget{Bytes: bodiesBytes},
		signer:   signature.NewSigner(c.FileKeys),
		Cursors:  keyset.NewSealer(c.CursorKeys),
		// Half of the processors stay free for other requests.
		Parsing: fair.New(fair.Options{Slots: max(1, runtime.GOMAXPROCS(0)/2), Timeout: parseWait, Depth: parseQueue}),
	}
}

// LookUp finds a resource by its path. The error of an unknown path suggests the path of a viewset
// below another one that has this name, or else the nearest path, if one is near.
func (a *Registry) LookUp(path string) (*Resource, error) {
	var known []string
	for _, r := range a.Resources {
		if r.Path == path {
			return r, nil
		}
		known = append(known, r.Path)
	}
	if nested := slices.IndexFunc(known, func(other string) bool { return strings.HasSuffix(other, "/"+path) }); nested >= 0 {
		return nil, naming.Sentence("no viewset %q is registered; did you mean %q?", path, known[nested])
	}
	return nil, naming.Sentence("no viewset %q is registered%s", path, naming.DidYouMean(path, known))
}

// Endpoints lists the API root and the endpoints of every resource.
func (a *Registry) Endpoints() []*Endpoint {
	all := []*Endpoint{{
		Resource: &Resource{API: a, Declaration: &declare.Declaration{}, Scope: BoundScope{Scope: declare.Scope{Kind: declare.ScopePublic}}}, Pattern: "/",
		Route: call.Route{Name: "root", Method: http.MethodGet}, Status: http.StatusOK, Check: access.Check{Permission: access.Anyone()}, Doc: "Every resource and its address.",
	}}
	for _, r := range a.Resources {
		all = append(all, r.Endpoints...)
	}
	return all
}

// Anyone makes a call of an invented signed-in caller, to build a statement that many calls
// share.
func (a *Registry) Anyone() *call.Call {
	return a.NewCall(context.Background(), CallOptions{Caller: a.InventCaller()})
}

// InventCaller returns a signed-in caller with an id that no user has, in the type of the
// callers' ids.
func (a *Registry) InventCaller() *call.Caller {
	return &call.Caller{ID: access.InventID(cmp.Or(a.CallerID, naming.UUIDType))}
}

// FirstServed returns the first of some tables whose rows a viewset serves, or else the first table.
func (a *Registry) FirstServed(tables []string) string {
	served := slices.IndexFunc(tables, func(name string) bool {
		return slices.ContainsFunc(a.Resources, func(r *Resource) bool { return r.Table != nil && sqldb.Fault{Table: name}.On(r.Table.Name) })
	})
	return tables[max(served, 0)]
}
