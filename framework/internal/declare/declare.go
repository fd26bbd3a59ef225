package declare

import (
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/files"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/stream"
	"trestle.example/framework/query"
)

// A Verb is a declared verb as plain data.
type Verb struct {
	Kind    VerbKind
	In, Out reflect.Type
	Model   reflect.Type // the model that the function takes, nil if it takes none
	Load    []string
	Empty   bool // the constructor got a nil function
	Compute func(c *call.Call, model any) (any, error)
	Fill    func(c *call.Call, model, in any) error
	Then    func(c *call.Call, model, in any) error        // of FillsThen, after the row and its related rows are stored
	Run     func(c *call.Call, model, in any) (any, error) // the function of Does, with a nil model, or of Changes
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

// Constructor returns the name of the function of package framework that made the verb.
func (v Verb) Constructor() string {
	if v.Then != nil {
		return "FillsThen"
	}
	if v.Fill != nil {
		return "Fills"
	}
	return v.Kind.String()
}

// Rules are the settings of one verb or action. A nil permission, authentication, throttles,
// pagination or filters are inherited from the viewset.
type Rules struct {
	Permission     call.Permission
	Authentication []call.Authenticator
	Throttles      []call.Throttle
	Pagination     query.Pagination
	Filters        []query.Filter
	Status         int
	Untransacted   bool
	Idempotent     bool
	Secret         bool // the answer has a secret, so it is never stored
	Doc            string
	Named          string // the operationId in the OpenAPI document, "" for the usual one
	Refuses        []string
	Sends, Takes   []call.Header
	SignsIn        bool
	Middleware     []call.Middleware
	Unwrapped      bool           // of an action: its body and its answer are not in the member of the viewset's Wrap
	Media          []stream.Media // of an answer that is sent in parts
}

// A NamedVerb is a verb with its name and its method.
type NamedVerb struct {
	Name, Method string
	Verb
}

// OnObject reports whether the verb is on one object. Its path has the object's key, unless
// the viewset is single.
func (v NamedVerb) OnObject() bool { return v.Name != call.VerbList && v.Name != call.VerbCreate }

// Verbs are the six verbs in the order in which the framework lists them. A verb that the
// viewset does not have is of the kind [VerbAbsent].
type Verbs []NamedVerb

// Get returns the verb with a name, or a verb of the kind [VerbAbsent].
func (vs Verbs) Get(name string) Verb {
	for _, v := range vs {
		if v.Name == name {
			return v.Verb
		}
	}
	return Verb{}
}

// An Action is a declared action as plain data: on one object, or on the collection.
type Action struct {
	Name, Method string
	OnObject     bool
	Empty        bool         // the constructor got a nil function
	ByReaders    bool         // Writers does not limit it
	Related      *RelatedRows // of an action of Related, which has no function; nil for any other
	History      bool         // of the recorded changes of a row, which has no function
	Reads        bool         // of the recorded reads of a row, which has no function
	Restore      bool         // it restores a deleted row, and has no function
	Totals       bool         // of the totals of a list, which has no function
	Bulk         string       // of a request for several rows: the verb whose rules it has; "" for any other
	Links        string       // of an action of Links: the relation, and a column of its rows; "" for any other
	Toggle       *Toggle      // of an action of Toggle, which has no function; nil for any other
	List         List         // of an action of Lists, which has no function
	In, Out      reflect.Type
	Run          func(c *call.Call, model, in any) (any, error)
	Rules
}

// A List has what an action of Lists declares beside its rules: which rows it has, and its orders.
type List struct {
	Declared bool // it is an action of Lists
	Where    []string
	Narrow   []func(c *call.Call, q *bun.SelectQuery) *bun.SelectQuery
	Ordering *Ordering // nil for that of the viewset
}

// A Toggle has the arguments of Toggle: the relation with the callers' rows, and the column of these
// rows with the caller's id.
type Toggle struct{ Relation, Owner string }

// RelatedRows are the arguments of Related: the viewset of the rows, its field that refers to
// the object, and the type that shows a row.
type RelatedRows struct {
	Viewset, Field string
	Out            reflect.Type
}

// A FileField is a declared file of each row as plain data.
type FileField struct {
	Name     string
	Doc      string
	Field    func(model any) *files.File // the address of the file in a row; nil without a function
	Storage  files.Storage
	MaxBytes int64
	Types    []string
	Inline   bool
	SignFor  time.Duration
}

// A Slash is how the canonical path of a resource ends. The server serves both forms. Links
// and the API root show the canonical form.
type Slash int

// The ways in which a path can end. The zero value inherits; without a setting in the API,
// paths end with a slash.
const (
	InheritSlash Slash = iota
	WithSlash
	WithoutSlash
)

// A Strictness is what the server does with unknown names of parameters and fields.
type Strictness int

// Lenient ignores unknown names and lists them in the header Trestle-Ignored. Strict rejects
// them with 400. The zero value inherits; without a setting in the API, it is lenient.
const (
	InheritStrictness Strictness = iota
	Lenient
	Strict
)

// A Declaration is a viewset as plain data, without its type parameter.
type Declaration struct {
	Service          *Service // nil for a viewset that is not in a service
	Name, Under, Doc string
	Parent           *Parent // nil for a viewset that is below no other
	Model            reflect.Type
	Verbs            Verbs
	Scope            Scope
	Writers          Scope // ScopeMissing without one
	Fields           []FieldRule
	Search           Search
	Ranked           query.Ranker
	Ordering         Ordering
	Filters          []query.Filter
	FilterExpression FilterExpression
	Totals           Totals
	Actions          []Action
	Files            []FileField
	Permission       call.Permission
	Authentication   []call.Authenticator
	Throttles        []call.Throttle
	Middleware       []call.Middleware
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
	Slug             Slug
	Versions         Versions
	Bulk             Bulk
	History          History
	Audit            Reads
	SoftDelete       SoftDelete
	Quota            Quota
	Select           Select
	Cache            Cache
	Export           []stream.Media    // in which lists are sent whole, beside JSON
	Wrap, WrapList   string            // members around one row, and around the rows of a list
	Relations        map[string]string // the viewset whose scope narrows each, or "-"
	Expressions      map[string]Expression
}

// A Parent places a viewset below the rows of another one.
type Parent struct {
	Relation  string // the belongs-to relation of the model that leads to the parent
	Viewset   string // the path of the parent
	ByWriters bool   // who changes a row may change the parent's row
}

// WithWriters returns a copy whose rows are added, changed and deleted by who may change the parent's row; nil for nil.
func (p *Parent) WithWriters() *Parent {
	if p == nil {
		return nil
	}
	copied := *p
	copied.ByWriters = true
	return &copied
}

// A FieldRule has a field and the permission of the callers that see it, or that write it.
type FieldRule struct {
	Field      string
	Permission call.Permission
	Writes     bool
}

// An Expression is a SQL text with the values of its placeholders, and the type of its result.
type Expression struct {
	Result reflect.Type
	Text   string
	Values []any
}

// Path is the name by which other declarations refer to the resource: "products", or
// "admin/products" if it is registered under "admin", or "articles/{}/comments" below articles.
func (d *Declaration) Path() string {
	switch {
	case d.Parent != nil:
		return d.Parent.Viewset + "/{}/" + d.Name
	case d.Under == "":
		return d.Name
	}
	return d.Under + "/" + d.Name
}

// A Service is a group of resources with a name.
type Service struct{ Name, Doc string }

// A Search has the fields that a search of the list reads, the field that stores the search
// document, and the query parameter.
type Search struct {
	Fields []string
	Stored string
	Param  string
}

// An Ordering has the orders of a list that clients may request, the default order, and the
// query parameter.
type Ordering struct {
	Allowed []string
	Named   []NamedOrder
	Default string
	Param   string
}

// A NamedOrder is an order that clients request by name.
type NamedOrder struct {
	Name      string
	By        string
	Relevance bool
}

// A Slug has the field of a slug, the field that it is made from, whether it is renewed, and how many
// characters it has at most.
type Slug struct {
	Field string
	From  string
	Renew bool
	Max   int
}

// Versions has the column that counts the changes of a row, or whether a hash is its version, and
// whether writes need the version that they change.
type Versions struct {
	Column   string
	Hash     bool
	Required bool
}

// A Unique has the fields of a unique constraint, and the error for a row that violates it.
type Unique struct {
	Fields []string
	Code   string
	Detail string
}

// A Check has the name of a CHECK constraint, its fields, and the error for a row that violates
// it.
type Check struct {
	Constraint string
	Fields     []string
	Code       string
	Detail     string
}

// A Scope limits the rows of a viewset to the rows that a caller may use.
type Scope struct {
	Kind   scopeKind
	Model  reflect.Type    // of ScopeOwn: the type that Owner takes
	Owner  func(m any) any // of ScopeOwn: the address of the owner's id in a row
	Field  string          // of ScopeVia: the foreign key
	Target string          // of ScopeVia: the viewset that the foreign key refers to
	Where  func(*call.Call, bun.QueryBuilder) bun.QueryBuilder
	Unless call.Permission // a caller with this permission has every row; nil for no such caller
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

// String describes the scope in a few words, for listings: "own, unless staff".
func (s Scope) String() string {
	text := map[scopeKind]string{
		ScopeMissing: "none", ScopeOwn: "own", ScopeVia: "via " + s.Field, ScopeWhere: "where", ScopePublic: "public",
	}[s.Kind]
	if s.Unless != nil {
		text += ", unless " + s.Unless.String()
	}
	return text
}

// CheckIdempotent reports an idempotent verb or action whose answer cannot be stored: it only reads,
// it runs without the transaction in which its key is stored, or its answer is secret.
func CheckIdempotent(own Rules, method string, fault func(error)) {
	switch {
	case !own.Idempotent:
	case own.Secret:
		fault(naming.Sentence("Idempotent stores the answer, and AnswersSecret says that it has a secret; leave out one of them"))
	case own.SignsIn:
		fault(naming.Sentence("Idempotent stores the answer, and SignsIn says that it has credentials; leave Idempotent out"))
	case method == http.MethodGet:
		fault(naming.Sentence("Idempotent is for what writes; it only reads, so leave Idempotent out"))
	case own.Untransacted:
		fault(naming.Sentence("Idempotent keeps a key in the transaction of its function, and Untransacted has none; leave out one of them"))
	}
}

// KeepsAnswer reports whether an answer may be stored under an Idempotency-Key without a declaration:
// that of a POST that runs in a transaction and does not answer with a secret.
func (own Rules) KeepsAnswer(method string) bool {
	return method == http.MethodPost && !own.Untransacted && !own.Secret && !own.SignsIn
}

// verbKinds are the constructors that each verb may use. A verb of a single resource may use
// Does too.
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

// KindsOf lists the constructors that a verb may use, without Does for the verbs of a single
// resource. It is nil for another name.
func KindsOf(verb string) []VerbKind { return verbKinds[verb] }

// Each returns the declaration of each method of the action.
func (a Action) Each() []Action {
	if a.Toggle == nil {
		return []Action{a}
	}
	remove := a
	remove.Method, remove.Named = http.MethodDelete, ""
	return []Action{a, remove}
}

// SettingActions lists the actions that settings of the viewset declare, such as those of Bulk and History.
func (d *Declaration) SettingActions() []Action {
	list := d.Verbs.Get(call.VerbList)
	return slices.Concat(d.Bulk.Actions(d.Verbs), d.History.Actions(), d.Audit.Actions(), d.SoftDelete.Actions(), d.Totals.Actions(list))
}
