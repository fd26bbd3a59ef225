package framework

import (
	"reflect"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/problem"
)

// The names of package [trestle.example/framework/call]. Their contracts are in that package.
type (
	// A Call is one request while the framework handles it: see [call.Call].
	Call = call.Call
	// A Caller is the sender of a request: see [call.Caller].
	Caller = call.Caller
	// A Typed is an [Authenticator] whose callers' ids are not uuid.UUID: see [call.Typed].
	Typed = call.Typed
	// An Authenticator recognises one kind of credentials: see [call.Authenticator].
	Authenticator = call.Authenticator
	// A Guard checks a permission for every path below a prefix, before routing: see [call.Guard].
	Guard = call.Guard
	// An Observer is called for each request: see [call.Observer].
	Observer = call.Observer
	// An Outcome is the result of a request, for observers: see [call.Outcome].
	Outcome = call.Outcome
	// A Refuser is a part of a declaration that rejects requests with codes of its own: see [call.Refuser].
	Refuser = call.Refuser
	// A Sender is a part of a declaration that sets headers of its own in answers: see [call.Sender].
	Sender = call.Sender
	// A Secured is an [Authenticator] that describes how clients send its credentials: see [call.Secured].
	Secured = call.Secured
	// A SecurityScheme is one piece of credentials in a request: see [call.SecurityScheme].
	SecurityScheme = call.SecurityScheme
	// A Header describes one header of an answer or a request: see [call.Header].
	Header = call.Header
	// A Permission decides whether a caller may use an endpoint: see [call.Permission].
	Permission = call.Permission
	// A PermissionName is the name of a permission in an input or a view: see [call.PermissionName].
	PermissionName = call.PermissionName
	// A Route is the viewset and the verb or action of a request: see [call.Route].
	Route = call.Route
	// A Middleware wraps the handler of an endpoint: see [call.Middleware].
	Middleware = call.Middleware
	// A Throttle limits how often an endpoint may be used: see [call.Throttle].
	Throttle = call.Throttle
	// An EarlyThrottle is a [Throttle] that may not need the caller: see [call.EarlyThrottle].
	EarlyThrottle = call.EarlyThrottle
)

// IDOf returns the id of the caller of c in its own type: see [call.IDOf].
func IDOf[ID comparable](c *Call) ID { return call.IDOf[ID](c) }

// IDTypeOf returns the type of the ids of an authenticator's callers, for an authenticator
// that wraps another: see [call.IDTypeOf].
func IDTypeOf(a Authenticator) reflect.Type { return call.IDTypeOf(a) }

// UnknownCredentials returns the error of a header Authorization that no scheme recognises:
// status 401. Its detail lists the words with which the header may begin.
func UnknownCredentials(schemes ...Authenticator) *problem.Error {
	return access.UnknownCredentials(schemes...)
}

// Anyone permits every caller, anonymous ones included.
func Anyone() Permission { return access.Anyone() }

// Authenticated permits every identified caller.
func Authenticated() Permission { return access.Authenticated() }

// Staff permits callers that are staff.
func Staff() Permission { return access.Staff() }

// OrReadOnly permits every caller to read. Every other method requires p.
func OrReadOnly(p Permission) Permission { return access.OrReadOnly(p) }

// Holds permits callers that have one permission, such as "patients.view". [API.Check]
// reports a name for which [IsPermissionName] is false.
func Holds(name string) Permission { return access.Holds(name) }

// HoldsModel permits callers that have the model's permission for the action: model.view to
// read, model.add to create, model.delete to delete, and model.change to update and for
// actions that write.
func HoldsModel(model string) Permission { return access.HoldsModel(model) }

// PerModel permits reading to every identified caller. A write requires model.add,
// model.change or model.delete, as for [HoldsModel].
func PerModel(model string) Permission { return access.PerModel(model) }

// All permits what all of ps permit. Without ps it permits everything.
func All(ps ...Permission) Permission { return access.All(ps...) }

// Any permits what at least one of ps permits. Without ps it permits nothing.
func Any(ps ...Permission) Permission { return access.Any(ps...) }

// Not permits what p does not permit.
func Not(p Permission) Permission { return access.Not(p) }

// IsPermissionName reports whether name is a valid name of a permission: a resource and a
// right, as in "patients.view", in lower case, of at most 200 characters.
func IsPermissionName(name string) bool { return access.IsPermissionName(name) }
