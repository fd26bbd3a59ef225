package declare

import (
	"net/http"
	"reflect"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"trestle.example/framework/call"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/query"
)

// A Verb is a declared verb as plain data.
type Verb struct {
	Kind    VerbKind
	In, Out reflect.Type
	Model   reflect.Type // of the function, nil without one
	Load    []string
	Empty   bool // it needs a function and was given none
	Compute func(c *call.Call, model any) (any, error)
	Fill    func(c *call.Call, model, in any) error
	Run     func(c *call.Call, model, in any) (any, error) // of Does, without a model, and of Changes
	Rules
}

// A VerbKind is the constructor that made a verb.
type VerbKind int

// The kinds of verbs.
const (
	VerbAbsent VerbKind = iota
	VerbShows
	VerbComputes
	VerbAccepts
	VerbDoes
	VerbChanges
	VerbDeletes
)

func (k VerbKind) String() string {
	return [...]string{"nothing", "Shows", "Computes", "Accepts", "Does", "Changes", "Deletes"}[k]
}

// Constructor names the function that made the verb.
func (v Verb) Constructor() string {
	if v.Fill != nil {
		return "Fills"
	}
	return v.Kind.String()
}

// Rules are what one verb or action may set for itself; nil inherits.
type Rules struct {
	Permission     call.Permission
	Authentication []call.Authenticator
	Throttles      []call.Throttle
	Pagination     query.Pagination
	Filters        []query.Filter
	Status         int
	Untransacted   bool
	Idempotent     bool
	Doc            string
	Named          string // its id in the reference
	Refuses        []string
	Sends, Takes   []call.Header
	SignsIn        bool
}

// A NamedVerb is a verb with its name and its method.
type NamedVerb struct {
	Name, Method string
	Verb
}

// OnObject reports whether the verb's path carries an id.
func (v NamedVerb) OnObject() bool { return v.Name != call.VerbList && v.Name != call.VerbCreate }

// Verbs are the six verbs in the order in which the framework lists them; those that are
// not offered are absent in their kind.
type Verbs []NamedVerb

// Get returns the verb with a name.
func (vs Verbs) Get(name string) Verb {
	for _, v := range vs {
		if v.Name == name {
			return v.Verb
		}
	}
	return Verb{}
}

// Action is either kind, without its type parameters.
type Action struct {
	Name, Method string
	OnObject     bool
	Empty        bool         // it was given no function
	Related      *RelatedRows // what it answers instead of a function
	In, Out      reflect.Type
	Run          func(c *call.Call, model, in any) (any, error)
	Rules
}

// RelatedRows is what an action of Related declares.
type RelatedRows struct {
	Viewset, Field string
	Out            reflect.Type
}

// Slash says how the canonical path of a resource ends. Either form is
// served; links and the API root show the canonical one.
type Slash int

// The ways a path may end; the zero value inherits, and an API that says
// nothing ends its paths with a slash.
const (
	InheritSlash Slash = iota
	WithSlash
	WithoutSlash
)

// Strictness says what happens to names that a request gets wrong.
type Strictness int

// Lenient ignores unknown names and tells so in the header Trestle-Ignored;
// Strict refuses them with 400. The zero value inherits, and an API that says
// nothing is lenient.
const (
	InheritStrictness Strictness = iota
	Lenient
	Strict
)

// A Declaration is a viewset as plain data, without its type parameter.
type Declaration struct {
	Service          *Service // nil without one
	Name, Under, Doc string
	Model            reflect.Type
	Verbs            Verbs
	Scope            Scope
	Search           Search
	Ranked           query.Ranker
	Ordering         Ordering
	Filters          []query.Filter
	Actions          []Action
	Permission       call.Permission
	Authentication   []call.Authenticator
	Throttles        []call.Throttle
	Pagination       query.Pagination
	Strict           Strictness
	Slash            Slash
	Lookup           string
	Single           bool
	Uniques          []Unique
	Checks           []Check
	Models           []any
	Unindexed        []string
	Reserved         []string
}

// Path is how other declarations refer to the resource.
func (d *Declaration) Path() string {
	if d.Under == "" {
		return d.Name
	}
	return d.Under + "/" + d.Name
}

// A Service is a group of resources with a name.
type Service struct{ Name, Doc string }

// A Search says which fields a list is searched by.
type Search struct {
	Fields []string
	Stored string
	Param  string
}

// An Ordering says what a list may be ordered by.
type Ordering struct {
	Allowed []string
	Named   []NamedOrder
	Default string
	Param   string
}

// A NamedOrder is an order that clients ask for by name.
type NamedOrder struct {
	Name      string
	By        string
	Relevance bool
}

// A Unique names the fields of a unique constraint, and its error.
type Unique struct {
	Fields []string
	Code   string
	Detail string
}

// A Check names a CHECK constraint, its fields and its error.
type Check struct {
	Constraint string
	Fields     []string
	Code       string
	Detail     string
}

// A Scope says which rows a caller has.
type Scope struct {
	Kind   scopeKind
	Model  reflect.Type           // of the accessor
	Owner  func(m any) *uuid.UUID // own
	Field  string                 // via
	Target string                 // via
	Where  func(*call.Call, bun.QueryBuilder) bun.QueryBuilder
	Unless call.Permission
}

type scopeKind int

// The kinds of scopes.
const (
	ScopeMissing scopeKind = iota
	ScopeOwn
	ScopeVia
	ScopeWhere
	ScopePublic
)

// String says what the scope leaves, for listings.
func (s Scope) String() string {
	text := map[scopeKind]string{
		ScopeMissing: "none", ScopeOwn: "own", ScopeVia: "via " + s.Field, ScopeWhere: "where", ScopePublic: "public",
	}[s.Kind]
	if s.Unless != nil {
		text += ", unless " + s.Unless.String()
	}
	return text
}

// CheckIdempotent sees that what keeps keys writes, in a transaction.
func CheckIdempotent(own Rules, method string, fault func(error)) {
	switch {
	case !own.Idempotent:
	case method == http.MethodGet:
		fault(naming.Sentence("Idempotent is for what writes; it only reads, so leave Idempotent out"))
	case own.Untransacted:
		fault(naming.Sentence("Idempotent keeps a key in the transaction of its function, and Untransacted has none; leave out one of them"))
	}
}

// Instead is how a write of the framework's own would be a function.
func (v NamedVerb) Instead() string {
	switch {
	case v.Method == http.MethodGet || v.Kind == VerbDoes || v.Kind == VerbChanges:
		return ""
	case v.Name == call.VerbCreate:
		return VerbDoes.String()
	}
	return VerbChanges.String()
}

// verbKinds are the constructors that make sense for each verb.
var verbKinds = map[string][]VerbKind{
	call.VerbList:     {VerbShows, VerbComputes},
	call.VerbRetrieve: {VerbShows, VerbComputes},
	call.VerbCreate:   {VerbAccepts, VerbDoes},
	call.VerbUpdate:   {VerbAccepts, VerbChanges},
	call.VerbPatch:    {VerbAccepts, VerbChanges},
	call.VerbDelete:   {VerbDeletes, VerbChanges},
}

// IsVerb reports whether a name is that of a verb.
func IsVerb(name string) bool {
	_, ok := verbKinds[name]
	return ok
}

// KindsOf are the constructors that make sense for a verb.
func KindsOf(verb string) []VerbKind { return verbKinds[verb] }
