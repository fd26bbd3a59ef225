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

// Verbs declares which of the six verbs a viewset offers. A zero [Verb] is not offered: the
// server answers 405, or 404 if nothing is offered at its path.
type Verbs struct {
	List     Verb // GET    {path}/
	Create   Verb // POST   {path}/
	Retrieve Verb // GET    {path}/{id}/
	Update   Verb // PUT    {path}/{id}/
	Patch    Verb // PATCH  {path}/{id}/
	Delete   Verb // DELETE {path}/{id}/
}

// CRUD offers all six verbs. In is the input of clients, Out the view that they see.
func CRUD[In, Out any]() Verbs {
	writes := Accepts[In, Out]()
	return Verbs{
		List: Shows[Out](), Retrieve: Shows[Out](),
		Create: writes, Update: writes, Patch: writes, Delete: Deletes(),
	}
}

// ReadOnly offers list and retrieve. The server answers writes with 405.
func ReadOnly[Out any]() Verbs { return Verbs{List: Shows[Out](), Retrieve: Shows[Out]()} }

// A Verb declares one verb of a viewset: its input, its view and rules of its own. Make one
// with [Shows], [Computes], [Accepts], [Fills], [FillsThen], [Does], [Changes] or [Deletes].
type Verb struct{ declared declare.Verb }

// Shows declares the view Out for List and Retrieve. Only the columns of its fields are
// selected, matched to the model by Go name and type. A struct field with the name of a
// relation of the model is joined; a slice of structs is loaded once for all rows.
// [ViewSet.Relations] says whose scope applies to the related rows. The tag `ref:"doctors"` on
// the field applies the scope of another viewset, and `ref:"-"` none. The tag
// `from:"tags.name,order=name"` shows columns and functions of related rows: see
// docs/reference/tags.md.
func Shows[Out any]() Verb {
	return Verb{declare.Verb{Kind: declare.VerbShows, Out: reflect.TypeFor[Out]()}}
}

// Computes declares a view for List and Retrieve that fn computes from the row and the
// relations that load names, as [ViewSet.Relations] lists them. They are loaded once for all
// rows. A many-to-many relation is a mistake at start. fn runs for each row and should not query
// the database.
func Computes[M, Out any](fn func(*call.Call, *M) (Out, error), load ...string) Verb {
	return Verb{declare.Verb{
		Kind: declare.VerbComputes, Empty: fn == nil, Out: reflect.TypeFor[Out](), Model: reflect.TypeFor[M](), Load: load,
		Compute: func(c *call.Call, m any) (any, error) { return fn(c, m.(*M)) },
	}}
}

// Accepts declares the input In and the view Out for Create, Update and Patch. Fields of In
// are written to those of the model, matched by Go name and type. Patch changes only the
// fields that the body contains. A list in In with the tag to sets related rows. The package
// comment lists the tags of In.
func Accepts[In, Out any]() Verb {
	return Verb{declare.Verb{Kind: declare.VerbAccepts, In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out]()}}
}

// Fills is [Accepts] with a function that sets fields of the model from input that has no
// column, such as a password. fn runs inside the transaction, after the columns of In are
// set and before the row is stored. The transaction may be retried as a whole, and fn with
// it. The related rows that In lists by the tag to are in fn's input, not yet in the model: they are stored after the row.
func Fills[Out, M, In any](fn func(*call.Call, *M, In) error) Verb {
	return Verb{declare.Verb{
		Kind: declare.VerbAccepts, Empty: fn == nil, In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](), Model: reflect.TypeFor[M](),
		Fill: func(c *call.Call, m, in any) error { return fn(c, m.(*M), in.(In)) },
	}}
}

// FillsThen is [Fills] with a second function, which runs after the row and the related rows that
// In lists are stored: for rows of other models that need the key of the row. It gets the same row
// and the same input as fn, inside the same transaction, and may store them by [Insert] and
// [Save]. fn may be nil. The answer shows the rows as then leaves them.
func FillsThen[Out, M, In any](fn, then func(*call.Call, *M, In) error) Verb {
	v := Fills[Out](fn)
	if fn == nil {
		v.declared.Fill = func(*call.Call, any, any) error { return nil }
	}
	v.declared.Empty = then == nil
	v.declared.Then = func(c *call.Call, m, in any) error { return then(c, m.(*M), in.(In)) }
	return v
}

// Does makes Create a function, such as placing an order. In a viewset with Single it may
// be any verb but List; the function then finds the caller's row itself, or needs none. A
// write runs inside a transaction, which may be retried as a whole.
func Does[In, Out any](fn func(*call.Call, In) (Out, error)) Verb {
	return Verb{declare.Verb{
		Kind: declare.VerbDoes, Empty: fn == nil, In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](),
		Run: func(c *call.Call, _, in any) (any, error) { return fn(c, in.(In)) },
	}}
}

// Changes makes Update, Patch or Delete a function. The object is one that the caller may
// see, and is locked inside a transaction, which may be retried as a whole. An input field
// that a PATCH does not contain has the value of the object's field of the same Go name and
// type. With [Verb.Untransacted] these values were read without a lock; [Call.Has] reports
// which fields the body contains.
func Changes[M, In, Out any](fn func(*call.Call, *M, In) (Out, error)) Verb {
	return Verb{declare.Verb{
		Kind: declare.VerbChanges, Empty: fn == nil, In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](), Model: reflect.TypeFor[M](),
		Run: func(c *call.Call, m, in any) (any, error) { return fn(c, m.(*M), in.(In)) },
	}}
}

