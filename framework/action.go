package framework

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
)

// An Action is an extra endpoint on one object of a viewset. Make one with [Get], [Post],
// [Put], [Patch] or [Delete], or with [Related] or [Links]. The object is one that the caller may see. It has all its
// columns and no relations; [FindOne] reads it as a viewset shows it. For every method but
// GET the object is locked, and the function runs inside a transaction, which may be
// retried as a whole. For GET the input is read from the query string. An action with Out
// [None] answers 204, every other 200, unless [Action.Answers] sets another status.
// [Action.Untransacted] leaves out the lock and the transaction.
type Action[M any] struct{ declared declare.Action }

// A CollectionAction is an extra endpoint on a viewset as a whole. For every method but GET
// the function runs inside a transaction, as that of an [Action].
type CollectionAction struct{ declared declare.Action }

// Get declares GET {path}/{id}/{name}/.
func Get[M, In, Out any](name string, fn func(*call.Call, *M, In) (Out, error)) Action[M] {
	return onObject(http.MethodGet, name, fn)
}

// Post declares POST {path}/{id}/{name}/.
func Post[M, In, Out any](name string, fn func(*call.Call, *M, In) (Out, error)) Action[M] {
	return onObject(http.MethodPost, name, fn)
}

// Put declares PUT {path}/{id}/{name}/.
func Put[M, In, Out any](name string, fn func(*call.Call, *M, In) (Out, error)) Action[M] {
	return onObject(http.MethodPut, name, fn)
}

// Patch declares PATCH {path}/{id}/{name}/.
func Patch[M, In, Out any](name string, fn func(*call.Call, *M, In) (Out, error)) Action[M] {
	return onObject(http.MethodPatch, name, fn)
}

// Delete declares DELETE {path}/{id}/{name}/.
func Delete[M, In, Out any](name string, fn func(*call.Call, *M, In) (Out, error)) Action[M] {
	return onObject(http.MethodDelete, name, fn)
}

// OnCollection declares {method} {path}/{name}/, an endpoint on the whole collection, such
// as an import or a summary. The name may have several parts: "keys/rotate".
func OnCollection[In, Out any](method, name string, fn func(*call.Call, In) (Out, error)) CollectionAction {
	return CollectionAction{declare.Action{
		Name: name, Method: method, Empty: fn == nil, In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](),
		Run: func(c *call.Call, _, in any) (any, error) { return fn(c, in.(In)) },
	}}
}

func onObject[M, In, Out any](method, name string, fn func(*call.Call, *M, In) (Out, error)) Action[M] {
	return Action[M]{declare.Action{
		Name: name, Method: method, OnObject: true, Empty: fn == nil, In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](),
		Run: func(c *call.Call, m, in any) (any, error) { return fn(c, m.(*M), in.(In)) },
	}}
}

// ByReaders lets every caller that sees the row use the action, whatever the Writers of the viewset:
// for an action that does not change the row itself, such as a vote or a reservation. By default,
// Writers limits every action that is not a GET. If the viewset has no Writers, or the action is
// a GET, ByReaders is a mistake.
func (a Action[M]) ByReaders() Action[M] { a.declared.ByReaders = true; return a }

// As declares the media types of an answer that is sent in parts: of a function that returns an
// iterator or [Content]. The first is the default; the header Accept of a request chooses among
// them (RFC 9110, section 12.5.1). A request that accepts none of them is answered 406
// not_acceptable before the function runs. [Call.Media] returns the choice.
//
// A function that returns iter.Seq2[T, error] is a stream of [NDJSON], [CSV], [ExactCSV] or
// [EventStream]; without As, of NDJSON. The first element is fetched before the status is sent, so
// an error before it is an error of the API. After a later error, NDJSON ends with the error
// as JSON on a line and an EventStream with an event "error"; then, except for an EventStream,
// the connection is closed, by which a client knows that the answer is not complete. The log has
// the cause. If the client disconnects, the context of the [Call] ends and yield returns false.
// Headers are set before the function returns.
//
// [Config].Timeout limits the time until the first element, between two elements, and for each
// write. The elements of an EventStream may come at any time; it has a comment every 15
// seconds while there is none. Use [Each] to read rows: it holds no connection to the database
// while the client reads. A function that is not a GET must be Untransacted.
func (a Action[M]) As(media ...Media) Action[M] {
	a.declared.Media = append(slices.Clip(a.declared.Media), media...)
	return a
}

