package framework

import (
	"trestle.example/framework/call"
	"trestle.example/framework/problem"
)

// A Call is one request on its way: what plain functions of a declaration receive.
type Call = call.Call

// CallOptions are what a [Call] is made of.
type CallOptions = call.Options

// A Caller is who sends a request.
type Caller = call.Caller

// An Authenticator recognises one kind of credentials.
type Authenticator = call.Authenticator

// A Guard asks a permission for every path under a prefix, before routing: for paths that do not
// exist too.
type Guard = call.Guard

// An Observer is called for each request: for metrics, traces and the like.
type Observer = call.Observer

// An Outcome is what came of a request.
type Outcome = call.Outcome

// A Refuser is a part of a declaration, such as an [Authenticator], a [Throttle], a
// [Permission], a [Filter] or a [Pagination], that refuses requests by codes which the framework
// does not know of by itself: the reference lists them with every endpoint that has the part.
type Refuser = call.Refuser

// A Sender is a part of a declaration, as a [Refuser] is, that sets headers of its own in
// answers.
type Sender = call.Sender

// A Secured is an [Authenticator] that tells the reference how clients send its credentials.
type Secured = call.Secured

// A SecurityScheme is one piece of credentials in a request (OpenAPI 3.1, section 4.8.27): of
// the type http, with a Scheme such as "bearer", or in a header or cookie of its own, with In
// and Key.
type SecurityScheme = call.SecurityScheme

// A Header is one header of an answer or a request, for the reference.
type Header = call.Header

// A Permission decides whether a caller may use an endpoint, before any object is known: which
// objects a caller has is the business of [Scope].
type Permission = call.Permission

// A Route names what a request asks a viewset to do.
type Route = call.Route

// A Throttle limits how often an endpoint may be used.
type Throttle = call.Throttle

// An EarlyThrottle is a [Throttle] that may not need to know who calls.
type EarlyThrottle = call.EarlyThrottle

// UnknownCredentials refuses a header Authorization that none of the schemes recognises, and
// says with which words it may begin: status 401.
func UnknownCredentials(schemes ...Authenticator) *problem.Error {
	return call.UnknownCredentials(schemes...)
}

// Anyone permits everybody, anonymous callers too.
func Anyone() Permission {
	return call.Anyone()
}

// Authenticated permits every caller who is known.
func Authenticated() Permission {
	return call.Authenticated()
}

// Staff permits callers who are staff.
func Staff() Permission {
	return call.Staff()
}

// OrReadOnly permits reading to everybody; anything else needs p.
func OrReadOnly(p Permission) Permission {
	return call.OrReadOnly(p)
}

// Holds permits callers who hold one permission, such as "patients.view": a name for which
// [IsPermissionName] holds, or [API.Check] refuses it.
func Holds(name string) Permission {
	return call.Holds(name)
}

// HoldsModel permits callers who hold the model's permission that the action needs: model.view
// to read, model.add to create, model.change to update and for actions that write, model.delete
// to delete.
func HoldsModel(model string) Permission {
	return call.HoldsModel(model)
}

// PerModel permits reading to every caller who is known, and writing to those who hold
// model.add, model.change or model.delete, whichever the action needs.
func PerModel(model string) Permission {
	return call.PerModel(model)
}

// All permits what every one of ps permits; without any, everything.
func All(ps ...Permission) Permission {
	return call.All(ps...)
}

// Any permits what at least one of ps permits; without any, nothing.
func Any(ps ...Permission) Permission {
	return call.Any(ps...)
}

// Not permits what p refuses.
func Not(p Permission) Permission {
	return call.Not(p)
}

// IsPermissionName reports whether a permission can have a name: a resource and a right, as in
// "patients.view", in lower case and of at most 200 characters.
func IsPermissionName(name string) bool {
	return call.IsPermissionName(name)
}