// Deletes removes the row and answers 204. If the model has bun's soft_delete, the row stays in
// the table and is marked as deleted.
func Deletes() Verb { return Verb{declare.Verb{Kind: declare.VerbDeletes}} }

// Permit sets the permission of the verb.
func (v Verb) Permit(p call.Permission) Verb { v.declared.Permission = p; return v }

// Authenticate sets the authentication schemes of the verb. Without arguments it has none,
// so that every caller is anonymous.
func (v Verb) Authenticate(as ...call.Authenticator) Verb {
	v.declared.Authentication = naming.Given(as)
	return v
}

// Throttle sets the throttles of the verb. Without arguments it has none.
func (v Verb) Throttle(ts ...call.Throttle) Verb { v.declared.Throttles = naming.Given(ts); return v }

// Wrap adds middleware around the verb, inside that of the viewset. The first is outermost; a
// second call adds more inside.
func (v Verb) Wrap(ms ...call.Middleware) Verb {
	v.declared.Middleware = append(slices.Clip(v.declared.Middleware), ms...)
	return v
}

// Paginate sets the pagination class of the list.
func (v Verb) Paginate(p query.Pagination) Verb { v.declared.Pagination = p; return v }

// Filter sets the filters of the list. Without arguments it has none.
func (v Verb) Filter(fs ...query.Filter) Verb { v.declared.Filters = naming.Given(fs); return v }

// Answers sets the status of success.
func (v Verb) Answers(status int) Verb { v.declared.Status = status; return v }

// Untransacted runs the function of Does or Changes outside a transaction. It then occupies
// neither a connection nor the only writer of SQLite while it hashes a password or calls
// another server. Its object is not locked and may have changed since it was read,
// including the values for the absent fields of a PATCH. The function must write in
// [Call.InTx], and read there what the write depends on.
func (v Verb) Untransacted() Verb { v.declared.Untransacted = true; return v }

// Idempotent makes retries of a write safe, for a client that does not know whether the request
// arrived. With the header Idempotency-Key the write is done once. For 24 hours, the same
// request of the same caller with the same key gets the first answer: its status, body,
// Location and ETag, with Idempotent-Replayed: true. The write, its answer and the key are one
// transaction. Only success is stored, so a rejected request can be sent again.
//
// Every POST is idempotent without this method, except for one that is untransacted, that
// answers with a secret ([Verb.AnswersSecret], [CollectionAction.SignsIn]), or that has no
// authentication. PUT, PATCH and DELETE need it. It is a mistake if [Config.IdempotencyKeys]
// is negative.
//
// A key is optional. It has 1 to 255 visible ASCII characters, with or without double
// quotes. The answer is 422 if the key was used for another row, query or body. While the
// first request runs, others with the key wait for it. On PostgreSQL a request that waits
// longer than the LockTimeout of sqldb.Options is answered 409. An anonymous caller with a
// key is answered 400. At an endpoint without keys the header is listed in Trestle-Ignored,
// or rejected by a strict resource.
//
// [Config.IdempotencyKeys] limits the keys of a caller within the 24 hours; a further key
// is answered 429. If the row of the path exists and the caller may no longer see it, the
// answer is 404, and the stored answer is not sent.
//
// The answers are stored unchanged in a table of [Migrations]. [API.Run] deletes expired
// answers.
func (v Verb) Idempotent() Verb { v.declared.Idempotent = true; return v }

// AnswersSecret declares that the answer has a secret, such as a new token. It is not stored, so a POST is
// not idempotent, and it is not compressed, because the length of compressed text lets an attacker guess a secret beside text of
// the attacker.
func (v Verb) AnswersSecret() Verb { v.declared.Secret = true; return v }

// Doc describes the verb to clients. Its first sentence is the summary in the OpenAPI
// document. Without a Doc the summary names the verb and the resource: "List patients".
func (v Verb) Doc(text string) Verb { v.declared.Doc = text; return v }

// Refuses lists the error codes of the verb's function that the framework does not know,
// for the OpenAPI document. [Config.Codes] explains them.
func (v Verb) Refuses(codes ...string) Verb {
	v.declared.Refuses = append(slices.Clip(v.declared.Refuses), codes...)
	return v
}

// Takes lists headers of a request that the verb's function reads, for the OpenAPI
// document. A function that takes If-Match, If-None-Match or If-Unmodified-Since must check
// it. Any other write with such a header, except If-Match: *, is the error 412
// precondition_unsupported.
func (v Verb) Takes(headers ...call.Header) Verb {
	v.declared.Takes = append(slices.Clip(v.declared.Takes), headers...)
	return v
}

// Sends lists headers that the verb's function sets in its answers, for the OpenAPI
// document. The function must set a Required header in every answer of success.
func (v Verb) Sends(headers ...call.Header) Verb {
	v.declared.Sends = append(slices.Clip(v.declared.Sends), headers...)
	return v
}

// ID sets the operationId in the OpenAPI document, which names the function of a generated
// client: "findPatients". It begins with a lower-case letter, has letters and digits only, and
// is unique. The default is made of the operation and the path: "listPatients".
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