// ID sets the operationId in the OpenAPI document, as [Verb.ID] does: "setVariantStock".
func (a Action[M]) ID(name string) Action[M] { a.declared.Named = name; return a }

// Doc describes the action to clients.
func (a Action[M]) Doc(text string) Action[M] { a.declared.Doc = text; return a }

// Permit sets the permission of the action.
func (a Action[M]) Permit(p call.Permission) Action[M] { a.declared.Permission = p; return a }

// Authenticate sets the schemes of the action. Without arguments it has none.
func (a Action[M]) Authenticate(as ...call.Authenticator) Action[M] {
	a.declared.Authentication = naming.Given(as)
	return a
}

// Throttle sets the throttles of the action. Without arguments it has none.
func (a Action[M]) Throttle(ts ...call.Throttle) Action[M] {
	a.declared.Throttles = naming.Given(ts)
	return a
}

// Wrap adds middleware around the action, as [Verb.Wrap] does.
func (a Action[M]) Wrap(ms ...call.Middleware) Action[M] {
	a.declared.Middleware = append(slices.Clip(a.declared.Middleware), ms...)
	return a
}

// Unwrapped declares that the body and the answer of the action have no member around them,
// whatever [ViewSet].Wrap and WrapList are.
func (a Action[M]) Unwrapped() Action[M] { a.declared.Unwrapped = true; return a }

// Answers sets the status of success.
func (a Action[M]) Answers(status int) Action[M] { a.declared.Status = status; return a }

// Untransacted runs the function outside of a transaction, as
// [Verb.Untransacted] does.
func (a Action[M]) Untransacted() Action[M] { a.declared.Untransacted = true; return a }

// Refuses lists the error codes of the function, like the method of [Verb].
func (a Action[M]) Refuses(codes ...string) Action[M] {
	a.declared.Refuses = append(slices.Clip(a.declared.Refuses), codes...)
	return a
}

// Takes lists headers of a request that the function reads, as [Verb.Takes] does.
func (a Action[M]) Takes(headers ...call.Header) Action[M] {
	a.declared.Takes = append(slices.Clip(a.declared.Takes), headers...)
	return a
}

// Sends lists headers that the function sets in its answers, as [Verb.Sends] does.
func (a Action[M]) Sends(headers ...call.Header) Action[M] {
	a.declared.Sends = append(slices.Clip(a.declared.Sends), headers...)
	return a
}

// Idempotent makes retries with the header Idempotency-Key safe, as [Verb.Idempotent] does.
func (a Action[M]) Idempotent() Action[M] { a.declared.Idempotent = true; return a }

// AnswersSecret declares that the answer has a secret, as [Verb.AnswersSecret] does.
func (a Action[M]) AnswersSecret() Action[M] { a.declared.Secret = true; return a }

// As declares the media types of an answer that is sent in parts, as [Action.As] does.
func (a CollectionAction) As(media ...Media) CollectionAction {
	a.declared.Media = append(slices.Clip(a.declared.Media), media...)
	return a
}

// ID sets the operationId in the OpenAPI document, as [Verb.ID] does: "setVariantStock".
func (a CollectionAction) ID(name string) CollectionAction { a.declared.Named = name; return a }

// Doc describes the action to clients.
func (a CollectionAction) Doc(text string) CollectionAction { a.declared.Doc = text; return a }

// Permit sets the permission of the action.
func (a CollectionAction) Permit(p call.Permission) CollectionAction {
	a.declared.Permission = p
	return a
}

// Authenticate sets the schemes of the action. Without arguments it has none.
func (a CollectionAction) Authenticate(as ...call.Authenticator) CollectionAction {
	a.declared.Authentication = naming.Given(as)
	return a
}

// Throttle sets the throttles of the action. Without arguments it has none.
func (a CollectionAction) Throttle(ts ...call.Throttle) CollectionAction {
	a.declared.Throttles = naming.Given(ts)
	return a
}

