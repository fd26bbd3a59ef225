package framework

import (
	"net/http"
	"reflect"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/internal/naming"
)

// A verb is a declared verb as plain data.
type verb struct {
	kind    verbKind
	in, out reflect.Type
	model   reflect.Type // of the function, nil without one
	load    []string
	empty   bool // it needs a function and was given none
	compute func(c *Call, model any) (any, error)
	fill    func(c *Call, model, in any) error
	do      func(c *Call, in any) (any, error)
	change  func(c *Call, model, in any) (any, error)
	rules
}

type verbKind int

const (
	verbAbsent verbKind = iota
	verbShows
	verbComputes
	verbAccepts
	verbDoes
	verbChanges
	verbDeletes
)

func (k verbKind) String() string {
	return [...]string{"nothing", "Shows", "Computes", "Accepts", "Does", "Changes", "Deletes"}[k]
}

// constructor names the function that made the verb.
func (v verb) constructor() string {
	if v.fill != nil {
		return "Fills"
	}
	return v.kind.String()
}

// rules are what one verb or action may set for itself; nil inherits.
type rules struct {
	permission     Permission
	authentication []Authenticator
	throttles      []Throttle
	pagination     Pagination
	filters        []Filter
	status         int
	untransacted   bool
	idempotent     bool
	doc            string
	named          string // its id in the reference
	refuses        []string
	sends, takes   []Header
	signsIn        bool
}

// A namedVerb is a verb with its name and its method.
type namedVerb struct {
	name, method string
	verb
}

// onObject reports whether the verb's path carries an id.
func (v namedVerb) onObject() bool { return v.name != verbList && v.name != verbCreate }

// verbs are the six verbs in the order in which the framework lists them; those that are
// not offered are absent in their kind.
type verbs []namedVerb

// get returns the verb with a name.
func (vs verbs) get(name string) verb {
	for _, v := range vs {
		if v.name == name {
			return v.verb
		}
	}
	return verb{}
}

// action is either kind, without its type parameters.
type action struct {
	name, method string
	onObject     bool
	empty        bool         // it was given no function
	related      *relatedRows // what it answers instead of a function
	in, out      reflect.Type
	run          func(c *Call, model, in any) (any, error)
	rules
}

// relatedRows is what an action of Related declares.
type relatedRows struct {
	viewset, field string
	out            reflect.Type
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

// A declaration is a viewset as plain data, without its type parameter.
type declaration struct {
	service          *service // nil without one
	name, under, doc string
	model            reflect.Type
	verbs            verbs
	scope            scope
	search           search
	ranked           Ranker
	ordering         ordering
	filters          []Filter
	actions          []action
	permission       Permission
	authentication   []Authenticator
	throttles        []Throttle
	pagination       Pagination
	strict           Strictness
	slash            Slash
	lookup           string
	single           bool
	uniques          []unique
	checks           []check
	models           []any
	unindexed        []string
	reserved         []string
}

// path is how other declarations refer to the resource.
func (d *declaration) path() string {
	if d.under == "" {
		return d.name
	}
	return d.under + "/" + d.name
}

// A service is a group of resources with a name.
type service struct{ Name, Doc string }

// A search says which fields a list is searched by.
type search struct {
	Fields []string
	Stored string
	Param  string
}

// An ordering says what a list may be ordered by.
type ordering struct {
	Allowed []string
	Named   []namedOrder
	Default string
	Param   string
}

// A namedOrder is an order that clients ask for by name.
type namedOrder struct {
	Name      string
	By        string
	Relevance bool
}

// A unique names the fields of a unique constraint, and its error.
type unique struct {
	Fields []string
	Code   string
	Detail string
}

// A check names a CHECK constraint, its fields and its error.
type check struct {
	Constraint string
	Fields     []string
	Code       string
	Detail     string
}

// A scope says which rows a caller has.
type scope struct {
	kind   scopeKind
	model  reflect.Type           // of the accessor
	owner  func(m any) *uuid.UUID // own
	field  string                 // via
	target string                 // via
	where  func(*Call, bun.QueryBuilder) bun.QueryBuilder
	unless Permission
}

type scopeKind int

const (
	scopeMissing scopeKind = iota
	scopeOwn
	scopeVia
	scopeWhere
	scopePublic
)

// String says what the scope leaves, for listings.
func (s scope) String() string {
	text := map[scopeKind]string{
		scopeMissing: "none", scopeOwn: "own", scopeVia: "via " + s.field, scopeWhere: "where", scopePublic: "public",
	}[s.kind]
	if s.unless != nil {
		text += ", unless " + s.unless.String()
	}
	return text
}

// checkIdempotent sees that what keeps keys writes, in a transaction.
func checkIdempotent(own rules, method string, fault func(error)) {
	switch {
	case !own.idempotent:
	case method == http.MethodGet:
		fault(naming.Sentence("Idempotent is for what writes; it only reads, so leave Idempotent out"))
	case own.untransacted:
		fault(naming.Sentence("Idempotent keeps a key in the transaction of its function, and Untransacted has none; leave out one of them"))
	}
}

// instead is how a write of the framework's own would be a function.
func (v namedVerb) instead() string {
	switch {
	case v.method == http.MethodGet || v.kind == verbDoes || v.kind == verbChanges:
		return ""
	case v.name == verbCreate:
		return verbDoes.String()
	}
	return verbChanges.String()
}

// verbKinds says which constructors make sense for which verb.
var verbKinds = map[string][]verbKind{
	verbList:     {verbShows, verbComputes},
	verbRetrieve: {verbShows, verbComputes},
	verbCreate:   {verbAccepts, verbDoes},
	verbUpdate:   {verbAccepts, verbChanges},
	verbPatch:    {verbAccepts, verbChanges},
	verbDelete:   {verbDeletes, verbChanges},
}

// isVerb reports whether a name is that of a verb.
func isVerb(name string) bool {
	_, ok := verbKinds[name]
	return ok
}
