package framework

import (
	"net/http"
	"reflect"
	"slices"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/query"
)

// Verbs says which of the six verbs a viewset offers, each with its shapes and
// rules. A zero [Verb] is not offered and answers 405.
type Verbs struct {
	List     Verb // GET    {path}/
	Create   Verb // POST   {path}/
	Retrieve Verb // GET    {path}/{id}/
	Update   Verb // PUT    {path}/{id}/
	Patch    Verb // PATCH  {path}/{id}/
	Delete   Verb // DELETE {path}/{id}/
}

// CRUD offers all six verbs: In is what a client writes, Out what it sees.
func CRUD[In, Out any]() Verbs {
	writes := Accepts[In, Out]()
	return Verbs{
		List: Shows[Out](), Retrieve: Shows[Out](),
		Create: writes, Update: writes, Patch: writes, Delete: Deletes(),
	}
}

// ReadOnly offers list and retrieve; writes answer 405.
func ReadOnly[Out any]() Verbs {
	return Verbs{List: Shows[Out](), Retrieve: Shows[Out]()}
}

// A Verb is one way to use a resource: its shapes, and rules of its own. Make
// one with [Shows], [Computes], [Accepts], [Fills], [Does], [Changes] or
// [Deletes].
type Verb struct{ declared declare.Verb }

// Shows is a projection, for List and Retrieve: exactly Out's fields are
// selected, matched to the model's by Go field name and type. A struct field
// that names a relation of the model is joined; a slice of structs is loaded
// once for all rows. The tag `ref:"doctors"` on a relation narrows it by that
// viewset's scope; `ref:"-"` says that it is part of the row.
func Shows[Out any]() Verb {
	return Verb{declare.Verb{Kind: declare.VerbShows, Out: reflect.TypeFor[Out]()}}
}

// Computes is a representation, for List and Retrieve, that is a function of
// the row and of the relations named in load, which are loaded for all rows
// at once: fn runs once per row and should not query. A relation to a model
// that a viewset serves is written "Doctor:doctors", narrowed by that
// viewset's scope, or "Doctor:-", part of the row.
func Computes[M, Out any](fn func(*call.Call, *M) (Out, error), load ...string) Verb {
	return Verb{declare.Verb{
		Kind: declare.VerbComputes, Empty: fn == nil, Out: reflect.TypeFor[Out](), Model: reflect.TypeFor[M](), Load: load,
		Compute: func(c *call.Call, m any) (any, error) { return fn(c, m.(*M)) },
	}}
}

// Accepts writes In's fields onto the model's, matched by Go field name and
// type, for Create, Update and Patch alike: presence in the body decides what
// Patch changes. Out is the answer, shown as List or Retrieve show it. The
// package comment lists the tags that In may have.
func Accepts[In, Out any]() Verb {
	return Verb{declare.Verb{Kind: declare.VerbAccepts, In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out]()}}
}

// Fills is [Accepts] with a function that fills the model from input that is
// no column of it, such as a password. It runs inside the transaction, after
// In's own columns were written onto the model and before the row is stored.
// The transaction may be retried as a whole, and fn with it.
func Fills[Out, M, In any](fn func(*call.Call, *M, In) error) Verb {
	return Verb{declare.Verb{
		Kind: declare.VerbAccepts, Empty: fn == nil, In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](), Model: reflect.TypeFor[M](),
		Fill: func(c *call.Call, m, in any) error { return fn(c, m.(*M), in.(In)) },
	}}
}

// Does makes Create a function of its own, such as placing an order; and, where
// the viewset is Single, any verb but List: the function finds the caller's row
// itself, or does without one. A write runs inside a transaction, which may be
// retried as a whole.
func Does[In, Out any](fn func(*call.Call, In) (Out, error)) Verb {
	return Verb{declare.Verb{
		Kind: declare.VerbDoes, Empty: fn == nil, In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](),
		Do: func(c *call.Call, in any) (any, error) { return fn(c, in.(In)) },
	}}
}

// Changes makes Update, Patch or Delete a function of its own. The object
// arrives scoped and locked inside a transaction, which may be retried as a
// whole. The fields that a PATCH does not name have the object's values; of a
// [Verb.Untransacted] one these were read without a lock, and [Call.Has] tells
// them from those that were sent.
func Changes[M, In, Out any](fn func(*call.Call, *M, In) (Out, error)) Verb {
	return Verb{declare.Verb{
		Kind: declare.VerbChanges, Empty: fn == nil, In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](), Model: reflect.TypeFor[M](),
		Change: func(c *call.Call, m, in any) (any, error) { return fn(c, m.(*M), in.(In)) },
	}}
}

// Deletes removes the row and answers 204.
func Deletes() Verb { return Verb{declare.Verb{Kind: declare.VerbDeletes}} }