// Wrap adds middleware around the action, as [Verb.Wrap] does.
func (a CollectionAction) Wrap(ms ...call.Middleware) CollectionAction {
	a.declared.Middleware = append(slices.Clip(a.declared.Middleware), ms...)
	return a
}

// Unwrapped declares that the body and the answer have no member around them, as
// [Action.Unwrapped] does.
func (a CollectionAction) Unwrapped() CollectionAction { a.declared.Unwrapped = true; return a }

// Answers sets the status of success.
func (a CollectionAction) Answers(status int) CollectionAction { a.declared.Status = status; return a }

// Untransacted runs the function outside of a transaction, as
// [Verb.Untransacted] does.
func (a CollectionAction) Untransacted() CollectionAction { a.declared.Untransacted = true; return a }

// Refuses lists the error codes of the function, like the method of [Verb].
func (a CollectionAction) Refuses(codes ...string) CollectionAction {
	a.declared.Refuses = append(slices.Clip(a.declared.Refuses), codes...)
	return a
}

// Takes lists headers of a request that the function reads, as [Verb.Takes] does.
func (a CollectionAction) Takes(headers ...call.Header) CollectionAction {
	a.declared.Takes = append(slices.Clip(a.declared.Takes), headers...)
	return a
}

// Sends lists headers that the function sets in its answers, as [Verb.Sends] does.
func (a CollectionAction) Sends(headers ...call.Header) CollectionAction {
	a.declared.Sends = append(slices.Clip(a.declared.Sends), headers...)
	return a
}

// Idempotent makes retries with the header Idempotency-Key safe, as [Verb.Idempotent] does.
func (a CollectionAction) Idempotent() CollectionAction { a.declared.Idempotent = true; return a }

// AnswersSecret declares that the answer has a secret, as [Verb.AnswersSecret] does.
func (a CollectionAction) AnswersSecret() CollectionAction { a.declared.Secret = true; return a }

// SignsIn declares that the action, a POST, issues credentials to anonymous callers. A 401
// authentication_required or invalid_token of any endpoint then contains its address: in
// the detail and in the details, [SignInDetails]. An error with details of its own does not
// change. If several actions declare SignsIn, the address is that of the first.
func (a CollectionAction) SignsIn() CollectionAction { a.declared.SignsIn = true; return a }

// Links declares PUT and DELETE {path}/{id}/{relation}/{key}/, which add a related row to a
// many-to-many relation and remove it, without the rest of the list: two callers who change
// different members do not undo each other. Both answer 204, also if the member is there already, or
// is removed already. The relation is one that [ViewSet.Relations] lists. The key is the primary key
// of the related row or, with a column, the value of this column:
//
//	framework.Links[Article]("tags")      // PUT /articles/1/tags/5/
//	framework.Links[Article]("tags.name") // PUT /articles/1/tags/go/
//
// The caller must be allowed to change the row, as [ViewSet.Writers] says, and to see the related
// row: any other one is 404. The time of change of the row stays. The two keys
// of the join table need a unique index, which [API.Indexes] lists: without it, a repeated PUT adds a
// second link.
func Links[M any](relation string) Action[M] {
	name, _, _ := strings.Cut(relation, ".")
	none := reflect.TypeFor[input.None]()
	return Action[M]{declare.Action{Name: name, Method: http.MethodPut, OnObject: true, In: none, Out: none, Links: relation}}
}

// Related declares GET {path}/{id}/{name}/. The answer is an array of Out: the rows of another
// viewset that the caller may see and whose field refers to the object, in the default order of
// that viewset. Out is a view of that viewset, and field is a name of its fields for clients.
// The caller also needs the permission to list that viewset. More rows than [Config.MaxRows]
// are the error 409 too_many_rows.
//
//	framework.Related[Patient, AppointmentView]("appointments", "appointments", "patient")
func Related[M, Out any](name, viewset, field string) Action[M] {
	return Action[M]{declare.Action{
		Name: name, Method: http.MethodGet, OnObject: true, In: reflect.TypeFor[input.None](), Out: reflect.TypeFor[[]Out](),
		Related: &declare.RelatedRows{Viewset: viewset, Field: field, Out: reflect.TypeFor[Out]()},
	}}
}
