// Package call has what a request carries through the framework: the [Call], its
// [Caller], and what decides whether the call may go on, [Authenticator], [Permission] and
// [Throttle]. Programs use these names by way of package framework, which has an alias of
// each.
package call