// Permit gives the verb a permission of its own.
func (v Verb) Permit(p call.Permission) Verb { v.declared.Permission = p; return v }

// Authenticate gives the verb authentication schemes of its own. Without
// arguments it runs none: every caller is anonymous.
func (v Verb) Authenticate(as ...call.Authenticator) Verb {
	v.declared.Authentication = naming.Given(as)
	return v
}

// Throttle gives the verb throttles of its own; without arguments, none.
func (v Verb) Throttle(ts ...call.Throttle) Verb { v.declared.Throttles = naming.Given(ts); return v }

// Paginate gives the list a pagination class of its own.
func (v Verb) Paginate(p query.Pagination) Verb { v.declared.Pagination = p; return v }

// Filter gives the list filters of its own; without arguments, none.
func (v Verb) Filter(fs ...query.Filter) Verb { v.declared.Filters = naming.Given(fs); return v }

// Answers sets the status of success.
func (v Verb) Answers(status int) Verb { v.declared.Status = status; return v }

// Untransacted runs the function of Does or Changes outside of a transaction,
// where it may take its time without holding a connection, or the one writer
// of SQLite: to hash a password, or to ask another server. An object it is
// given is not locked, and its values, which stand for the absent fields of a
// PATCH, may have changed since: what it writes, it writes in [Call.InTx], of
// values that it reads there.
func (v Verb) Untransacted() Verb { v.declared.Untransacted = true; return v }

// Idempotent makes it safe to send a request of Does or Changes again, for a
// client that does not know whether it arrived. With the header Idempotency-Key
// the function runs once: the same request of the same caller with the same key
// is answered for 24 hours as it was the first time, status, body and Location,
// with Idempotent-Replayed: true. What the function does, its answer and the
// key are one transaction, so only success is kept and a refused request can be
// sent again.
//
// A key is 1 to 255 visible ASCII characters, bare or in double quotes, and
// optional. Under a key that was used for another row, query or body the answer
// is 422. While the first request is under way others wait for it, on PostgreSQL
// up to the LockTimeout of sqldb.Options, and then are 409. An anonymous caller
// has no keys: 400. Where a key means nothing, Trestle-Ignored tells it as
// "header Idempotency-Key", and a strict resource refuses it.
//
// A caller has so many keys within the 24 hours as [Config.IdempotencyKeys]
// says; further ones are 429. An answer about a row that has become another's since is not repeated: 404.
//
// The answers are stored word for word, in a table of [Migrations], so a function
// that answers with a secret must not be idempotent. [API.Run] deletes those
// whose time is over.
func (v Verb) Idempotent() Verb { v.declared.Idempotent = true; return v }

// Doc describes the verb to clients; its first sentence is the reference's
// summary. Defaults to the viewset's.
func (v Verb) Doc(text string) Verb { v.declared.Doc = text; return v }

// Refuses names the codes by which the verb's function refuses, beside those
// that the framework knows of: the reference lists them. [Config.Codes] explain
// them.
func (v Verb) Refuses(codes ...string) Verb {
	v.declared.Refuses = append(slices.Clip(v.declared.Refuses), codes...)
	return v
}

// Takes names headers of a request that the verb's function reads, for the
// reference. A function that takes If-Match, If-None-Match or If-Unmodified-Since checks it
// itself; any other write with such a condition is 412 precondition_unsupported.
func (v Verb) Takes(headers ...call.Header) Verb {
	v.declared.Takes = append(slices.Clip(v.declared.Takes), headers...)
	return v
}

// Sends names headers that the verb's function sets in its answers, for the
// reference: Required are those that every answer has.
func (v Verb) Sends(headers ...call.Header) Verb {
	v.declared.Sends = append(slices.Clip(v.declared.Sends), headers...)
	return v
}

// ID names the verb's operation in the reference, and so the function of a
// generated client: "findPatients". It is a verb first, of letters and digits,
// and no other operation's. Defaults to one that is made of the path.
func (v Verb) ID(name string) Verb { v.declared.Named = name; return v }

// named lists the verbs with their names and methods, in the order of [Verbs].
func (v Verbs) named() declare.Verbs {
	return declare.Verbs{
		{Name: call.VerbList, Method: http.MethodGet, Verb: v.List.declared},
		{Name: call.VerbCreate, Method: http.MethodPost, Verb: v.Create.declared},
		{Name: call.VerbRetrieve, Method: http.MethodGet, Verb: v.Retrieve.declared},
		{Name: call.VerbUpdate, Method: http.MethodPut, Verb: v.Update.declared},
		{Name: call.VerbPatch, Method: http.MethodPatch, Verb: v.Patch.declared},
		{Name: call.VerbDelete, Method: http.MethodDelete, Verb: v.Delete.declared},
	}
}
